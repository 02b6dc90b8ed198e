/** Sitting down with a key: the join is signed with it, over a history that this browser has read. */
import { Refusal, ask, matchPath } from '../client/api.js';
import { bareKey, isLasting, keepTokens, tokensOf } from '../client/keep.js';
import { keyAt } from '../client/seeds.js';
import { HeldLines } from './held_lines.js';
import { alongWith, freshKey, keyAlong } from './keys.js';
import { freshSalt, nameCommitment } from './public_form.js';
import { signedJoin } from './standing.js';

const TRIES_MAX = 4;

/** @param {string} name @returns {string} As the house keeps it. */
const normal = (name) => name.normalize('NFKC').split(/\s+/).filter(Boolean).join(' ');

/** @typedef {{name: string, custody: string, invite?: string, words?: string}} Who `words` are mixed into the own seeds. */
/** @typedef {import('./keys.js').SeatKey} SeatKey */
/** @typedef {{key: string, salt: string, signed: {n: number, version: number, sig: string}}} Signed What goes with a key. */

/**
 * Take a seat.
 *
 * @param {string} match
 * @param {Who & {signs: boolean}} asked `signs`: whether its every command is to be signed from then on.
 * @returns {Promise<any>} The answer: the seat and its token, which are the caller's to keep.
 */
export function sitDown(match, { signs, name: called, custody, invite, words }) {
  if (!signs) return ask('POST', matchPath(match, '/seats'), { body: { name: called, custody, invite } });
  const name = normal(called);
  return askSigned(match, { name, custody, key: keyToKeep(match, words) }, (signed) =>
    ask('POST', matchPath(match, '/seats'), { body: { name, custody, invite, ...signed } }),
  );
}

/**
 * Where nothing outlasts a page, the next one can have the key from the link to the seat alone.
 *
 * @param {string} match @param {string | undefined} words
 */
function keyToKeep(match, words) {
  if (isLasting()) return freshKey();
  keepTokens(match, { words, seeds: undefined });
  return keyAlong(match);
}

/**
 * Take a seat at the next table of those who have played. It is asked for once to know the table, and then over its lines.
 *
 * @param {string} match The one that is over.
 * @param {string | undefined} token That of the seat there, or of the host.
 * @param {{name: string, custody: string, key: string} | null} who The seat there; null if it signed nothing.
 * @returns {Promise<any>} The answer.
 */
export async function sitAgain(match, token, who) {
  const path = matchPath(match, '/rematch');
  if (who === null) return ask('POST', path, { token });
  const first = await ask('POST', path, { token, body: { sits: false } });
  // A seat that is taken already is this one's: another device has asked, or the answer was lost.
  if (first.token !== undefined) return first;
  // A key that went along with the seat there, to all devices with the link to it, does so again.
  const key = who.key === keyAlong(match).key ? alongWith(keyAt(match, first.match)) : freshKey();
  const { name, custody } = who;
  return askSigned(first.match, { name, custody, key }, (signed) =>
    ask('POST', path, { token, body: { custody, ...signed } }),
  );
}

/**
 * Ask for a seat with a key, over the lines that the table has, until nothing comes in between.
 *
 * @param {string} match
 * @param {{name: string, custody: string, key: SeatKey | Promise<SeatKey>}} who
 * @param {(signed: Signed) => Promise<any>} post
 */
async function askSigned(match, { name, custody, key: made }, post) {
  const [key, salt, lines] = [await made, await freshSalt(), new HeldLines(match)];
  const commitment = nameCommitment(name, salt);
  const command = { type: 'join', key: key.key, custody, name: commitment };
  const before = tokensOf(match);
  keepTokens(match, { keys: [bareKey(key)], joined: { key: key.key, name: commitment } });
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    const events = await lines.refresh();
    const signed = await signedJoin(match, command, key, events);
    try {
      return await post({ key: key.key, salt, signed });
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      if (trouble.code === 'bad_signature' && left > 0) continue;
      keepTokens(match, { keys: before.keys, joined: before.joined });
      throw trouble;
    }
  }
}
