/** Where the dice come from that a seat handles: found in the lines of the match, and in the proofs of its own dice. */
import { arrangedAfter, emptyPlace, handful, laidAfter, rolledAfter, shownAfter } from '../rules/table/places.js';

/** @typedef {import('../auditor/chain.js').Event} Event */
/** @typedef {import('../rules/table/places.js').Address} Address */
/** @typedef {import('../rules/table/places.js').Choice} Choice */
/** @typedef {{cup: number, inside: Address[], outside: Address[]}} Hand In its holder's numbering, the hidden dice first. */

export const PASSED_CUP = 255;

/**
 * @param {Event[]} events
 * @param {any[]} openings What the server has told this seat of its dice: among them which of them it has rolled.
 * @param {number} cup
 * @param {number} faces How many a die has.
 * @returns {Hand}
 */
export function handOf(events, openings, cup, faces) {
  let place = emptyPlace(cup, 0);
  for (const { type, data } of events) {
    if (type === 'game.round_opened' && cup !== PASSED_CUP) place = emptyPlace(cup, 0);
    if (data.cup !== cup) continue;
    if (type === 'cup.rolled') place = afterRoll(place, data, faces);
    if (type === 'game.arranged') place = arrangedAfter(place, data);
    if (type === 'cup.revealed') place = shownAfter(place, data);
  }
  const told = openings.filter((one) => one.type === 'game.choices_revealed' && one.cup === cup);
  const choices = told.flatMap((one) => /** @type {Choice[]} */ (one.choices));
  const { inside, outside } = handful(place, /** @type {any} */ ({ unsealed: among(choices) }));
  return { cup, inside, outside };
}

/** Slots behind the dice have another number of faces. @param {import('../rules/table/places.js').Place} place
 *  @param {any} data @param {number} faces */
function afterRoll(place, data, faces) {
  const slots = data.slots.filter((/** @type {number} */ _, /** @type {number} */ at) => data.m[at] === faces);
  const rolled = { ...data, slots };
  if (place.rolling !== null) return rolledAfter(place, rolled);
  return laidAfter({ ...place, size: slots.length }, rolled, []);
}

/** @param {Choice[]} choices @returns {(seal: string, cup: number, size: number, candidates: Iterable<Choice>) => Choice | undefined} */
const among = (choices) => (_seal, _cup, _size, candidates) => {
  const known = choices.map(text);
  for (const one of candidates) if (known.includes(text(one))) return one;
  return undefined;
};

/** @param {Choice} choice */
const text = ({ roll, roll_inside, roll_outside, outside }) =>
  JSON.stringify([roll, roll_inside, roll_outside, outside]);
