/** Checkpoints and policies for a table in play: read as the auditor reads them, and judged at once. */
import { verifier } from '../auditor/ed25519.js';
import { Malformed } from '../auditor/faults.js';
import { decimal, isBy, noteOf } from '../auditor/notes.js';
import { asks, checkIds, idMessages, believed as judged, policyOf as read } from '../auditor/policies.js';
import { utf8 } from '../bytes.js';
import * as noble from '../vendor/noble.js';

/** @typedef {import('../auditor/notes.js').Key} Key */
/** @typedef {import('../auditor/notes.js').Checkpoint} Checkpoint */
/** @typedef {import('../auditor/policies.js').Policy} Policy */

const verified = verifier(noble);

/** @param {string} text @returns {Policy} @throws {import('../auditor/faults.js').Malformed} */
export function policyOf(text) {
  const policy = read(text);
  checkIds(policy, idMessages(policy).map(noble.sha256));
  return policy;
}

/** @param {Checkpoint} checkpoint @param {Policy} policy @returns {boolean} Whether the checkpoint meets the policy. */
export function believed(checkpoint, policy) {
  const asked = asks(policy, checkpoint);
  const fits = asked.map(({ key, message, signature }) => verified(key, message, signature));
  return judged(policy, asked, fits) !== null;
}

/** @typedef {import('../auditor/notes.js').Note & {stream: string, seq: number, head: string}} Receipt */

/** @param {string} text A signed note. @returns {Receipt} @throws {Malformed} */
export function receiptOf(text) {
  const note = noteOf(text);
  const [header, stream, seq, head, ...rest] = note.body.split('\n');
  const fits = header === 'CUP1 receipt' && rest.length === 1 && /^[0-9a-f]{64}$/.test(head);
  if (!fits) throw new Malformed('a receipt has four lines: what it is, stream, number, head');
  return { stream, seq: Number(decimal(seq)), head, ...note };
}

/** @param {import('../auditor/notes.js').Note} note @param {Policy} policy @returns {boolean} Whether a log of the policy
 *  signed it. */
export function isSigned({ body, signatures }, policy) {
  const own = policy.logs.map((log) => ({ log, line: signatures.find((line) => isBy(line, log)) }));
  return own.some(({ log, line }) => line !== undefined && verified(log.key, utf8(body), line.value));
}
