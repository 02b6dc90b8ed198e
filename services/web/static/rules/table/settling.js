/** A verdict turned into postings. Settling never looks at dice, only at the verdict, the counts and the balances. */
import { compared } from '../ladders.js';
import { balance, ladderNow, placesOf, remaining, settler } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */

const SIX = 6;
/** The claim of so many more than there are seats is the first that pays more. */
const BONUS_FROM = 3;
/** The fewest seats with which a claim of none can win. */
const SKUNK_SEATS = 3;
/** The stake after a claimant had none. */
const NONE_PAYS = 2;
/** The verdicts in which a claim was tested. */
const PLAIN = ['challenge', 'auto_challenge', 'spot_on', 'pass', 'count'];

/**
 * @param {string} unit
 * @param {number | string} from
 * @param {number | string} to
 * @param {number} amount
 * @returns {Event}
 */
export const posted = (unit, from, to, amount) => ({ type: 'game.posted', data: { unit, from, to, amount } });

/**
 * @param {State} state
 * @param {any} verdict
 * @param {number | null} leaves The seat that gives the match up by it.
 * @returns {Event[]} What it does to dice, losses, wins and tokens; who is out depends on it.
 */
export const postedFirst = (state, verdict, leaves) =>
  state.rules.settlers.flatMap((each) => FIRST[each.kind]?.(each, state, verdict, leaves) ?? []);

/** @param {State} state @param {any} verdict @param {number[]} out Who goes out by it. @returns {Event[]} What else. */
export const postedThen = (state, verdict, out) =>
  state.rules.settlers.flatMap((each) => THEN[each.kind]?.(each, state, verdict, out) ?? []);

// ---- dice ----

/** @param {State} state @param {number} caller @param {number} claimant @returns {number[]} By a right spot on. */
export function losersOfSpotOn(state, caller, claimant) {
  const { spotOnWin } = state.rules.doubt;
  if (spotOnWin === 'others_lose') return remaining(state).filter((seat) => seat !== caller);
  return spotOnWin === 'bidder_loses' ? [claimant] : [];
}

/** @param {any} rule @param {State} state @param {any} verdict @param {number | null} leaves @returns {Event[]} */
function dice(rule, state, verdict, leaves) {
  /** @param {number} seat */
  const lost = (seat) => {
    const held = balance(state, 'die', seat);
    if (seat === leaves) return held;
    return Math.min(held, verdict.kind === 'spot_on' && !verdict.holds ? rule.spotOnFail : 1);
  };
  /** @type {[seat: number, dice: number][]} */
  const lose = verdict.losers.map((/** @type {number} */ seat) => [seat, lost(seat)]);
  const found = lose.filter(([, n]) => n).map(([seat, n]) => posted('die', seat, 'box', n));
  if (verdict.kind === 'spot_on' && verdict.holds && state.rules.doubt.spotOnWin === 'regain') {
    const caller = verdict.doubters[0];
    if (balance(state, 'die', caller) < rule.most) found.push(posted('die', 'box', caller, 1));
  }
  return found;
}

// ---- losses, wins, tokens ----

/** @param {any} rule @param {State} _state @param {any} verdict @param {number | null} leaves @returns {Event[]} */
function tally({ unit }, _state, verdict, leaves) {
  if (leaves !== null || ['social', 'reverse', 'impose'].includes(verdict.kind)) return [];
  const seats = unit === 'loss' ? verdict.losers : verdict.winners;
  return seats.map((/** @type {number} */ seat) => posted(unit, 'box', seat, 1));
}

/** @param {any} rule @param {State} state @param {any} verdict @param {number | null} leaves @returns {Event[]} */
function token(rule, state, verdict, leaves) {
  const to = rule.to === 'winner' && verdict.winners.length ? verdict.winners[0] : 'pot';
  return verdict.losers.flatMap((/** @type {number} */ seat) => {
    const amount = seat === leaves ? balance(state, 'token', seat) : 1;
    return amount ? [posted('token', seat, to, amount)] : [];
  });
}

