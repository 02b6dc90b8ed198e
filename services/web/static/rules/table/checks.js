/**
 * Checks of a command before anybody looks at its claim or at dice. Each command has its questions about the public
 * state; where one is answered with no, it is refused.
 */
import { isAnyLegal } from '../claims.js';
import { LAWS } from '../laws.js';
import {
  auctionOf,
  cockedOdds,
  counts,
  interlude,
  ladderNow,
  placeOf,
  placesOf,
  sharesCup,
  standingCount,
  standingHand,
} from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {(state: State, seat: number) => boolean} Check */

/** @type {Check} */
const goesOn = (state) => state.phase !== 'finished';
/** @type {Check} */
const isSeated = (state, seat) => state.seats.includes(seat);
/** @type {Check} */
const isIn = (state, seat) => !state.out.includes(seat);
/** @type {Check} */
const isInTurn = (state, seat) => state.turn === seat;
/** @param {...string} phases @returns {Check} */
const inPhase =
  (...phases) =>
  (state) =>
    phases.includes(state.phase);

/** @type {Check} */
const namesHands = (state) => !counts(state);
/** @param {string} kind @returns {Check} */
const hasInterlude = (kind) => (state) => interlude(state, kind) !== null;
/** @type {Check} */
const isCockedOn = (state) => cockedOdds(state) > 0;

/** @type {Check} */
function mayClaimNow(state) {
  const lawful = sharesCup(state) ? ['holding'] : ['claiming', 'responding', 'holding', 'called'];
  return lawful.includes(state.phase);
}

/** @type {Check} */
function mayHandleNow(state) {
  const lawful = sharesCup(state) ? ['holding'] : ['claiming', 'responding', 'holding', 'chase'];
  return lawful.includes(state.phase);
}

/** @type {Check} */
const mayDoubt = (state, seat) => state.rules.doubt.who === 'anyone' || isInTurn(state, seat);
/** @type {Check} */
const claimStands = (state) => state.standing !== null;
/** @type {Check} */
const isOfAnother = (state, seat) => seat !== (state.passer ?? state.claimant);
/** @type {Check} */
const isNotBound = (state, seat) => !(state.bound && state.turn === seat);
/** @type {Check} */
const noPassWaits = (state) => state.passer === null;
/** @type {Check} */
const hasNotPassed = (state, seat) => !state.passed.includes(seat);

/** @param {(rules: import('./state.js').Rules) => boolean} question @returns {Check} */
const where = (question) => (state) => question(state.rules);

/** @param {State} state @returns {boolean} */
export function canBeRaised(state) {
  if (counts(state)) return isAnyLegal(auctionOf(state), standingCount(state));
  return lowestRung(state) < ladderNow(state).hands.length;
}

/** @param {State} state @returns {number} The lowest rung that may be called; one above the top where none is. */
export function lowestRung(state) {
  const hand = standingHand(state);
  if (state.rules.doubt.catch || hand === null) return 0;
  return Number(ladderNow(state).rungOf(hand)) + (state.rules.claims.ties ? 0 : 1);
}

/** No seat is bound to a claim that does not exist. @type {Check} */
function aClaimIsLeft(state) {
  const { handling } = state.rules;
  return state.phase === 'chase' || !handling.binds || handling.lastForces || canBeRaised(state);
}

/** @type {Check} */
function roundLetsHandle(state) {
  const opening = state.standing === null && ['claiming', 'holding'].includes(state.phase);
  return !(opening && state.rules.handling.opener === 'nothing');
}

/** A push shows a die and rolls another. @type {Check} */
function hasDiceToHandle(state, seat) {
  const place = placeOf(state, seat);
  return state.rules.handling.law !== 'push' || place === undefined || place.inside.length >= 2;
}

/** @type {Check} */
export function mustShow(state, seat) {
  const hidden = placeOf(state, seat)?.inside.length ?? 0;
  return state.rules.handling.showToClaim && !state.shown && hidden > 1;
}

/** @type {Check} */
const hasShown = (state, seat) => !mustShow(state, seat);
/** @type {Check} */
const hasLooked = (state, seat) => state.looked.includes(seat);
/** @type {Check} */
const needsNoLook = (state, seat) =>
  !isCockedOn(state, seat) || !state.callers.includes(seat) || hasLooked(state, seat);

/** @type {Check} */
function mayDemand(state, seat) {
  const asked = state.last !== null && state.last.kind === 'count' && state.last.claimant === seat;
  return state.rules.reveal.onDemand && asked && placesOf(state).some((place) => place.inside.length > 0);
}

/** @type {Check} A doubt that waits to be judged is judged first. */
const waitsForNoBoard = (state) => state.phase !== 'awaiting_board';

/** @type {Check} */
const nothingGoesOn = (state) =>
  state.phase === 'between_rounds' || (state.phase === 'to_roll' && state.standing === null);

