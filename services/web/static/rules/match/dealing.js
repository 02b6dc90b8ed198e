/**
 * Deals of a match: the steps of the ceremony that somebody asks for, and what ends a deal before its time. Steps that
 * follow of themselves, such as the seal, are in `following.js`.
 */

import { require } from '../refused.js';
import { dealCups } from '../table/dice.js';
import { CEREMONY_MS } from './absence.js';
import { awaited, begun, commitSeed, openSeed, ready, voided } from './ceremony.js';
import { NO_DICE } from './dealer.js';
import { beaconDueAt, outOfSeedTime, seedDueAt, stillIn } from './evolve.js';

/** @typedef {import('./course.js').Course} Course */
/** @typedef {import('./evolve.js').Match} Match */
/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./ceremony.js').Chance} Chance */

/** How long before the round of a beacon is due the last seed has to be open. */
const OPENED_MS = 15_000;
/** And how long before it the log has to have it. */
const FIXED_MS = 6_000;

/** @param {number} seat @param {'server' | 'client'} [by] @returns {Event} */
export const inCustody = (seat, by = 'server') => ({ type: 'game.seed_custody', data: { seat, by } });

/** @param {Match} match @returns {Event[]} Whose seeds somebody else draws from the next deal on. */
function drawnOtherwise(match) {
  const spent = outOfSeedTime(match);
  return stillIn(match).flatMap((seat) => {
    const { custody, standIn, lent, key } = match.seated[seat];
    if (lent && !standIn && !spent.includes(seat)) return [inCustody(seat, 'client')];
    return !custody && (standIn || (key === null && spent.includes(seat))) ? [inCustody(seat)] : [];
  });
}

/** @param {Course} course @param {Chance} chance */
export function beginDeal(course, chance) {
  course.add(...drawnOtherwise(course.match));
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
export function fixSeed(course, command) {
  checkOwnSeed(course.match, command.seat);
  course.add(commitSeed(course.ceremony, command));
}

/** @param {Course} course @param {Command} command */
export function showSeed(course, command) {
  checkOwnSeed(course.match, command.seat);
  require(!isNear(course, OPENED_MS), 'the beacon speaks soon');
  course.add(openSeed(course.ceremony, command));
}

/** @param {Course} course @param {Command} command */
export function logDeal(course, { deal, index, path, checkpoint }) {
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
export function fixDeal(course, { deal, index, path, checkpoint }) {
  checkWaiting(course.match, deal, 'logged');
  if (isNear(course, FIXED_MS)) voidDeal(course, 'late');
  else course.add({ type: 'deal.fixed', data: { deal, index, path, checkpoint } });
}

/** @param {Course} course @param {Command} command */
export function hearBeacon(course, { deal, round, signature }) {
  checkWaiting(course.match, deal, 'fixed');
  require(round === course.ceremony.beacon?.round, 'this is another round');
  course.add(ready(course.ceremony, signature));
}

/**
 * Draw the seeds of seats that gave none in time (CUP/1 section 4.13).
 * @param {Course} course
 * @param {Chance} chance
 */
export function takeCustody(course, chance) {
  const late = awaited(course.ceremony).filter((seat) => seedDueAt(course.match, seat) <= course.at);
  const taken = Object.fromEntries(late.map((seat) => [seat, chance.seeds[seat]]));
  course.keeper = course.held.knowing(taken);
  course.add(...late.map((seat) => inCustody(seat)));
}

/** @param {Course} course @param {'withheld' | 'late'} reason */
export function voidDeal(course, reason) {
  course.add(...voided(course.ceremony, course.held, reason));
  for (const seat of course.ceremony.missing) {
    if (course.table.phase !== 'finished') course.forfeit({ kind: 'forfeit', seat }, NO_DICE);
  }
}
