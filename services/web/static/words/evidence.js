/**
 * The evidence for a verdict: the open dice that count for a claim, and those of a hand. It goes by dice that everybody
 * sees and by no others, so that a verdict is the same for each viewer.
 */

import { CATALOGUE, countWords, dieWords, inWords, joinNames, say } from './catalogue.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Verdict} Verdict */
/** @typedef {import('../client/view.js').Die} Die */
/** @typedef {import('./catalogue.js').Facts} Facts */

const ONE = 1;
const NOTHING = 'none';

/**
 * How a count came about: how many dice show the face itself, and how many wild ones count with them.
 *
 * @param {Verdict & {face: number, count: number}} verdict
 * @param {View} view
 * @returns {Facts} `tally` is `hidden` where not every die lies open, or where they come to another count.
 */
export function factsOfCount(verdict, view) {
  const { face, count } = verdict;
  const faces = shown(view.seats.flatMap((seat) => seat.dice));
  const natural = faces.filter((each) => each === face).length;
  const wild = face === ONE ? 0 : count - natural;
  const number = { wild: String(wild), 'wild.words': inWords(wild) };
  return {
    tally: tallyOf(verdict, faces, natural, wild),
    naturals: countWords(natural, face),
    'wild.number': say(CATALOGUE.wild, number),
  };
}

/** @param {Verdict & {count: number}} verdict @param {number[]} faces @param {number} natural @param {number} wild */
function tallyOf({ kind, count, holds, quantity }, faces, natural, wild) {
  if (count === 0) return NOTHING;
  const ones = faces.filter((each) => each === ONE).length;
  if (faces.length === 0 || (wild !== 0 && wild !== ones)) return 'hidden';
  if (wild === 0) return 'plain';
  if (natural > 0) return 'mixed';
  return kind !== 'spot_on' && holds === false && count >= (quantity ?? 0) ? 'no natural' : 'wild';
}

/**
 * @param {Verdict} verdict
 * @param {View} view
 * @returns {string} The dice of the hand that was judged, the claimant's or the cup's; `none` where any is hidden.
 */
export function lying(verdict, view) {
  const own = view.seats.filter((seat) => seat.seat === verdict.claimant).flatMap((seat) => seat.dice);
  return diceWords(shown(view.cup.length > 0 ? view.cup : own)) || NOTHING;
}

/** @param {number[]} faces @returns {string} Those that are alike together, in the order in which they lie. */
export function diceWords(faces) {
  const counted = new Map();
  for (const face of faces) counted.set(face, (counted.get(face) ?? 0) + 1);
  return faces.length === 0 ? '' : joinNames([...counted].map(([face, number]) => dieWords(number, face)));
}

/** @param {Die[]} dice @returns {number[]} The faces of dice that everybody sees; none of them unless all are seen. */
const shown = (dice) => (dice.every((die) => die.shown) ? dice.map((die) => Number(die.face)) : []);
