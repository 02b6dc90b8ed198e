/**
 * The change of a game's state by events. The law of the file: it only remembers. It refuses nothing, looks at no
 * hidden dice, and leaves the state as it is after events of the ceremony and the lobby.
 */
import { arrangedAfter, diceOf, emptyPlace, laidAfter, rolledAfter, shownAfter } from './places.js';
import {
  NOTHING_STANDS,
  PASSED_CUP,
  TABLE_CUP,
  after,
  cockedOdds,
  interlude,
  placesOf,
  remaining,
  sharesCup,
} from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */

/** @param {State} state @param {Event} event @returns {State} */
export function evolve(state, event) {
  const remember = REMEMBER[event.type];
  return remember === undefined ? state : remember(state, event.data);
}

/** @param {State} state @param {Iterable<Event>} happened @returns {State} */
export function remembering(state, happened) {
  let then = state;
  for (const event of happened) then = evolve(then, event);
  return then;
}

// ---- rounds ----

/** @param {State} state @param {number} seat @returns {State} */
function firstKnown(state, seat) {
  if (sharesCup(state)) return { ...state, phase: 'to_roll', turn: seat, nextStarter: seat };
  return { ...state, phase: 'between_rounds', turn: null, nextStarter: seat };
}

/** @param {State} state @param {any} data @returns {State} */
function firstDrawn(state, { seat }) {
  const chooses = state.round === 0 && state.rules.match.first === 'boss_decides';
  return chooses ? { ...state, phase: 'choosing', turn: seat } : firstKnown(state, seat);
}

/** @param {State} state @param {any} data @returns {State} */
function roundOpened(state, { round, starter }) {
  const shared = sharesCup(state);
  const { dice } = state.rules.tokens;
  const empty = () => Object.fromEntries(remaining(state).map((seat) => [seat, emptyPlace(seat, dice)]));
  return {
    ...state,
    phase: shared ? 'to_roll' : 'claiming',
    round,
    turn: starter,
    starter,
    places: shared ? state.places : empty(),
    nextStarter: null,
    passed: [],
    callers: [],
    counts: [],
    looked: [],
    ...NOTHING_STANDS,
  };
}

/** @param {State} state @param {any} data @returns {State} */
function roundClosed(state, data) {
  const { singleUse } = state.rules.tokens;
  const played = singleUse ? placesOf(state).map((place) => diceOf(place).map(({ value }) => value ?? 0)) : [];
  const closed = {
    ...state,
    nextStarter: data.next_starter,
    flags: data.flags,
    passer: null,
    used: [...state.used, ...played],
  };
  if (sharesCup(state) && data.next_starter !== null) {
    return { ...firstKnown(closed, data.next_starter), ...NOTHING_STANDS };
  }
  // A round that is over here may not be so yet at other tables with the same dice.
  const ahead = state.inStep && state.released < state.round;
  return { ...closed, phase: ahead ? 'awaiting_board' : 'between_rounds', turn: null };
}

/** @param {State} state @returns {State} It is over at all tables: a doubt that waited is judged as if it had just come. */
function released(state) {
  const { held, round } = state;
  const then = { ...state, released: round, held: null };
  if (held === null) return { ...then, phase: 'between_rounds', turn: null };
  return { ...then, phase: 'responding', turn: held.turn };
}

/** @param {State} state @returns {State} */
const finished = (state) => ({ ...state, phase: 'finished', nextStarter: null, turn: null });

/** @param {State} state @param {any} data @returns {State} */
function won(state, { seat }) {
  // Where a cup is passed on, nothing stands once it was lifted.
  return { ...finished(state), winner: seat, ...(sharesCup(state) ? NOTHING_STANDS : {}) };
}

// ---- dice ----

/** @param {State} state @param {import('./places.js').Place} place @returns {State} */
const withPlace = (state, place) => ({ ...state, places: { ...state.places, [place.cup]: place } });

