/** The balances of seats, had and owed, in the words of the games: lives, tokens, drinks, units. */
import { html, nothing } from '../vendor/libraries.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */
/** @typedef {(amount: number) => string} Wording */

/** @param {number} amount @param {string} one @param {string} many */
const so = (amount, one, many) => `${signed(amount)} ${Math.abs(amount) === 1 ? one : many}`;
/** @param {number} amount */
const signed = (amount) => (amount < 0 ? `−${-amount}` : String(amount));

/** How a seat's balance is told; what is told elsewhere, like dice, is left out. @type {Record<string, Wording>} */
const WORDS = {
  loss: (amount) => so(amount, 'round lost', 'rounds lost'),
  win: (amount) => so(amount, 'round won', 'rounds won'),
  token: (amount) => (amount === 0 ? 'no tokens' : so(amount, 'token', 'tokens')),
  chip: (amount) => (amount === 0 ? 'no chips won or lost' : so(amount, 'chip', 'chips')),
  drink: (amount) => so(amount, 'drink', 'drinks'),
  glass: (amount) => so(amount, 'glass finished', 'glasses finished'),
  unit: (amount) => (amount > 0 ? `+${amount}` : signed(amount)),
  buy_back: (amount) => so(amount, 'buy-back', 'buy-backs'),
  match: (amount) => so(amount, 'match won', 'matches won'),
};
/** Balances that say something even where they are nothing. */
const EVEN_NONE = new Set(['token', 'chip', 'unit']);
/** What is written on a sheet beside the table, and the head of its column. @type {Record<string, string>} */
const SHEET = {
  unit: 'Units',
  chip: 'Chips',
  drink: 'Drinks',
  glass: 'Glasses',
  buy_back: 'Buy-backs',
  match: 'Matches',
};

/** @param {Record<string, number>} balances @returns {string[]} */
export function held(balances) {
  const told = Object.entries(balances).filter(([unit, amount]) => amount !== 0 || EVEN_NONE.has(unit));
  return told.flatMap(([unit, amount]) => (WORDS[unit] === undefined ? [] : [WORDS[unit](amount)]));
}

/** @param {View} view */
export function sheet(view) {
  const [first] = view.seats;
  const units = Object.keys(first?.balances ?? {}).filter((unit) => SHEET[unit] !== undefined);
  if (units.length === 0) return nothing;
  return html`<section class="sheet sums" aria-labelledby="sums-title">
    <h2 id="sums-title">The sheet</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Player</th>
          ${units.map((unit) => html`<th scope="col">${SHEET[unit]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${view.seats.map((seat) => row(seat, units))}
      </tbody>
    </table>
  </section>`;
}

/** @param {Seat} seat @param {string[]} units */
function row(seat, units) {
  return html`<tr>
    <th scope="row"><bdi class="text" title=${seat.name}>${seat.name}</bdi></th>
    ${units.map((unit) => html`<td>${unit === 'unit' ? WORDS.unit(seat.balances[unit]) : signed(seat.balances[unit])}</td>`)}
  </tr>`;
}
