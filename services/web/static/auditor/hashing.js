/**
 * SHA-256, HMAC-SHA-256 and Ed25519: the browser's own, or noble's where a page has none, or where they are quicker.
 * The ways are told here alone: browsers withhold WebCrypto from pages without a secure context, and older ones know
 * no Ed25519.
 */
import { hex } from '../bytes.js';
import { isStrict, isTorsionFree, verifier } from './ed25519.js';

/** @typedef {{sha256: (message: Uint8Array) => Promise<Uint8Array>,
 *   keyed: (key: Uint8Array) => Promise<(message: Uint8Array) => Promise<Uint8Array>>,
 *   signed: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>}} Hashing */

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const ED25519 = { name: 'Ed25519' };

/** @param {Uint8Array} bytes Shared with no other thread: nothing here has one. */
const own = (bytes) => /** @type {Uint8Array<ArrayBuffer>} */ (bytes);

/** @returns {Promise<Hashing>} */
export async function chosen() {
  const subtle = globalThis.crypto?.subtle;
  return subtle === undefined ? noble() : webcrypto(subtle);
}

/** @param {SubtleCrypto} subtle @returns {Hashing} */
export function webcrypto(subtle) {
  /** @type {Map<string, Promise<CryptoKey | null>>} */
  const owners = new Map();
  return {
    sha256: async (message) => new Uint8Array(await subtle.digest('SHA-256', own(message))),
    keyed: async (key) => {
      const made = await subtle.importKey('raw', own(key), HMAC, false, ['sign']);
      return async (message) => new Uint8Array(await subtle.sign('HMAC', made, own(message)));
    },
    signed: async (key, message, signature) => {
      if (!isStrict(key, signature)) return false;
      const name = hex(key);
      const owner = owners.get(name) ?? imported(subtle, key);
      owners.set(name, owner);
      const known = await owner;
      if (known === null) return (await noble()).signed(key, message, signature);
      return subtle.verify(ED25519, known, own(signature), own(message));
    },
  };
}

/**
 * For Node, which hands every message to another thread: for the short ones of a record that takes longer than hashing
 * them here. A signature is worth the way.
 * @param {SubtleCrypto} subtle
 * @returns {Promise<Hashing>}
 */
export async function inNode(subtle) {
  const { sha256, keyed } = await noble();
  return { sha256, keyed, signed: webcrypto(subtle).signed };
}

/** @returns {Promise<Hashing>} */
export async function noble() {
  const library = await import('../vendor/noble.js');
  const { hmac, sha256 } = library;
  const verify = verifier(library);
  return {
    sha256: async (message) => sha256(message),
    keyed: async (key) => async (message) => hmac(sha256, key, message),
    signed: async (key, message, signature) => verify(key, message, signature),
  };
}

/**
 * @param {SubtleCrypto} subtle
 * @param {Uint8Array} key
 * @returns {Promise<CryptoKey | null>} Null if noble is to be asked: nobody here knows Ed25519, or others differ about it.
 */
async function imported(subtle, key) {
  if (!isTorsionFree(await import('../vendor/noble.js'), key)) return null;
  return subtle.importKey('raw', own(key), ED25519, false, ['verify']).catch(() => null);
}
