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

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/**
 * @param {string} text Lower-case hex, as everywhere in the protocol; anything else is refused.
 * @returns {Uint8Array}
 */
export function unhex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new RangeError('this is not lower-case hex');
  const found = new Uint8Array(text.length / 2);
  // A record has tens of thousands of bytes in hex: no text is made of each pair.
  for (let place = 0; place < found.length; place += 1) {
    found[place] = 16 * digit(text.charCodeAt(2 * place)) + digit(text.charCodeAt(2 * place + 1));
  }
  return found;
}

const [ZERO, LETTER_A] = [0x30, 0x61];

/** @param {number} code Of a character, `0` to `9` or `a` to `f`. */
const digit = (code) => (code < LETTER_A ? code - ZERO : code - LETTER_A + 10);

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * @param {string} text
 * @returns {Uint8Array | null} The bytes; null unless this is the one base64 text that stands for them.
 */
export function unbase64(text) {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return null;
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let place = 0; place < raw.length; place += 1) found[place] = raw.charCodeAt(place);
  // Bits left over at the end may be anything to most readers; here they are nothing.
  const end = found.subarray(found.length - (found.length % 3));
  return btoa(String.fromCharCode(...end)) === text.slice(text.length - (end.length > 0 ? 4 : 0)) ? found : null;
}

/** @param {number} number */
export const u8 = (number) => big(number, 1);
/** @param {number} number */
export const u16 = (number) => big(number, 2);
/** @param {number} number */
export const u32 = (number) => big(number, 4);
/** @param {number} number At most 2**53 - 1. */
export const u64 = (number) => big(number, 8);

/**
 * @param {number} number
 * @param {number} length
 */
function big(number, length) {
  if (!Number.isInteger(number) || number < 0 || number >= 256 ** length) throw new RangeError('out of range');
  const found = new Uint8Array(length);
  let left = number;
  for (let place = length - 1; place >= 0; place -= 1) {
    found[place] = left % 256;
    left = Math.floor(left / 256);
  }
  return found;
}

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
export const same = (left, right) => left.length === right.length && left.every((byte, place) => byte === right[place]);
