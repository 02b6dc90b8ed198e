/** The law of the house: what a command on a game leads to, or that it is refused. */

import { isLegal, smallestClaim } from '../claims.js';
import { SPECIALS } from '../ladders.js';
import { Refused } from '../refused.js';
import { canBeRaised, isAllowed, isOpenTo, lowestRung, mustShow } from './checks.js';
import { dealt, laid } from './dice.js';
import { evolve, remembering } from './evolve.js';
import {
  acesAfterDeal,
  arranged,
  boughtBack,
  droppedOut,
  isCocked,
  shownCocked,
  stopped,
  threwAnew,
} from './handling.js';
import { caught, doubted, doubtedByAll, gone, handForfeited, lift, saidExact, special, valuesOf } from './judging.js';
import { PASSED_CUP, auctionOf, counts, cupsOf, ladderNow, remaining, standingCount, standingHand } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */
/** @typedef {import('../match/dealer.js').Dealer} Dealer */
/** @typedef {Generator<Event, any>} Following */
/** @typedef {{kind: string, seat?: number} & Record<string, any>} Command What is asked, and by whom. */

/**
 * @param {State} state
 * @param {Command} command
 * @param {Dealer} dealer
 * @returns {Event[]} What the command leads to; refused where a rule says no.
 */
export function decide(state, command, dealer) {
  if (!isAllowed(state, command)) throw new Refused(`${command.kind} is not for this seat now`);
  return [...HANDLERS[command.kind](state, command, dealer)];
}

/**
 * @param {State} state
 * @param {Dealer} dealer
 * @returns {Command} What the table does for a seat out of time: doubt if it may, else the least that ends the turn.
 */
export function timeoutCommand(state, dealer) {
  const seat = /** @type {number} */ (state.turn);
  const least = ['challenge', 'count', 'stop', 'drop_out', 'roll'].find((kind) => isOpenTo(state, kind, seat));
  if (least !== undefined) return { kind: least, seat };
  if (state.phase === 'choosing') return { kind: 'choose_first', seat, who: seat };
  const arrange = { kind: 'arrange', seat, outside: [], inside: [], rollInside: [], rollOutside: [] };
  if (mustShow(state, seat)) return { ...arrange, outside: [0] };
  if (!canBeRaised(state)) return { ...arrange, rollInside: [0] };
  if (state.looked.includes(seat) && isCocked(state, seat, dealer)) return { kind: 'show_cocked', seat };
  if (counts(state)) return { kind: 'bid', seat, ...smallestClaim(auctionOf(state), standingCount(state)) };
  return { kind: 'call', seat, ...ladderNow(state).hands[lowestRung(state)] };
}

/** @param {string} type @param {object} data @returns {Event} */
const told = (type, data) => ({ type, data });

// ---- claims ----

/** @param {State} state @param {Command} command @param {Dealer} dealer @returns {Following} */
function* bid(state, { seat, quantity, face }, dealer) {
  const who = /** @type {number} */ (seat);
  const cocked = state.looked.includes(who) && isCocked(state, who, dealer);
  if (cocked && !state.callers.includes(who)) throw new Refused('a die lies cocked');
  if (!isLegal(auctionOf(state), standingCount(state), { quantity, face })) throw new Refused('this cannot be claimed');
  if (!cocked) {
    yield told('game.bid', { seat, quantity, face });
    return;
  }
  yield told('game.cocked_called', { seat, quantity, face });
  yield* shownCocked(state, who, dealer);
  yield* handForfeited(state, who);
}

/** @param {State} state @param {Command} command @returns {Event[]} */
function call(state, { seat, shape, faces }) {
  const ladder = ladderNow(state);
  const rung = ladder.rungOf({ shape, faces });
  if (rung === undefined || rung < lowestRung(state)) throw new Refused('this does not beat the standing claim');
  const standing = standingHand(state);
  const before = standing === null ? -1 : Number(ladder.rungOf(standing));
  const beats = rung > before || (state.rules.claims.ties && rung === before);
  return [told('game.called', { seat, ...ladder.hands[rung], beats })];
}

/** @param {State} state @param {Command} command @param {Dealer} dealer @returns {Following} */
function* declare(state, command, dealer) {
  const { seat, special: name, to } = command;
  const { first } = state.rules.tokens.faces;
  const thrown = valuesOf(state.places[PASSED_CUP], state, dealer).map((value) => value + first);
  const falling = thrown.sort((one, other) => other - one).join();
  if (SPECIALS.get(falling) !== name) throw new Refused('these dice do not show it');
  /** @type {(number | null)[]} */
  const targets = name === 'impose' ? remaining(state).filter((other) => other !== seat) : [null];
  if (!targets.includes(to)) throw new Refused('this names no seat that can be named here');
  yield told('game.declared', { seat, special: name, to });
  const shown = yield* lift(state, [PASSED_CUP], dealer);
  if (name === 'reverse') yield told('game.direction_turned', {});
  yield* special(shown, command);
}

