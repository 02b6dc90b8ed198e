/**
 * Ed25519 as every auditor checks it, whoever does the arithmetic.
 *
 * The law of the file: whoever answers, the answer is the same. Browsers, OpenSSL and noble disagree about points of
 * small order, about points and numbers spelled in another way, and about the cofactor. So the first three are refused
 * before anybody is asked, of keys with a part of small order noble alone is asked, and noble is asked RFC 8032's question
 * without the cofactor, as OpenSSL answers it.
 */
import { concat, same } from '../bytes.js';

const [POINT_BYTES, SIGNATURE_BYTES] = [32, 64];
const FIELD = 2n ** 255n - 19n;
/** Of the base point. RFC 8032 section 5.1.7 has no number beyond it; not every browser minds. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;
/** The y of the eight points of small order: a signature by such a key fits any message. */
const SMALL = new Set([0n, 1n, FIELD - 1n, ORDER_8, FIELD - ORDER_8]);

/** @param {Uint8Array} key @param {Uint8Array} signature */
export function isStrict(key, signature) {
  if (key.length !== POINT_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if (little(signature.subarray(POINT_BYTES)) >= ORDER) return false;
  return [key, signature.subarray(0, POINT_BYTES)].every(isStrictPoint);
}

/** @param {Uint8Array} point 32 bytes. @returns {boolean} Whether every verifier takes it for the same point. */
export function isStrictPoint(point) {
  const y = little(point) % 2n ** 255n;
  return y < FIELD && !SMALL.has(y);
}

/** @param {any} noble @returns {(key: Uint8Array) => boolean} Whether somebody could sign with a key of 32 bytes. */
export const pointer =
  ({ ed25519 }) =>
  (key) =>
    isStrictPoint(key) && pointOf(ed25519.Point, key) !== null;

/**
 * @param {any} noble
 * @param {Uint8Array} key A strict one.
 * @returns {boolean} Whether it is a point without a part of small order: of one that has such a part browsers say this and
 *   that, and by one that is no point a browser may end.
 */
export const isTorsionFree = ({ ed25519 }, key) => pointOf(ed25519.Point, key)?.isTorsionFree() ?? false;

/** @param {any} noble @returns {(key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean} */
export function verifier({ ed25519, sha512 }) {
  const { Point } = ed25519;
  const { Fn, BASE } = Point;
  return (key, message, signature) => {
    if (!isStrict(key, signature)) return false;
    const [r, s] = [signature.subarray(0, POINT_BYTES), little(signature.subarray(POINT_BYTES))];
    const owner = pointOf(Point, key);
    if (owner === null) return false;
    const hash = Fn.create(little(sha512(concat(r, key, message))));
    return same(BASE.multiplyUnsafe(s).subtract(owner.multiplyUnsafe(hash)).toBytes(), r);
  };
}

/** @param {any} Point @param {Uint8Array} bytes */
function pointOf(Point, bytes) {
  try {
    return Point.fromBytes(bytes);
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes */
function little(bytes) {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