/**
 * @param {State} state
 * @param {string} unit
 * @param {number[]} out
 * @returns {Event[]} The pot, to the last seat left.
 */
function potTaken(state, unit, out) {
  const left = remaining(state).filter((seat) => !out.includes(seat));
  const pot = balance(state, unit, 'pot');
  return left.length === 1 && pot ? [posted(unit, 'pot', left[0], pot)] : [];
}

// ---- chips ----

/** The chips that pass between claimant and doubter. @param {any} rule @param {State} _state @param {any} verdict */
function wager({ amount }, _state, { claimant, doubters, winners }) {
  if (claimant === null || !doubters.length) return [];
  const doubter = doubters[0];
  const [winner, loser] = winners.includes(doubter) ? [doubter, claimant] : [claimant, doubter];
  return [posted('chip', loser, winner, amount)];
}

/** @param {any} rule @param {State} state @param {any} _verdict @param {number[]} out @returns {Event[]} */
function pot({ doubles }, state, _verdict, out) {
  const taken = potTaken(state, 'chip', out);
  const winner = taken[0]?.data.to;
  if (!taken.length || !doubles || balance(state, 'loss', winner)) return taken;
  const others = state.seats.filter((seat) => seat !== winner && balance(state, 'chip', seat));
  return [...taken, ...others.map((seat) => posted('chip', seat, winner, -balance(state, 'chip', seat)))];
}

// ---- units, in liar's poker ----

/**
 * @param {any} rule The bonus rules.
 * @param {number} seats How many play.
 * @param {import('../claims.js').Count} claim
 * @param {number} own How many of the digit the claimant has.
 * @returns {number} How many stakes a claim that was made is worth.
 */
function multiplier(rule, seats, claim, own) {
  const extra = claim.quantity - seats - BONUS_FROM;
  const times = rule.nPlusThree && extra >= 0 ? 2 + Math.floor(extra / 2) : 1;
  return times * (rule.sixes && claim.face === SIX ? 2 : 1) + (rule.hero && own === 0 ? 1 : 0);
}

/**
 * @param {State} state
 * @param {import('../claims.js').Count} claim
 * @param {number} own
 * @param {number} count
 * @returns {number} How many units the claimant receives from each other seat; below zero it pays them.
 */
export function worth(state, claim, own, count) {
  const [rule, seats] = [settler(state, 'pay_each'), remaining(state).length];
  if (rule === null || state.stakes === null) return count >= claim.quantity ? 1 : -1;
  const stake = state.stakes.effective;
  if (rule.skunk && seats >= SKUNK_SEATS && count === 0) return (2 * seats - 6) * stake;
  return count >= claim.quantity ? multiplier(rule, seats, claim, own) * stake : -stake;
}

/** @param {State} state @param {number} seat @returns {number} */
export const countOf = (state, seat) => Number(new Map(state.counts).get(seat));

/** @param {any} _rule @param {State} state @param {any} verdict @returns {Event[]} */
function payEach(_rule, state, verdict) {
  const { claimant } = verdict;
  if (verdict.kind !== 'count' || claimant === null) return [];
  const paid = worth(state, verdict, countOf(state, claimant), verdict.count || 0);
  const others = remaining(state).filter((seat) => seat !== claimant);
  if (paid > 0) return others.map((seat) => posted('unit', seat, claimant, paid));
  return paid < 0 ? others.map((seat) => posted('unit', claimant, seat, -paid)) : [];
}

/** @param {State} state @param {any} verdict @returns {number | null} The basic stake of the next round, if any. */
export function nextBasic(state, verdict) {
  const rule = settler(state, 'pay_each');
  if (rule === null || state.stakes === null || verdict.kind !== 'count' || verdict.claimant === null) return null;
  if (!rule.progressive) return state.stakes.basic;
  const [own, seats] = [countOf(state, verdict.claimant), remaining(state).length];
  return own === 0 && rule.skunk && seats >= SKUNK_SEATS ? NONE_PAYS : multiplier(rule, seats, verdict, own);
}

