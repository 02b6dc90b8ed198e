/** The panels beside the table: the story so far, the last round, who may sit down, what the host may do. */
import { ownName, tokensOf } from '../client/keep.js';
import { html, nothing, repeat } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { apart, called, joinNames, sentence } from '../words/phrases.js';
import { finding } from '../words/verdicts.js';
import { counting, hand } from './dice.js';
import './rematch.js';

/** @typedef {import('../client/view.js').Seat} Seat */
/** @typedef {import('../client/view.js').View} View */
/** @typedef {{version: number, text: string, kind: string}} Entry */

const WORDS = CATALOGUE.beside;
const TRUST = CATALOGUE.trust;
const KEYS = CATALOGUE.keys;

/** @param {string} kind @returns {boolean} Whether a line tells of how dice are fixed, and not of play. */
const isOfDeal = (kind) => /^(deal|seed)-/.test(kind);

/** The lines of deals are there for whoever asks for them. @param {Entry[]} entries Newest last. */
export function story(entries) {
  return html`<section class="sheet story" aria-labelledby="story-title">
    <h2 id="story-title">${WORDS.story}</h2>
    <label class="deal-lines"><input type="checkbox" /> ${CATALOGUE.teach.shield.lines}</label>
    ${
      entries.length === 0
        ? html`<p class="muted">${WORDS.nothing}</p>`
        : html`<ol class="entries" tabindex="0" aria-label=${WORDS.events}>
            ${repeat(
              [...entries].reverse(),
              (entry) => entry.version,
              (entry) => html`<li class="${entry.kind} ${isOfDeal(entry.kind) ? 'of-deal' : ''}">${entry.text}</li>`,
            )}
          </ol>`
    }
  </section>`;
}

/** @param {View | null} view The view in which the dice of a settled round lay open. */
export function lastRound(view) {
  if (view === null || view.last === null) return nothing;
  const counts = counting(view.seats, view.last, view.flags);
  const seats = view.seats.filter((seat) => seat.dice.length > 0);
  const { faces, last } = view;
  const row = (/** @type {Seat} */ seat) =>
    html`<li>
      <bdi class="text" title=${called(seat)}>${called(seat)}</bdi>${hand(seat.dice, say(CATALOGUE.board.whose, { name: called(seat) }), { counts, faces })}
    </li>`;
  const cup =
    view.cup.length === 0
      ? nothing
      : html`<li><span>${WORDS.cup}</span>${hand(view.cup, CATALOGUE.felt.cup, { faces })}</li>`;
  return html`<section class="sheet last" aria-labelledby="last-title">
    <h2 id="last-title">${say(WORDS.last, { round: String(view.round) })}</h2>
    <p>${sentence(finding(last, view))}.</p>
    <ul class="hands">
      ${seats.map(row)} ${cup}
    </ul>
  </section>`;
}

/** @param {{view: View, busy: boolean, fault: string, onJoin: (event: SubmitEvent) => void}} what */
export function joinForm({ view, busy, fault, onJoin }) {
  if (view.phase !== 'lobby' || view.seats.length >= view.rules.seats) return nothing;
  if (view.locked) {
    return html`<section class="sheet">
      <h2>${CATALOGUE.own.locked_title}</h2>
      <p>${CATALOGUE.own.locked}</p>
    </section>`;
  }
  if (isPrivate() && tokensOf(view.match).invite === undefined) {
    return html`<section class="sheet">
      <h2>${WORDS.private}</h2>
      <p>${WORDS.invited}</p>
    </section>`;
  }
  return html`<form class="sheet join" @submit=${onJoin} aria-labelledby="join-title">
    <h2 id="join-title">${WORDS.join}</h2>
    <div class="field">
      <label for="join-name">${WORDS.name}</label>
      <input
        id="join-name"
        name="name"
        type="text"
        required
        maxlength="40"
        autocomplete="nickname"
        .value=${ownName()}
      />
    </div>
    <div class="field switch">
      <label for="join-seeds"
        ><input id="join-seeds" name="own_seeds" type="checkbox" checked /> ${WORDS.seeds}</label
      >
      <p class="hint">
        ${WORDS.seeds_hint}
      </p>
    </div>
    <div class="field switch">
      <label for="join-signs"><input id="join-signs" name="signs" type="checkbox" checked /> ${KEYS.signs}</label>
      <p class="hint">${KEYS.signs_hint}</p>
    </div>
    <details>
      <summary>${WORDS.add}</summary>
      <div class="field">
        <label for="join-words">${WORDS.words}</label
        ><input id="join-words" name="words" type="text" maxlength="200" autocomplete="off" />
        <p class="hint">${WORDS.words_hint}</p>
      </div>
    </details>
    ${fault === '' ? nothing : html`<p class="error" role="alert">${fault}</p>`}
    <button class="button" type="submit" ?disabled=${busy}>${WORDS.sit}</button>
  </form>`;
}

/** @param {HTMLFormElement} form @returns {{name: string, custody: string, signs: boolean, words: string}} What it asks for. */
export function askedIn(form) {
  const data = new FormData(form);
  const custody = data.get('own_seeds') === null ? 'server' : 'client';
  const told = (/** @type {string} */ name) => String(data.get(name) ?? '');
  return { name: told('name').trim(), custody, signs: data.get('signs') !== null, words: told('words') };
}

