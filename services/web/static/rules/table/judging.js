/**
 * The judgement on a doubt: the dice, the verdict, the postings, who is out, the end of the round, in this order.
 * Only here, and where a seat shows dice itself, do the rules look at dice that nobody has seen.
 */
import { holding, holds as makesClaim } from '../claims.js';
import { closed } from './ending.js';
import { evolve, remembering } from './evolve.js';
import { diceOf, handful, hiddenRolls } from './places.js';
import { countOf, losersOfSpotOn, nextBasic, postedFirst, postedThen, worth } from './settling.js';
import {
  PASSED_CUP,
  after,
  auctionOf,
  balance,
  cupsOf,
  interlude,
  ladderNow,
  placeOf,
  placesOf,
  remaining,
  sharesCup,
  standingCount,
  standingHand,
} from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {import('../match/dealer.js').Dealer} Dealer */
/** @typedef {Generator<Event, any>} Following */

/**
 * @param {State} state
 * @param {string} kind
 * @param {object} found What was found; all else is null or empty.
 * @param {boolean} [onClaim] Whether the verdict is on the standing claim.
 * @returns {any} The members of a verdict.
 */
function verdict(state, kind, found, onClaim = true) {
  const [count, hand] = onClaim ? [standingCount(state), standingHand(state)] : [null, null];
  return {
    kind,
    claimant: onClaim ? state.claimant : null,
    quantity: count?.quantity ?? null,
    face: count?.face ?? null,
    shape: hand?.shape ?? null,
    faces: hand?.faces ?? null,
    doubters: [],
    holds: null,
    count: null,
    out_of_turn: false,
    winners: [],
    losers: [],
    ...found,
  };
}

/** @param {number[]} seats */
const inOrder = (seats) => [...seats].sort((one, other) => one - other);

// ---- doubts ----

/** @param {State} state @param {number} doubter @param {Dealer} dealer @returns {Following} After a challenge. */
export const doubted = (state, doubter, dealer) =>
  state.passer === null ? tested(state, [doubter], dealer, 'challenge') : passDoubted(state, doubter, dealer);

/**
 * @param {State} state
 * @param {number[]} doubters
 * @param {Dealer} dealer
 * @param {string} kind
 * @returns {Following} What follows when the dice are to decide between the claimant and these doubters.
 */
export function* tested(state, doubters, dealer, kind) {
  const claimant = /** @type {number} */ (state.claimant);
  let shown = yield* lift(state, testedCups(state, kind), dealer);
  const { holds, count } = judge(shown, dealer);
  const found = {
    ...{ doubters, holds, count, out_of_turn: isOutOfTurn(state, doubters[0]) },
    winners: holds ? [claimant] : inOrder(doubters),
    losers: holds ? inOrder(doubters) : [claimant],
  };
  if (state.rules.reveal.muck) {
    const winners = remaining(state).filter((seat) => found.winners.includes(seat));
    shown = yield* lift(shown, winners, dealer);
  }
  yield* settled(shown, verdict(state, kind, found));
}

/** @param {State} state @param {number} doubter */
const isOutOfTurn = (state, doubter) => state.rules.doubt.who === 'anyone' && doubter !== state.turn;

/** @param {State} state @param {number} doubter @param {Dealer} dealer @returns {Following} */
function* passDoubted(state, doubter, dealer) {
  const passer = /** @type {number} */ (state.passer);
  const shown = yield* lift(state, [passer], dealer);
  const values = diceOf(shown.places[passer]).map(({ value }) => value);
  const holds = new Set(values).size === values.length;
  const found = {
    ...{ claimant: passer, doubters: [doubter], holds, out_of_turn: isOutOfTurn(state, doubter) },
    winners: [holds ? passer : doubter],
    losers: [holds ? doubter : passer],
  };
  yield* settled(shown, verdict(state, 'pass', found, false));
}

/** @param {State} state @param {number} caller @param {Dealer} dealer @returns {Following} After spot on. */
export function* saidExact(state, caller, dealer) {
  const standing = /** @type {import('../claims.js').Count} */ (standingCount(state));
  const claimant = /** @type {number} */ (state.claimant);
  const shown = yield* lift(state, cupsOf(state), dealer);
  const count = counted(shown, standing.face, placesOf(shown), dealer);
  const holds = count === standing.quantity;
  const found = {
    ...{ doubters: [caller], holds, count, winners: [holds ? caller : claimant] },
    losers: holds ? losersOfSpotOn(state, caller, claimant) : [caller],
  };
  yield* settled(shown, verdict(state, 'spot_on', found));
}

/** @param {State} state @param {Dealer} dealer @returns {Following} Numbers are counted, dice are tested. */
export const doubtedByAll = (state, dealer) =>
  state.rules.tokens.kind === 'serials' && standingCount(state) !== null
    ? countedOut(state, dealer)
    : tested(state, state.doubters, dealer, 'challenge');

