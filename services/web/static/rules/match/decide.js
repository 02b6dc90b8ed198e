/**
 * Decisions: what a command on a match leads to. Time and chance come with the command. What follows of itself (a seal
 * after the last commitment, the first round once the dice are fixed, the end after the last loss) follows at once.
 */

import { Refused, require } from '../refused.js';
import { isHouse } from './absence.js';
import { givenBack } from './clocks.js';
import { Course } from './course.js';
import { fixDeal, fixSeed, hearBeacon, inCustody, logDeal, showSeed } from './dealing.js';
import { inCeremony, isContinuable, isDealing, keptSeats, unattendedAt } from './evolve.js';
import { advance, askToEnd, follows, start } from './following.js';
import { OF_HOSTS, doPower, standIn, takeBack } from './powers.js';
import { OF_EVENTS, checkAsked } from './tournament.js';

/** @typedef {import('./evolve.js').Match} Match */
/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./ceremony.js').Keeper} Keeper */
/** @typedef {import('./ceremony.js').Chance} Chance */

const SEAT_MAX = 254;

/**
 * @param {Match} match
 * @param {Command} command
 * @param {number} at Unix milliseconds.
 * @param {Keeper | null} keeper The secrets of the current deal, if there is one.
 * @returns {{events: Event[], match: Match, keeper: Keeper | null}} Refused where a rule says no.
 */
export function decide(match, command, at, keeper) {
  if (match.ended) throw new Refused('the match is over');
  const course = new Course(match, at, keeper, command.seat ?? null);
  checkAsked(course, command);
  require(match.rejoining === null || command.kind === 'join', 'a seat is taken again, with a key');
  (HANDLERS[command.kind] ?? play)(course, command);
  const most = course.match.settings.asides ?? Number.POSITIVE_INFINITY;
  require(Math.max(0, ...Object.values(course.match.asides)) <= most, 'too much was written beside the game');
  while (follows(course));
  return { events: course.events, match: course.match, keeper: course.keeper };
}

// ---- the lobby ----

/** @param {Match} match @returns {number[]} The seats that somebody who comes may take. */
function freeSeats(match) {
  // Who sits where at a table of a tournament, its own record says.
  if (match.settings.event !== undefined) return keptSeats(match);
  // Who comes takes the lowest free number; houses of before gave one that was never given.
  let lowest = 1;
  while (lowest in match.seated) lowest += 1;
  return [lowest, match.seatsGiven + 1];
}

/** @param {Course} course @param {Command} command */
function join(course, { seat, player, custody, key, name }) {
  const { table, seated, settings, locked, rejoining } = course.match;
  require(table === null, 'the match has started');
  if (rejoining !== null) {
    const theirs = seat === rejoining && player === seated[rejoining].player && key !== undefined;
    require(theirs, 'this seat is taken again by whose it is, with a key');
    sit(course, { seat, player, custody, key, name });
    return;
  }
  require(!locked || String(player).startsWith('bot/'), 'the host lets nobody else sit down');
  require(Object.keys(seated).length < settings.seats, 'fewer seats are free than are asked for');
  require(freeSeats(course.match).includes(Number(seat)) && Number(seat) <= SEAT_MAX, 'this is not the next seat');
  sit(course, { seat, player, custody, key, name });
}

/** @param {Course} course @param {Record<string, any>} who */
function sit(course, { seat, player, custody, key, name }) {
  course.add({ type: 'seat.joined', data: { seat, player, ...stated({ key, name }) } });
  if (custody) course.add(inCustody(Number(seat)));
}

/** @param {Course} course @param {Command} command */
function standUp(course, { seat }) {
  const who = course.match.seated[Number(seat)];
  require(course.match.table === null && who !== undefined, 'this player has no seat at a table that has not started');
  require(!who.bot && who.key === null, 'this seat is taken again by nobody');
  course.add({ type: 'seat.left', data: { seat, reason: 'rejoins' } });
}

