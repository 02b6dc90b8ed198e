/** A ladder on the card of an entrant: whom one may challenge, and what waits for an answer. */
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { personWords } from '../words/phrases.js';

/** @typedef {import('./own.js').Card} Card */
/** @typedef {import('./own.js').Command} Command */
/** @typedef {import('./own.js').Challenge} Challenge */

/** @param {string} key @param {Record<string, string>} [facts] */
const words = (key, facts = {}) => say(CATALOGUE.card.ladder[key], facts);

/** @param {number} at */
const moment = (at) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'medium' }).format(new Date(at));

/** @param {Card} card @param {string} page The address of the tournament. @param {boolean} busy @param {Command} command */
export function ladderOf({ ladder }, page, busy, command) {
  if (ladder === null) return nothing;
  const { place, challenge, rivals } = ladder;
  const now = challenge !== null && !challenge.own && !challenge.accepted;
  return html`<section class="sheet ${now ? 'now' : ''}" id="ladder"><h2>${words('title')}</h2>
    ${place === null ? nothing : html`<p>${words('place', { place: String(place) })}</p>`}
    ${challenge === null ? nothing : asked(challenge, busy, command)}
    ${
      rivals.length === 0
        ? nothing
        : html`<h3>${words('rivals')}</h3>
    <ul class="opponents rivals">${rivals.map(
      (one) => html`<li><span class="at">${one.place}</span>
      <a href="${page}/entrants/${one.number}"><bdi>${one.name}</bdi></a>${one.bot ? html` <span class="tag">${say(CATALOGUE.card.bot, {})}</span>` : nothing}
      <button class="button plain-button" ?disabled=${busy} aria-label=${words('challenge_who', { who: personWords(one) })}
        @click=${() => command({ type: 'challenge', against: one.number })}>${words('challenge')}</button></li>`,
    )}</ul>`
    }</section>`;
}

/** @param {Challenge} one @param {boolean} busy @param {Command} command */
function asked(one, busy, command) {
  const { challenge, own, until, accepted } = one;
  if (accepted) return html`<p>${words('accepted')}</p>`;
  const facts = { who: personWords(one), at: moment(until) };
  if (own) return html`<p>${words('made', facts)}</p>`;
  const answer = (/** @type {boolean} */ yes) => command({ type: 'answer', challenge, accepted: yes });
  return html`<p><strong>${words('against', facts)}</strong></p>
    <p class="row"><button class="button" ?disabled=${busy} @click=${() => answer(true)}>${words('accept')}</button>
    <button class="link danger" ?disabled=${busy} @click=${() => confirm(words('sure')) && answer(false)}>${words('decline')}</button></p>`;
}
