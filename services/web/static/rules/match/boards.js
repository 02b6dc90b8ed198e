/**
 * Boards, as a match sees them: dice that other tables have as well, and rounds that wait for each other.
 *
 * The law of the file: a match of a board has no deal of its own. Its director says which deal of the board it plays
 * with, once that is ready, and of every round when it is over at all tables; before that no die is shown here.
 */
import { require } from '../refused.js';
import { releaseEvents } from '../table/decide.js';

/** @typedef {import('./course.js').Course} Course */

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
