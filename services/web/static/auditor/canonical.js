/** Canonical JSON, CUP/1 section 4.3: RFC 8785 on a narrow profile, in which a value has exactly one line. */
import { Malformed } from './faults.js';

const LINE_BYTES_MAX = 65_535;
const DEPTH_MAX = 64;
const ASCII = /^[\0-\x7f]*$/;
const LONE = /\p{Surrogate}/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {unknown} value @returns {string} The line of a JSON value of the narrow profile. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  const written = members.map((name) => `${JSON.stringify(name)}:${canonical(/** @type {any} */ (value)[name])}`);
  return `{${written.join(',')}}`;
}

/**
 * @param {Uint8Array} line Without its newline.
 * @returns {Record<string, any>} The object it stands for.
 * @throws {Malformed} It is not the one line of an object of the profile.
 */
export function decode(line) {
  // A stranger's line may have any length: it is refused before anything is built of it.
  if (line.length > LINE_BYTES_MAX) throw new Malformed('the line has more than 65,535 bytes');
  const text = decoder.decode(line);
  const value = parsed(text);
  if (!isObject(value)) throw new Malformed('the line is not an object');
  check(value, 0);
  if (canonical(value) !== text) throw new Malformed('the line is not in canonical form');
  return value;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed('the line is not JSON');
  }
}

/** @param {unknown} value @param {number} depth */
function check(value, depth) {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new Malformed('a number is no integer within 2**53 - 1');
  }
  // JSON.stringify spells a lone surrogate as JSON does, so writing the line anew would not find it.
  if (typeof value === 'string' && LONE.test(value)) throw new Malformed('a text holds a lone surrogate');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= DEPTH_MAX) throw new Malformed('arrays and objects nest too deeply');
  for (const [name, member] of Object.entries(value)) {
    if (!ASCII.test(name)) throw new Malformed('a key is not an ASCII text');
    check(member, depth + 1);
  }
}
