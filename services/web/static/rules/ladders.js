/**
 * Ladders: what a hand is worth, as one number. All hands that can be named stand on a ladder, lowest first; a claim
 * beats another one by standing higher, and dice make a claim by reaching its rung.
 */

/** @typedef {{shape: string, faces: number[]}} Hand */
/** @typedef {{height: number[], hand: Hand}} Named A hand with how high it stands. */
/** @typedef {{claims: any, dice: number, faces: import('./games/rules.js').Faces, wild: boolean}} Reading */
/** @typedef {(values: number[]) => Named[]} Namer Tells of some values, from 0, every hand they make. */
/**
 * @typedef {object} Ladder
 * @property {Hand[]} hands By rung.
 * @property {(hand: Hand) => number | undefined} rungOf The rung of a hand as it is named.
 * @property {(values: number[]) => number} measure The rung that dice reach; -1 for dice worth no claim.
 */

const ONE = 0;

/** @param {Hand} hand */
const keyOf = (hand) => `${hand.shape} ${hand.faces.join(' ')}`;

/** @param {number[]} one @param {number[]} other */
export function compared(one, other) {
  for (let at = 0; at < one.length && at < other.length; at += 1) {
    if (one[at] !== other[at]) return one[at] - other[at];
  }
  return one.length - other.length;
}

/** @param {number} count @param {number} dice @returns {Generator<number[]>} Every throw, ascending. */
function* throws(count, dice, from = 0) {
  if (dice === 0) yield [];
  else {
    for (let value = from; value < count; value += 1) {
      for (const rest of throws(count, dice - 1, value)) yield [value, ...rest];
    }
  }
}

/** @type {WeakMap<object, Map<boolean, Ladder>>} */
const made = new WeakMap();

/**
 * @param {import('./games/rules.js').Rules} rules
 * @param {boolean} wild Whether ones count for every other face now.
 * @returns {Ladder}
 */
export function ladderOf(rules, wild) {
  const known = made.get(rules) ?? new Map();
  made.set(rules, known);
  if (!known.has(wild)) known.set(wild, built(rules, wild));
  return known.get(wild);
}

/** @param {import('./games/rules.js').Rules} rules @param {boolean} wild @returns {Ladder} */
function built({ claims, tokens }, wild) {
  const namer = NAMERS[claims.table]({ claims, dice: tokens.dice, faces: tokens.faces, wild });
  /** @type {Map<string, Named>} */
  const found = new Map();
  for (const values of throws(tokens.faces.count, tokens.dice)) {
    for (const named of namer(values)) found.set(keyOf(named.hand), named);
  }
  const hands = [...found.values()].sort((one, other) => compared(one.height, other.height)).map(({ hand }) => hand);
  const index = new Map(hands.map((hand, rung) => [keyOf(hand), rung]));
  /** @param {Hand} hand */
  const begins = (hand) => (/** @type {Hand} */ other) =>
    other.shape === hand.shape && compared(other.faces.slice(0, hand.faces.length), hand.faces) === 0;
  return {
    hands,
    rungOf(hand) {
      const rung = index.get(keyOf(hand));
      if (rung !== undefined || !claims.shorthand) return rung;
      const fits = hands.findIndex(begins(hand));
      return fits < 0 ? undefined : fits;
    },
    measure: (values) => Math.max(-1, ...namer(values).map(({ hand }) => Number(index.get(keyOf(hand))))),
  };
}

// ---- poker ----

/** A shape: its name, how often each face lies there, most first, and how many of the faces are named. */
/** @typedef {[name: string, pattern: string, named: number]} Shape */

/** @type {Shape[]} */
const STRAIGHTS = [
  ['low_straight', '', 0],
  ['high_straight', '', 0],
];
/** @type {Shape[]} */
const HOYLE = [
  ['runt', '1,1,1,1,1', 0],
  ['pair', '2,1,1,1', 1],
  ['two_pair', '2,2,1', 2],
  ['three', '3,1,1', 1],
  ...STRAIGHTS,
  ['full_house', '3,2', 2],
  ['four', '4,1', 1],
  ['five', '5', 1],
];
/** @type {Shape[]} */
const FINSKA = [
  ['pair', '2,1,1,1', 1],
  ['two_pair', '2,2,1', 2],
  ['three', '3,1,1', 1],
  ...STRAIGHTS,
  ['full_house', '3,2', 2],
  ['four', '4,1', 2],
  ['five', '5', 1],
];
/** @type {Shape[]} */
const GERMAN = [
  ['runt', '1,1,1,1,1', 5],
  ['pair', '2,1,1,1', 4],
  ['two_pair', '2,2,1', 3],
  ['three', '3,1,1', 3],
  ...STRAIGHTS,
  ['full_house', '3,2', 2],
  ['four', '4,1', 2],
  ['five', '5', 1],
];
/** @type {Shape[]} */
const STANFORD = [
  ['pair', '2,1,1,1,1', 5],
  ['two_pair', '2,2,1,1', 4],
  ['three_pair', '2,2,2', 3],
  ['three', '3,1,1,1', 4],
  ['straight', '1,1,1,1,1,1', 0],
  ['full_house', '3,2,1', 3],
  ['two_triplets', '3,3', 2],
  ['four', '4,1,1', 3],
  ['four_and_pair', '4,2', 2],
  ['five', '5,1', 2],
  ['six', '6', 1],
];

