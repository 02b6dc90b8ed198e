/**
 * The dice of the table: how many a deal has to hold, who opens, and the rolls of a round. Dice are addresses: a
 * cup, the number of its roll in the current deal, a slot.
 */

import { keepsHidden } from '../games/all.js';
import { ladderOf } from '../ladders.js';
import { LAWS } from '../laws.js';
import { Refused } from '../refused.js';
import { slipsDue } from './checks.js';
import { firstBout } from './ending.js';
import { remembering } from './evolve.js';
import { posted } from './settling.js';
import { PASSED_CUP, TABLE_CUP, balance, interlude, remaining, settler, sharesCup } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */
/** @typedef {import('./state.js').Rules} Rules */
/** @typedef {import('../match/dealer.js').Dealer} Dealer */
/** @typedef {import('../../cup1.js').Cup} Cup */

/** Rolls of the table cup for who begins. */
const DRAWS_MAX = 16;
/** Rolls of a cup that no round but the wildest needs. */
const LIVELY = 40;
/** Rounds a deal is made for; a longer match begins another deal. */
const ROUNDS_MAX = 48;
const LETTERS = 26;
/** Letters beside a serial number. */
const FLANKS = 2;
/** How often a seat may throw cocked dice in a row. */
const COCKED_MAX = 16;

// ---- the dice a deal has to hold ----

/**
 * @param {State} state Between two rounds.
 * @param {string} per `round` or `match`.
 * @returns {Cup[]} Ascending by id.
 */
export function dealCups(state, per) {
  const rounds = per === 'round' ? 1 : Math.min(ROUNDS_MAX, roundsLeft(state));
  // A deal that ends publishes its dice: where some stay hidden, it is to last as long as the match.
  const usual = keepsHidden(state.rules) ? LIVELY : 1;
  const each = rollsARound(state.rules);
  const rolls = (rounds - 1) * Math.min(each, usual) + each;
  return [...tableCup(state, rounds), ...gameCups(state, rolls)];
}

/** @param {State} state @param {number} rounds @returns {Cup[]} The table's, where a draw may come. */
function tableCup(state, rounds) {
  const highest = Math.max(...state.seats);
  if (drawsLetters(state)) return [[TABLE_CUP, 0, rounds, FLANKS * highest]];
  return state.nextStarter === null ? [[TABLE_CUP, 0, DRAWS_MAX, highest]] : [];
}

/** @param {State} state @param {number} rolls @returns {Cup[]} */
function gameCups(state, rolls) {
  const width = slotsOf(state.rules);
  if (sharesCup(state)) return [[PASSED_CUP, PASSED_CUP, rolls, width]];
  return remaining(state).map((seat) => [seat, seat, rolls, width]);
}

/** @param {Rules} rules @param {string} kind */
const hasKind = ({ interludes }, kind) => interludes.some((each) => each.kind === kind);

/** @param {Rules} rules @returns {number} The dice of a cup, the blind slot, and what tells which dice lie cocked. */
function slotsOf(rules) {
  const { dice } = rules.tokens;
  return dice + (LAWS.get(rules.handling.law)?.sealed ? 1 : 0) + (hasKind(rules, 'cocked') ? dice : 0);
}

/** @param {Rules} rules @returns {number} How often a cup may be rolled in one round. */
function rollsARound(rules) {
  const { handling, claims, tokens } = rules;
  const hands = () => ladderOf(rules, false).hands.length;
  if (handling.gate === 'blind' && claims.kind === 'rungs') return hands();
  // A push shows a die each time and keeps one to roll.
  if (handling.law === 'push') return tokens.dice;
  if (handling.per === 'round' || !handling.limit) {
    return 1 + handling.limit + (hasKind(rules, 'cocked') ? COCKED_MAX : 0);
  }
  const turns = claims.kind === 'counting' ? rules.seats[1] * tokens.dice * tokens.faces.count : hands();
  return 1 + handling.limit * turns;
}

/**
 * @param {State} state
 * @param {Cup[]} cups Of the current deal.
 * @returns {boolean} Whether some cup cannot serve a whole further round.
 */