/** A seat sees everything at once. @param {View} view @param {string} [delay] For how long others wait, in milliseconds. */
export function lateness(view, delay) {
  if (delay === undefined || view.viewer !== null) return nothing;
  const seconds = String(Math.round(Number(delay) / 1000));
  return html`<span class="tag late">${say(CATALOGUE.watch.late_shown, { seconds })}</span>`;
}

/** @returns {boolean} Whether the server wrote that this table takes an invitation. */
const isPrivate = () => document.querySelector('tc-table[private]') !== null;

/**
 * @param {View} view
 * @param {number} receipts How many of the server's receipts this browser keeps.
 * @param {() => void} onDownload
 */
export function fairness(view, receipts, onDownload) {
  const own = view.seats.filter((seat) => seat.custody === 'client');
  const who =
    own.length === 0
      ? say(TRUST.unseeded, { beacon: view.rules.beacon ? 'yes' : 'no' })
      : say(TRUST.seeded, { names: joinNames(own.map((seat) => apart(called(seat)))) });
  return html`<section class="sheet fairness" aria-labelledby="fairness-title">
    <h2 id="fairness-title">${TRUST.title}</h2>
    <p>${who} <a href="/m/${view.match}/audit">${TRUST.audit}</a></p>
    ${signers(view)}
    <tc-shield .view=${view}></tc-shield>
    <details class="protocol">
      <summary>${CATALOGUE.teach.shield.deal}</summary>
    <dl>
      ${
        view.deal === null
          ? nothing
          : html`<div>
              <dt>${say(TRUST.deal, { deal: String(view.deal.number + 1) })}</dt>
              <dd><code title=${view.deal.root}>${view.deal.root.slice(0, 16)}…</code></dd>
            </div>`
      }
      <div>
        <dt>${say(TRUST.version, { version: String(view.version) })}</dt>
        <dd><code title=${view.head}>${view.head.slice(0, 16)}…</code></dd>
      </div>
    </dl>
    </details>
    ${
      receipts === 0
        ? nothing
        : html`<p class="receipts">
            ${say(TRUST.receipts, { receipts: String(receipts) })}
            <button type="button" class="link" @click=${onDownload}>${TRUST.download}</button>
          </p>`
    }
  </section>`;
}

/** Who signs what a seat does, where anybody does. @param {View} view */
function signers({ seats }) {
  const [signed, told] = [seats.filter(({ key }) => key), seats.filter(({ key }) => !key)];
  if (signed.length === 0) return nothing;
  const names = (/** @type {Seat[]} */ some) => joinNames(some.map((seat) => apart(called(seat))));
  return html`<p class="signers">
    ${say(KEYS.signed, { names: names(signed) })}
    ${told.length === 0 ? nothing : say(KEYS.unsigned, { names: names(told) })}
  </p>`;
}

/**
 * @param {string | null} offered The policy the log has now, where it is not the one this browser believes.
 * @param {() => void} onAccept
 */
export function policyNotice(offered, onAccept) {
  if (offered === null) return nothing;
  return html`<div class="note policy" role="status">
    <p>${TRUST.renewed}</p>
    <details>
      <summary>${TRUST.offered}</summary>
      <pre tabindex="0" aria-label=${TRUST.offered}><code>${offered}</code></pre>
    </details>
    <button type="button" class="button plain-button" @click=${onAccept}>${TRUST.accept}</button>
  </div>`;
}

/**
 * @param {string[]} alarms
 * @param {{known: string, offered: string} | null} policies Those that differ, where that is what the alarm is about.
 * @param {(event: SubmitEvent) => void} onBelieve
 */
export function alarmBanner(alarms, policies, onBelieve) {
  if (alarms.length === 0) return nothing;
  return html`<div class="alarm" role="alert">
      <strong>${TRUST.alarm}</strong>
      ${alarms.map((text) => html`<p>${text}</p>`)}
      <p>${TRUST.keep}</p>
    </div>
    ${policies === null ? nothing : believing(policies, onBelieve)}`;
}

/** @param {{known: string, offered: string}} policies @param {(event: SubmitEvent) => void} onBelieve */
function believing({ known, offered }, onBelieve) {
  return html`<details class="note policy">
    <summary>${TRUST.changed}</summary>
    <p>${TRUST.compare}</p>
    <p>${TRUST.known}:</p>
    <pre tabindex="0" aria-label=${TRUST.known}><code>${known}</code></pre>
    <p>${TRUST.now}:</p>
    <pre tabindex="0" aria-label=${TRUST.now}><code>${offered}</code></pre>
    <form @submit=${onBelieve}>
      <p><label><input type="checkbox" required /> ${TRUST.compared}</label></p>
      <button class="button plain-button">${TRUST.believe}</button>
    </form>
  </details>`;
}

/** @param {string} state @param {boolean} waits Whether no answer has come to what was asked a while ago. */
export function connectionNote(state, waits) {
  const known = /** @type {Record<string, string>} */ (WORDS.connection);
  const text = [known[state] ?? '', waits ? known.waits : ''].join(' ').trim();
  return html`<p class="note connection" role="status" ?hidden=${text === ''}>${text}</p>`;
}

/** @param {View} view */
export const finished = (view) => (view.phase === 'finished' ? html`<tc-rematch .view=${view}></tc-rematch>` : nothing);