/** @param {State} before @param {any} data @returns {State} */
function rolled(before, data) {
  const state = { ...before, rolls: { ...before.rolls, [data.cup]: data.roll + 1 } };
  if (data.cup === TABLE_CUP) return state;
  const place = state.places[data.cup] ?? emptyPlace(data.cup, state.rules.tokens.dice);
  if (place.rolling !== null) return withPlace(state, rolledAfter(place, data));
  if (data.cup === PASSED_CUP) {
    const turn = /** @type {number} */ (state.turn);
    return { ...withPlace(state, laidAfter(place, data, [turn])), phase: 'holding' };
  }
  const unlooked = cockedOdds(state) !== 0 && !state.looked.includes(data.cup);
  return withPlace(state, laidAfter(place, data, unlooked ? [] : [data.cup]));
}

/** @param {State} state @param {any} data @returns {State} */
function revealed(state, data) {
  const place = state.places[data.cup];
  return place === undefined ? state : withPlace(state, shownAfter(place, data));
}

/** @param {State} state @param {any} data @returns {State} */
function accepted(state, { seat }) {
  if (state.rules.handling.gate === 'blind') return { ...state, phase: 'to_roll', bound: true };
  const place = state.places[PASSED_CUP];
  return { ...withPlace(state, { ...place, knowers: [...besides(place, seat), seat] }), phase: 'holding', bound: true };
}

/** @param {import('./places.js').Place} place @param {number} seat */
const besides = ({ knowers }, seat) => knowers.filter((other) => other !== seat);

/** @param {State} state @param {any} data @returns {State} */
function arranged(state, data) {
  const { handling, claims } = state.rules;
  const counts = data.roll !== null || !handling.showToClaim;
  const binds = handling.binds && state.phase !== 'chase';
  return {
    ...withPlace(state, arrangedAfter(state.places[data.cup], data)),
    phase: binds && claims.kind === 'rungs' ? 'holding' : state.phase,
    bound: state.bound || binds,
    shown: state.shown || data.outside.length > 0,
    handled: counts ? { ...state.handled, [data.seat]: (state.handled[data.seat] ?? 0) + 1 } : state.handled,
  };
}

// ---- claims and doubts ----

/** @param {State} state @param {number} seat @param {any} claim @param {boolean} beats @returns {State} */
const claimed = (state, seat, claim, beats) => ({
  ...state,
  phase: 'responding',
  turn: after(state, seat),
  standing: claim,
  opening: state.opening ?? claim,
  claimant: seat,
  beats,
  doubters: [],
  rebid: state.phase === 'called',
  passer: null,
  bound: false,
  handled: state.rules.handling.per === 'turn' ? {} : state.handled,
  shown: false,
  callers: state.callers.includes(seat) ? state.callers : [...state.callers, seat],
});

/** @param {State} state @param {any} data @returns {State} */
function challenged(state, { seat }) {
  const doubted = { ...state, doubters: [...state.doubters, seat] };
  if (state.inStep) return holding(doubted, 'challenge', seat);
  return { ...doubted, turn: state.rules.doubt.who === 'all' ? after(state, seat) : state.turn };
}

/** @param {State} state @param {'challenge' | 'spot_on'} kind @param {number} seat @returns {State} */
const holding = (state, kind, seat) => ({
  ...state,
  phase: 'awaiting_board',
  turn: null,
  held: { kind, seat, turn: state.turn },
});

/** @param {State} state @param {any} data @returns {State} */
const passed = (state, { seat }) => ({
  ...state,
  passer: seat,
  passed: [...state.passed, seat],
  turn: after(state, seat),
});

/** @param {State} state @returns {number[]} The seats of which two with a loss close the buying back. */
const closers = (state) =>
  interlude(state, 'buying')?.closedBy === 'everybody'
    ? state.seats
    : state.seats.filter((seat) => !state.out.includes(seat));

