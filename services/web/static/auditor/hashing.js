/**
 * SHA-256, HMAC-SHA-256 and Ed25519: the browser's own, or noble's where a page has none.
 *
 * The law of the file: whoever answers, the answer is the same. Browsers withhold WebCrypto from pages without a secure
 * context, and older ones know no Ed25519. WebCrypto, OpenSSL and noble disagree about points of small order, about
 * points that are spelled in another way, and about the cofactor; so the first two are refused here before anybody is
 * asked, and noble is asked the same question without the cofactor.
 */
import { concat, same } from '../bytes.js';

/** @typedef {{sha256: (message: Uint8Array) => Promise<Uint8Array>,
 *   keyed: (key: Uint8Array) => Promise<(message: Uint8Array) => Promise<Uint8Array>>,
 *   signed: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>}} Hashing */

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const ED25519 = { name: 'Ed25519' };
const [POINT_BYTES, SIGNATURE_BYTES] = [32, 64];
const FIELD = 2n ** 255n - 19n;
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;
/** The y of the eight points of small order: a signature by such a key fits any message. */
const SMALL = new Set([0n, 1n, FIELD - 1n, ORDER_8, FIELD - ORDER_8]);

/** @returns {Promise<Hashing>} The browser's own hashing where it has any. */
export async function chosen() {
  const subtle = globalThis.crypto?.subtle;
  return subtle === undefined ? noble() : webcrypto(subtle);
}

/** @param {SubtleCrypto} subtle @returns {Hashing} */
export function webcrypto(subtle) {
  return {
    sha256: async (message) => new Uint8Array(await subtle.digest('SHA-256', message)),
    keyed: async (key) => {
      const made = await subtle.importKey('raw', key, HMAC, false, ['sign']);
      return async (message) => new Uint8Array(await subtle.sign('HMAC', made, message));
    },
    signed: async (key, message, signature) => {
      if (!isStrict(key, signature)) return false;
      const known = await imported(subtle, key);
      if (known === undefined) return (await noble()).signed(key, message, signature);
      return known !== null && subtle.verify(ED25519, known, signature, message);
    },
  };
}

/**
 * @param {SubtleCrypto} subtle
 * @param {Uint8Array} key
 * @returns {Promise<CryptoKey | null | undefined>} Null if it is no key, undefined if nobody here knows Ed25519.
 */
async function imported(subtle, key) {
  try {
    return await subtle.importKey('raw', key, ED25519, false, ['verify']);
  } catch (trouble) {
    return /** @type {Error} */ (trouble).name === 'NotSupportedError' ? undefined : null;
  }
}

/** @returns {Promise<Hashing>} */
export async function noble() {
  const { ed25519, hmac, sha256, sha512 } = await import('../vendor/noble.js');
  const { BASE, Fn } = ed25519.Point;
  const number = (/** @type {Uint8Array} */ bytes) => Fn.create(little(bytes));
  return {
    sha256: async (message) => sha256(message),
    keyed: async (key) => async (message) => hmac(sha256, key, message),
    signed: async (key, message, signature) => {
      if (!isStrict(key, signature)) return false;
      const [r, s] = [signature.subarray(0, POINT_BYTES), little(signature.subarray(POINT_BYTES))];
      if (s >= Fn.ORDER) return false;
      try {
        const hash = number(sha512(concat(r, key, message)));
        const negated = ed25519.Point.fromBytes(key).negate();
        const found = BASE.multiplyUnsafe(s).add(negated.multiplyUnsafe(hash));
        return same(found.toBytes(), r);
      } catch {
        return false;
      }
    },
  };
}

/** @param {Uint8Array} key @param {Uint8Array} signature */
function isStrict(key, signature) {
  if (key.length !== POINT_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  return [key, signature.subarray(0, POINT_BYTES)].every((point) => {
    const y = little(point) % 2n ** 255n;
    return y < FIELD && !SMALL.has(y);
  });
}

/** @param {Uint8Array} bytes */
function little(bytes) {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