/** @param {number[]} values @returns {Map<number, number>} How often each value lies there. */
function often(values) {
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

/** @param {Shape[]} shapes @returns {(reading: Reading) => Namer} */
const poker =
  (shapes) =>
  ({ claims, dice, faces }) => {
    const height = new Map(shapes.map(([name], at) => [name, at]));
    const byPattern = new Map(shapes.map((shape) => [shape[1], shape]));
    // In sets an ace may outrank all others; a straight is counted in plain order, whatever an ace is worth.
    /** @param {number} value */
    const rank = (value) => (claims.aceHigh && value === ONE ? faces.count : value);
    /** @param {number[]} values */
    const straight = (values) => {
      const [lowest, highest] = [Math.min(...values), Math.max(...values)];
      if (new Set(values).size !== dice || highest - lowest !== dice - 1) return null;
      return lowest ? 'high_straight' : 'low_straight';
    };
    return (values) => {
      const run = height.has('low_straight') ? straight(values) : null;
      if (run !== null) return [{ height: [Number(height.get(run))], hand: { shape: run, faces: [] } }];
      const counts = often(values);
      /** @param {number} value */
      const times = (value) => Number(counts.get(value));
      const grouped = [...counts.keys()].sort((one, other) => times(other) - times(one) || rank(other) - rank(one));
      const found = byPattern.get(grouped.map(times).join());
      if (found === undefined) return [];
      const [shape, , count] = found;
      const named = grouped.slice(0, count);
      return [
        {
          height: [Number(height.get(shape)), ...named.map(rank)],
          hand: { shape, faces: named.map((value) => faces.first + value) },
        },
      ];
    };
  };

// ---- the others ----

const OF_A_KIND = ['', 'single', 'pair', 'three', 'four', 'five'];

/** So many of a kind, ones helping while they are wild. @param {Reading} reading @returns {Namer} */
const kinds =
  ({ faces, wild }) =>
  (values) => {
    const counts = often(values);
    return [...counts].flatMap(([value, naturals]) => {
      const most = naturals + (wild && value !== ONE ? (counts.get(ONE) ?? 0) : 0);
      return Array.from({ length: most }, (_, at) => ({
        height: [at + 1, value],
        hand: { shape: OF_A_KIND[at + 1], faces: [faces.first + value] },
      }));
    });
  };

/** @param {number[]} values @returns {number[]} */
const falling = (values) => [...values].sort((one, other) => other - one);

/** @param {number[]} values @param {Reading} reading @returns {Hand} */
const score = (values, { faces }) => ({ shape: 'score', faces: falling(values).map((value) => faces.first + value) });

/** Dice read as digits, high to low. @param {Reading} reading @returns {Namer} */
const digits = (reading) => (values) => [{ height: falling(values), hand: score(values, reading) }];

/** Two dice of which doubles beat all others. @param {Reading} reading @returns {Namer} */
const doublesHigh = (reading) => (values) => [
  { height: [Number(values[0] === values[1]), ...falling(values)], hand: score(values, reading) },
];

/** Throws that do something instead of counting, where their special is on. @type {Map<string, string>} */
export const SPECIALS = new Map([
  ['3,1', 'social'],
  ['3,2', 'reverse'],
  ['4,1', 'impose'],
]);

/** Doubles beat the others, 2-1 beats doubles, specials are worth nothing. @param {Reading} reading @returns {Namer} */
const mexican = (reading) => (values) => {
  const hand = score(values, reading);
  const [high, low] = hand.faces;
  if (reading.claims.specials.includes(SPECIALS.get(hand.faces.join()))) return [];
  return [{ height: [Number(high === 2 && low === 1), Number(high === low), high, low], hand }];
};

/** @type {Record<string, (reading: Reading) => Namer>} */
const NAMERS = {
  hoyle: poker(HOYLE),
  finska: poker(FINSKA),
  german: poker(GERMAN),
  stanford: poker(STANFORD),
  kinds,
  digits,
  doubles_high: doublesHigh,
  mexican,
};