export function needsDeal(state, cups) {
  const capacity = new Map(cups.map(([id, , rolls]) => [id, rolls]));
  /** @param {number} cup */
  const left = (cup) => (capacity.get(cup) ?? 0) - (state.rolls[cup] ?? 0);
  const spare = state.rules.handling.gate === 'blind' ? 1 : rollsARound(state.rules);
  const served = sharesCup(state) ? [PASSED_CUP] : remaining(state);
  if (served.some((cup) => left(cup) < spare) || (drawsLetters(state) && left(TABLE_CUP) <= 0)) return true;
  // The table cup of a deal is for one draw.
  const drawn = TABLE_CUP in state.rolls || !capacity.has(TABLE_CUP);
  return state.bout !== null && state.nextStarter === null && drawn;
}

/** @param {State} state @returns {boolean} Whether the next thing is a roll that no dice on the table outlive. */
export function rollsNext(state) {
  const blind = state.rules.handling.gate === 'blind';
  return state.phase === 'between_rounds' || (state.phase === 'to_roll' && (blind || state.standing === null));
}

/** @param {State} state @returns {boolean} Whether more than a draw has been rolled in the current deal. */
export const playedInThisDeal = (state) => Object.keys(state.rolls).some((cup) => Number(cup) !== TABLE_CUP);

/** @param {State} state @returns {boolean} Whether a round was played in the current deal and no other has begun. */
export function isRoundOver(state) {
  return isBetweenRounds(state) && playedInThisDeal(state);
}

/** @param {State} state @returns {boolean} Whether no round is under way. */
export const isBetweenRounds = ({ phase, standing }) =>
  phase === 'between_rounds' || (phase === 'to_roll' && standing === null);

/** @param {State} state @returns {number} How many rounds a match takes at most; a session may take any number. */
function roundsLeft(state) {
  const { wins, unit, outAt } = state.rules.match;
  const seats = remaining(state);
  if (wins !== null) return seats.reduce((sum, seat) => sum + wins - 1 - balance(state, 'win', seat), 0) + 1;
  if (unit === null) return ROUNDS_MAX;
  const buying = interlude(state, 'buying');
  const bought = buying === null ? 0 : buying.most * outAt * seats.length;
  return seats.reduce((sum, seat) => sum + Math.abs(outAt - balance(state, unit, seat)), 0) - 1 + bought;
}

// ---- the deal of a round ----

/**
 * @param {State} before
 * @param {Dealer} dealer
 * @returns {Event[]} The stakes of the first, who opens it, the tokens.
 */
export function dealt(before, dealer) {
  const drawn = before.nextStarter === null ? [...first(before, dealer)] : [];
  const state = remembering(before, drawn);
  if (drawn.length && (sharesCup(state) || state.rules.match.first === 'boss_decides')) return drawn;
  const pot = state.round === 0 ? settler(state, 'pot') : null;
  const seats = remaining(state);
  const rolls = seats.map((seat) => laid(state, dealer, seat));
  if (rolls.some((rolled) => isUsed(state, dealer, rolled))) throw new Refused('a number is played once only');
  return [
    ...drawn,
    ...(pot === null ? [] : seats.map((seat) => posted('chip', seat, 'pot', pot.amount))),
    { type: 'game.round_opened', data: { round: state.round + 1, starter: state.nextStarter } },
    ...rolls,
  ];
}

/** @param {State} state @returns {string} What the table does between two rounds. */
export const nextDeal = (state) => (slipsDue(state) ? 'deal_slips' : 'deal');

/** @param {State} state @param {Dealer} dealer @param {number} cup @returns {Event} The roll of all tokens of a cup. */
export function laid(state, dealer, cup) {
  const { tokens } = state.rules;
  const dice = 'die' in state.balances ? balance(state, 'die', cup) : tokens.dice;
  const cocked = interlude(state, 'cocked');
  const slots = Array.from({ length: dice }, (_, slot) => slot);
  const extra = cocked === null ? [] : Array.from({ length: tokens.dice }, (_, slot) => tokens.dice + slot);
  const data = {
    deal: dealer.number,
    cup,
    roll: state.rolls[cup] ?? 0,
    slots: [...slots, ...extra],
    m: [...slots.map(() => tokens.faces.count), ...extra.map(() => cocked.oneIn)],
  };
  return { type: 'cup.rolled', data };
}

