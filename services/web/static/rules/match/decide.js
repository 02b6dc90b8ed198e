/**
 * Decisions: what a command on a match leads to. Time and chance come with the command. What follows of itself (a seal
 * after the last commitment, the first round once the dice are fixed, the end after the last loss) follows at once.
 */

import { Refused } from '../refused.js';
import { timeoutCommand } from '../table/decide.js';
import { dealCups, isBetweenRounds, isRoundOver, playedInThisDeal } from '../table/dice.js';
import { CEREMONY_MS, turnsNow } from './absence.js';
import {
  awaited,
  begun,
  commitSeed,
  custodyCommits,
  custodyOpenings,
  openSeed,
  ready,
  sealed,
  voided,
} from './ceremony.js';
import { givenBack, passedOn } from './clocks.js';
import { Course } from './course.js';
import { NO_DICE } from './dealer.js';
import {
  beaconDueAt,
  dueAt,
  inCeremony,
  isDealing,
  lacksDice,
  outOfSeedTime,
  seedDueAt,
  stillIn,
  tableDeals,
  unattendedAt,
} from './evolve.js';

/** @typedef {import('./evolve.js').Match} Match */
/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./ceremony.js').Keeper} Keeper */
/** @typedef {import('./ceremony.js').Chance} Chance */

const SEAT_MAX = 254;
/** How far ahead the round of a beacon is when a deal is sealed. */
const AHEAD_MS = 60_000;
/** How long before that round is due the last seed has to be open. */
const OPENED_MS = 15_000;
/** And how long before it the log has to have it. */
const FIXED_MS = 6_000;

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
  (HANDLERS[command.kind] ?? play)(course, command);
  while (follows(course));
  return { events: course.events, match: course.match, keeper: course.keeper };
}

/** @param {boolean} holds @param {string} why */
function require(holds, why) {
  if (!holds) throw new Refused(why);
}

// ---- the lobby ----

/** @param {Course} course @param {Command} command */
function join(course, { seat, player, custody }) {
  const { table, seated, settings, seatsGiven } = course.match;
  require(table === null, 'the match has started');
  require(Object.keys(seated).length < settings.seats, 'fewer seats are free than are asked for');
  // Who comes takes the lowest free number; houses of before gave one that was never given.
  let lowest = 1;
  while (lowest in seated) lowest += 1;
  require([lowest, seatsGiven + 1].includes(Number(seat)) && Number(seat) <= SEAT_MAX, 'this is not the next seat');
  course.add({ type: 'seat.joined', data: { seat, player } });
  if (custody) course.add(inCustody(Number(seat)));
}

/** @param {number} seat @returns {Event} */
const inCustody = (seat) => ({ type: 'game.seed_custody', data: { seat, by: 'server' } });

/** @param {Course} course @param {Command} command */
function leave(course, { seat }) {
  require(course.match.table === null, 'the match has started');
  require(Number(seat) in course.match.seated, 'this player has no seat at this table');
  course.add({ type: 'seat.left', data: { seat, reason: 'left' } });
}

/** @param {Course} course @param {Command} command */
function start(course, { chance }) {
  const { table, seated, rules } = course.match;
  const seats = Object.keys(seated).map(Number);
  require(table === null, 'the match has started');
  require(seats.length >= rules.seats[0], 'more seats have to be taken');
  course.add({ type: 'game.started', data: { seats } });
  beginDeal(course, chance);
}

// ---- the deal ----

/** @param {Course} course @param {Chance} chance */
function beginDeal(course, chance) {
  course.add(...outOfSeedTime(course.match).map(inCustody));
  const { match } = course;
  const custody = stillIn(match).filter((seat) => match.seated[seat].custody);
  const made = begun(match, dealCups(course.table, match.settings.deal_per), chance, custody);
  course.keeper = made.keeper;
  course.add(made.committed);
}

/** @param {Match} match @param {number | undefined} seat */
function checkOwnSeed({ ceremony, seated }, seat) {
  const player = seated[Number(seat)];
  require(ceremony !== null && player !== undefined && !player.custody, 'this seat draws no seed here');
}

/** @param {Course} course @param {Command} command */
function logDeal(course, { deal, index, path, checkpoint }) {
  const { ceremony } = course.match;
  require(ceremony !== null && ceremony.stage === 'sealed' && ceremony.deal === deal, 'no deal is to be logged');
  if (isNear(course, CEREMONY_MS + OPENED_MS)) voidDeal(course, 'late');
  else course.add({ type: 'deal.logged', data: { deal, index, path, checkpoint } });
}

/**
 * @param {Course} course
 * @param {number} ms
 * @returns {boolean} Whether its beacon speaks before so much time has passed.
 */
function isNear(course, ms) {
  const due = beaconDueAt(course.match);
  return due !== null && due - course.at < ms;
}

/** @param {Match} match @param {number} deal @param {string} stage */
function checkWaiting({ ceremony }, deal, stage) {
  const waits = ceremony !== null && ceremony.beacon !== null && !awaited(ceremony).length;
  require(waits && ceremony.deal === deal && ceremony.stage === stage, 'no deal waits for the log or the beacon');
}

/** @param {Course} course @param {Command} command */
function fixDeal(course, { deal, index, path, checkpoint }) {
  checkWaiting(course.match, deal, 'logged');
  if (isNear(course, FIXED_MS)) voidDeal(course, 'late');
  else course.add({ type: 'deal.fixed', data: { deal, index, path, checkpoint } });
}

