/** Whom this browser believes: the policy it saw first, until its owner accepts another. */
import { Refusal, read } from './api.js';
import { Malformed } from './auditor/faults.js';
import { pinnedPolicy, repinPolicy } from './keep.js';
import { believed, checkpointOf, policyOf } from './notes.js';
import { Alarm } from './record.js';

/** @typedef {{policy: import('./notes.js').Policy, offered: string | null}} Trust `offered` is the text of the policy
 *   the server publishes now, where it is another one. */

/** @returns {Promise<Trust>} What to judge by: never what the server says today, but what it said first. */
export async function trust() {
  const text = await (await read('/api/v1/log/policy', { accept: 'text/plain' })).text();
  const pinned = pinnedPolicy(text);
  try {
    return { policy: policyOf(pinned), offered: pinned === text ? null : text };
  } catch (trouble) {
    if (!(trouble instanceof Malformed)) throw trouble;
    throw new Alarm('The log’s policy is not the one this browser saw first, or cannot be read.');
  }
}

/**
 * Look whether the log has another policy now. Keys are rotated and witnesses come and go; as long as its checkpoints
 * satisfy the policy this browser believes, that is news and no reason to worry.
 *
 * @returns {Promise<string | null>} The policy that the owner may accept; null if nothing is new.
 */
export async function newPolicy() {
  const { policy, offered } = await trust();
  if (offered === null) return null;
  const newest = await newestCheckpoint();
  if (newest === null) return null;
  if (believed(newest, policy)) return offered;
  throw new Alarm(
    'The log’s policy is not the one this browser saw first, and the log is not signed as that one asks.',
  );
}

async function newestCheckpoint() {
  try {
    return checkpointOf(await (await read('/api/v1/log/checkpoint', { accept: 'text/plain' })).text());
  } catch (trouble) {
    if (trouble instanceof Refusal && trouble.code === 'no_checkpoint') return null;
    throw trouble instanceof Malformed ? new Alarm('The log’s newest checkpoint is none.') : trouble;
  }
}

/** @param {string} text The policy that the owner of this browser accepts. */
export const accept = (text) => repinPolicy(text);