// ---- doubts ----

/** @param {State} before @param {Command} command @param {Dealer} dealer @returns {Following} */
function* challenge(before, { seat }, dealer) {
  const who = /** @type {number} */ (seat);
  const doubts = told('game.challenged', { seat });
  yield doubts;
  if (before.inStep) return;
  if (before.rules.doubt.who !== 'all' || before.passer !== null) {
    yield* doubted(before, who, dealer);
    return;
  }
  const state = evolve(before, doubts);
  if (state.doubters.length < remaining(state).length - 1) return;
  if (state.rules.doubt.rebid && !state.rebid) yield told('game.surrounded', { seat: state.claimant });
  else yield* doubtedByAll(state, dealer);
}

/**
 * @param {State} state It waits for other tables with the same dice.
 * @param {Event} released
 * @param {Dealer} dealer
 * @returns {Following} What follows when the round is over at all of them: the doubt that waited is judged.
 */
export function* releaseEvents(state, released, dealer) {
  const { held } = state;
  yield released;
  if (held === null) return;
  const then = evolve(state, released);
  yield* held.kind === 'challenge' ? doubted(then, held.seat, dealer) : saidExact(then, held.seat, dealer);
}

// ---- the table's own ----

/** @param {State} state @param {Command} _command @param {Dealer} dealer @returns {Following} */
function* deal(state, _command, dealer) {
  const happened = dealt(state, dealer);
  yield* happened;
  yield* acesAfterDeal(state, happened, dealer);
}

/** @param {State} state @param {Command} _command @param {Dealer} dealer @returns {Event[]} */
function dealSlips(state, _command, dealer) {
  const fresh = told('game.slips_dealt', {});
  return [fresh, ...dealt(remembering(state, [fresh]), dealer)];
}

/** @param {State} state @param {Command} command @param {Dealer} dealer @returns {Event[]} */
function roll(state, { seat }, dealer) {
  const rolled = laid(state, dealer, PASSED_CUP);
  if (state.standing !== null) return [rolled];
  return [told('game.round_opened', { round: state.round + 1, starter: seat }), rolled];
}

/** @param {State} state @param {Command} command @returns {Event[]} */
function chooseFirst(state, { seat, who }) {
  if (!remaining(state).includes(who)) throw new Refused('this names no seat that is still in');
  return [told('game.first_chosen', { seat, who })];
}

/** @param {State} state @param {Command} command @returns {Following} */
function* forfeit(state, { seat, reason }) {
  const who = /** @type {number} */ (seat);
  yield told('game.forfeited', { seat, reason: reason ?? 'forfeit' });
  const still = remaining(state);
  const othersChoose = ['buying', 'choosing'].includes(state.phase) && who !== state.turn && still.length > 2;
  // What somebody else has to decide is not decided by this seat's leaving.
  if (!still.includes(who) || othersChoose) yield told('game.eliminated', { seat });
  else yield* gone(state, who);
}

/** @param {string} type @returns {(state: State, command: Command) => Event[]} */
const only =
  (type) =>
  (_state, { seat }) => [told(type, { seat })];

/** @type {Record<string, (state: State, command: any, dealer: Dealer) => Iterable<Event>>} */
const HANDLERS = {
  bid,
  call,
  declare,
  challenge,
  *spot_on(state, { seat }, dealer) {
    yield told('game.spot_on_called', { seat });
    if (state.inStep) return;
    yield* saidExact(state, seat, dealer);
  },
  pass: only('game.passed'),
  arrange: arranged,
  roll,
  accept: only('game.accepted'),
  *catch(state, { seat }) {
    yield told('game.caught', { seat });
    yield* caught(state, seat);
  },
  *count(state, { seat }, dealer) {
    yield told('game.count_asked', { seat });
    yield* doubtedByAll(state, dealer);
  },
  *demand_bills(state, { seat }, dealer) {
    yield told('game.bills_demanded', { seat });
    yield* lift(state, cupsOf(state), dealer);
  },
  stop: stopped,
  look: only('game.looked'),
  show_cocked: threwAnew,
  buy_back: boughtBack,
  drop_out: droppedOut,
  choose_first: chooseFirst,
  deal,
  deal_slips: dealSlips,
  forfeit,
  close_session: () => [told('game.session_closed', {})],
};