/** @param {State} state @param {Dealer} dealer @param {Event} rolled */
function isUsed(state, dealer, { data: { cup, roll, slots, m } }) {
  if (!state.rules.tokens.singleUse) return false;
  const [faces] = m;
  const number = slots.map((/** @type {number} */ slot) => dealer.value(cup, roll, slot, faces)).join();
  return state.used.some((each) => each.join() === number);
}

/** @param {State} state @returns {boolean} Whether letters decide who opens the next round. */
function drawsLetters(state) {
  const { nextStart, first } = state.rules.match;
  return nextStart === 'letters' || (first === 'letters' && state.nextStarter === null);
}

// ---- who opens ----

/** @param {number} seat @returns {Event} */
const firstDrawn = (seat) => ({ type: 'game.first_drawn', data: { seat } });

/** @param {State} state @param {Dealer} dealer @returns {Generator<Event>} */
function* first(state, dealer) {
  if (drawsLetters(state)) {
    yield* lettered(state, dealer);
    return;
  }
  const alone = state.rules.match.bouts === null || state.bout !== null;
  const order = yield* drawn(state, dealer, alone ? 1 : remaining(state).length);
  if (!alone) yield firstBout(order);
  yield firstDrawn(order[0]);
}

/**
 * @param {Dealer} dealer
 * @param {number} roll
 * @param {number[]} slots
 * @param {number} m
 * @returns {Generator<Event, Map<number, number>>} A roll of the table cup, shown at once; it returns values by slot.
 */
function* tableRoll(dealer, roll, slots, m) {
  const each = slots.map(() => m);
  yield { type: 'cup.rolled', data: { deal: dealer.number, cup: TABLE_CUP, roll, slots, m: each } };
  const shown = dealer.open(TABLE_CUP, roll, slots, each);
  yield shown;
  return new Map(shown.data.values);
}

/**
 * Two letters for each number; the lowest pair opens.
 * @param {State} state
 * @param {Dealer} dealer
 * @returns {Generator<Event>}
 */
function* lettered(state, dealer) {
  const seats = remaining(state);
  const slots = seats.flatMap((seat) => [FLANKS * seat - 2, FLANKS * seat - 1]);
  const values = yield* tableRoll(dealer, state.rolls[TABLE_CUP] ?? 0, slots, LETTERS);
  /** @param {number} seat */
  const height = (seat) => Number(values.get(FLANKS * seat - 2)) * LETTERS + Number(values.get(FLANKS * seat - 1));
  yield firstDrawn(seats.reduce((best, seat) => (height(seat) < height(best) ? seat : best)));
}

/**
 * @param {State} state
 * @param {Dealer} dealer
 * @param {number} places How many places are to be decided.
 * @returns {Generator<Event, number[]>} A die each, the highest first; those who tie for a place roll again.
 */
function* drawn(state, dealer, places) {
  let groups = [remaining(state)];
  for (let roll = 0; roll < DRAWS_MAX; roll += 1) {
    const again = tied(groups, places);
    if (!again.length) break;
    const slots = again.map((seat) => seat - 1).sort((one, other) => one - other);
    const values = yield* tableRoll(dealer, roll, slots, state.rules.tokens.faces.count);
    groups = groups.flatMap((group) => (again.includes(group[0]) ? parted(group, values) : [group]));
  }
  return groups.flat();
}

/** @param {number[][]} groups @param {number} places @returns {number[]} Who has to roll again. */
function tied(groups, places) {
  const found = [];
  let before = 0;
  for (const group of groups) {
    if (group.length > 1 && before < places) found.push(...group);
    before += group.length;
  }
  return found;
}

/** @param {number[]} group @param {Map<number, number>} values By slot. @returns {number[][]} The highest first. */
function parted(group, values) {
  /** @param {number} seat */
  const height = (seat) => Number(values.get(seat - 1));
  const heights = [...new Set(group.map(height))].sort((one, other) => other - one);
  return heights.map((each) => group.filter((seat) => height(seat) === each));
}
