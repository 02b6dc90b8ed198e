/**
 * A rule set is a value: eight independent choices, and the engine plays whatever they say.
 * Each function returns one of them, with the defaults of the family for what is not given.
 */

/** @typedef {{first: number, count: number}} Faces */
/**
 * @typedef {object} Rules
 * @property {[number, number]} seats
 * @property {{kind: 'own_cups' | 'shared_cup' | 'serials', dice: number, faces: Faces, singleUse: boolean}} tokens
 * @property {any} claims `kind` is `counting` or `rungs`.
 * @property {any} doubt
 * @property {any} handling
 * @property {any} reveal
 * @property {any[]} settlers Each has a `kind`, such as `lose_die`.
 * @property {any} match
 * @property {any[]} interludes Each has a `kind`, such as `slips`.
 */

/** @type {Readonly<Faces>} */
export const PIPS = Object.freeze({ first: 1, count: 6 });
/** Nine, ten, jack (11), queen (12), king (13), ace (14). @type {Readonly<Faces>} */
export const POKER = Object.freeze({ first: 9, count: 6 });
const DIGITS = Object.freeze({ first: 0, count: 10 });

/** @param {number} dice */
export const ownCups = (dice, faces = PIPS) => ({ kind: 'own_cups', dice, faces, singleUse: false });
/** @param {number} dice */
export const sharedCup = (dice, faces = PIPS) => ({ kind: 'shared_cup', dice, faces, singleUse: false });
export const serials = (singleUse = false) => ({ kind: 'serials', dice: 8, faces: DIGITS, singleUse });

/** Claims are counts over all tokens of the table. @param {object} [given] */
export const counting = (given) => ({
  kind: 'counting',
  order: 'quantity_first',
  rank: 'natural',
  wild: 'never',
  natural: false,
  aces: 'as_ones',
  ...given,
});

/** Claims name hands, about one place. @param {string} table @param {object} [given] */
export const rungs = (table, given) => ({
  kind: 'rungs',
  table,
  aceHigh: false,
  shorthand: false,
  wild: 'never',
  ties: false,
  specials: [],
  ...given,
});

/** Who may challenge, and what else may be said to a claim. @param {object} [given] */
export const doubt = (given) => ({
  who: 'next',
  rebid: false,
  spotOn: false,
  spotOnWin: 'others_lose',
  passOnce: false,
  catch: false,
  falseCatch: 1,
  ...given,
});

/** What may be done with dice between the roll and the verdict. @param {object} [given] */
export const handling = (given) => ({
  gate: 'look',
  law: 'frozen',
  limit: 0,
  per: 'turn',
  binds: true,
  lastForces: false,
  rehide: true,
  opener: 'nothing',
  ownClaimFirst: false,
  showToClaim: false,
  keeps: false,
  ...given,
});

/** What is shown at the verdict. @param {object} [given] */
export const reveal = (given) => ({ shows: 'all', muck: false, onDemand: false, ...given });

/** When the match is over and who begins the next round. @param {object} [given] */
export const matchEnd = (given) => ({
  unit: null,
  outAt: 0,
  wins: null,
  firstOutEnds: false,
  nextStart: 'loser',
  first: 'high_roll',
  palifico: false,
  bouts: null,
  ...given,
});

/** Losers drink, from the bar. @param {object} [given] */
export const drinks = (given) => ({
  kind: 'drinks',
  basis: 'round',
  base: 1,
  elimination: 0,
  ghostPerRound: 0,
  wrongOutOfTurnFactor: 1,
  wrongSpotOnFactor: 1,
  finishOnTop: false,
  ...given,
});

/** @param {'loss' | 'win'} unit */
export const tally = (unit) => ({ kind: 'tally', unit });
/** @param {number} amount */
export const pot = (amount, doubles = false) => ({ kind: 'pot', amount, doubles });

/** Whose losses close it: those of the seats still in, or of everybody. @param {number} most @param {number} price */
export const buying = (most, price) => ({ kind: 'buying', most, price, closedBy: 'remaining' });

/** @param {number} stake @param {object} [bonuses] */
export const payEach = (stake, bonuses) => ({
  kind: 'pay_each',
  stake,
  nPlusThree: false,
  sixes: false,
  hero: false,
  skunk: false,
  progressive: false,
  ...bonuses,
});

/**
 * @param {{seats: number[], tokens: any, claims: any} & Record<string, any>} given
 * @returns {Rules}
 */
export const rules = (given) =>
  /** @type {any} */ ({
    doubt: doubt(),
    handling: handling(),
    reveal: reveal(),
    settlers: [],
    match: matchEnd(),
    interludes: [],
    ...given,
  });
