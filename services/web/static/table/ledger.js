/** The balances of seats, had and owed, in the words of the games: lives, tokens, drinks, units. */
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { called } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

/** @type {{heading: string, player: string, columns: Record<string, string>, held: Record<string, import('../words/catalogue.js').Message>}} */
const { heading, player, columns: COLUMNS, held: HELD } = CATALOGUE.sheet;

/** @param {number} amount */
const signed = (amount) => (amount < 0 ? `−${-amount}` : String(amount));

/** @param {number} amount */
const units = (amount) => (amount > 0 ? `+${amount}` : signed(amount));
/** Balances that say something even where they are nothing. */
const EVEN_NONE = new Set(['token', 'chip', 'unit']);

/** @param {Record<string, number>} balances @returns {string[]} */
export function held(balances) {
  const told = Object.entries(balances).filter(([unit, amount]) => amount !== 0 || EVEN_NONE.has(unit));
  return told.flatMap(([unit, amount]) => words(unit, amount));
}

/** @param {string} unit @param {number} amount @returns {string[]} Nothing for what is told elsewhere, like dice. */
function words(unit, amount) {
  if (unit === 'unit') return [units(amount)];
  const facts = { amount: String(Math.abs(amount)), shown: signed(amount) };
  return HELD[unit] === undefined ? [] : [say(HELD[unit], facts)];
}

/** @param {View} view */
export function sheet(view) {
  const [first] = view.seats;
  const kinds = Object.keys(first?.balances ?? {}).filter((unit) => COLUMNS[unit] !== undefined);
  if (kinds.length === 0) return nothing;
  return html`<section class="sheet sums" aria-labelledby="sums-title">
    <h2 id="sums-title">${heading}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${player}</th>
          ${kinds.map((unit) => html`<th scope="col">${COLUMNS[unit]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${view.seats.map((seat) => row(seat, kinds))}
      </tbody>
    </table>
  </section>`;
}

/** @param {Seat} seat @param {string[]} kinds */
function row(seat, kinds) {
  return html`<tr>
    <th scope="row"><bdi class="text" title=${called(seat)}>${called(seat)}</bdi></th>
    ${kinds.map((unit) => html`<td>${unit === 'unit' ? units(seat.balances[unit]) : signed(seat.balances[unit])}</td>`)}
  </tr>`;
}