/** @param {State} state @returns {boolean} Whether new slips have to be dealt before the next round. */
export function slipsDue(state) {
  const slips = interlude(state, 'slips');
  return slips !== null && (state.slip === null || state.slip.played.length >= slips.plays);
}

// ---- handling ----

/** @type {Check} Whether the rules let a seat roll some of its dice here, however often it has done so. */
function mayRoll(state, seat) {
  const { handling } = state.rules;
  const opened = state.standing !== null || handling.opener === 'anything';
  const lawful = opened && (state.callers.includes(seat) || !handling.ownClaimFirst);
  return handling.limit > 0 && (lawful || state.phase === 'chase');
}

/** @param {State} state @param {number} seat @returns {number} How often it may still roll, in this turn or round. */
export const rollsLeft = (state, seat) => (mayRoll(state, seat) ? handlingsLeft(state, seat) : 0);

/** @param {State} state @param {number} seat @returns {number} How often it may still handle its dice in any way. */
export const handlingsLeft = (state, seat) => Math.max(0, state.rules.handling.limit - (state.handled[seat] ?? 0));

/**
 * @param {State} state
 * @param {import('./places.js').Place} place
 * @returns {boolean} Whether the rules let the seat in turn show one of its dice now, without rolling any.
 */
export function mayShow(state, place) {
  const { handling } = state.rules;
  if (handling.showToClaim) return !state.shown && place.inside.length > 1;
  const law = LAWS.get(handling.law);
  if (law === undefined || !law.shows || law.whole) return false;
  return handling.limit > (state.handled[state.turn ?? 0] ?? 0);
}

// ---- every command ----

const STILL = [goesOn, isSeated, isIn];
const GOING = inPhase('claiming', 'responding', 'holding', 'to_roll');
const ANSWERS = [GOING, isInTurn, claimStands, isNotBound, noPassWaits];

/** @param {import('./state.js').Rules} rules @returns {boolean} Whether only the host ends it. */
const isOpenEnded = ({ match }) => match.bouts === 'chouette' || (match.unit === null && match.wins === null);

/** @type {Record<string, Check[]>} */
const CHECKS = {
  bid: [...STILL, counts, mayClaimNow, isInTurn, hasShown, needsNoLook],
  call: [...STILL, namesHands, mayClaimNow, isInTurn, hasShown],
  declare: [...STILL, namesHands, mayClaimNow, isInTurn],
  challenge: [...STILL, GOING, mayDoubt, claimStands, isOfAnother, isNotBound],
  spot_on: [...STILL, where(({ doubt }) => doubt.spotOn), ...ANSWERS],
  pass: [...STILL, where(({ doubt }) => doubt.passOnce), ...ANSWERS, hasNotPassed],
  arrange: [
    ...STILL,
    where(({ handling }) => handling.law !== 'frozen'),
    ...[roundLetsHandle, mayHandleNow, isInTurn, aClaimIsLeft, hasDiceToHandle],
  ],
  roll: [...STILL, sharesCup, inPhase('to_roll'), isInTurn],
  accept: [...STILL, sharesCup, inPhase('responding'), isInTurn, canBeRaised],
  catch: [...STILL, where(({ doubt }) => doubt.catch), inPhase('responding'), isInTurn],
  count: [...STILL, where(({ doubt }) => doubt.rebid), inPhase('called'), isInTurn],
  demand_bills: [...STILL, inPhase('between_rounds'), mayDemand],
  stop: [...STILL, hasInterlude('chase'), inPhase('chase'), isInTurn],
  look: [...STILL, isCockedOn, inPhase('claiming', 'responding')],
  show_cocked: [...STILL, isCockedOn, inPhase('claiming', 'responding'), hasLooked],
  buy_back: [goesOn, isSeated, hasInterlude('buying'), inPhase('buying'), isInTurn],
  drop_out: [...STILL, hasInterlude('buying'), inPhase('buying'), isInTurn],
  choose_first: [...STILL, where(({ match }) => match.first === 'boss_decides'), inPhase('choosing'), isInTurn],
  forfeit: [...STILL, waitsForNoBoard],
  deal: [goesOn, inPhase('between_rounds'), (state) => !slipsDue(state)],
  deal_slips: [goesOn, inPhase('between_rounds'), slipsDue],
  close_session: [goesOn, where(isOpenEnded), nothingGoesOn],
};

/**
 * @param {State} state
 * @param {string} kind
 * @param {number} seat
 * @returns {boolean} Whether some command of this kind may be accepted from this seat now.
 */
export const isOpenTo = (state, kind, seat) => CHECKS[kind].every((check) => check(state, seat));

/** @param {State} state @param {any} command @returns {boolean} Whether this one is not refused out of hand. */
export function isAllowed(state, command) {
  if (!isOpenTo(state, command.kind, command.seat ?? 0)) return false;
  if (command.kind === 'declare') return state.rules.claims.specials.includes(command.special);
  const rolls = command.kind === 'arrange' && command.rollInside.length + command.rollOutside.length > 0;
  return !rolls || mayRoll(state, command.seat);
}
