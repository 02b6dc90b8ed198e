/**
 * Receipts held against a record: what the server signed of lines, for whoever gave a command to keep. Each line carries
 * the hash of the one before it, so a record that shows another line where a receipt is, or ends before it, is another
 * history.
 */
import { Malformed } from '../auditor/faults.js';
import { isOfCommand, split } from '../auditor/records.js';
import { isEnd } from '../auditor/shapes.js';
import { hex } from '../bytes.js';
import { isSigned, receiptOf } from './notes.js';

/** @typedef {import('../auditor/policies.js').Policy} Policy */
/** @typedef {{number: number, line: number, why: string}} Contradiction Which receipt, from 1, and which line, from 1. */
/** @typedef {{borne_out: number, later: number, strange: number[], contradicted: Contradiction[]}} Comparison `later` are
 *   for lines that an unfinished record does not reach; `strange` prove nothing here. */

const decoder = new TextDecoder();

/**
 * @param {Uint8Array} record That has passed layer 1.
 * @param {string[]} notes
 * @param {Policy | null} policy Without one no signature is judged, and what the receipts say is nobody's word.
 * @param {import('../auditor/hashing.js').Hashing} hashing
 * @returns {Promise<Comparison>}
 */
export async function contradicted(record, notes, policy, { sha256 }) {
  const { lines } = split(record);
  const heads = (await Promise.all(lines.map(sha256))).map((hash) => hex(hash));
  const { stream } = JSON.parse(decoder.decode(lines[0]));
  const ended = isEnd(JSON.parse(decoder.decode(lines.at(-1))).type);
  /** @type {Comparison} */
  const found = { borne_out: 0, later: 0, strange: [], contradicted: [] };
  for (const [at, note] of notes.entries()) {
    if (isOfCommand(note)) continue;
    const [receipt, number] = [believed(note, stream, policy), at + 1];
    if (receipt === null) found.strange.push(number);
    else if (heads[receipt.seq] === receipt.head) found.borne_out += 1;
    else if (receipt.seq < heads.length || ended) found.contradicted.push(against(receipt, number, heads.length));
    else found.later += 1;
  }
  found.contradicted.sort((one, other) => one.line - other.line);
  return found;
}

/** @param {{seq: number}} receipt @param {number} number @param {number} length @returns {Contradiction} */
function against({ seq }, number, length) {
  const there = 'the server signed another line here, so history was rewritten';
  const short = 'the server signed a line here, and the record ends before it, so history was rewritten';
  return { number, line: seq + 1, why: seq < length ? there : short };
}

/** @param {string} note @param {string} stream @param {Policy | null} policy */
function believed(note, stream, policy) {
  try {
    const receipt = receiptOf(note);
    return receipt.stream === stream && (policy === null || isSigned(receipt, policy)) ? receipt : null;
  } catch (trouble) {
    if (trouble instanceof Malformed) return null;
    throw trouble;
  }
}
