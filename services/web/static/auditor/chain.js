/** Layer 1, first half: each line is one event, and follows the one before it (CUP/1 sections 4.3 and 4.4). */
import { decode } from './canonical.js';
import { Fault, Malformed } from './faults.js';
import { ENVELOPE, checkMembers } from './shapes.js';

/** @typedef {{command: Record<string, any>, n: number, seat: number, sig: string, version: number}} Signed Who signed the
 *   command that a line came of: which of the seat's commands it is, and how many lines its player had seen. */
/** @typedef {{seq: number, stream: string, head: string, type: string, data: any, at: number, signed?: Signed}} Event
 *   `head` is the hash of its line, as hex. */

const GENESIS = '0'.repeat(64);

/**
 * @param {Uint8Array} line
 * @param {string} head
 * @param {Event | null} before
 * @returns {Event}
 * @throws {Fault} The line is not canonical or has other members (`E_FORMAT`), does not follow (`E_CHAIN`), or does not
 *   have the members of its type (`E_FORMAT`).
 */
export function follow(line, head, before) {
  const event = linked(line, head, before);
  checkMembers(event.type, event.data, event.stream);
  return event;
}

/**
 * @param {Uint8Array} line Of any stream.
 * @param {string} head
 * @param {Event | null} before
 * @returns {Event} Whose members nobody has looked at.
 * @throws {Fault} The line is not canonical or has other members (`E_FORMAT`), or does not follow (`E_CHAIN`).
 */
export function linked(line, head, before) {
  const { at, data, prev, seq, signed, stream, type } = opened(line);
  const next = before === null ? 0 : before.seq + 1;
  if (seq !== next) throw new Fault('E_CHAIN', 'the line does not have the next number');
  if (prev !== (before?.head ?? GENESIS)) throw new Fault('E_CHAIN', 'the line does not follow the one before it');
  if (before !== null && stream !== before.stream) throw new Fault('E_CHAIN', 'the line is of another stream');
  return { seq, stream, head, type, data, at, signed };
}

/** @param {Uint8Array} line */
function opened(line) {
  const found = decoded(line);
  if (!ENVELOPE(found)) throw new Fault('E_FORMAT', 'an event line does not have the members it should');
  return found;
}

/** @param {Uint8Array} line */
function decoded(line) {
  try {
    return decode(line);
  } catch (trouble) {
    if (trouble instanceof Malformed) throw new Fault('E_FORMAT', trouble.message);
    throw trouble;
  }
}