/** @param {Record<string, unknown>} members @returns {Record<string, unknown>} Those of them that are there. */
const stated = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** @param {Match} match @returns {boolean} Whether a seat is kept whose entrant may have registered any key. */
const keepsSeats = (match) => match.settings.event !== undefined && match.table === null && keptSeats(match).length > 0;

/** @param {'seat' | 'host'} by @returns {(course: Course, command: any) => void} Whoever names another key. */
const rekey =
  (by) =>
  (course, { seat, who = seat, key }) => {
    require(who in course.match.seated, 'this player has no seat at this table');
    require(course.match.seated[who].key !== null, 'this seat has no key');
    require(by === 'host' || !keepsSeats(course.match), 'a seat is kept here for who has a key');
    course.add({ type: 'seat.keyed', data: { seat: who, key, by } });
  };

/** @param {Course} course @param {Command} command */
function leave(course, { seat }) {
  require(course.match.table === null, 'the match has started');
  require(Number(seat) in course.match.seated, 'this player has no seat at this table');
  course.add({ type: 'seat.left', data: { seat, reason: 'left' } });
}

// ---- the game ----

/** @param {Course} course @param {Command} command */
function play(course, command) {
  const { match } = course;
  require(match.table !== null, 'the match has not started');
  // Who only leaves needs no dice to do it, but a ceremony that has begun is for the seats it began with.
  const leaves = ['forfeit', 'close_session'].includes(command.kind);
  require(!inCeremony(match) && (leaves || !isDealing(match)), 'the dice are coming about');
  require(leaves || match.paused === null, 'the host holds the table up');
  if (command.kind === 'forfeit') {
    course.forfeit(command, course.dealer);
    return;
  }
  course.play(command);
  const { absence } = course.match;
  if (absence !== null && course.acting !== null && course.acting in absence.turns) {
    course.add({ type: 'game.returned', data: { seat: course.acting } });
  }
}

/** @param {Course} course @param {Command} command */
function closeSession(course, command) {
  if (course.match.table === null) course.add({ type: 'match.ended', data: { winner: null } });
  else play(course, command);
}

/** @param {Course} course @param {Command} command */
function goOn(course, { seat }) {
  const { match, at } = course;
  const { settings, seated, table, resumesAt, continued } = match;
  require(settings.pause_ends !== undefined, 'here every pause lasts its time');
  require(Number(seat) in seated && !table?.out.includes(Number(seat)), 'this player does not play here');
  require(isContinuable(match) && at < Number(resumesAt), 'there is no pause between two rounds');
  require(!isHouse(seated[Number(seat)]), 'the house needs no time to look');
  require(!continued.includes(Number(seat)), 'this seat has asked for the next round already');
  course.add({ type: 'game.continued', data: { seat } });
}

/** @param {Course} course @param {Command} command For the host. */
function endMatch(course, { reason }) {
  require(course.match.ending === null, 'the match ends already');
  askToEnd(course, 'host', reason);
}

/** @param {Course} course For the table. */
function closeUnattended(course) {
  const due = unattendedAt(course.match);
  require(due !== null && course.at >= due, 'somebody plays here');
  askToEnd(course, 'unattended');
}

/** @param {Course} course @param {Command} command */
function giveBack(course, { ms }) {
  const { clocks } = course.match;
  const given = clocks === null ? [] : givenBack(clocks, ms);
  require(given.length > 0 && ms >= 1, 'no clock is running');
  course.add(...given);
}

/** @type {Record<string, (course: Course, command: any) => void>} */
const HANDLERS = {
  join,
  leave,
  stand_up: standUp,
  rekey: rekey('seat'),
  name_key: rekey('host'),
  start,
  advance,
  commit_seed: fixSeed,
  log_deal: logDeal,
  open_seed: showSeed,
  fix_deal: fixDeal,
  hear_beacon: hearBeacon,
  give_back: giveBack,
  close_session: closeSession,
  continue: goOn,
  end_match: endMatch,
  close_unattended: closeUnattended,
  stand_in: standIn,
  take_back: takeBack,
  ...OF_EVENTS,
  ...Object.fromEntries(OF_HOSTS.map((kind) => [kind, doPower])),
};
