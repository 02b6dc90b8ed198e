/** Whom a table in play believes: checkpoints and policies as the auditor reads them, judged at once. */
import { verifier } from './auditor/ed25519.js';
import { asks, believed as judged, checkIds, idMessages, policyOf as read } from './auditor/policies.js';
import * as noble from './vendor/noble.js';

export { checkpointOf, keyOf } from './auditor/notes.js';

/** @typedef {import('./auditor/notes.js').Key} Key */
/** @typedef {import('./auditor/notes.js').Checkpoint} Checkpoint */
/** @typedef {import('./auditor/policies.js').Policy} Policy */

const verified = verifier(noble);

/** @param {string} text @returns {Policy} @throws {import('./auditor/faults.js').Malformed} */
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
