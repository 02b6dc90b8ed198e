/** The next table on the card of an entrant: where, with whom, what was met before, and the way to the seat. */
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {import('./own.js').Own} Own */
/** @typedef {import('./own.js').Opponent} Opponent */

/** @param {string} key @param {Record<string, string>} [facts] */
const words = (key, facts = {}) => say(CATALOGUE.card[key], facts);

/** While nobody is paired yet, whoever has none may register a key. */
const EARLY = ['entry', 'check_in', 'drawing'];

/** @param {Own} own @returns {boolean} Whether a key is to be registered now. */
export const lacksKey = ({ key, card }) => key === null && EARLY.includes(card.phase);

/** @param {Own} own @returns {boolean} Whether the seat at the own table is kept for its player to take. */
export const isKeptSeat = ({ token, ready }) => token === null && ready === false;

/**
 * @param {Own} own
 * @param {string} page The address of the tournament.
 * @param {boolean} busy
 * @param {() => void} sit
 */
export function tableOf(own, page, busy, sit) {
  const { card, token } = own;
  const { table } = card;
  if (table === null) return nothing;
  const goes = ['go_to_table', 'play'].includes(card.now);
  return html`<section class="sheet now"><p class="eyebrow">${words('round', { round: String(table.round) })}</p>
    <h2 class="large">${words('table', { table: String(table.table), seat: String(table.seat) })}</h2>
    ${table.place === null ? nothing : html`<p>${words('placed', { place: String(table.place) })}</p>`}
    ${goes && (token !== null || isKeptSeat(own)) ? html`<button class="button" ?disabled=${busy} @click=${sit}>${words('sit')}</button>` : nothing}
    ${table.opens ? html`<p>${words('opens')}</p>` : nothing}
    <h3>${words('with')}</h3>
    <ul class="opponents">${table.opponents.map((one) => opponent(one, page))}</ul></section>`;
}

/** @param {Opponent} one @param {string} page */
const opponent = ({ number, name, bot, met, meetings }, page) => html`<li>
  <a href="${page}/entrants/${number}"><bdi>${name}</bdi></a>${bot ? html` <span class="tag">${words('bot')}</span>` : nothing}
  <span class="muted">${words('met', { times: String(met) })}</span>
  ${meetings.map(
    ({ round, table, place, theirs }) =>
      html`<span class="muted meeting">${words('meeting', {
        round: String(round),
        table: String(table),
        place: String(place),
        theirs: String(theirs),
      })}</span>`,
  )}</li>`;
