/** The faces of dice: what is painted on them, by the kind of dice they are. */
import { html, svg } from '../vendor/libraries.js';

const [LOW, MIDDLE, HIGH] = [11.5, 20, 28.5];
/** Where the pips of a face lie. @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[MIDDLE, MIDDLE]],
  2: [
    [LOW, HIGH],
    [HIGH, LOW],
  ],
  3: [
    [LOW, HIGH],
    [MIDDLE, MIDDLE],
    [HIGH, LOW],
  ],
  4: [
    [LOW, LOW],
    [HIGH, LOW],
    [LOW, HIGH],
    [HIGH, HIGH],
  ],
  5: [
    [LOW, LOW],
    [HIGH, LOW],
    [MIDDLE, MIDDLE],
    [LOW, HIGH],
    [HIGH, HIGH],
  ],
  6: [
    [LOW, LOW],
    [HIGH, LOW],
    [LOW, MIDDLE],
    [HIGH, MIDDLE],
    [LOW, HIGH],
    [HIGH, HIGH],
  ],
};
const LETTERS = /** @type {Record<number, string>} */ ({ 9: '9', 10: '10', 11: 'J', 12: 'Q', 13: 'K', 14: 'A' });
/** What stands over the letter of a poker die: a crown, a diadem, a cap, a spade; two lozenges and one for the numbers. */
const SIGNS = /** @type {Record<number, string>} */ ({
  9: 'M20 4.6l3 3.4-3 3.4-3-3.4z',
  10: 'M15.6 4.6l2.9 3.4-2.9 3.4-2.9-3.4zM24.4 4.6l2.9 3.4-2.9 3.4-2.9-3.4z',
  11: 'M13.5 11.4c.4-4 3-6.6 8-7.2l4.6-.4-2.3 2.6c1.8 1.2 2.6 2.9 2.7 5z',
  12: 'M12.5 11.4l1.3-5.6 3.2 2.7 3-4.7 3 4.7 3.2-2.7 1.3 5.6z',
  13: 'M12 11.4V4.6l4 3 4-4.6 4 4.6 4-3v6.8z',
  14: 'M20 3.2c1.4 2.5 5 3.8 5 6.2 0 1.7-2.3 2.4-4.2.8l.9 2h-3.4l.9-2c-1.9 1.6-4.2.9-4.2-.8 0-2.4 3.6-3.7 5-6.2z',
});
const QUESTION = svg`<path class="veil" d="M14 15.5a6 6 0 1 1 8.6 5.4c-1.7.9-2.6 1.8-2.6 3.6"></path>
  <circle class="dot" cx="20" cy="29" r="1.9"></circle>`;

/** @typedef {'pips' | 'poker' | 'digits'} Kind */

/** @param {[first: number, count: number]} faces The number of the first face, and how many there are. @returns {Kind} */
export function kindOf([first]) {
  if (first === 0) return 'digits';
  return first === 1 ? 'pips' : 'poker';
}

/** @param {number} face */
const pips = (face) =>
  PIPS[face].map(([x, y]) => svg`<circle class="pip" cx=${x} cy=${y} r=${face === 1 ? 5 : 3.6}></circle>`);

/** @param {number} face */
const court = (face) => svg`<path class="sign" d=${SIGNS[face]}></path>
  <text class="letter" x="20" y="33.5">${LETTERS[face]}</text>`;

/** @param {number} face */
const figure = (face) => svg`<text class="figure" x="14" y="29.5">${face}</text>`;

/** @type {Record<Kind, (face: number) => unknown>} */
const PAINT = { pips, poker: court, digits: figure };

/** @param {number | null} face @param {Kind} kind @returns {unknown} What is drawn on the body of a die. */
export function painted(face, kind) {
  if (face !== null) return PAINT[kind](face);
  return kind === 'digits' ? svg`<circle class="dot" cx="14" cy="20" r="2.6"></circle>` : QUESTION;
}

/** @param {Kind} kind @returns {unknown} */
export function body(kind) {
  return kind === 'digits'
    ? svg`<rect class="body" x="1.5" y="1.5" width="25" height="37" rx="3"></rect>`
    : svg`<rect class="body" x="1.5" y="1.5" width="37" height="37" rx="9"></rect>`;
}

/** A mark for the cup that is passed on. */
export const cup = html`<svg class="cup" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
  <path d="M5 17 3.5 4.5C3.4 3 6 2 10 2s6.6 1 6.5 2.5L15 17z"></path>
</svg>`;

/** A shape for each seat, so that nobody is told from another by a colour alone. */
const MARKS = [
  'M10 2a8 8 0 1 0 .01 0z',
  'M3 3h14v14H3z',
  'M10 2 19 17.5H1z',
  'M10 1 19 10 10 19 1 10z',
  'M7 2h6v5h5v6h-5v5H7v-5H2V7h5z',
  'M10 1l2.6 6 6.4.6-4.8 4.3 1.4 6.4L10 15l-5.6 3.3 1.4-6.4L1 7.6 7.4 7z',
  'M10 1.5 19 8l-3.4 10.5H4.4L1 8z',
  'M5.5 2.5h9L19 10l-4.5 7.5h-9L1 10z',
  'M1 2.5h18L10 18z',
  'M2 10a8 8 0 0 1 16 0v6H2z',
  'M10 1a9 9 0 1 0 .01 0zM10 6.5a3.5 3.5 0 1 1-.01 0z',
  'M3 2h14l-5 8 5 8H3l5-8z',
];

/** @param {number} seat Of a seat, its mark; its colour is that of what it stands in, by `data-seat` or `data-of`. */
export const mark = (seat) => html`<svg class="seat-mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
  <path d=${MARKS[(seat - 1) % MARKS.length]}></path>
</svg>`;
/** A mark in the corner of a die that can be checked. @param {Kind} kind @returns {unknown} */
export const shield = (kind) =>
  svg`<path class="shield" d="M${kind === 'digits' ? 18.5 : 31} 31h8v4c0 3-1.7 4.4-4 5-2.3-.6-4-2-4-5z"></path>`;

/** A shield at a name: whether what a seat does is signed. */
export const seal = html`<svg viewBox="0 0 12 14" aria-hidden="true" focusable="false">
  <path d="M1 1h10v6c0 3.2-2 5-5 6-3-1-5-2.8-5-6z"></path>
</svg>`;
