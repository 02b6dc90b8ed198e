/**
 * A seat that its player was given as the table was opened, without a key: taken again with one before the match starts.
 * It is signed over the line with which its player gets up, which follows from all others and from its time.
 */
import { canonical } from '../auditor/canonical.js';
import { Refusal, ask, matchPath, serverClock } from '../client/api.js';
import { bareKey, keepTokens, tokensOf } from '../client/keep.js';
import { headOf } from '../cup1.js';
import { HeldLines } from './held_lines.js';
import { freshKey } from './keys.js';
import { freshSalt, nameCommitment } from './public_form.js';
import { inTurn } from './signer.js';
import { signedJoin } from './standing.js';

/** @typedef {import('../auditor/chain.js').Event} Event */
/** @typedef {{match: string, seat: number, token: string}} Who */

const TRIES_MAX = 4;

/**
 * Take the seat again, if it was given out. Pages of one browser do so one after the other.
 *
 * @param {Who} who
 * @param {{name: string, custody: string}} seat As the view has it.
 */
export const signForGiven = (who, seat) => inTurn(`truecup.order.${who.match}`, () => take(who, seat));

/** @param {Who} who @param {{name: string, custody: string}} as */
async function take({ match, seat, token }, { name, custody }) {
  const lines = new HeldLines(match, token);
  if (!wasGivenOut(await lines.refresh(), seat)) return;
  const [key, salt, before] = [await freshKey(), await freshSalt(), tokensOf(match)];
  const commitment = nameCommitment(name, salt);
  const command = { type: 'join', key: key.key, custody, name: commitment };
  keepTokens(match, { keys: [bareKey(key)], joined: { key: key.key, name: commitment } });
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    const events = await lines.refresh();
    const up = gettingUp(events, seat);
    const signed = await signedJoin(match, command, key, [...events, up]);
    try {
      const body = { left_at: up.at, custody, key: key.key, salt, signed };
      await ask('PUT', matchPath(match, '/seats/me/key'), { token, body });
      return;
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || trouble.comesToPass) throw trouble;
      if (trouble.code === 'bad_signature' && left > 0) continue;
      keepTokens(match, { keys: before.keys, joined: before.joined });
      throw trouble;
    }
  }
}

/**
 * @param {Event[]} events
 * @param {number} seat
 * @returns {boolean} Whether it has no key, and was taken as the table was opened: who sat down has chosen to sign nothing.
 */
function wasGivenOut(events, seat) {
  const joined = events.findLast(({ type, data }) => type === 'seat.joined' && data.seat === seat);
  return joined !== undefined && joined.data.key === undefined && joined.at === events[0].at;
}

/** @param {Event[]} events @param {number} seat @returns {{at: number, head: string}} The line that is about to be written. */
function gettingUp(events, seat) {
  const last = events[events.length - 1];
  const at = Math.max(Math.round(serverClock.now()), last.at + 1);
  const line = { at, data: { reason: 'rejoins', seat }, prev: last.head, seq: events.length };
  return { at, head: headOf(canonical({ ...line, stream: last.stream, type: 'seat.left', v: 1 })) };
}
