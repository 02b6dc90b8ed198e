/**
 * CUP/1 section 4.1: commitments, seeds, dice; and section 4.3: the one line that stands for a value.
 * Written from the specification, apart from the server's code.
 */
import { concat, hex, same, u16, u32, u8, unhex, utf8 } from './bytes.js';
import { hmac, sha256 } from './vendor/libraries.js';

/** @typedef {[id: number, owner: number, rolls: number, width: number]} Cup */
/** @typedef {{deal: number, cup: number, roll: number, com: string[], path: string[], keys: [number, string][],
 *   values: [number, number][]}} Opening */

const PIPS = 6;
const BLOCKS_MAX = 64;

/**
 * @param {Uint8Array} key Exactly 32 bytes: HMAC pads keys with zeros, so another length would open the same.
 * @param {...Uint8Array} parts
 */
function mac(key, ...parts) {
  if (key.length !== 32) throw new RangeError('a key has 32 bytes');
  return hmac(sha256, key, concat(...parts));
}

/** @param {unknown} value @returns {string} The canonical line of a JSON value of the narrow profile. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  const written = members.map((name) => `${JSON.stringify(name)}:${canonical(/** @type {any} */ (value)[name])}`);
  return `{${written.join(',')}}`;
}

/**
 * @param {{match: string, deal: number, rules: object, policy?: 0 | 1, cups: Cup[]}} what `match` is a UUID.
 * @returns {Uint8Array} What every hash of the deal is bound to.
 */
export function context({ match, deal, rules, policy = 0, cups }) {
  return contextOf(unhex(match.replaceAll('-', '')), deal, sha256(utf8(canonical(rules))), policy, cups);
}

/**
 * @param {Uint8Array} match
 * @param {number} deal
 * @param {Uint8Array} rulesHash
 * @param {number} policy
 * @param {Cup[]} cups
 */
export function contextOf(match, deal, rulesHash, policy, cups) {
  const rows = cups.map(([id, owner, rolls, width]) => concat(u8(id), u8(owner), u16(rolls), u8(width)));
  return sha256(concat(utf8('CUP1.ctx'), match, u16(deal), rulesHash, u8(policy), u8(cups.length), ...rows));
}

/**
 * @param {Uint8Array} seed
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {number} seat
 */
export const seedCommitment = (seed, ctx, root, seat) => mac(seed, utf8('CUP1.sed'), ctx, root, u8(seat));

/**
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {Map<number, Uint8Array>} seeds By seat.
 */
export function mixOf(ctx, root, seeds) {
  const seats = [...seeds.keys()].sort((left, right) => left - right);
  const rows = seats.map((seat) => concat(u8(seat), /** @type {Uint8Array} */ (seeds.get(seat))));
  return sha256(concat(utf8('CUP1.mix'), ctx, root, u8(seats.length), ...rows, u8(0)));
}

/** @param {number} cup @param {number} roll @param {number} slot */
const address = (cup, roll, slot) => concat(u8(cup), u16(roll), u8(slot));

/** @param {Uint8Array} key @param {Uint8Array} ctx @param {Uint8Array} at */
export const keyCommitment = (key, ctx, at) => mac(key, utf8('CUP1.com'), ctx, at);

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} mix
 * @param {[cup: number, roll: number, slot: number]} at
 * @param {number} m
 * @returns {number} The value of a die, below m.
 */
export function dieValue(key, mix, at, m) {
  const limit = 256 - (256 % m);
  for (let block = 0; block < BLOCKS_MAX; block += 1) {
    const bytes = mac(key, utf8('CUP1.die'), mix, address(...at), u16(m), u32(block));
    const found = bytes.find((byte) => byte < limit);
    if (found !== undefined) return found % m;
  }
  throw new RangeError('every byte was refused');
}

/** @param {Uint8Array} leaf */
export const leafHash = (leaf) => sha256(concat(u8(0), leaf));
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(concat(u8(1), left, right));

/**
 * @param {Uint8Array} leaf The leaf's hash.
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array[]} path From the leaf's sibling upwards.
 * @returns {Uint8Array | null} The root this leads to; null if the path has the wrong length. RFC 9162, 2.1.3.2.
 */
export function rootFrom(leaf, index, size, path) {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return null;
  let [place, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sibling, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}

/**
 * Recompute the dice of an opening, believing nothing but the root and the mix.
 *
 * @param {Opening} opening
 * @param {{ctx: Uint8Array, root: Uint8Array, mix: Uint8Array, cups: Cup[]}} deal
 * @param {(slot: number) => number} [m] How many faces a slot has.
 * @returns {{slot: number, value: number}[] | null} Null if anything does not fit.
 */
export function opened(opening, { ctx, root, mix, cups }, m = () => PIPS) {
  const before = cups.filter(([id]) => id < opening.cup).reduce((sum, [, , rolls]) => sum + rolls, 0);
  const leaves = cups.reduce((sum, [, , rolls]) => sum + rolls, 0);
  const coms = opening.com.map(unhex);
  const found = rootFrom(leafHash(concat(...coms)), before + opening.roll, leaves, opening.path.map(unhex));
  if (found === null || !same(found, root)) return null;
  const told = new Map(opening.values);
  const dice = opening.keys.map(([slot, key]) => {
    const at = address(opening.cup, opening.roll, slot);
    const fits = coms[slot] !== undefined && same(keyCommitment(unhex(key), ctx, at), coms[slot]);
    return { slot, fits, value: dieValue(unhex(key), mix, [opening.cup, opening.roll, slot], m(slot)) };
  });
  return dice.every((die) => die.fits && told.get(die.slot) === die.value) ? dice : null;
}

/** @param {string} line @returns {string} The hash of a line, as hex. */
export const headOf = (line) => hex(sha256(utf8(line)));
