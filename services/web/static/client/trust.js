/** The policy this browser trusts: the one it saw first, until its owner accepts another. */

import { Malformed } from '../auditor/faults.js';
import { checkpointOf } from '../auditor/notes.js';
import { Alarm, Refusal, read } from './api.js';
import { pinnedPolicy } from './keep.js';
import { believed, policyOf } from './notes.js';

/** @typedef {{policy: import('./notes.js').Policy, known: string, offered: string | null}} Trust `known` is its text;
 *   `offered` that of the policy the server publishes now, where it is another one. */

/** The log is not signed as this browser believes; its owner may find elsewhere that the house has another policy now. */
export class Distrust extends Alarm {
  /** @param {string} kind @param {{known: string, offered: string}} policies As texts. */
  constructor(kind, policies) {
    super(kind);
    this.policies = policies;
  }
}

/** @returns {Promise<Trust>} What to judge by: never what the server says today, but what it said first. */
export async function trust() {
  const text = await (await read('/api/v1/log/policy', { accept: 'text/plain' })).text();
  const pinned = pinnedPolicy(text);
  try {
    return { policy: policyOf(pinned), known: pinned, offered: pinned === text ? null : text };
  } catch (trouble) {
    if (!(trouble instanceof Malformed)) throw trouble;
    throw pinned === text ? new Alarm('policy') : new Distrust('policy', { known: pinned, offered: text });
  }
}

/**
 * Look whether the log has another policy now. Keys are rotated and witnesses come and go; as long as its checkpoints
 * satisfy the policy this browser believes, that is news and no reason to worry.
 *
 * @returns {Promise<string | null>} The policy that the owner may accept; null if nothing is new.
 */
export async function newPolicy() {
  const { policy, known, offered } = await trust();
  if (offered === null) return null;
  const newest = await newestCheckpoint();
  if (newest === null) return null;
  if (believed(newest, policy)) return offered;
  throw new Distrust('unsigned log', { known, offered });
}

/**
 * Look, before anything is promised, whether this browser would open its seeds in the end.
 *
 * @returns {Promise<Alarm | null>} Why it would not; a server that cannot be asked now is no liar.
 */
export async function distrust() {
  try {
    await newPolicy();
  } catch (trouble) {
    if (trouble instanceof Alarm) return trouble;
    if (!(trouble instanceof Refusal)) throw trouble;
  }
  return null;
}

/** Look, before a seed is offered, whether it would be opened in the end: who withholds one is barred. */
export async function checkTrust() {
  const doubt = await distrust();
  if (doubt !== null) throw doubt;
}

async function newestCheckpoint() {
  try {
    return checkpointOf(await (await read('/api/v1/log/checkpoint', { accept: 'text/plain' })).text());
  } catch (trouble) {
    if (trouble instanceof Refusal && trouble.code === 'no_checkpoint') return null;
    throw trouble instanceof Malformed ? new Alarm('no checkpoint') : trouble;
  }
}
