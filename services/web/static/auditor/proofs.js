/** The proofs at the end of a record: C2SP tlog-proof, and the body of a request to a witness (tlog-witness). */
import { Malformed } from './faults.js';
import { decimal, hashOf, octets } from './notes.js';

/** @typedef {{number: bigint, path: Uint8Array[], checkpoint: string}} Proof `number` is the entry's index, or the size
 *   of the earlier log. */

const HEADER = 'c2sp.org/tlog-proof@v1';
const HASHES_MAX = 64;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {string} encoded In base64. @returns {Proof} @throws {Malformed} */
export function inclusionOf(encoded) {
  const { lines, checkpoint } = taken(encoded);
  if (lines.shift() !== HEADER) throw new Malformed('a proof says which format it has');
  // Whatever somebody added to a proof is never believed, but it has to be base64.
  if (lines[0]?.startsWith('extra ')) octets(/** @type {string} */ (lines.shift()).slice('extra '.length));
  return proof('index ', lines, checkpoint);
}

/** @param {string} encoded In base64. @returns {Proof} @throws {Malformed} */
export function consistencyOf(encoded) {
  const { lines, checkpoint } = taken(encoded);
  return proof('old ', lines, checkpoint);
}

/** @param {string} start @param {string[]} lines @param {string} checkpoint */
function proof(start, lines, checkpoint) {
  const first = lines.shift() ?? '';
  if (!first.startsWith(start)) throw new Malformed(`a proof says its ${start.trim()}`);
  if (lines.length > HASHES_MAX) throw new Malformed('a proof is no longer than a tree is high');
  return { number: decimal(first.slice(start.length)), path: lines.map(hashOf), checkpoint };
}

/** @param {string} encoded */
function taken(encoded) {
  const text = textOf(octets(encoded));
  const gap = text.indexOf('\n\n');
  if (gap < 0) throw new Malformed('a proof ends in a checkpoint');
  return { lines: text.slice(0, gap).split('\n'), checkpoint: text.slice(gap + 2) };
}

/** @param {Uint8Array} bytes */
function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Malformed('a proof is UTF-8');
  }
}