/** @param {State} before @param {Dealer} dealer @returns {Following} Everybody says how many, the claimant last. */
function* countedOut(before, dealer) {
  const standing = /** @type {import('../claims.js').Count} */ (standingCount(before));
  const claimant = /** @type {number} */ (before.claimant);
  const around = from(before, claimant);
  let state = before;
  for (const seat of around) {
    const count = counted(state, standing.face, [state.places[seat]], dealer);
    const told = { type: 'game.counted', data: { seat, count } };
    yield told;
    state = evolve(state, told);
  }
  if (state.rules.reveal.shows === 'all') state = yield* lift(state, cupsOf(state), dealer);
  const count = state.counts.reduce((sum, [, each]) => sum + each, 0);
  const others = around.filter((seat) => seat !== claimant);
  const gain = worth(state, standing, countOf(state, claimant), count);
  const sides = gain > 0 ? [[claimant], inOrder(others)] : [inOrder(others), [claimant]];
  const [winners, losers] = gain ? sides : [[], []];
  const found = { doubters: others, holds: gain >= 0, count, winners, losers };
  yield* settled(state, verdict(state, 'count', found), { dealer });
}

/** @param {State} state @param {number} seat @returns {number[]} The seats still in, from the one after this. */
function from(state, seat) {
  const found = [after(state, seat)];
  while (found.length < remaining(state).length) found.push(after(state, found[found.length - 1]));
  return found;
}

/** @param {State} state @param {number} catcher @returns {Following} No cup is lifted. */
export function caught(state, catcher) {
  const [winner, loser] = state.beats ? [state.claimant, catcher] : [catcher, state.claimant];
  const found = { doubters: [catcher], holds: state.beats, winners: [winner], losers: [loser] };
  return settled(state, verdict(state, 'catch', found));
}

/**
 * @param {State} state
 * @param {number | null} holder Who wins; nobody where both have five aces.
 * @returns {Following}
 */
export function fiveAces(state, holder) {
  const others = remaining(state).filter((seat) => seat !== holder);
  const [winners, losers] = holder === null ? [[], []] : [[holder], others];
  return settled(state, verdict(state, 'five_aces', { claimant: holder, winners, losers }, false));
}

/** @param {State} state @param {any} command @returns {Following} Who drinks, after a throw that does something. */
export function special(state, { seat, special: name, to }) {
  const named = to === null ? [] : [to];
  const losers = name === 'social' ? remaining(state) : named;
  return settled(state, verdict(state, name, { claimant: seat, losers }, false));
}

/** @param {State} state @param {number} seat Who breaks the rules of the dice, and loses the hand. */
export const handForfeited = (state, seat) => settled(state, verdict(state, 'forfeit', { losers: [seat] }));

/** @param {State} state @param {number} seat Who gives the match up; no cup is lifted. */
export const gone = (state, seat) =>
  settled(state, verdict(state, 'forfeit', { losers: [seat] }, false), { leaves: seat });

// ---- the dice ----

/** @param {State} state @param {string} kind @returns {number[]} */
function testedCups(state, kind) {
  const { muck, shows } = state.rules.reveal;
  if (muck) return [];
  if (shows === 'all' || kind === 'auto_challenge') return cupsOf(state);
  return [sharesCup(state) ? PASSED_CUP : /** @type {number} */ (state.claimant)];
}

/**
 * @param {State} state
 * @param {number[]} cups
 * @param {Dealer} dealer
 * @returns {Generator<Event, State>} The openings of their hidden dice; it returns the state with all of them shown.
 */
export function* lift(state, cups, dealer) {
  let then = state;
  for (const cup of cups) {
    for (const shown of lifted(then.places[cup], then, dealer)) {
      yield shown;
      then = evolve(then, shown);
    }
  }
  return then;
}

/** @param {Place} place @param {State} state @param {Dealer} dealer @returns {Event[]} CUP/1 section 4.12. */
function lifted(place, state, dealer) {
  if (!place.inside.length) return [];
  const faces = state.rules.tokens.faces.count;
  const hand = handful(place, dealer);
  const blind = new Set(hand.choices.map(({ roll }) => roll));
  const shown = new Map(hiddenRolls(hand.inside));
  for (const roll of blind) if (!shown.has(roll)) shown.set(roll, []);
  const openings = [...shown]
    .sort(([one], [other]) => one - other)
    .map(([roll, slots]) => {
      const extra = blind.has(roll) ? [place.size] : [];
      return dealer.open(place.cup, roll, [...slots, ...extra], [...slots.map(() => faces), ...extra.map(() => 1)]);
    });
  const choices = { type: 'game.choices_revealed', data: { cup: place.cup, choices: hand.choices } };
  return hand.choices.length ? [...openings, choices] : openings;
}

/** @param {Place} place @param {State} state @param {Dealer} dealer @returns {number[]} What its dice show, from 0. */
export function valuesOf(place, state, dealer) {
  const m = state.rules.tokens.faces.count;
  const hidden = place.inside.length ? handful(place, dealer).inside : [];
  const seen = place.outside.flatMap(({ value }) => (value === null ? [] : [value]));
  return [...hidden.map(([roll, slot]) => dealer.value(place.cup, roll, slot, m)), ...seen];
}

