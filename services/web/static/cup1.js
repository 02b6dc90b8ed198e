/**
 * CUP/1 section 4.1 for a table in play, worked out at once: commitments, seeds, dice.
 * The formulas are the auditor's; what this file adds is who hashes.
 */

import { canonical } from './auditor/canonical.js';
import {
  address,
  anchorEntry,
  comMessage,
  contextMessage,
  dieMessage,
  leafMessage,
  leafOf,
  mixMessage,
  nodeMessage,
  sampled,
  seedMessage,
  sides,
} from './auditor/formulas.js';
import { concat, hex, same, unhex, utf8 } from './bytes.js';
import { hmac, sha256 } from './vendor/noble.js';

/** @typedef {import('./auditor/formulas.js').Cup} Cup */
/** @typedef {import('./auditor/openings.js').Opening} Opening */

const PIPS = 6;
const BLOCKS_MAX = 64;

/**
 * @param {Uint8Array} key Exactly 32 bytes: HMAC pads keys with zeros, so another length would open the same.
 * @param {Uint8Array} message
 */
function mac(key, message) {
  if (key.length !== 32) throw new RangeError('a key has 32 bytes');
  return hmac(sha256, key, message);
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
export const contextOf = (match, deal, rulesHash, policy, cups) =>
  sha256(contextMessage(match, deal, rulesHash, policy, cups));

/**
 * @param {Uint8Array} seed
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {number} seat
 */
export const seedCommitment = (seed, ctx, root, seat) => mac(seed, seedMessage(ctx, root, seat));

/**
 * The seed of a seat for one deal, which every device that has the key of the seat finds alike, and nobody else. It is no
 * part of CUP/1, to which a seed is 32 bytes that nobody can foresee; another deal, or another part of the server, is
 * another seed.
 *
 * @param {Uint8Array} key 32 random bytes.
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {number} seat
 */
export const seedFrom = (key, ctx, root, seat) => mac(key, concat(utf8('SEAT.sed'), ctx, root, [seat]));

/**
 * @param {Uint8Array} key
 * @param {string} match The UUID of a rematch.
 * @returns {Uint8Array} The key of the same player's seat there, alike on every device.
 */
export const nextKey = (key, match) => mac(key, concat(utf8('SEAT.nxt'), unhex(match.replaceAll('-', ''))));

/**
 * @param {Uint8Array} ctx
 * @param {Uint8Array} root
 * @param {Map<number, Uint8Array>} seeds By seat.
 * @param {import('./auditor/formulas.js').Heard | null} [heard] What the beacon said, where the deal waited for one.
 */
export const mixOf = (ctx, root, seeds, heard = null) => sha256(mixMessage(ctx, root, seeds, heard));

/** @param {Uint8Array} key @param {Uint8Array} ctx @param {Uint8Array} at */
const keyCommitment = (key, ctx, at) => mac(key, comMessage(ctx, at));

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} mix
 * @param {[cup: number, roll: number, slot: number]} at
 * @param {number} m
 * @returns {number} The value of a die, below m.
 */
export function dieValue(key, mix, at, m) {
  for (let block = 0; block < BLOCKS_MAX; block += 1) {
    const found = sampled(mac(key, dieMessage(mix, address(...at), m, block)), m);
    if (found !== undefined) return found;
  }
  throw new RangeError('every byte was refused');
}

/** @param {Uint8Array} leaf */
export const leafHash = (leaf) => sha256(leafMessage(leaf));
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(nodeMessage(left, right));

/**
 * @param {Uint8Array} leaf The leaf's hash.
 * @param {bigint} index
 * @param {bigint} size
 * @param {Uint8Array[]} path From the leaf's sibling upwards.
 * @returns {Uint8Array | null} The root this leads to; null if the path has the wrong length.
 */
export function rootFrom(leaf, index, size, path) {
  const lefts = sides(index, size, path.length);
  if (lefts === null) return null;
  return lefts.reduce((node, left, step) => (left ? nodeHash(path[step], node) : nodeHash(node, path[step])), leaf);
}

/**
 * @param {string} stream
 * @param {number} seq
 * @param {string} head
 * @param {string} kind
 */
export const anchorLeaf = (stream, seq, head, kind) => leafHash(anchorEntry(stream, seq, head, kind));

/**
 * Recompute the dice of an opening, believing nothing but the root and the mix.
 *
 * @param {Opening} opening
 * @param {{ctx: Uint8Array, root: Uint8Array, mix: Uint8Array, cups: Cup[]}} deal
 * @param {(slot: number) => number} [m] How many faces a slot has.
 * @returns {{slot: number, value: number}[] | null} Null if anything does not fit.
 */
export function opened(opening, { ctx, root, mix, cups }, m = () => PIPS) {
  const coms = opening.com.map(unhex);
  const found = rootFrom(
    leafHash(concat(...coms)),
    ...leafOf(cups, opening.cup, opening.roll),
    opening.path.map(unhex),
  );
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
