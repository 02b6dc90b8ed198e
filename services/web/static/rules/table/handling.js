/**
 * The handling of dice between the roll and the verdict, and the interludes that begin there. Showing comes before
 * rolling. Which hidden dice are rolled anew is sealed where the law leaves a choice (CUP/1 section 4.12).
 */

import { compared } from '../ladders.js';
import { LAWS } from '../laws.js';
import { Refused } from '../refused.js';
import { handlingsLeft, mayShow, rollsLeft } from './checks.js';
import { laid } from './dice.js';
import { closed } from './ending.js';
import { evolve, remembering } from './evolve.js';
import { fiveAces, leftAfter, lift, tested, valuesOf } from './judging.js';
import { handful, handledBy, hiddenRolls } from './places.js';
import { posted } from './settling.js';
import { balance, cockedOdds, cupsOf, interlude, ladderNow, placeOf, remaining } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {import('./places.js').Handled} Handled */
/** @typedef {import('../match/dealer.js').Dealer} Dealer */
/** @typedef {Generator<Event, any>} Following */

/** @param {State} state @param {any} command @param {Dealer} dealer @returns {Following} */
export function* arranged(state, command, dealer) {
  const place = /** @type {Place} */ (placeOf(state, command.seat));
  const handled = handledBy(place, thrownOpen(state, command));
  checkEqual(state, place, handled, dealer);
  check(state, command.seat, place, handled);
  const happened = [...arrange(state, command.seat, place, handled, dealer)];
  yield* happened;
  yield* afterThrow(remembering(state, happened), command.seat, handled, dealer);
}

/** In a chase the screen is up: what is thrown is thrown for all to see. @param {State} state @param {any} command */
function thrownOpen(state, command) {
  if (state.phase !== 'chase') return command;
  return { ...command, rollInside: [], rollOutside: [...command.rollInside, ...command.rollOutside] };
}

/** @param {Handled} handled */
const rolled = ({ rollsInside, rollsOutside }) => [...rollsInside, ...rollsOutside];

/**
 * A push shows equal dice.
 * @param {State} state
 * @param {Place} place
 * @param {Handled} handled
 * @param {Dealer} dealer
 */
function checkEqual(state, place, handled, dealer) {
  if (state.rules.handling.law !== 'push') return;
  const lying = valuesOf(place, state, dealer);
  const shown = new Set(handled.shows.map((position) => lying[position]));
  if (shown.size > 1) throw new Refused('only equal dice are pushed');
}

