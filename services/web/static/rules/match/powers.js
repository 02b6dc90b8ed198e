/**
 * Host powers: what the host of a match may do to its course, each an event with its reason; and stand-ins, whom a seat
 * may ask for as well. A power is there only where the rules say so; whose token has it is not for a record to tell. No
 * power throws dice away or lets anybody choose them.
 */

import { require } from '../refused.js';
import { isHouse } from './absence.js';
import { awayMs, isHalted, leftToHold } from './evolve.js';

/** @typedef {import('./course.js').Course} Course */
/** @typedef {import('../table/decide.js').Command} Command */

const TIME_MS_MIN = 1_000;
const TIME_MS_MAX = 600_000;

/** @param {Course} course @param {Command} command What anybody asks for as the host. */
export function doPower(course, command) {
  require(course.match.settings.host !== undefined, 'the rules of this match give its host no powers');
  POWERS[command.kind](course, command);
}

/** @param {Course} course @param {string} type @param {object} [data] */
const happens = (course, type, data = {}) => course.add({ type: `game.${type}`, data });

/** @param {Course} course @param {number} seat Somebody has it who is not out of the match. */
function checkSeat({ match: { seated, table } }, seat) {
  require(seat in seated, 'this player has no seat at this table');
  require(!table?.out.includes(seat), 'this seat is out of the match');
}

/** @param {Course} course @param {number} seat Nobody else can sign for one that has a key. */
const checkKeyless = ({ match }, seat) => require(match.seated[seat].key === null, 'this seat signs what it asks for');

/** @param {Course} course */
const checkInPlay = ({ match }) => require(match.table !== null, 'the match has not started');

/** @param {Course} course @param {Command} command */
function kick(course, { who, reason }) {
  checkSeat(course, who);
  checkKeyless(course, who);
  const { host, kicked, table } = course.match;
  require(who !== host && !kicked.includes(who), 'the host stays, and nobody is kicked twice');
  happens(course, 'kicked', { seat: who, reason });
  if (table === null) course.add({ type: 'seat.left', data: { seat: who, reason: 'kicked' } });
}

/** @param {Course} course @param {Command} command */
function pause(course, { reason }) {
  checkInPlay(course);
  const left = leftToHold(course.match);
  require(course.match.paused === null && left > 0, 'the host holds the table up already, or may do so no more');
  happens(course, 'paused', { reason, until: course.at + left });
}

/** @param {Course} course */
function resume(course) {
  require(course.match.paused !== null, 'the table is not held up');
  happens(course, 'resumed', { why: 'host' });
}

/** @param {Course} course @param {Command} command */
function giveTime(course, { who, ms, reason }) {
  checkInPlay(course);
  require(course.match.clocks !== null && course.match.paused === null, 'no clocks run here');
  checkSeat(course, who);
  require(ms >= TIME_MS_MIN && ms <= TIME_MS_MAX && ms <= leftToHold(course.match), 'this is not a time to give');
  happens(course, 'time_given', { seat: who, ms, reason });
}

/** @param {Course} course What could be asked for without an end is bounded. */
const checkChanges = ({ match: { settings, changes } }) =>
  require(changes < (settings.host.changes ?? Number.POSITIVE_INFINITY), 'the table was changed too often');

/** @param {Course} course @param {Command} command */
function handOver(course, { to }) {
  const { host, kicked, seated } = course.match;
  require(to in seated, 'this player has no seat at this table');
  require(!seated[to].bot && to !== host && !kicked.includes(to), 'this seat cannot be the host');
  checkChanges(course);
  happens(course, 'handed_over', { to });
}

/** @param {boolean} locked @returns {(course: Course) => void} */
const lock = (locked) => (course) => {
  const { match } = course;
  require(match.table === null && match.locked !== locked, 'the match has started, or the table is so already');
  checkChanges(course);
  happens(course, locked ? 'locked' : 'unlocked');
};

/** @param {Course} course @param {Command} command A bot of the house takes over for a seat that is away. */
function seatStandIn(course, { who }) {
  require(who !== course.match.host, 'the host asks for a stand-in as a seat');
  require(keepsWaiting(course, who), 'this seat is not away');
  standsIn(course, who, 'host');
}

/** @param {Course} course @param {number} seat @returns {boolean} Whether the table waits for it, for some time now. */
function keepsWaiting({ at, match }, seat) {
  const { absence } = match;
  if (absence === null) return false;
  const waits = absence.turn === seat && !isHalted(match);
  return seat in absence.turns || (waits && at - absence.turnSince >= awayMs(match));
}

/** @param {Course} course @param {number} seat @param {'host' | 'seat' | 'idle'} why */
function standsIn(course, seat, why) {
  checkInPlay(course);
  checkSeat(course, seat);
  require(!isHouse(course.match.seated[seat]), 'a bot plays this seat');
  checkKeyless(course, seat);
  if (why !== 'idle') checkChanges(course);
  happens(course, 'stood_in', { seat, why });
}

/** @param {Course} course @param {number} seat @param {'host' | 'seat'} why */
function takenBack(course, seat, why) {
  checkSeat(course, seat);
  require(course.match.seated[seat].standIn, 'nobody stands in for this seat');
  happens(course, 'taken_back', { seat, why });
}

/** @param {Course} course @param {Command} command For the seat itself, where it has one, or else for the host. */
export function standIn(course, command) {
  if (command.who !== undefined) doPower(course, command);
  else {
    require(course.match.settings.host !== undefined, 'the rules of this match know no stand-ins');
    standsIn(course, Number(command.seat), 'seat');
  }
}

/** @param {Course} course @param {Command} command */
export function takeBack(course, command) {
  if (command.who !== undefined) doPower(course, command);
  else takenBack(course, Number(command.seat), 'seat');
}

/** @type {Record<string, (course: Course, command: any) => void>} */
const POWERS = {
  kick,
  pause,
  resume,
  give_time: giveTime,
  hand_over: handOver,
  lock: lock(true),
  unlock: lock(false),
  stand_in: seatStandIn,
  take_back: (course, { who }) => takenBack(course, who, 'host'),
};

/** What nobody but a host asks for. */
export const OF_HOSTS = ['kick', 'pause', 'resume', 'give_time', 'hand_over', 'lock', 'unlock'];
