/**
 * Progress without a player: what follows of itself, and what the table does when it is due. At once follow seals,
 * openings, rounds, clocks, the end; by a time the next round, a turn of a seat that is out of time, the seeds that
 * nobody gave, and the end of a lobby that nobody began.
 */

import { require } from '../refused.js';
import { timeoutCommand } from '../table/decide.js';
import { isBetweenRounds, isRoundOver, playedInThisDeal } from '../table/dice.js';
import { turnsNow } from './absence.js';
import { awaited, custodyCommits, custodyOpenings, ready, sealed } from './ceremony.js';
import { passedOn } from './clocks.js';
import { beginDeal, takeCustody, voidDeal } from './dealing.js';
import {
  dueAt,
  inCeremony,
  isHalted,
  isPlayedOut,
  lacksDice,
  peopleIn,
  readyAwaited,
  startsOfItself,
  tableDeals,
} from './evolve.js';

/** @typedef {import('./course.js').Course} Course */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./ceremony.js').Chance} Chance */

/** How far ahead the round of a beacon is when a deal is sealed. */
const AHEAD_MS = 60_000;

/** @param {Course} course @returns {boolean} Whether anything did; each step moves a stage on. */
export function follows(course) {
  const before = course.events.length;
  if (course.match.table !== null && !course.match.ended) {
    takeOutKicked(course);
    stopOrStartClock(course);
    endStopped(course);
    endBetweenRounds(course);
    FOLLOWING[course.match.ceremony?.stage ?? '']?.(course);
    finish(course);
  }
  return course.events.length > before;
}

/** A deal that has begun comes to its dice first, or to nothing by itself. @param {Course} course */
function takeOutKicked(course) {
  const { match, table } = course;
  const left = match.kicked.find((seat) => !table.out.includes(seat));
  if (left === undefined || inCeremony(match) || table.phase === 'finished') return;
  course.forfeit({ kind: 'forfeit', seat: left, reason: 'kicked' }, course.dealer);
}

/** @param {Course} course */
function stopOrStartClock(course) {
  const { clocks, settings } = course.match;
  if (clocks === null) return;
  const turn = isHalted(course.match) ? null : course.table.turn;
  course.add(...passedOn(settings.clock, clocks, turn, course.at, course.acting === clocks.running));
}

/** In the middle of a round too, but not of a ceremony. @param {Course} course */
function endStopped(course) {
  const { match, table } = course;
  const ends = match.stopped && table.phase !== 'finished' && !inCeremony(match);
  if (ends) course.add({ type: 'game.session_closed', data: {} });
}

/** A deal that has begun comes to its dice first. @param {Course} course */
function endBetweenRounds(course) {
  const { match, table } = course;
  const asked = match.ending !== null && table.phase !== 'finished' && isBetweenRounds(table);
  if ((asked || isPlayedOut(match)) && !inCeremony(match)) course.add({ type: 'game.session_closed', data: {} });
}

/** @param {Course} course @returns {object | null} The round of the beacon that a deal sealed now is to wait for. */
function roundAhead({ at, match: { settings } }) {
  if (!settings.beacon) return null;
  const { chain, genesis, period } = settings.beacon;
  const ahead = Math.ceil((at + AHEAD_MS) / 1000);
  return { chain, round: Math.max(0, Math.ceil((ahead - genesis) / period)) + 1 };
}

/** @param {Course} course */
function whileReady(course) {
  const { table } = course;
  if (table.phase === 'between_rounds' && !playedInThisDeal(table)) {
    if (course.match.paused === null) course.deal();
  } else if (course.match.settings.board !== undefined) {
    // The deal is the board's, which goes on as long as any table does.
  } else if (table.phase === 'finished' || (course.match.settings.deal_per === 'round' && isRoundOver(table))) {
    course.closeDeal();
  }
}

/** @param {Course} course */
function finish(course) {
  const { ceremony, settings } = course.match;
  const own = settings.board === undefined && ceremony !== null;
  if (course.table.phase === 'finished' && (!own || ceremony.stage === 'closed')) {
    course.add({ type: 'match.ended', data: { winner: course.table.winner } });
  }
}