/** @param {State} state @param {Dealer} dealer @returns {{holds: boolean, count: number | null}} */
function judge(state, dealer) {
  const count = standingCount(state);
  if (count !== null) {
    const faces = facesOf(state, placesOf(state), dealer);
    const auction = auctionOf(state);
    return { holds: makesClaim(auction, count, faces), count: holding(auction, count.face, faces) };
  }
  const [hand, claimant] = [standingHand(state), state.claimant];
  const place = placeOf(state, /** @type {number} */ (claimant));
  const ladder = ladderNow(state);
  const reached = ladder.measure(valuesOf(/** @type {Place} */ (place), state, dealer));
  return { holds: reached >= Number(ladder.rungOf(/** @type {any} */ (hand))), count: null };
}

/** @param {State} state @param {number} face @param {Place[]} some @param {Dealer} dealer */
const counted = (state, face, some, dealer) => holding(auctionOf(state), face, facesOf(state, some, dealer));

/** @param {State} state @param {Place[]} some @param {Dealer} dealer @returns {number[]} */
function facesOf(state, some, dealer) {
  const { first } = state.rules.tokens.faces;
  return some.flatMap((place) => valuesOf(place, state, dealer)).map((value) => value + first);
}

// ---- what a verdict costs ----

/** @param {number} seat @returns {Event} */
const eliminated = (seat) => ({ type: 'game.eliminated', data: { seat } });

/**
 * @param {State} state With every die shown that the verdict calls for.
 * @param {any} judged
 * @param {{dealer?: Dealer, leaves?: number}} [more] Who knows the last digits, where slips advance by them; the seat
 *   that gives the match up by it.
 * @returns {Following} The verdict and all it costs.
 */
function* settled(state, judged, { dealer, leaves } = {}) {
  const first = postedFirst(state, judged, leaves ?? null);
  const lighter = remembering(state, first);
  const out = leaves === undefined ? newlyOut(lighter) : [leaves];
  const buyer = leaves === undefined ? buyerOf(lighter, out) : null;
  const lost = out.filter((seat) => seat !== buyer);
  const cost = [...first, ...postedThen(lighter, judged, lost), ...lost.map(eliminated)];
  yield { type: 'game.judged', data: judged };
  yield* cost;
  if (buyer !== null) {
    yield { type: 'game.buying_opened', data: { seat: buyer } };
    return;
  }
  const paid = remembering(state, cost);
  if (dealer !== undefined) yield* movedOn(paid, judged, dealer);
  yield* closed(paid, judged, lighter.fallen.length > state.fallen.length);
}

/** @param {State} state @returns {number[]} */
function newlyOut(state) {
  const { unit, outAt } = state.rules.match;
  return unit === null ? [] : remaining(state).filter((seat) => balance(state, unit, seat) === outAt);
}

/**
 * @param {State} state
 * @param {number[]} out
 * @returns {number | null} The seat that may buy itself back, if one may.
 */
function buyerOf(state, out) {
  const buying = interlude(state, 'buying');
  if (buying === null || state.lossesMet || out.length !== 1) return null;
  return balance(state, 'buy_back', out[0]) < buying.most ? out[0] : null;
}

/** @param {State} state @param {any} judged @param {Dealer} dealer @returns {Following} Slips, and the next stakes. */
function* movedOn(state, judged, dealer) {
  const slips = interlude(state, 'slips');
  let last = false;
  if (slips !== null && state.slip !== null) {
    const odd = remaining(state).filter((seat) => {
      const values = valuesOf(state.places[seat], state, dealer);
      return values[values.length - 1] % 2 === 1;
    });
    const played = [...state.slip.played, state.slip.position];
    const position =
      played.length >= slips.plays ? null : nextPosition(slips.length, state.slip.position, played, odd.length);
    yield { type: 'game.slip_advanced', data: { odd, position } };
    last = slips.finalDouble && played.length + 1 === slips.plays;
  }
  const basic = nextBasic(state, judged);
  if (basic !== null) yield { type: 'game.stake_set', data: { basic, effective: last ? 2 * basic : basic } };
}

/**
 * @param {number} length
 * @param {number} current
 * @param {number[]} played
 * @param {number} skipped How many unplayed numbers to pass over, down the slip and from its end to its top.
 * @returns {number | null}
 */
function nextPosition(length, current, played, skipped) {
  const slip = Array.from({ length }, (_, at) => at + 1);
  const left = [...slip.slice(current), ...slip.slice(0, current)].filter((position) => !played.includes(position));
  return left.length ? left[skipped % left.length] : null;
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {any} judged
 * @returns {Event[]} A seat goes out after the verdict.
 */
export function leftAfter(state, seat, judged) {
  const out = [eliminated(seat), ...postedThen(state, verdict(state, 'forfeit', {}, false), [seat])];
  return [...out, ...closed(remembering(state, out), judged, false)];
}
