/**
 * Tables of tournaments: how their seats say that they are there, and what the director does to a match. All of it is
 * there only where the rules object names the table, and what a host may do elsewhere is not.
 */

import { require } from '../refused.js';
import { releaseRound, shareDeal } from './boards.js';
import { readyAwaited, roundLimit, roundNow } from './evolve.js';

/** @typedef {import('./course.js').Course} Course */
/** @typedef {import('../table/decide.js').Command} Command */

const OF_TABLES_WITH_HOSTS = ['leave', 'end_match', 'close_session', 'close_unattended'];

/** @param {Course} course @param {Command} command It is one for a table of a tournament, or for any other. */
export function checkAsked({ match }, { kind }) {
  if (match.settings.event === undefined) {
    require(!(kind in OF_EVENTS), 'this is no table of a tournament');
    return;
  }
  require(!OF_TABLES_WITH_HOSTS.includes(kind), 'at a table of a tournament its officials see to this');
}

/** @param {Course} course @param {number} seat It waits for this one, before it starts. */
function checkAwaited({ match }, seat) {
  require(match.table === null, 'the match has started');
  require(seat in match.seated, 'this player has no seat at this table');
  require(readyAwaited(match).includes(seat), 'the match waits for no such seat');
}

/** @param {Course} course @param {Command} command */
function sayReady(course, { seat }) {
  checkAwaited(course, Number(seat));
  course.add({ type: 'game.seat_ready', data: { seat } });
}

/** @param {Course} course @param {Command} command */
function leaveOut(course, { who }) {
  checkAwaited(course, who);
  course.add({ type: 'seat.left', data: { seat: who, reason: 'no_show' } });
}

/** @param {Course} course */
const checkNotStopped = ({ match }) => require(!match.stopped, 'the match ends as soon as the dice are there');

/** @param {Course} course */
function setLastRound(course) {
  require(course.match.table !== null, 'the match has not started');
  checkNotStopped(course);
  require(roundLimit(course.match) > roundNow(course.match), 'this is the last round as it is');
  course.add({ type: 'game.last_round', data: {} });
}

/** @param {Course} course @param {Command} command */
function stop(course, { line }) {
  checkNotStopped(course);
  course.add({ type: 'game.stopped', data: { line } });
  if (course.match.table === null) course.add({ type: 'match.ended', data: { winner: null } });
}

/** @type {Record<string, (course: Course, command: any) => void>} What is only asked for at tables of tournaments. */
export const OF_EVENTS = {
  ready: sayReady,
  leave_out: leaveOut,
  last_round: setLastRound,
  stop_match: stop,
  share_deal: shareDeal,
  release_round: releaseRound,
};
