/** What an official holds a tournament with: the token in this browser, the links that bring one, and who may what by it. */
import { entryOf, keepEntry } from '../client/keep.js';
import { drawingOf } from '../qr.js';
import { html, render } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/** What leads with an official's powers to another device, or to somebody who was appointed. */
const BROUGHT = /^#official=(?<token>truecup_(?:host|arbiter)_[\w-]{43})$/;
/** What asks a host to name another key for an entrant. */
const ASKED = /^#name-key=(?<number>[1-9]\d{0,4})\.(?<key>[0-9a-f]{64})$/;
const WORDS = CATALOGUE.holding;

/**
 * Take the powers that a link brings out of the address, where people share and film it, and keep them.
 *
 * @param {string} tournament
 * @returns {string | null} The token that was not kept, since this browser has another here: its owner is to choose.
 */
export function takeOffice(tournament) {
  const token = BROUGHT.exec(location.hash)?.groups?.token;
  if (token === undefined) return null;
  history.replaceState(null, '', location.pathname + location.search);
  if ((officeOf(tournament) ?? token) !== token) return token;
  keepEntry(tournament, { host: token });
  return null;
}

/** @param {string} tournament @returns {string | null} The token of the official that this browser is. */
export const officeOf = (tournament) => entryOf(tournament).host ?? null;

/** Take the key that a link asks a host to name out of the address. @returns {{number: number, key: string} | null} */
export function takeAsked() {
  const found = ASKED.exec(location.hash)?.groups;
  if (found === undefined) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return { number: Number(found.number), key: found.key };
}

/** @returns {string} What is said to whoever cannot name a key. */
export const forHosts = () => WORDS.key_for_hosts;

/** @param {string | null} token @returns {'host' | 'arbiter' | null} */
export function roleOf(token) {
  if (token === null) return null;
  return token.startsWith('truecup_arbiter_') ? 'arbiter' : 'host';
}

/** @param {string} tournament @param {string} token @returns {string} */
export const consoleLink = (tournament, token) => `${location.origin}/t/${tournament}/host#official=${token}`;

/** @param {string} tournament @param {string} token */
const cardLink = (tournament, token) => `${location.origin}/t/${tournament}/me#entrant=${token}`;

/** What a spreadsheet makes a formula of, as in `projections/tournaments/exports/csv_files.py`; or a quoted cell, where one may hide. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20"]/;

/** @param {string} name @returns {string} A cell that is a text in any spreadsheet, or it could send away the links beside it. */
const disarmed = (name) => (FORMULA.test(name) ? `'${name}` : name);

/**
 * Show the links of many who were entered, to be copied as a table of two columns: they are shown this once.
 *
 * @param {HTMLElement} place
 * @param {string} tournament
 * @param {{number: number, token: string}[]} entered
 * @param {{name: string}[]} people In the same order.
 */
export function handOverAll(place, tournament, entered, people) {
  const lines = entered.map(
    ({ number, token }, at) => `${number}\t${disarmed(people[at]?.name ?? '')}\t${cardLink(tournament, token)}`,
  );
  const select = (/** @type {Event} */ event) => /** @type {HTMLTextAreaElement} */ (event.target).select();
  render(
    html`<h2 tabindex="-1">${say(WORDS.all, { many: String(entered.length) })}</h2>
      <p>${WORDS.hand_why}</p>
      <div class="field"><label for="handed-all">${WORDS.links}</label>
        <textarea id="handed-all" rows="6" readonly .value=${lines.join('\n')} @focus=${select}></textarea></div>
      <p><button class="button plain-button" type="button" @click=${() => (place.hidden = true)}>${WORDS.done}</button></p>`,
    place,
  );
  place.hidden = false;
  place.querySelector('h2')?.focus();
}

/**
 * Show a link that somebody else is to have, with a code to scan: it is shown this once.
 *
 * @param {HTMLElement} place
 * @param {string} tournament
 * @param {{token: string, role: string, number?: number}} answer
 * @param {string} name
 */
export function handOver(place, tournament, { token, role, number }, name) {
  const url = role === 'entrant' ? cardLink(tournament, token) : consoleLink(tournament, token);
  const { size, path } = drawingOf(url);
  const facts = { role, name, number: String(number ?? '') };
  const select = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select();
  render(
    html`<h2 tabindex="-1">${say(WORDS.hand, facts)}</h2>
      <p>${WORDS.hand_why}</p>
      <div class="invitation"><div class="field"><label for="handed">${WORDS.link}</label>
        <input id="handed" type="text" readonly .value=${url} @focus=${select}></div>
      <figure class="scan"><svg class="code" viewBox="0 0 ${size} ${size}" width="180" height="180" role="img" aria-label=${WORDS.code}>
        <path d=${path}></path></svg></figure></div>
      <p><button class="button plain-button" type="button" @click=${() => (place.hidden = true)}>${WORDS.done}</button></p>`,
    place,
  );
  place.hidden = false;
  place.querySelector('h2')?.focus();
}
