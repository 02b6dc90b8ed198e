/** The log's own formats, C2SP: tlog-policy, signed notes, checkpoints, cosignatures. */
import { concat, same, unbase64, utf8 } from './bytes.js';
import { ed25519, sha256 } from './vendor/libraries.js';

const ED25519 = 1;
const COSIGNATURE = 4;
const DASH = '\u2014';

/** @typedef {{name: string, kind: number, id: Uint8Array, key: Uint8Array}} Key */
/** @typedef {{body: string, signatures: {name: string, id: Uint8Array, signature: Uint8Array}[]}} Note */
/** @typedef {{logs: Key[], witnesses: Map<string, Key>, groups: Map<string, {needed: number, members: string[]}>,
 *   quorum: string}} Policy */

/** @param {string} text @returns {Key} */
export function keyOf(text) {
  const [name, , encoded] = text.match(/^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/)?.slice(1) ?? [];
  if (name === undefined) throw new RangeError('this is not a verifier key');
  const raw = unbase64(encoded);
  if (raw.length !== 33) throw new RangeError('this key is not an Ed25519 key');
  return { name, kind: raw[0], id: sha256(concat(utf8(`${name}\n`), raw)).slice(0, 4), key: raw.slice(1) };
}

/** @param {string} text @returns {Policy} */
export function policyOf(text) {
  /** @type {Policy} */
  const policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: 'none' };
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.split('#')[0].trim().split(/\s+/);
    if (word === 'log') policy.logs.push(keyOf(rest[0]));
    if (word === 'witness') policy.witnesses.set(rest[0], keyOf(rest[1]));
    if (word === 'group') policy.groups.set(rest[0], groupOf(rest[1], rest.slice(2)));
    if (word === 'quorum') [policy.quorum] = rest;
  }
  return policy;
}

/** @param {string} needed @param {string[]} members */
function groupOf(needed, members) {
  const named = /** @type {Record<string, number>} */ ({ any: 1, all: members.length });
  return { needed: named[needed] ?? Number(needed), members };
}

/**
 * @param {string} text A signed note.
 * @returns {Note}
 */
export function noteOf(text) {
  const cut = text.lastIndexOf('\n\n');
  const signatures = text
    .slice(cut + 2)
    .split('\n')
    .filter(Boolean)
    .map(signatureOf);
  if (cut < 0) throw new RangeError('this is not a signed note');
  return { body: text.slice(0, cut + 1), signatures };
}

/**
 * @param {string} text A signed note.
 * @returns {Note & {origin: string, size: number, root: Uint8Array}}
 */
export function checkpointOf(text) {
  const note = noteOf(text);
  const [origin, size, root] = note.body.split('\n');
  if (!/^(?:0|[1-9][0-9]*)$/.test(size ?? '')) throw new RangeError('this is not a checkpoint');
  return { origin, size: Number(size), root: unbase64(root), ...note };
}

/**
 * @param {string} text A receipt: four lines, signed by the log's key.
 * @returns {Note & {stream: string, seq: number, head: string}}
 */
export function receiptOf(text) {
  const note = noteOf(text);
  const [header, stream, seq, head, ...rest] = note.body.split('\n');
  const fits = header === 'CUP1 receipt' && rest.length === 1 && /^(?:0|[1-9][0-9]*)$/.test(seq ?? '');
  if (!fits || !/^[0-9a-f]{64}$/.test(head)) throw new RangeError('this is not a receipt');
  return { stream, seq: Number(seq), head, ...note };
}

/** @param {Note} receipt @param {Policy} policy @returns {boolean} Whether a log of the policy signed it. */
export const isSigned = (receipt, policy) => policy.logs.some((log) => signedBy(receipt, log));

/** @param {string} line */
function signatureOf(line) {
  const [dash, name, encoded] = line.split(' ');
  if (dash !== DASH || encoded === undefined) throw new RangeError('this is not a signature line');
  const raw = unbase64(encoded);
  return { name, id: raw.slice(0, 4), signature: raw.slice(4) };
}

/**
 * @param {ReturnType<typeof checkpointOf>} checkpoint
 * @param {Policy} policy
 * @returns {boolean} Whether a log of the policy signed it, and enough of its witnesses saw it.
 */
export function believed(checkpoint, policy) {
  const logged = policy.logs.some((log) => log.name === checkpoint.origin && signedBy(checkpoint, log));
  return logged && (policy.quorum === 'none' || agrees(checkpoint, policy, policy.quorum));
}

/**
 * @param {ReturnType<typeof checkpointOf>} checkpoint
 * @param {Policy} policy
 * @param {string} name
 * @returns {boolean}
 */
function agrees(checkpoint, policy, name) {
  const group = policy.groups.get(name);
  if (group !== undefined) {
    return group.members.filter((member) => agrees(checkpoint, policy, member)).length >= group.needed;
  }
  const witness = policy.witnesses.get(name);
  return witness !== undefined && signedBy(checkpoint, witness);
}

/** @param {Note} checkpoint @param {Key} key */
function signedBy(checkpoint, key) {
  const lines = checkpoint.signatures.filter((line) => line.name === key.name && same(line.id, key.id));
  return lines.some(({ signature }) => {
    if (key.kind === ED25519) return verified(signature, checkpoint.body, key.key);
    if (key.kind !== COSIGNATURE || signature.length !== 72) return false;
    const time = new DataView(signature.buffer, signature.byteOffset, 8).getBigUint64(0);
    return verified(signature.slice(8), `cosignature/v1\ntime ${time}\n${checkpoint.body}`, key.key);
  });
}

/** @param {Uint8Array} signature @param {string} message @param {Uint8Array} key */
function verified(signature, message, key) {
  return signature.length === 64 && ed25519.verify(signature, utf8(message), key, { zip215: false });
}