/** @param {Course} course @param {Command} command */
function hearBeacon(course, { deal, round, signature }) {
  checkWaiting(course.match, deal, 'fixed');
  require(round === course.ceremony.beacon?.round, 'this is another round');
  course.add(ready(course.ceremony, signature));
}

// ---- the game ----

/** @param {Course} course @param {Command} command */
function play(course, command) {
  const { match } = course;
  require(match.table !== null, 'the match has not started');
  // Who only leaves needs no dice to do it, but a ceremony that has begun is for the seats it began with.
  const leaves = ['forfeit', 'close_session'].includes(command.kind);
  require(!inCeremony(match) && (leaves || !isDealing(match)), 'the dice are coming about');
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

/** @param {Course} course For the host. */
function endMatch(course) {
  require(course.match.ending === null, 'the match ends already');
  askToEnd(course, 'host');
}

/** @param {Course} course For the table. */
function closeUnattended(course) {
  const due = unattendedAt(course.match);
  require(due !== null && course.at >= due, 'somebody plays here');
  askToEnd(course, 'unattended');
}

/** @param {Course} course @param {'host' | 'expired' | 'unattended'} why */
function askToEnd(course, why) {
  course.add({ type: 'game.end_asked', data: { why } });
  if (course.match.table === null) course.add({ type: 'match.ended', data: { winner: null } });
}

/** @param {Course} course @param {Command} command */
function giveBack(course, { ms }) {
  const { clocks } = course.match;
  const given = clocks === null ? [] : givenBack(clocks, ms);
  require(given.length > 0 && ms >= 1, 'no clock is running');
  course.add(...given);
}

// ---- what the table does when it is due ----

/** @param {Course} course @param {Command} command */
function advance(course, { chance }) {
  const due = dueAt(course.match);
  require(due !== null && course.at >= due, 'nothing is due yet');
  const stage = course.match.ceremony?.stage;
  if (course.match.table === null) askToEnd(course, 'expired');
  else if (stage === 'committed') takeCustody(course, chance);
  else if (stage === 'logged') voidDeal(course, 'withheld');
  else if (tableDeals(course.match)) nextRound(course, chance);
  else timeOut(course);
}

/**
 * Draw the seeds of seats that gave none in time (CUP/1 section 4.13).
 * @param {Course} course
 * @param {Chance} chance
 */
function takeCustody(course, chance) {
  const late = awaited(course.ceremony).filter((seat) => seedDueAt(course.match, seat) <= course.at);
  const taken = Object.fromEntries(late.map((seat) => [seat, chance.seeds[seat]]));
  course.keeper = course.held.knowing(taken);
  course.add(...late.map(inCustody));
}

/** @param {Course} course @param {'withheld' | 'late'} reason */
function voidDeal(course, reason) {
  course.add(...voided(course.ceremony, course.held, reason));
  for (const seat of course.ceremony.missing) {
    if (course.table.phase !== 'finished') course.forfeit({ kind: 'forfeit', seat }, NO_DICE);
  }
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
  course.add({ type: 'game.timed_out', data: { seat } });
  const absent = markAbsent(course, seat);
  const forfeits = absent || course.match.settings.clock?.on_timeout === 'forfeit';
  if (forfeits) course.forfeit({ kind: 'forfeit', seat, reason: absent ? 'absent' : 'forfeit' }, course.dealer);
  else course.play(timeoutCommand(course.table, course.dealer));
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

// ---- what follows of itself ----

/** @param {Course} course @returns {boolean} Whether anything did; each step moves a stage on. */
function follows(course) {
  const before = course.events.length;
  if (course.match.table !== null && !course.match.ended) {
    stopOrStartClock(course);
    endBetweenRounds(course);
    FOLLOWING[course.match.ceremony?.stage ?? '']?.(course);
    finish(course);
  }
  return course.events.length > before;
}

/** @param {Course} course */
function stopOrStartClock(course) {
  const { clocks, settings } = course.match;
  if (clocks === null) return;
  const turn = isDealing(course.match) ? null : course.table.turn;
  course.add(...passedOn(settings.clock, clocks, turn, course.at, course.acting === clocks.running));
}

/** A deal that has begun comes to its dice first. @param {Course} course */
function endBetweenRounds(course) {
  const { match, table } = course;
  const ends = match.ending !== null && table.phase !== 'finished' && !inCeremony(match) && isBetweenRounds(table);
  if (ends) course.add({ type: 'game.session_closed', data: {} });
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
  if (table.phase === 'between_rounds' && !playedInThisDeal(table)) course.deal();
  else if (table.phase === 'finished' || (course.match.settings.deal_per === 'round' && isRoundOver(table))) {
    course.closeDeal();
  }
}

/** @param {Course} course */
function finish(course) {
  const { ceremony } = course.match;
  if (course.table.phase === 'finished' && (ceremony === null || ceremony.stage === 'closed')) {
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

/** @type {Record<string, (course: Course, command: any) => void>} */
const HANDLERS = {
  join,
  leave,
  start,
  advance,
  commit_seed(course, command) {
    checkOwnSeed(course.match, command.seat);
    course.add(commitSeed(course.ceremony, command));
  },
  log_deal: logDeal,
  open_seed(course, command) {
    checkOwnSeed(course.match, command.seat);
    require(!isNear(course, OPENED_MS), 'the beacon speaks soon');
    course.add(openSeed(course.ceremony, command));
  },
  fix_deal: fixDeal,
  hear_beacon: hearBeacon,
  give_back: giveBack,
  close_session: closeSession,
  end_match: endMatch,
  close_unattended: closeUnattended,
};