// ---- drinks ----

/** @param {any} rule @param {State} state @param {any} verdict @param {number[]} out @returns {Event[]} */
function drinks(rule, state, verdict, out) {
  if (rule.finishOnTop && topWasNamedOrThrown(state, verdict)) {
    return verdict.losers.map((/** @type {number} */ seat) => posted('glass', 'bar', seat, 1));
  }
  const due = new Map(drinksOfLosers(rule, state, verdict));
  for (const seat of out) due.set(seat, (due.get(seat) ?? 0) + rule.elimination);
  if (!['between_rounds', 'buying'].includes(state.phase)) {
    // Ghosts drink for every round played; a seat that leaves after the verdict ends none.
    for (const seat of state.out) due.set(seat, rule.ghostPerRound);
  }
  const rows = [...due].filter(([, n]) => n).sort(([one], [other]) => one - other);
  return rows.map(([seat, n]) => posted('drink', 'bar', seat, n));
}

/** @param {any} rule @param {State} state @param {any} verdict @returns {[seat: number, drinks: number][]} */
function drinksOfLosers(rule, state, verdict) {
  /** @param {number} n @returns {[number, number][]} */
  const each = (n) => verdict.losers.map((/** @type {number} */ seat) => [seat, n]);
  if (verdict.kind === 'forfeit') return [];
  if (verdict.kind === 'spot_on') return drinksOfSpotOn(rule, state, verdict);
  if (verdict.kind === 'catch') {
    const right = compared(verdict.winners, verdict.doubters) === 0;
    return each(right ? 1 : state.rules.doubt.falseCatch);
  }
  if (!PLAIN.includes(verdict.kind)) return each(rule.base);
  const loser = verdict.losers[0];
  const factor = verdict.out_of_turn && verdict.doubters.includes(loser) ? rule.wrongOutOfTurnFactor : 1;
  return [[loser, rule.base * factor * measured(rule, verdict)]];
}

/** @param {any} rule @param {State} state @param {any} verdict @returns {[seat: number, drinks: number][]} */
function drinksOfSpotOn(rule, state, { doubters, holds }) {
  const caller = doubters[0];
  if (!holds) return [[caller, rule.base * rule.wrongSpotOnFactor]];
  return remaining(state)
    .filter((seat) => seat !== caller)
    .map((seat) => [seat, rule.base]);
}

/** @param {any} rule @param {any} verdict @returns {number} How many units of the basis a doubt came to. */
function measured(rule, { count, quantity }) {
  if (rule.basis !== 'difference' || count === null || quantity === null) return 1;
  return Math.max(1, Math.abs(count - quantity));
}

/** @param {State} state @param {any} verdict */
function topWasNamedOrThrown(state, { kind, shape, faces }) {
  if (!PLAIN.includes(kind) || shape === null || faces === null) return false;
  const ladder = ladderNow(state);
  const top = ladder.hands.length - 1;
  const shown = placesOf(state).flatMap((place) => place.outside);
  const thrown = shown.flatMap(({ value }) => (value === null ? [] : [value]));
  return ladder.rungOf({ shape, faces }) === top || ladder.measure(thrown) === top;
}

/**
 * What each kind of settler does before it is known who is out.
 * @type {Record<string, (...given: any[]) => Event[]>}
 */
const FIRST = { lose_die: dice, tally, token };

/** And after. @type {Record<string, (...given: any[]) => Event[]>} */
const THEN = {
  token: (rule, state, _verdict, out) => (rule.winnerTakes ? potTaken(state, 'token', out) : []),
  wager,
  pot,
  pay_each: payEach,
  drinks,
};
