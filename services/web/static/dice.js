/** Dice, drawn. */
import { classMap, html, nothing, svg } from './vendor/libraries.js';
import { faceName, listed } from './words.js';

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

const QUESTION = svg`<path class="veil" d="M14 15.5a6 6 0 1 1 8.6 5.4c-1.7.9-2.6 1.8-2.6 3.6"></path>
  <circle class="dot" cx="20" cy="29" r="1.9"></circle>`;

/**
 * @param {number | null} face Null for a die under its cup.
 * @param {{counts?: boolean, shown?: boolean}} [look] `counts`: it counts for the claim; `shown`: everybody sees it.
 */
export function die(face, { counts = false, shown = false } = {}) {
  const classes = { die: true, hidden: face === null, ace: face === 1, counts, shown };
  return html`<svg class=${classMap(classes)} viewBox="0 0 40 40" aria-hidden="true" focusable="false">
    <rect class="body" x="1.5" y="1.5" width="37" height="37" rx="9"></rect>
    ${
      face === null
        ? QUESTION
        : PIPS[face].map(([x, y]) => svg`<circle class="pip" cx=${x} cy=${y} r=${face === 1 ? 5 : 3.6}></circle>`)
    }
  </svg>`;
}

/**
 * Whether each die counts for a claim: only marked where the marks come to what the table counted, for the rules of
 * counting are the table's.
 *
 * @param {{dice: {face: number | null}[]}[]} seats
 * @param {{kind: string, face: number | null, count: number | null} | null} verdict
 * @param {string[]} flags
 * @returns {(die: {face: number | null}) => boolean}
 */
export function counting(seats, verdict, flags) {
  if (verdict === null || verdict.count === null) return () => false;
  const wild = (/** @type {{face: number | null}} */ one) => one.face === verdict.face || one.face === 1;
  const plain = (/** @type {{face: number | null}} */ one) => one.face === verdict.face;
  const tallies = (/** @type {typeof plain} */ counts) =>
    seats.flatMap((seat) => seat.dice).filter(counts).length === verdict.count;
  const tried = flags.includes('plain_ones') ? [plain, wild] : [wild, plain];
  return tried.find(tallies) ?? (() => false);
}

/**
 * @param {{face: number | null, shown: boolean}[]} dice
 * @param {string} whose For those who do not see the picture.
 * @param {(die: any) => boolean} [counts]
 */
export function hand(dice, whose, counts = () => false) {
  if (dice.length === 0) return nothing;
  return html`<span class="hand" role="img" aria-label=${spoken(dice, whose)}>
    ${dice.map((one) => die(one.face, { counts: counts(one), shown: one.shown }))}
  </span>`;
}

/** @param {{face: number | null}[]} dice @param {string} whose */
function spoken(dice, whose) {
  const known = dice.filter((one) => one.face !== null).map((one) => faceName(/** @type {number} */ (one.face)));
  const hidden = dice.length - known.length;
  const parts = [known.length > 0 ? listed(known) : '', hidden > 0 ? `${hidden} under the cup` : ''];
  return `${whose} dice: ${parts.filter(Boolean).join(', ')}`;
}
