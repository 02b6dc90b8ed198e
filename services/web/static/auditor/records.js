/** The record file: every line of a stream, and the proofs that a log vouches for them (CUP/1 section 4.10). */
import { Fault } from './faults.js';

/** @typedef {{lines: Uint8Array[], proof: string | null, consistencies: string[]}} Parts Lines without newlines; proofs
 *   in base64. */

const NEWLINE = 10;
const HASH_SIGN = 35;
const PIECE = 1 << 20;
const PROOF = '#tlog-proof ';
const CONSISTENCY = '#tlog-consistency ';
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {Uint8Array} record @returns {Parts} @throws {Fault} */
export function split(record) {
  if (!isUtf8(record)) throw new Fault('E_FORMAT', 'the file is not UTF-8');
  if (record.at(-1) !== NEWLINE) throw new Fault('E_FORMAT', 'the last line does not end');
  const lines = linesOf(record);
  const found = lines.findIndex((line) => line[0] === HASH_SIGN);
  const first = found < 0 ? lines.length : found;
  if (first === 0) throw new Fault('E_FORMAT', 'the file has no event line');
  return parts(lines.slice(0, first), lines.slice(first));
}

/** @param {Uint8Array[]} lines @param {Uint8Array[]} ends @returns {Parts} */
function parts(lines, ends) {
  const texts = ends.map((end) => decoder.decode(end));
  const after = (/** @type {string} */ start) =>
    texts.filter((text) => text.startsWith(start)).map((text) => text.slice(start.length));
  const [proofs, consistencies] = [after(PROOF), after(CONSISTENCY)];
  if (proofs.length > 1) throw new Fault('E_FORMAT', 'a record has one final proof at most');
  if (proofs.length + consistencies.length < texts.length) {
    throw new Fault('E_FORMAT', 'only proofs may follow the event lines');
  }
  return { lines, proof: proofs[0] ?? null, consistencies };
}

/** @param {Uint8Array} record */
function linesOf(record) {
  const lines = [];
  for (let start = 0; start < record.length; ) {
    const found = record.indexOf(NEWLINE, start);
    const end = found < 0 ? record.length : found;
    lines.push(record.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** @param {Uint8Array} bytes Read piece by piece, so that no text is built of a stranger's file as a whole. */
function isUtf8(bytes) {
  const checker = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += PIECE) checker.decode(bytes.subarray(at, at + PIECE), { stream: true });
    checker.decode();
  } catch {
    return false;
  }
  return true;
}

/** @param {string} note Of a file of receipts. @returns {boolean} Whether it is a refusal or a command that was kept, by its
 *  first line. */
export const isOfCommand = (note) => note.startsWith('CUP1 refusal\n') || note.startsWith('CUP1 command\n');
