/** Trust policies, C2SP tlog-policy: which logs are believed, and how many witnesses have to agree. */
import { same, utf8 } from '../bytes.js';
import { Malformed } from './faults.js';
import { COSIGNATURE, ED25519, decimal, hasId, idMessage, isBy, keyOf, timeOf, witnessed } from './notes.js';

/** @typedef {import('./notes.js').Key} Key */
/** @typedef {{logs: Key[], witnesses: Map<string, Key>, groups: Map<string, {least: number, members: string[]}>,
 *   quorum: string}} Policy */
/** @typedef {{name: string | null, at: bigint, key: Uint8Array, message: Uint8Array, signature: Uint8Array}} Ask A
 *   signature to be checked; a log's has no name. */

export const NONE = 'none';
const DEFINITIONS_MAX = 256;
const NUMBER_MAX = 2n ** 63n - 1n;
const TIME_BYTES = 8;
const QUOTED_MAX = 60;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/;

/** @param {string} word @returns {string} As much of it as a sentence holds. */
const cut = (word) => (word.length > QUOTED_MAX ? `${word.slice(0, QUOTED_MAX)}…` : word);

/** @param {string} text @returns {Policy} Its keys' ids not yet checked: see `keysOf`. @throws {Malformed} */
export function policyOf(text) {
  if (CONTROLS.test(text)) throw new Malformed('the policy has control characters');
  const draft = new Draft();
  for (const [number, line] of text.split('\n').entries()) {
    const [keyword, ...words] = line.split(/[ \t]+/).filter(Boolean);
    if (keyword === undefined || keyword.startsWith('#')) continue;
    try {
      draft.take(keyword, words);
    } catch (trouble) {
      throw new Malformed(`line ${number + 1} of the policy: ${/** @type {Error} */ (trouble).message}`);
    }
  }
  if (draft.quorum === null) throw new Malformed('the policy names no quorum');
  return { logs: draft.logs, witnesses: draft.witnesses, groups: draft.groups, quorum: draft.quorum };
}

/** @param {Policy} policy @returns {Key[]} */
const keysOf = ({ logs, witnesses }) => [...logs, ...witnesses.values()];
/** @param {Policy} policy @returns {Uint8Array[]} What to hash in order to check its keys' ids. */
export const idMessages = (policy) => keysOf(policy).map(idMessage);

/** @param {Policy} policy @param {Uint8Array[]} hashes Of `idMessages`. @throws {Malformed} */
export function checkIds(policy, hashes) {
  const fits = keysOf(policy).every((key, place) => hasId(key, hashes[place]));
  if (!fits) throw new Malformed('the id of a verifier key does not belong to the key');
}

/**
 * @param {Policy} policy
 * @param {import('./notes.js').Checkpoint} checkpoint
 * @returns {Ask[]} Every signature that says it is by a key of the policy: all of them have to fit.
 */
export function asks(policy, { origin, body, signatures }) {
  const by = (/** @type {Key} */ key) => signatures.find((line) => isBy(line, key));
  const found = [];
  for (const key of policy.logs.filter(({ name }) => name === origin)) {
    const signature = by(key)?.value;
    if (signature) found.push({ name: null, at: 0n, key: key.key, message: utf8(body), signature });
  }
  for (const [name, key] of policy.witnesses) {
    const value = by(key)?.value;
    if (value === undefined) continue;
    const at = timeOf(value);
    found.push({ name, at, key: key.key, message: witnessed(body, at), signature: value.subarray(TIME_BYTES) });
  }
  return found;
}

/**
 * @param {Policy} policy
 * @param {Ask[]} asked
 * @param {boolean[]} fits Whether each of these signatures does.
 * @returns {Map<string, bigint> | null} Which witnesses saw the checkpoint, and when; null if it is not to be believed.
 */
export function believed(policy, asked, fits) {
  if (!fits.every(Boolean)) return null;
  if (asked.some(({ at }) => at > NUMBER_MAX)) return null;
  if (!asked.some(({ name }) => name === null)) return null;
  const seen = new Map(asked.flatMap(({ name, at }) => (name === null ? [] : [[name, at]])));
  return isQuorum(policy, seen) ? seen : null;
}

/** @param {Policy} policy @param {{has: (name: string) => boolean}} witnesses */
export function isQuorum({ witnesses: known, groups, quorum }, witnesses) {
  if (quorum === NONE) return true;
  const agree = new Set([...known.keys()].filter((name) => witnesses.has(name)));
  for (const [name, { least, members }] of groups) {
    if (members.filter((member) => agree.has(member)).length >= least) agree.add(name);
  }
  return agree.has(quorum);
}

/** A policy, line by line. */
class Draft {
  /** @type {Key[]} */
  logs = [];
  /** @type {Map<string, Key>} */
  witnesses = new Map();
  /** @type {Map<string, {least: number, members: string[]}>} */
  groups = new Map();
  /** @type {string | null} */
  quorum = null;
  /** @type {Set<string>} */
  #members = new Set();

  /** @param {string} keyword @param {string[]} words */
  take(keyword, words) {
    const count = this.logs.length + this.witnesses.size + this.groups.size;
    if (count >= DEFINITIONS_MAX) throw new Malformed('the policy is too long');
    const [one, other, ...more] = words;
    if (keyword === 'log' && words.length >= 1 && words.length <= 2) this.logs.push(this.#key(one, ED25519, this.logs));
    else if (keyword === 'witness' && words.length >= 2 && words.length <= 3) this.#witness(one, other);
    else if (keyword === 'group' && words.length >= 3) this.#group(one, other, more);
    else if (keyword === 'quorum' && words.length === 1) this.#quorum(one);
    else throw new Malformed(`this ${cut(keyword)} says nothing that can be understood`);
  }

  /** @param {string} name @param {string} vkey */
  #witness(name, vkey) {
    this.#checkFresh(name);
    this.witnesses.set(name, this.#key(vkey, COSIGNATURE, [...this.witnesses.values()]));
  }

  /** @param {string} name @param {string} least @param {string[]} members */
  #group(name, least, members) {
    this.#checkFresh(name);
    for (const member of members) {
      if (!this.#isKnown(member)) throw new Malformed(`${cut(member)} is not there to be a member`);
      if (this.#members.has(member)) throw new Malformed(`${cut(member)} is a member already`);
      this.#members.add(member);
    }
    const named = new Map([
      ['any', 1n],
      ['all', BigInt(members.length)],
    ]);
    const count = named.get(least) ?? decimal(least);
    if (count < 1n) throw new Malformed('a group asks for at least one member');
    if (count > BigInt(members.length)) throw new Malformed('a group asks for no more members than it has');
    this.groups.set(name, { least: Number(count), members });
  }

  /** @param {string} name */
  #quorum(name) {
    if (this.quorum !== null) throw new Malformed('the policy names two quorums');
    if (name !== NONE && !this.#isKnown(name)) throw new Malformed(`${cut(name)} is not there to be the quorum`);
    this.quorum = name;
  }

  /** @param {string} name */
  #isKnown(name) {
    return this.witnesses.has(name) || this.groups.has(name);
  }

  /** @param {string} name */
  #checkFresh(name) {
    if (name === NONE || this.#isKnown(name)) throw new Malformed(`the name ${cut(name)} is taken`);
  }

  /** @param {string} vkey @param {number} kind @param {Key[]} others */
  #key(vkey, kind, others) {
    const key = keyOf(vkey);
    if (key.kind !== kind) throw new Malformed('a log’s key has type 1, a witness’s type 4');
    if (others.some((other) => same(other.key, key.key))) throw new Malformed('this key stands in the policy twice');
    return key;
  }
}
