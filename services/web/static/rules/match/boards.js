/**
 * Boards, as a match sees them: dice that other tables have as well, and rounds that wait for each other.
 *
 * The law of the file: a match of a board has no deal of its own. Its director says which deal of the board it plays
 * with, once that is ready, and of every round when it is over at all tables; before that no die is shown here.
 */
import { require } from '../refused.js';
import { releaseEvents } from '../table/decide.js';
import { dealCups } from '../table/dice.js';
import { PASSED_CUP, openingState } from '../table/state.js';

/** @typedef {import('../../cup1.js').Cup} Cup */
/** @typedef {import('./course.js').Course} Course */

/**
 * The cups of a board: one a position, which every table that has the board rolls alike (CUP/1 section 4.23).
 *
 * @param {import('./evolve.js').Match} match
 * @returns {Cup[]} Only the game, the seats and `rounds_max` count.
 */
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

/** @param {Course} course @param {string} board */
const checkBoard = ({ match }, board) =>
  require(match.settings.board?.id === board, 'this match has no dice of this board');

/** @param {Course} course @param {any} command */
export function shareDeal(course, { deal, board, root, mix, head }) {
  checkBoard(course, board);
  require(course.match.ceremony === null, 'it is known whose dice these are');
  course.add({ type: 'deal.shared', data: { deal, board, root, mix, head } });
}

/** @param {Course} course @param {any} command */
export function releaseRound(course, { board, seq, head }) {
  checkBoard(course, board);
  require(course.match.table?.phase === 'awaiting_board', 'no round waits to be judged');
  const released = { type: 'game.released', data: { board, seq, head } };
  course.add(...releaseEvents(course.table, released, course.dealer));
}