/** @param {State} state @param {any} data @returns {State} */
function posted(state, { unit, from, to, amount }) {
  const accounts = { ...state.balances[unit] };
  accounts[from] = (accounts[from] ?? 0) - amount;
  accounts[to] = (accounts[to] ?? 0) + amount;
  const falls = unit === 'die' && accounts[from] === 1 && typeof from === 'number' && !state.fallen.includes(from);
  const met = unit === 'loss' && closers(state).filter((seat) => accounts[seat]).length > 1;
  return {
    ...state,
    balances: { ...state.balances, [unit]: accounts },
    fallen: falls ? [...state.fallen, from] : state.fallen,
    lossesMet: state.lossesMet || met,
  };
}

// ---- interludes ----

/** Who walks away from the table may know no more of it than those who look on. @param {State} state @param {any} data */
const forfeited = (state, { seat }) => ({
  ...state,
  places: Object.fromEntries(placesOf(state).map((place) => [place.cup, { ...place, knowers: besides(place, seat) }])),
});

/** @param {State} state @param {any} data @returns {State} */
const looked = (state, { seat }) => ({
  ...withPlace(state, { ...state.places[seat], knowers: [seat] }),
  looked: state.looked.includes(seat) ? state.looked : [...state.looked, seat],
});

/** @param {State} state @param {any} data @returns {State} */
function slipAdvanced(state, { position }) {
  const slip = /** @type {{position: number, played: number[]}} */ (state.slip);
  return { ...state, slip: { position: position || slip.position, played: [...slip.played, slip.position] } };
}

/** @type {Record<string, (state: State, data: any) => State>} */
const REMEMBER = {
  // Addresses count within a deal: what lies on the table from the one before says nothing of this one.
  'deal.ready': (state) => ({ ...state, rolls: {}, places: {} }),
  'game.first_drawn': firstDrawn,
  'game.first_chosen': (state, data) => firstKnown(state, data.who),
  'game.bout_set': (state, data) => ({ ...state, bout: data.seats, order: data.order, through: data.through }),
  'game.round_opened': roundOpened,
  'game.round_closed': roundClosed,
  'game.won': won,
  'game.lost': finished,
  'game.session_closed': finished,
  'cup.rolled': rolled,
  'cup.revealed': revealed,
  'game.accepted': accepted,
  'game.arranged': arranged,
  'game.bid': (state, { seat, quantity, face }) => claimed(state, seat, { quantity, face }, true),
  'game.called': (state, { seat, shape, faces, beats }) => claimed(state, seat, { shape, faces }, beats),
  'game.direction_turned': (state) => ({ ...state, direction: -state.direction }),
  'game.challenged': challenged,
  'game.spot_on_called': (state, data) => (state.inStep ? holding(state, 'spot_on', data.seat) : state),
  'game.released': released,
  'game.surrounded': (state, data) => ({ ...state, phase: 'called', turn: data.seat }),
  'game.passed': passed,
  'game.counted': (state, data) => ({ ...state, counts: [...state.counts, [data.seat, data.count]] }),
  'game.judged': (state, data) => ({ ...state, last: data, phase: 'between_rounds', turn: null }),
  'game.posted': posted,
  'game.eliminated': (state, data) => ({ ...state, out: [...state.out, data.seat] }),
  'game.forfeited': forfeited,
  'game.chase_begun': (state, data) => ({ ...state, phase: 'chase', turn: after(state, data.seat), bound: false }),
  'game.looked': looked,
  // The dice that follow are laid afresh.
  'game.cocked_shown': (state, data) => withPlace(state, emptyPlace(data.seat, state.rules.tokens.dice)),
  'game.buying_opened': (state, data) => ({ ...state, phase: 'buying', turn: data.seat }),
  'game.slips_dealt': (state) => ({ ...state, slip: { position: 1, played: [] } }),
  'game.slip_advanced': slipAdvanced,
  'game.stake_set': (state, data) => ({ ...state, stakes: { basic: data.basic, effective: data.effective } }),
};
