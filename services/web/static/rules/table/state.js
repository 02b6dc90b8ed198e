/** The state of a game: what everybody may know. How events change it stands in `evolve.js`. */
import { ladderOf } from '../ladders.js';
import { diceOf } from './places.js';

/** @typedef {import('../games/rules.js').Rules} Rules */
/** @typedef {import('../claims.js').Count | import('../ladders.js').Hand} Claim */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {{type: string, data: any}} Event */
/**
 * @typedef {object} State A game between two commands.
 * @property {Rules} rules
 * @property {number[]} seats Everybody who began, in seat order.
 * @property {Record<string, Record<string, number>>} balances By unit, what each account has or owes.
 * @property {string} phase
 * @property {number} round From 1; 0 before the first.
 * @property {number | null} turn Who acts; null while the table does.
 * @property {number} direction 1 while play goes up the seats, -1 while it goes down.
 * @property {Record<number, Place>} places By cup, the dice of this round.
 * @property {number | null} starter
 * @property {Claim | null} standing
 * @property {Claim | null} opening
 * @property {number | null} claimant
 * @property {boolean} beats Whether the standing claim stands above the one before.
 * @property {number[]} doubters
 * @property {boolean} rebid Whether the standing claim was raised by a claimant whom all others had doubted.
 * @property {number | null} passer Whose pass waits to be believed.
 * @property {number[]} passed
 * @property {boolean} bound Whether the seat in turn has to claim.
 * @property {Record<number, number>} handled How often each seat has handled its dice, as the rules count it.
 * @property {boolean} shown Whether the seat in turn has shown a die for its next claim.
 * @property {number[]} callers Who has claimed this round.
 * @property {[seat: number, count: number][]} counts
 * @property {string[]} flags
 * @property {number[]} fallen Seats that have been down to one die.
 * @property {boolean} lossesMet Whether two seats have had a loss at the same time, which closes the buying back.
 * @property {any} last The last verdict.
 * @property {number | null} nextStarter
 * @property {number[]} out
 * @property {number | null} winner
 * @property {{basic: number, effective: number} | null} stakes
 * @property {{position: number, played: number[]} | null} slip
 * @property {number[]} looked Who has looked at dice that may be cocked.
 * @property {number[] | null} bout Who plays now, where seats play two at a time.
 * @property {number[]} order
 * @property {number[]} through
 * @property {number[][]} used The numbers that were played, where each may be played once.
 * @property {Record<number, number>} rolls How often each cup was rolled in the current deal.
 * @property {boolean} inStep Whether other tables have the same dice, and each round is judged once it is over at all.
 * @property {number} released The last round for which that was so.
 * @property {{kind: 'challenge' | 'spot_on', seat: number, turn: number | null} | null} held The doubt that waits until
 *   then, and who was in turn.
 */

export const TABLE_CUP = 0;
/** The id of the cup that is passed on. */
export const PASSED_CUP = 255;

export const NOTHING_STANDS = {
  standing: null,
  opening: null,
  claimant: null,
  beats: true,
  doubters: [],
  rebid: false,
  passer: null,
  bound: false,
  handled: {},
  shown: false,
};

/**
 * @param {Rules} rules
 * @param {number[]} seats
 * @param {Record<string, number>} [stacks] What they begin with of what they are out without, if not with the usual.
 * @returns {State} A game before its first round.
 */
export function openingState(rules, seats, stacks) {
  /** @param {number} amount */
  const each = (amount) => Object.fromEntries(seats.map((seat) => [seat, amount]));
  const token = rules.settlers.find(({ kind }) => kind === 'token');
  const paid = rules.settlers.find(({ kind }) => kind === 'pay_each');
  /** @type {State['balances']} */
  const balances = {
    ...(rules.match.unit === 'die' ? { die: each(rules.tokens.dice) } : {}),
    ...(token ? { token: each(token.stake) } : {}),
    ...(stacks ? { [String(rules.match.unit)]: Object.fromEntries(seats.map((seat) => [seat, stacks[seat]])) } : {}),
  };
  return {
    rules,
    seats,
    balances,
    phase: 'between_rounds',
    round: 0,
    turn: null,
    direction: 1,
    places: {},
    starter: null,
    ...NOTHING_STANDS,
    passed: [],
    callers: [],
    counts: [],
    flags: [],
    // Who begins with one die of several has fallen to it before, and does so only once.
    fallen: seats.filter((seat) => balances.die?.[seat] === 1 && rules.tokens.dice > 1),
    lossesMet: false,
    last: null,
    nextStarter: null,
    out: [],
    winner: null,
    stakes: paid ? { basic: paid.stake, effective: paid.stake } : null,
    slip: null,
    looked: [],
    bout: null,
    order: [],
    through: [],
    used: [],
    rolls: {},
    inStep: false,
    released: 0,
    held: null,
  };
}