/** @type {Record<string, (course: Course) => void>} */
const FOLLOWING = {
  committed(course) {
    course.add(...custodyCommits(course.ceremony, course.held));
    if (!awaited(course.ceremony).length) course.add(sealed(course.ceremony, roundAhead(course)));
  },
  logged(course) {
    course.add(...custodyOpenings(course.ceremony, course.held));
    const { beacon } = course.ceremony;
    if (!awaited(course.ceremony).length && beacon === null) course.add(ready(course.ceremony));
  },
  ready: whileReady,
};

// ---- what is due ----

/** @param {Course} course @param {'host' | 'expired' | 'unattended'} why @param {string} [reason] */
export function askToEnd(course, why, reason) {
  course.add({ type: 'game.end_asked', data: reason === undefined ? { why } : { why, reason } });
  if (course.match.table === null) course.add({ type: 'match.ended', data: { winner: null } });
}

/** @param {Course} course @param {Command} command */
export function advance(course, { chance }) {
  const due = dueAt(course.match);
  require(due !== null && course.at >= due, 'nothing is due yet');
  const stage = course.match.ceremony?.stage;
  if (course.match.table === null) endLobby(course, chance);
  else if (course.match.paused !== null && course.at >= course.match.paused.until) {
    course.add({ type: 'game.resumed', data: { why: 'limit' } });
  } else if (stage === 'committed') takeCustody(course, chance);
  else if (stage === 'logged') voidDeal(course, 'withheld');
  else if (tableDeals(course.match)) nextRound(course, chance);
  else timeOut(course);
}

/** @param {Course} course @param {Chance} chance It begins of itself, or is closed. */
function endLobby(course, chance) {
  if (startsOfItself(course.match)) start(course, { kind: 'start', chance });
  else askToEnd(course, 'expired');
}

/** @param {Course} course @param {Command} command */
export function start(course, { chance }) {
  const { table, seated, rules } = course.match;
  const seats = Object.keys(seated).map(Number);
  require(table === null, 'the match has started');
  require(seats.length >= rules.seats[0], 'more seats have to be taken');
  require(readyAwaited(course.match).length === 0, 'somebody has not said yet to be there');
  course.add({ type: 'game.started', data: { seats } });
  if (course.match.settings.board === undefined) beginDeal(course, chance);
}

/** @param {Course} course @param {Chance} chance */
function nextRound(course, chance) {
  const isReady = course.ceremony.stage === 'ready';
  if (isReady && !lacksDice(course.match)) {
    course.deal();
    return;
  }
  if (isReady) course.closeDeal();
  beginDeal(course, chance);
}

/** @param {Course} course */
function timeOut(course) {
  const seat = /** @type {number} */ (course.table.turn);
  // Of a seat that signs nothing may stand between the time-out and what the table does (CUP/1 section 4.14.5).
  const signs = course.match.seated[seat].key !== null;
  const timedOut = { type: 'game.timed_out', data: { seat } };
  if (!signs) course.add(timedOut);
  const tooOften = markAbsent(course, seat);
  if (signs) course.add(timedOut);
  const { clock, idle } = course.match.settings;
  const standsIn = tooOften && idle.then === 'stand_in' && clock?.on_timeout !== 'forfeit' && mayStandIn(course, seat);
  if (standsIn) course.add({ type: 'game.stood_in', data: { seat, why: 'idle' } });
  const absent = tooOften && !standsIn;
  const forfeits = absent || clock?.on_timeout === 'forfeit';
  if (forfeits) course.forfeit({ kind: 'forfeit', seat, reason: absent ? 'absent' : 'forfeit' }, course.dealer);
  else course.play(timeoutCommand(course.table, course.dealer));
}

/** @param {Course} course @param {number} seat @returns {boolean} Whether it is played by a person, and another seat is. */
function mayStandIn({ match }, seat) {
  const people = peopleIn(match);
  return people.includes(seat) && people.length > 1 && match.seated[seat].key === null;
}

/**
 * Put on record that the table acts for a seat, once a turn.
 * @param {Course} course
 * @param {number} seat
 * @returns {boolean} Whether that was once too often.
 */
function markAbsent(course, seat) {
  const { absence, settings } = course.match;
  if (absence === null) return false;
  const turns = turnsNow(absence, seat);
  if (!absence.counted) course.add({ type: 'game.absent', data: { seat, turns } });
  return turns >= settings.idle.turns;
}
