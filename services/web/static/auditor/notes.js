/** Signed notes, checkpoints and keys as C2SP writes them: signed-note, tlog-checkpoint, tlog-cosignature. */
import { concat, same, unbase64, utf8 } from '../bytes.js';
import { Malformed } from './faults.js';

/** @typedef {{name: string, kind: number, id: Uint8Array, key: Uint8Array}} Key */
/** @typedef {{name: string, id: Uint8Array, value: Uint8Array}} Signature */
/** @typedef {{body: string, signatures: Signature[]}} Note */
/** @typedef {{origin: string, size: bigint, root: Uint8Array} & Note} Checkpoint */

export const ED25519 = 1;
export const COSIGNATURE = 4;
const DASH = '\u2014 ';
const SIGNATURES_MAX = 64;
const ID_BYTES = 4;
const KEY_BYTES = 32;
const HASH_BYTES = 32;
const NUMBER_MAX = 2n ** 63n - 1n;
const CONTROLS = /[\0-\x09\x0b-\x1f]/;
const NAME = /^[^+\p{White_Space}]+$/u;

/** @param {string} text A key as policies spell it. @returns {Key} Its id not yet checked. @throws {Malformed} */
export function keyOf(text) {
  const [name, id, ...rest] = text.split('+');
  const typed = octets(rest.join('+'));
  if (!NAME.test(name)) throw new Malformed('a verifier key begins with a name');
  if (typed.length !== 1 + KEY_BYTES) throw new Malformed('a verifier key has 32 bytes and a type');
  if (typed[0] !== ED25519 && typed[0] !== COSIGNATURE) throw new Malformed('a verifier key is Ed25519');
  if (!/^[0-9a-f]{8}$/.test(id)) throw new Malformed('a verifier key has an id');
  const bytes = Uint8Array.from(id.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return { name, kind: typed[0], id: bytes, key: typed.slice(1) };
}

/** @param {Key} key @returns {Uint8Array} What a key's id is the beginning of the hash of. */
export const idMessage = ({ name, kind, key }) => concat(utf8(`${name}\n`), [kind], key);
/** @param {Key} key @param {Uint8Array} hash */
export const hasId = (key, hash) => same(key.id, hash.subarray(0, ID_BYTES));

/** @param {Signature} line @param {Key} key @returns {boolean} Whether the line says that it is by this key. */
export const isBy = (line, key) => line.name === key.name && same(line.id, key.id);

/** @param {string} text @returns {Note} @throws {Malformed} */
export function noteOf(text) {
  const cut = text.lastIndexOf('\n\n');
  if (cut < 0) throw new Malformed('a note is a text, an empty line and signature lines');
  if (CONTROLS.test(text)) throw new Malformed('a note has no control characters but newlines');
  return { body: text.slice(0, cut + 1), signatures: signaturesOf(text.slice(cut + 2)) };
}

/** @param {string} text @returns {Checkpoint} Not yet believed by anybody. @throws {Malformed} */
export function checkpointOf(text) {
  const { body, signatures } = noteOf(text);
  const [origin, size, root, ...more] = body.split('\n');
  if (more.length !== 1) throw new Malformed('a checkpoint has three lines: origin, size, root');
  if (origin === '') throw new Malformed('a checkpoint has an origin');
  return { origin, size: decimal(size), root: hashOf(root), body, signatures };
}

/** @param {string} text */
function signaturesOf(text) {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Malformed('the last signature line does not end');
  if (lines.length < 1) throw new Malformed('a note has a signature');
  if (lines.length > SIGNATURES_MAX) throw new Malformed('a note has 64 signatures at most');
  return lines.map(signatureOf);
}

/** @param {string} line @returns {Signature} */
function signatureOf(line) {
  const gap = line.indexOf(' ', DASH.length);
  const [name, value] = gap < 0 ? ['', new Uint8Array()] : [line.slice(DASH.length, gap), octets(line.slice(gap + 1))];
  if (!line.startsWith(DASH)) throw new Malformed('a signature line begins with a dash');
  if (!NAME.test(name)) throw new Malformed('a signature line names a key');
  if (value.length <= ID_BYTES) throw new Malformed('a signature line has a key id and more');
  return { name, id: value.slice(0, ID_BYTES), value: value.slice(ID_BYTES) };
}

/** @param {string} text @returns {bigint} Below 2**63. @throws {Malformed} */
export function decimal(text) {
  if (!/^(?:0|[1-9][0-9]{0,18})$/.test(text)) throw new Malformed('a number is written in digits, no 0 before others');
  const number = BigInt(text);
  if (number > NUMBER_MAX) throw new Malformed('a number is below 2**63');
  return number;
}

/** @param {string} text @returns {Uint8Array} @throws {Malformed} */
export function hashOf(text) {
  const found = octets(text);
  if (found.length !== HASH_BYTES) throw new Malformed('a hash has 32 bytes');
  return found;
}

/** @param {string} text The one base64 text of some bytes. @returns {Uint8Array} @throws {Malformed} */
export function octets(text) {
  const found = unbase64(text);
  if (found === null) throw new Malformed('this is not the one base64 text of its bytes');
  return found;
}

/** @param {Uint8Array} value @returns {bigint} When a witness says that it saw a checkpoint, in Unix seconds. */
export const timeOf = (value) => value.subarray(0, 8).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** @param {string} body @param {bigint} at */
export const witnessed = (body, at) => utf8(`cosignature/v1\ntime ${at}\n${body}`);
