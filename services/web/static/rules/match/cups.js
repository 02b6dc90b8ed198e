/** Cups of a board: one a position, which every table that has the board rolls alike (CUP/1 section 4.23). */
import { dealCups } from '../table/dice.js';
import { PASSED_CUP, openingState } from '../table/state.js';

/** @typedef {import('../../cup1.js').Cup} Cup */

/** @param {import('./evolve.js').Match} match @returns {Cup[]} Only the game, the seats and `rounds_max` count. */
export function boardCups({ rules, settings }) {
  const seats = Array.from({ length: settings.seats }, (_, at) => at + 1);
  // Who opens is said, so that nothing is drawn for it.
  const state = { ...openingState(rules, seats), nextStarter: seats[0] };
  const most = settings.rounds_max ?? Number.POSITIVE_INFINITY;
  return dealCups(state, settings.deal_per).map(([id, , rolls, width]) => [
    id,
    PASSED_CUP,
    Math.min(rolls, most),
    width,
  ]);
}
