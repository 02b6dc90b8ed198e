/** Sitting down with a key: the join is signed with it, over a history that this browser has read. */
import { NOTHING_BEFORE, NO_SEAT } from '../auditor/signing/messages.js';
import { hex } from '../bytes.js';
import { Refusal, ask, matchPath } from '../client/api.js';
import { keepTokens, tokensOf } from '../client/keep.js';
import { HeldLines } from './held_lines.js';
import { freshKey } from './keys.js';
import { freshSalt, nameCommitment } from './public_form.js';
import { messageFor } from './standing.js';

const TRIES_MAX = 4;

/** @param {string} name @returns {string} As the house keeps it. */
const normal = (name) => name.normalize('NFKC').split(/\s+/).filter(Boolean).join(' ');

/** @typedef {{name: string, custody: string, invite?: string}} Who */

/**
 * Take a seat.
 *
 * @param {string} match
 * @param {Who & {signs: boolean}} asked `signs`: whether its every command is to be signed from then on.
 * @returns {Promise<any>} The answer: the seat and its token, which are the caller's to keep.
 */
export function sitDown(match, { signs, name, custody, invite }) {
  if (!signs) return ask('POST', matchPath(match, '/seats'), { body: { name, custody, invite } });
  return sitDownSigned(match, { name, custody, invite });
}

/** @param {string} match @param {Who} who */
async function sitDownSigned(match, { name: called, custody, invite }) {
  const [key, salt, lines] = [await freshKey(), freshSalt(), new HeldLines(match)];
  const name = normal(called);
  const commitment = nameCommitment(name, salt);
  const command = { type: 'join', key: key.key, custody, name: commitment };
  const before = tokensOf(match);
  const { secret } = key;
  keepTokens(match, {
    keys: [secret === undefined ? { key: key.key } : { key: key.key, secret }],
    joined: { key: key.key, name: commitment },
  });
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    const events = await lines.refresh();
    const version = events.length;
    const message = messageFor({ match, seat: NO_SEAT, n: 0, before: NOTHING_BEFORE, version }, command, events);
    const signed = { n: 0, version, sig: hex(await key.sign(message)) };
    try {
      return await ask('POST', matchPath(match, '/seats'), {
        body: { name, custody, invite, key: key.key, salt, signed },
      });
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      if (trouble.code === 'bad_signature' && left > 0) continue;
      keepTokens(match, { keys: before.keys, joined: before.joined });
      throw trouble;
    }
  }
}
