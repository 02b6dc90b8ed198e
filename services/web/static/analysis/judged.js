/** What is said of one event: a claim with its chances and what it was, and the decision with what could have been done. */
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { claimWords } from '../words/phrases.js';
import { chanceWords, isFigure, partWords, pointsWords } from './figures.js';
import { moveWords } from './said.js';

/** @typedef {import('./asking.js').Told} Told */
/** @typedef {import('./asking.js').Decision} Decision */
/** @typedef {import('./asking.js').Printed} Printed */
/** @typedef {import('./sight.js').Sight} Sight */
/** @typedef {import('./promises.js').Promises} Promises */
/** @typedef {(seat: number) => string} NameOf */

/** A shape for each label, so that no colour is needed to tell them apart. */
const SHAPES = /** @type {Record<string, string>} */ ({
  true: '\u25cf',
  truthful: '\u25cb',
  'semi-bluff': '\u25d1',
  bluff: '\u25b2',
  lucky: '\u2605',
  unlucky: '\u25bc',
});

/** @param {string} label */
const labelled = (label) =>
  html`<span class="tag label" data-label=${label}><span aria-hidden="true">${SHAPES[label]}</span> ${CATALOGUE.analysis.page.labels[label]}</span>`;

/** @param {Sight} sight @param {Told} event @param {Promises} promises @param {NameOf} nameOf */
export function claimed(sight, event, promises, nameOf) {
  if (event.chance === undefined || event.claim === undefined) return nothing;
  const words = CATALOGUE.analysis.page;
  const seat = nameOf(Number(event.seat));
  return html`<section class="claimed">
    <h3>${words.claim}</h3>
    <p>${sentence(say(words.claimed, { seat, claim: claimWords(event.claim) }))} ${labels(sight, event, seat)}</p>
    <dl class="bars">${bars(sight, event).map(([view, printed]) => bar(say(words.chance, { view, seat: nameOf(Number(view)) }), printed, promises))}</dl>
  </section>`;
}

/** @param {Sight} sight @param {Told} event @param {string} seat */
function labels(sight, event, seat) {
  const words = CATALOGUE.analysis.page;
  if (event.label === undefined) return nothing;
  if (!sight.knows(event)) return html`<span class="muted">${say(words.cup, { seat })}</span>`;
  const { after } = event;
  const turned = after !== undefined && after !== event.label && sight.isOver(event.round);
  return html`${labelled(event.label)} ${turned ? html`<span class="muted">${words.became}</span> ${labelled(after)}` : nothing}`;
}

/** @param {Sight} sight @param {Told} event @returns {[string, Printed | undefined][]} */
function bars(sight, { seat, chance, read, round, ...event }) {
  if (chance === undefined) return [];
  const own = String(seat);
  /** @type {[string, Printed | undefined][]} */
  const found = [['public', chance.public]];
  if (sight.knows({ seat, round, ...event })) found.push([own, chance.seat[own]]);
  if (sight.view !== own && sight.view in chance.seat) found.push([sight.view, chance.seat[sight.view]]);
  if (read !== undefined) found.push(['read', read.after.public]);
  if (sight.view === 'all' && chance.all !== undefined) found.push(['all', chance.all]);
  return found;
}

/** @param {string} what @param {Printed | undefined} printed @param {Promises} promises */
const bar = (what, printed, promises) => html`<div>
  <dt>${what}</dt>
  <dd>
    ${isFigure(printed) ? html`<meter min="0" max="1000000" value=${printed[0]} aria-hidden="true"></meter>` : nothing}
    <span>${promises.show(printed, chanceWords)}</span>
  </dd>
</div>`;

/** @param {Sight} sight @param {Told} event @param {Promises} promises @param {NameOf} nameOf */
export function decided(sight, event, promises, nameOf) {
  const { decision, seat } = event;
  if (decision === undefined || seat === null || !sight.knows(event)) return nothing;
  const words = CATALOGUE.analysis.page;
  const nobody = decision.clock ? words.clock : decision.forced ? words.forced : '';
  return html`<section class="decided">
    <h3>${words.decision} ${decision.tag === null ? nothing : html`<span class="tag">${words.tags[decision.tag]}</span>`}</h3>
    ${nobody === '' ? summed(decision, promises) : html`<p>${nobody}</p>`}
    <p class="muted">${say(words.by, { seat: nameOf(seat) })}</p>
    ${decision.options.length > 1 ? options(sight, decision, promises) : nothing}
  </section>`;
}

/** @param {Decision} decision @param {Promises} promises */
function summed({ options, played, best, points }, promises) {
  const words = CATALOGUE.analysis.page;
  if (options.length === 0) return nothing;
  const none = isFigure(points) && points[0] === 0;
  return html`<dl class="facts">
    <div><dt>${words.played}</dt><dd>${moveWords(options[played].move, 'move')}</dd></div>
    <div><dt>${words.best}</dt><dd>${moveWords(options[best].move, 'move')}</dd></div>
    <div><dt>${words.lost}</dt><dd>${none ? words.nothing_lost : promises.show(points, pointsWords)}</dd></div>
  </dl>`;
}

/** @param {Sight} sight @param {Decision} decision @param {Promises} promises */
function options(sight, decision, promises) {
  const words = CATALOGUE.analysis.page;
  const part = (/** @type {number} */ ppm) => partWords(ppm, sight.analysis);
  const row = (/** @type {Decision['options'][number]} */ { move, q, weight }, /** @type {number} */ at) =>
    html`<tr ?data-played=${at === decision.played}>
      <th scope="row">${moveWords(move, 'move')}
        ${at === decision.best ? html`<span class="tag">${words.was_best}</span>` : nothing}
        ${at === decision.played ? html`<span class="tag">${words.was_played}</span>` : nothing}</th>
      <td>${promises.show(q, part)}</td><td>${promises.show(weight, chanceWords)}</td>
    </tr>`;
  return html`<details>
    <summary>${words.options}</summary>
    <div class="scroll" tabindex="0" role="region" aria-label=${words.options}>
      <table class="figures">
        <thead><tr><th scope="col">${words.move}</th><th scope="col">${words.worth}</th><th scope="col">${words.weight}</th></tr></thead>
        <tbody>${decision.options.map(row)}</tbody>
      </table>
    </div>
  </details>`;
}
