/**
 * The messages that are hashed, letter by letter (CUP/1 sections 4.1 and 4.9; RFC 6962). Who hashes them is for the
 * caller to say: the table in play does so at once, the auditor waits for the browser.
 */
import { concat, u16, u32, u64, u8, utf8 } from '../bytes.js';

/** @typedef {[id: number, owner: number, rolls: number, width: number]} Cup */
/** @typedef {{chain: Uint8Array, round: number, randomness: Uint8Array}} Heard */

const [CTX, KEY, COM, SED, MIX, DIE] = ['ctx', 'key', 'com', 'sed', 'mix', 'die'].map((label) => utf8(`CUP1.${label}`));
const BYTE_VALUES = 256;

/** @param {number} cup @param {number} roll @param {number} slot */
export const address = (cup, roll, slot) => Uint8Array.of(cup, roll >> 8, roll & 255, slot);

/**
 * @param {Uint8Array} match
 * @param {number} deal
 * @param {Uint8Array} rulesHash
 * @param {number} policy 0 for all, 1 for shown.
 * @param {Cup[]} cups
 */
export function contextMessage(match, deal, rulesHash, policy, cups) {
  const rows = cups.map(([id, owner, rolls, width]) => concat(u8(id), u8(owner), u16(rolls), u8(width)));
  return concat(CTX, match, u16(deal), rulesHash, u8(policy), u8(cups.length), ...rows);
}

/** @param {Uint8Array} ctx @param {Uint8Array} at Keyed with the deal's secret. */
export const keyMessage = (ctx, at) => concat(KEY, ctx, at);
/** @param {Uint8Array} ctx @param {Uint8Array} at Keyed with the key of the address. */
export const comMessage = (ctx, at) => concat(COM, ctx, at);
/** @param {Uint8Array} ctx @param {Uint8Array} root @param {number} seat Keyed with the seed. */
export const seedMessage = (ctx, root, seat) => concat(SED, ctx, root, u8(seat));
/** @param {Uint8Array} mix @param {Uint8Array} at @param {number} m @param {number} block Keyed like a commitment. */
export const dieMessage = (mix, at, m, block) => concat(DIE, mix, at, u16(m), u32(block));

/**
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {Map<number, Uint8Array>} seeds By seat.
 * @param {Heard | null} heard What the beacon said, where the deal waited for one.
 */
export function mixMessage(ctx, root, seeds, heard = null) {
  const seats = [...seeds.keys()].sort((left, right) => left - right);
  const rows = seats.map((seat) => concat(u8(seat), /** @type {Uint8Array} */ (seeds.get(seat))));
  const said = heard === null ? [u8(0)] : [u8(1), heard.chain, u64(heard.round), heard.randomness];
  return concat(MIX, ctx, root, u8(seats.length), ...rows, ...said);
}

/**
 * @param {Uint8Array} bytes A block.
 * @param {number} m
 * @returns {number | undefined} The value it comes to, below m; none if every byte of it would favour somebody.
 */
export function sampled(bytes, m) {
  const limit = BYTE_VALUES - (BYTE_VALUES % m);
  const found = bytes.find((byte) => byte < limit);
  return found === undefined ? undefined : found % m;
}

/**
 * @param {Cup[]} cups Ascending by id.
 * @param {number} cup
 * @param {number} roll
 * @returns {[index: bigint, size: bigint]} The leaf of a roll in the deal's tree, and how many leaves there are.
 */
export function leafOf(cups, cup, roll) {
  const rolls = (/** @type {Cup[]} */ some) => some.reduce((sum, [, , each]) => sum + each, 0);
  return [BigInt(rolls(cups.filter(([id]) => id < cup)) + roll), BigInt(rolls(cups))];
}

/** @param {string} stream @param {number} seq @param {string} head @param {string} kind */
export const anchorEntry = (stream, seq, head, kind) => utf8(`CUP1 anchor\n${stream}\n${seq}\n${head}\n${kind}\n`);

// ---- trees ----------------------------------------------------------------------------------------

/** @param {Uint8Array} entry */
export const leafMessage = (entry) => concat(u8(0), entry);
/** @param {Uint8Array} left @param {Uint8Array} right */
export const nodeMessage = (left, right) => concat(u8(1), left, right);

/**
 * @param {bigint} index Of the leaf; a stranger's, like the size, and so anything.
 * @param {bigint} size
 * @param {number} length Of the inclusion path.
 * @returns {boolean[] | null} For each hash of the path, whether it stands left of what is hashed so far; null if no
 *   path of this length leads from there to a root. RFC 9162, 2.1.3.2.
 */
export function sides(index, size, length) {
  if (index < 0n) return null;
  if (index >= size) return null;
  let [place, last] = [index, size - 1n];
  const found = [];
  for (let step = 0; step < length; step += 1) {
    if (last === 0n) return null;
    const left = isOdd(place) || place === last;
    while (left && !isOdd(place) && place !== 0n) [place, last] = [place >> 1n, last >> 1n];
    [place, last] = [place >> 1n, last >> 1n];
    found.push(left);
  }
  return last === 0n ? found : null;
}

/**
 * @param {bigint} old At least 1, and less than the size.
 * @param {bigint} size
 * @param {number} length Of the consistency proof, its first hash being the old root's where that is left out.
 * @returns {boolean[] | null} For each hash but the first, whether it is part of the old tree and stands left; null if
 *   no proof of this length joins the two. RFC 9162, 2.1.4.2.
 */
export function joints(old, size, length) {
  let [place, last] = [old - 1n, size - 1n];
  while (isOdd(place)) [place, last] = [place >> 1n, last >> 1n];
  return sides(place, last + 1n, length - 1);
}

/** @param {bigint} number */
export const isPowerOf2 = (number) => (number & (number - 1n)) === 0n;
/** @param {bigint} number */
const isOdd = (number) => (number & 1n) === 1n;
