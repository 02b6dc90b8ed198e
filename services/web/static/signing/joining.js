/**
 * Sitting down, with a key or without: a join with one is signed with it, over a history that this browser has read.
 *
 * The law of the file: what is sent is kept beside the table before it is, and with it the key that it is signed with. What
 * got no answer may have been taken, so whoever asks for the same again, also on a page that was read again, sends the same
 * bytes; another join is made only once the house has said no.
 */
import { Refusal, ask, askOnce, matchPath } from '../client/api.js';
import { bareKey, isLasting, keepTokens, keepUnanswered, tokensOf, unanswered } from '../client/keep.js';
import { keyAt } from '../client/seeds.js';
import { HeldLines } from './held_lines.js';
import { alongWith, freshKey, keyAlong } from './keys.js';
import { freshSalt, nameCommitment } from './public_form.js';
import { inTurn } from './signer.js';
import { signedJoin, standingOf } from './standing.js';

const TRIES_MAX = 4;

/** @param {string} name @returns {string} As the house keeps it. */
const normal = (name) => name.normalize('NFKC').split(/\s+/).filter(Boolean).join(' ');

/** @typedef {{name: string, custody: string, invite?: string, words?: string}} Who `words` are mixed into the own seeds. */
/** @typedef {import('./keys.js').SeatKey} SeatKey */
/** @typedef {{token?: string, body: Record<string, any>, words?: string}} SeatAsked `words` lead to another key. */
/** @typedef {() => Promise<Record<string, any>>} Sign Makes what is sent, signed over the lines that there are. */

/**
 * Take a seat.
 *
 * @param {string} match
 * @param {Who & {signs: boolean}} asked `signs`: whether its every command is to be signed from then on.
 * @returns {Promise<any>} The answer: the seat and its token, which are the caller's to keep.
 */
export function sitDown(match, { signs, name: called, custody, invite, words }) {
  const path = matchPath(match, '/seats');
  if (!signs) return askForSeat(match, path, { body: { name: called, custody, invite } });
  const body = { name: normal(called), custody, invite };
  const sign = signing(match, body.name, body, () => keyToKeep(match, words));
  // Where nothing outlasts a page, the key follows from the words.
  return askForSeat(match, path, { body, words: isLasting() ? undefined : words }, sign);
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
  // Who signs nothing is found at the next table by the token alone, however often.
  if (who === null) return ask('POST', path, { token });
  const first = await ask('POST', path, { token, body: { sits: false } });
  // A seat that is taken already is this one's: another device has asked, or the answer was lost.
  if (first.token !== undefined) {
    await settle(first.match, first.seat);
    return first;
  }
  const { name, custody, key } = who;
  // A key that went along with the seat there, to all devices with the link to it, does so again.
  const make = () => (key === keyAlong(match).key ? alongWith(keyAt(match, first.match)) : freshKey());
  const body = { custody };
  return askForSeat(first.match, path, { token, body }, signing(first.match, name, body, make));
}

/**
 * Another device may have taken the seat: what this one has signed is its own only if it stands there.
 *
 * @param {string} match
 * @param {number} seat
 */
async function settle(match, seat) {
  const sent = unanswered(match);
  if (sent === null || tokensOf(match).token !== undefined) return;
  const standing = standingOf(await new HeldLines(match).refresh(), match, seat);
  if (standing?.key !== sent.body.key) keepTokens(match, { keys: undefined, joined: undefined });
  keepUnanswered(match, null);
}

/**
 * @param {string} match
 * @param {string} name
 * @param {{custody: string}} body What is asked for, without a key.
 * @param {() => SeatKey | Promise<SeatKey>} make Makes the key, once.
 * @returns {Sign}
 */
function signing(match, name, body, make) {
  const [salt, lines] = [freshSalt(), new HeldLines(match)];
  /** @type {SeatKey | null} */
  let key = null;
  return async () => {
    const events = await lines.refresh();
    key ??= await make();
    const joined = { key: key.key, name: nameCommitment(name, salt) };
    const signed = await signedJoin(match, { type: 'join', custody: body.custody, ...joined }, key, events);
    keepTokens(match, { keys: [bareKey(key)], joined });
    return { ...body, key: key.key, salt, signed };
  };
}

/**
 * Ask for a seat. Pages of one browser do so one after the other: none takes away the key with which another has sat down.
 *
 * @param {string} match
 * @param {string} path
 * @param {SeatAsked} what
 * @param {Sign | null} [sign]
 * @returns {Promise<any>} The answer.
 */
const askForSeat = (match, path, what, sign = null) =>
  inTurn(`truecup.order.${match}`, () => seatInTurn(match, path, what, sign));

/**
 * Ask for a seat; one that signs, over the lines that the table has, until nothing comes in between.
 *
 * @param {string} match
 * @param {string} path
 * @param {SeatAsked} what
 * @param {Sign | null} sign
 * @returns {Promise<any>} The answer.
 */
async function seatInTurn(match, path, { token, body, words }, sign) {
  const [asked, memory] = [JSON.stringify([path, body, words, sign !== null]), orders(match)];
  // Whatever else was asked for here may have been taken: a no to this says nothing of it.
  const before = memory.get(asked) === undefined ? { ...tokensOf(match), order: unanswered(match) } : { order: null };
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    const sent = memory.get(asked)?.body ?? (await sign?.()) ?? body;
    try {
      const answer = await askOnce('POST', path, { token, body: sent }, { asked, memory });
      if (sign === null) keepTokens(match, { keys: undefined, joined: undefined });
      return answer;
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || trouble.comesToPass) throw trouble;
      if (trouble.code === 'bad_signature' && sign !== null && left > 0) continue;
      keepTokens(match, { keys: before.keys, joined: before.joined });
      keepUnanswered(match, before.order);
      throw trouble;
    }
  }
}

/**
 * What was asked for at a table and got no answer, as this browser keeps it: the last of it, unless the key is gone that it
 * was signed with.
 *
 * @param {string} match
 * @returns {import('../client/api.js').Memory}
 */
const orders = (match) => ({
  get(asked) {
    const sent = unanswered(match);
    if (sent?.asked !== asked) return undefined;
    const { key } = sent.body;
    return key === undefined || tokensOf(match).keys?.some((one) => one.key === key) ? sent : undefined;
  },
  set: (asked, { body = {}, key }) => keepUnanswered(match, { asked, body, key }),
  delete: () => keepUnanswered(match, null),
});
