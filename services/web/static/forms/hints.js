/** Hints: how likely a claim of a count is, from nothing but what the viewer sees. For tables whose host allows it. */

import { CATALOGUE, countWords, say, sentence } from '../words/catalogue.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{quantity: number, face: number}} Raise */

const ONE = 1;

/** @param {number} tokens @param {number} number @param {number} chance @returns {number} That exactly so many count. */
function exactly(tokens, number, chance) {
  let ways = 1;
  for (let drawn = 0; drawn < number; drawn += 1) ways *= (tokens - drawn) / (drawn + 1);
  return ways * chance ** number * (1 - chance) ** (tokens - number);
}

/** @param {number} tokens @param {number} number @param {(count: number) => number} part @returns {number} Of so many and more. */
function sumFrom(tokens, number, part) {
  let sum = 0;
  for (let count = Math.max(0, number); count <= tokens; count += 1) sum += part(count);
  return sum;
}

/**
 * As `chance_of_bid` of the house reckons it, in fractions; a test holds the two against each other.
 *
 * @param {View} view
 * @param {Raise} raise
 * @returns {number} The chance that it holds, 0 to 1: faces the viewer sees are there, all others are as likely as each other.
 */
export function chanceOf(view, { quantity, face }) {
  const dice = view.seats.flatMap((seat) => seat.dice);
  const seen = dice.flatMap((one) => (one.face === null ? [] : [one.face]));
  const unseen = dice.length - seen.length;
  const [first, count] = view.faces;
  const isHelped = first === ONE && face !== ONE && !view.flags.includes('plain_ones');
  const shown = seen.filter((one) => one === face || (isHelped && one === ONE)).length;
  const missing = quantity - shown;
  const chance = (isHelped ? 2 : 1) / count;
  const holds = sumFrom(unseen, missing, (number) => exactly(unseen, number, chance));
  if (!isHelped || view.rules.options.natural_required !== true || seen.includes(face)) return holds;
  // Wild ones alone make no claim true here: every way in which nothing but ones counts is taken off.
  const alone = 1 / count;
  const plain = 1 - 2 * alone;
  const share = alone / (alone + plain);
  const onlyOnes = (/** @type {number} */ number) => exactly(unseen, number, share) * (alone + plain) ** unseen;
  return holds - sumFrom(unseen, missing, onlyOnes);
}

/** @returns {boolean} Whether the server wrote that this table shows what a raise comes to. */
const areShown = () => document.querySelector('tc-table[hints]') !== null;

/** @param {View} view @returns {((raise: Raise) => number) | null} What tells of each raise; nothing where the host allows no hints. */
export const hintsOf = (view) => (areShown() ? (raise) => chanceOf(view, raise) : null);

/** @param {number} chance @returns {string} In percent; what is not sure is never said to be so. */
export function percent(chance) {
  const rounded = Math.round(chance * 100);
  if (rounded === 0 && chance > 0) return say(CATALOGUE.teach.hints.below, { number: '1' });
  if (rounded === 100 && chance < 1 - Number.EPSILON * 100) return say(CATALOGUE.teach.hints.above, { number: '99' });
  return say(CATALOGUE.teach.hints.percent, { number: String(rounded) });
}

/** @param {Raise} raise @param {number} chance @returns {string} */
export const hintWords = ({ quantity, face }, chance) =>
  sentence(say(CATALOGUE.teach.hints.holds, { claim: countWords(quantity, face), chance: percent(chance) }));