/** @param {State} state */
export const sharesCup = (state) => state.rules.tokens.kind === 'shared_cup';
/** @param {State} state */
export const counts = (state) => state.rules.claims.kind === 'counting';

/** @param {State} state @returns {number[]} The seats still in; where they play two at a time, those who play now. */
export const remaining = (state) =>
  state.seats.filter((seat) => !state.out.includes(seat) && (state.bout === null || state.bout.includes(seat)));

/** @param {State} state @returns {number[]} The seats still in that do not play now, in the order they come to play. */
export function waiting(state) {
  const now = remaining(state);
  return state.order.filter((seat) => !state.out.includes(seat) && !now.includes(seat));
}

/** @param {State} state @param {string} unit @param {number | string} account */
export const balance = (state, unit, account) => state.balances[unit]?.[account] ?? 0;

/** @param {State} state @returns {Place[]} */
export const placesOf = (state) => Object.values(state.places);

/** @param {State} state @returns {number[]} The cups on the table. */
export const cupsOf = (state) => placesOf(state).map(({ cup }) => cup);

/** @param {State} state @param {number} seat @returns {Place | undefined} The dice a seat handles. */
export const placeOf = (state, seat) => state.places[sharesCup(state) ? PASSED_CUP : seat];

/** @param {State} state */
const isPalifico = (state) => state.flags.includes('palifico');

/** @param {State} state @returns {boolean} Whether ones count for every other face now. */
function isWild(state) {
  const { wild } = state.rules.claims;
  if (isPalifico(state)) return false;
  if (wild !== 'unless_opened' || state.opening === null) return wild !== 'never';
  // An opening on ones kills them for the round.
  return 'face' in state.opening ? state.opening.face !== 1 : !state.opening.faces.includes(1);
}

/** @param {State} state @returns {import('../claims.js').Auction} The bidding of this round. */
export const auctionOf = (state) => ({
  counting: state.rules.claims,
  tokens: placesOf(state).reduce((sum, place) => sum + diceOf(place).length, 0),
  faces: state.rules.tokens.faces,
  wild: isWild(state),
  palifico: isPalifico(state),
});

/** @param {State} state @returns {import('../ladders.js').Ladder} The ladder of this round. */
export const ladderNow = (state) => ladderOf(state.rules, isWild(state));

/** @param {State} state @returns {import('../claims.js').Count | null} */
export const standingCount = ({ standing }) => (standing !== null && 'face' in standing ? standing : null);
/** @param {State} state @returns {import('../ladders.js').Hand | null} */
export const standingHand = ({ standing }) => (standing !== null && 'shape' in standing ? standing : null);

/** @param {State} state @param {string} kind */
export const interlude = (state, kind) => state.rules.interludes.find((each) => each.kind === kind) ?? null;
/** @param {State} state @param {string} kind */
export const settler = (state, kind) => state.rules.settlers.find((each) => each.kind === kind) ?? null;

/** @param {State} state @returns {number} One die in so many lies cocked; 0 where dice always lie flat. */
export const cockedOdds = (state) => interlude(state, 'cocked')?.oneIn ?? 0;

/** @param {State} state @param {number} seat @returns {number} The next seat in the direction of play still in. */
export function after(state, seat) {
  const table = state.direction > 0 ? state.seats : [...state.seats].reverse();
  const at = table.indexOf(seat);
  const [still, around] = [remaining(state), [...table.slice(at + 1), ...table.slice(0, at + 1)]];
  return /** @type {number} */ (around.find((other) => still.includes(other)));
}
