/** Bytes as the protocol writes them: hex, base64, big-endian integers, ASCII. */

const encoder = new TextEncoder();

/** @param {string} text */
export const utf8 = (text) => encoder.encode(text);

/** @param {...(Uint8Array | number[])} parts */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * @param {string} text Lower-case hex, as everywhere in the protocol; anything else is refused.
 * @returns {Uint8Array}
 */
export function unhex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new RangeError('this is not lower-case hex');
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @param {string} text */
export const unbase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** @param {number} number */
export const u8 = (number) => big(number, 1);
/** @param {number} number */
export const u16 = (number) => big(number, 2);
/** @param {number} number */
export const u32 = (number) => big(number, 4);

/**
 * @param {number} number
 * @param {number} length
 */
function big(number, length) {
  if (!Number.isInteger(number) || number < 0 || number >= 256 ** length) throw new RangeError('out of range');
  return Uint8Array.from({ length }, (_, place) => Math.floor(number / 256 ** (length - 1 - place)) % 256);
}

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
export const same = (left, right) => left.length === right.length && left.every((byte, place) => byte === right[place]);