/** @param {State} state @param {number} seat @param {Place} place @param {Handled} handled */
function check(state, seat, place, handled) {
  const { showToClaim, rehide, law, keeps } = state.rules.handling;
  const rolls = rolled(handled).length > 0;
  const untouched = keeps && !(rolls || handled.shows.length || handled.hides.length);
  const may = untouched && handlingsLeft(state, seat) > 0;
  const left = rolls ? rollsLeft(state, seat) > 0 : may || showToClaim || mayShow(state, place);
  const shows = showToClaim && handled.shows.length > 0;
  const shown = shows && (state.shown || place.inside.length === 1);
  const hidden = handled.hides.length > 0 && !rehide;
  const allowed = untouched || LAWS.get(law)?.allows(handled);
  const lawful = state.phase === 'chase' ? rolls && !handled.hides.length : allowed;
  if (!left || shown || hidden || !lawful) throw new Refused('the law does not let these dice be handled so');
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {Place} place
 * @param {Handled} handled
 * @param {Dealer} dealer
 * @returns {Generator<Event>}
 */
function* arrange(state, seat, place, handled, dealer) {
  const hand = handful(place, dealer);
  const numbers = [...hand.inside, ...hand.outside];
  const rolls = rolled(handled);
  const { cup, size } = place;
  const outside = handled.shows.map((position) => numbers[position]).sort(compared);
  const back = [...new Set([...handled.hides, ...rolls])].filter((position) => position >= handled.hidden);
  const roll = rolls.length ? (state.rolls[cup] ?? 0) : null;
  const sealed = roll !== null && state.phase !== 'chase' && LAWS.get(state.rules.handling.law)?.sealed === true;
  const choice = {
    roll: roll ?? 0,
    roll_inside: handled.rollsInside,
    roll_outside: handled.rollsOutside,
    outside: handled.shows,
  };
  const data = {
    seat,
    cup,
    outside,
    taken: back.sort((one, other) => one - other).map((position) => numbers[position]),
    roll_inside: handled.rollsInside.length,
    roll_outside: handled.rollsOutside.length,
    roll,
    choice: sealed ? dealer.sealed(choice, cup, size) : null,
  };
  yield { type: 'game.arranged', data };
  const faces = state.rules.tokens.faces.count;
  for (const [each, slots] of hiddenRolls(outside))
    yield dealer.open(
      cup,
      each,
      slots,
      slots.map(() => faces),
    );
  if (roll === null) return;
  yield* thrown(place, handled, roll, sealed, faces, dealer);
}

/**
 * @param {Place} place
 * @param {Handled} handled
 * @param {number} roll
 * @param {boolean} sealed
 * @param {number} faces
 * @param {Dealer} dealer
 * @returns {Generator<Event>}
 */
function* thrown({ cup, size }, handled, roll, sealed, faces, dealer) {
  const slots = rolled(handled).map((_, slot) => slot);
  const blind = sealed ? [size] : [];
  const m = [...slots.map(() => faces), ...blind.map(() => 1)];
  yield { type: 'cup.rolled', data: { deal: dealer.number, cup, roll, slots: [...slots, ...blind], m } };
  if (handled.rollsOutside.length) {
    const open = slots.slice(handled.rollsInside.length);
    yield dealer.open(
      cup,
      roll,
      open,
      open.map(() => faces),
    );
  }
}

// ---- after a throw ----

/** @param {State} state @param {number} seat @param {Handled} handled @param {Dealer} dealer @returns {Following} */
function* afterThrow(state, seat, handled, dealer) {
  if (!rolled(handled).length) return;
  if (state.phase === 'chase') {
    yield* chased(state, seat, dealer);
    return;
  }
  if (hasFiveAces(state, seat, dealer)) {
    yield* chase(state, seat, dealer);
    return;
  }
  const { limit, lastForces } = state.rules.handling;
  const last = (state.handled[seat] ?? 0) >= limit;
  if (lastForces && last && state.standing !== null) yield* tested(state, [seat], dealer, 'auto_challenge');
}

/**
 * @param {State} before
 * @param {Event[]} happened
 * @param {Dealer} dealer
 * @returns {Following} What follows when five aces lie there as soon as the dice are dealt.
 */
export function* acesAfterDeal(before, happened, dealer) {
  const state = remembering(before, happened);
  if (state.phase !== 'claiming' || interlude(state, 'chase') === null) return;
  const holders = remaining(state).filter((seat) => hasFiveAces(state, seat, dealer));
  if (holders.length > 1) {
    const shown = yield* lift(state, cupsOf(state), dealer);
    yield* fiveAces(shown, null);
  } else if (holders.length) {
    yield* chase(state, holders[0], dealer);
  }
}

/** @param {State} state @param {number} seat @param {Dealer} dealer */
function hasFiveAces(state, seat, dealer) {
  const place = placeOf(state, seat);
  if (interlude(state, 'chase') === null || place === undefined) return false;
  const ladder = ladderNow(state);
  return ladder.measure(valuesOf(place, state, dealer)) === ladder.hands.length - 1;
}

/**
 * @param {State} state
 * @param {number} holder
 * @param {Dealer} dealer
 * @returns {Following} Over where no throw is left.
 */
function* chase(state, holder, dealer) {
  const shown = yield* lift(state, cupsOf(state), dealer);
  const begun = { type: 'game.chase_begun', data: { seat: holder } };
  yield begun;
  const chasing = evolve(shown, begun);
  if (!rollsLeft(chasing, /** @type {number} */ (chasing.turn))) yield* fiveAces(chasing, holder);
}

/** @param {State} state @param {number} chaser @param {Dealer} dealer @returns {Following} */
function* chased(state, chaser, dealer) {
  if (hasFiveAces(state, chaser, dealer)) yield* fiveAces(state, null);
  else if (!rollsLeft(state, chaser)) yield* fiveAces(state, other(state, chaser));
}

/** @param {State} state @param {number} seat */
const other = (state, seat) => /** @type {number} */ (remaining(state).find((each) => each !== seat));

/** @param {State} state @param {any} command @returns {Following} A seat gives up chasing. */
export function* stopped(state, { seat }) {
  yield { type: 'game.chase_stopped', data: { seat } };
  yield* fiveAces(state, other(state, seat));
}

// ---- cocked dice ----

/**
 * @param {State} state
 * @param {number} seat
 * @param {Dealer} dealer
 * @returns {boolean} A roll has a slot more for each.
 */
export function isCocked(state, seat, dealer) {
  const [odds, place] = [cockedOdds(state), state.places[seat]];
  return odds > 0 && place.laid.some(([roll, slot]) => dealer.value(place.cup, roll, place.size + slot, odds) === 0);
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {Dealer} dealer
 * @returns {Event[]} With what tells that some lie so.
 */
export function shownCocked(state, seat, dealer) {
  const place = state.places[seat];
  const slots = Array.from({ length: 2 * place.size }, (_, slot) => slot);
  const m = slots.map((slot) => (slot < place.size ? state.rules.tokens.faces.count : cockedOdds(state)));
  const rolls = [...new Set(place.laid.map(([roll]) => roll))].sort((one, other) => one - other);
  return rolls.map((roll) => dealer.open(seat, roll, slots, m));
}

/** @param {State} state @param {any} command @param {Dealer} dealer @returns {Event[]} */
export function threwAnew(state, { seat }, dealer) {
  if (!isCocked(state, seat, dealer)) throw new Refused('no die lies cocked');
  return [
    { type: 'game.cocked_shown', data: { seat } },
    ...shownCocked(state, seat, dealer),
    laid(state, dealer, seat),
  ];
}

// ---- buying back ----

/** @param {State} state @param {any} command @returns {Event[]} A seat pays to stay in. */
export function boughtBack(state, { seat }) {
  const happened = [
    { type: 'game.bought_back', data: { seat } },
    posted('chip', seat, 'pot', interlude(state, 'buying').price),
    posted('loss', seat, 'box', balance(state, 'loss', seat)),
    posted('buy_back', 'box', seat, 1),
  ];
  return [...happened, ...closed(remembering(state, happened), state.last, false)];
}

/** @param {State} state @param {any} command @returns {Event[]} It does not. */
export const droppedOut = (state, { seat }) => [
  { type: 'game.dropped_out', data: { seat } },
  ...leftAfter(state, seat, state.last),
];
