/** Inclusion and consistency in RFC 6962 trees, with hashes that come later. */
import { hex, same } from '../bytes.js';
import { isPowerOf2, joints, leafMessage, nodeMessage, sides } from './formulas.js';

/** @typedef {import('./hashing.js').Hashing} Hashing */

/**
 * @param {Hashing} hashing
 * @param {{root: Uint8Array, size: bigint}} tree
 * @param {bigint} index
 * @param {Uint8Array} entry
 * @param {Uint8Array[]} path From the leaf's sibling upwards.
 * @returns {Promise<boolean>} Whether the path leads from the entry to the root.
 */
export async function includes({ sha256 }, { root, size }, index, entry, path) {
  const lefts = sides(index, size, path.length);
  if (lefts === null) return false;
  let node = await sha256(leafMessage(entry));
  for (const [step, left] of lefts.entries()) {
    node = await sha256(left ? nodeMessage(path[step], node) : nodeMessage(node, path[step]));
  }
  return same(node, root);
}

/**
 * Paths in one tree have most of their nodes in common: what was hashed once is not hashed again.
 *
 * @param {Hashing} hashing
 * @returns {Hashing} One that remembers, for as long as it is kept, a hash for each message it was given.
 */
export function remembering(hashing) {
  /** @type {Map<string, Promise<Uint8Array>>} */
  const known = new Map();
  /** @param {Uint8Array} message */
  const sha256 = (message) => {
    const name = hex(message);
    const found = known.get(name) ?? hashing.sha256(message);
    known.set(name, found);
    return found;
  };
  return { ...hashing, sha256 };
}

/**
 * @param {Hashing} hashing
 * @param {{root: Uint8Array, size: bigint}} old
 * @param {{root: Uint8Array, size: bigint}} tree
 * @param {Uint8Array[]} proof
 * @returns {Promise<boolean>} Whether the proof shows that the tree begins with the old one, which is not empty.
 */
export async function continues({ sha256 }, old, tree, proof) {
  if (old.size < 1n || old.size > tree.size) return false;
  if (old.size === tree.size) return proof.length === 0 && same(old.root, tree.root);
  // Where the old tree is itself a node of the new one, its root begins the proof and is left out of it.
  const whole = isPowerOf2(old.size) ? [old.root, ...proof] : proof;
  const lefts = whole.length === 0 ? null : joints(old.size, tree.size, whole.length);
  if (lefts === null) return false;
  let [before, after] = [whole[0], whole[0]];
  for (const [step, left] of lefts.entries()) {
    const beside = whole[step + 1];
    after = await sha256(left ? nodeMessage(beside, after) : nodeMessage(after, beside));
    if (left) before = await sha256(nodeMessage(beside, before));
  }
  return same(before, old.root) && same(after, tree.root);
}

/** @param {Hashing} hashing @param {Uint8Array[]} leaves Their hashes, at least one. @returns {Promise<Uint8Array>} */
export async function rootOf({ sha256 }, leaves) {
  let row = leaves;
  while (row.length > 1) {
    const pairs = row.filter((_, place) => place % 2 === 0);
    const above = row;
    row = await Promise.all(
      pairs.map((left, place) =>
        2 * place + 1 < above.length ? sha256(nodeMessage(left, above[2 * place + 1])) : left,
      ),
    );
  }
  return row[0];
}
