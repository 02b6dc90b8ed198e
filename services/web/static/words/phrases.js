/** The words of the house: numbers, faces, claims, amounts and people, as every page says them. */
import { rowsOf } from './hands.js';

/** @typedef {import('../client/view.js').View} View */

const NUMBERS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
/** By number: digits, pips, and poker dice, which begin at nine and go on in court. */
const FACES = 'zero one two three four five six seven eight nine ten jack queen king ace'.split(' ');
const UNITS = /** @type {Record<string, [string, string]>} */ ({
  die: ['die', 'dice'],
  glass: ['glass', 'glasses'],
  loss: ['loss', 'losses'],
  buy_back: ['buy-back', 'buy-backs'],
});
/** How each shape is said: `{0}` is the first face it names, `{0s}` more than one of it. */
const SHAPES = /** @type {Record<string, string>} */ ({
  runt: 'a runt',
  single: 'one {0}',
  pair: 'a pair of {0s}',
  two_pair: 'two pair, {0s} and {1s}',
  three_pair: 'three pair, {0s}, {1s} and {2s}',
  three: 'three {0s}',
  straight: 'a straight',
  low_straight: 'a low straight',
  high_straight: 'a high straight',
  full_house: 'a full house, {0s} over {1s}',
  two_triplets: 'two triplets, {0s} and {1s}',
  four: 'four {0s}',
  four_and_pair: 'four {0s} and a pair of {1s}',
  five: 'five {0s}',
  six: 'six {0s}',
});

/** @typedef {{quantity?: number | null, face?: number | null, shape?: string | null, faces?: number[] | null}} Claim */

/** @param {number} number */
export const inWords = (number) => NUMBERS[number] ?? String(number);

/** @param {number} face */
export const faceName = (face) => FACES[face] ?? String(face);

/** @param {number} face @returns {string} More than one of a face. */
export function facesName(face) {
  const name = faceName(face);
  return name === 'six' || name === 'zero' ? `${name}es` : `${name}s`;
}

/** @param {Claim} claim A count, or a hand. @returns {string} Such as "five threes" or "two pair, kings and tens". */
export function claimWords(claim) {
  if (claim.shape) return handWords(claim.shape, claim.faces ?? []);
  const [quantity, face] = [claim.quantity ?? 0, claim.face ?? 0];
  return quantity === 1 ? `one ${faceName(face)}` : `${inWords(quantity)} ${facesName(face)}`;
}

/** @param {string} shape @param {number[]} faces The faces it names, in order. */
function handWords(shape, faces) {
  if (shape === 'score') return faces.join('\u2011');
  const said = (SHAPES[shape] ?? shape).replaceAll(/\{(\d)(s?)\}/g, (_, place, many) =>
    many ? facesName(faces[place]) : faceName(faces[place]),
  );
  const kickers = faces.slice((SHAPES[shape] ?? '').split('{').length - 1);
  return kickers.length > 0 ? `${said}, with ${kickers.map(faceName).join(' ')}` : said;
}

/** @param {string} shape @returns {string} What a shape is called before its faces are known. */
export function shapeName(shape) {
  const bare = (SHAPES[shape] ?? shape).replaceAll(/^an? |,.*$| of \{.*$| ?\{.*?\}/g, '');
  const name = bare.replaceAll('_', ' ').trim();
  return sentence(rowsOf(shape, 9).length > 0 && /^(one|three|four|five|six)$/.test(name) ? `${name} of a kind` : name);
}

/** @param {number} amount @param {string} unit */
export function amountWords(amount, unit) {
  const [one, many] = UNITS[unit] ?? [unit, `${unit}s`];
  return amount === 1 ? `a ${one}` : `${inWords(amount)} ${many}`;
}

/** @param {number} ms @returns {string} Minutes and seconds, as clocks show them. */
export function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** @param {string[]} names */
export function listed(names) {
  return names.length < 2 ? (names[0] ?? 'nobody') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} name @returns {string} The name, kept from turning the direction of the words around it. */
export const apart = (name) => `\u2068${name}\u2069`;

/**
 * @param {{name: string, bot: boolean}[]} seats
 * @returns {string} Whose table it is, as in the lobby: the first person's, or bot's.
 */
export function titleOf(seats) {
  const first = seats.find((seat) => !seat.bot) ?? seats[0];
  return first === undefined ? 'An empty table' : `${first.name}’s table`;
}

/** Names people at a table, for one viewer. */
export class Names {
  /** @param {View} view */
  constructor(view) {
    this.viewer = view.viewer;
    this.names = new Map(view.seats.map((seat) => [seat.seat, apart(seat.name)]));
  }

  /** @param {number} seat */
  of(seat) {
    return seat === this.viewer ? 'you' : (this.names.get(seat) ?? `seat ${seat}`);
  }

  /** @param {number} seat @param {string} they What somebody else does. @param {string} you What you do. */
  does(seat, they, you) {
    return seat === this.viewer ? `you ${you}` : `${this.of(seat)} ${they}`;
  }

  /** @param {number} seat */
  whose(seat) {
    return seat === this.viewer ? 'your' : `${this.of(seat)}’s`;
  }

  /** @param {number[]} seats @param {string} they @param {string} you Also what more than one do. */
  all(seats, they, you) {
    const told = listed(seats.map((seat) => this.of(seat)));
    return `${told} ${seats.length > 1 || seats[0] === this.viewer ? you : they}`;
  }
}
