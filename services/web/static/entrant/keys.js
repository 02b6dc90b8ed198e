/**
 * The key of an entrant: registered once, before the first table, and taken every seat with (CUP/1 sections 4.14.8, 4.25).
 * It is made and kept as keys of seats are, and lies here before anything is signed with it.
 */
import { NOTHING_BEFORE, NO_SEAT, OF_ENTRANTS } from '../auditor/signing/messages.js';
import { hex } from '../bytes.js';
import { Refusal, ask } from '../client/api.js';
import { bareKey, entryOf, keepEntry, keepTokens } from '../client/keep.js';
import { linesAt } from '../client/seeds.js';
import { HeldLines } from '../signing/held_lines.js';
import { freshKey, keyFrom } from '../signing/keys.js';
import { messageFor, signedJoin } from '../signing/standing.js';

/** @typedef {import('./own.js').Own} Own */

const TRIES_MAX = 4;

/** @param {string} tournament */
const pathOf = (tournament) => `/api/v1/tournaments/${tournament}`;

/** Register a key for all seats of the entrant here. @param {string} tournament @param {number} number */
export async function register(tournament, number) {
  const [before] = entryOf(tournament).keys ?? [];
  // What got no answer is asked again with the same key.
  const key = (before === undefined ? null : await keyFrom(before)) ?? (await freshKey());
  keepEntry(tournament, { keys: [bareKey(key)] });
  const lines = await linesAt(`${pathOf(tournament)}/export`, `tournament/${tournament}`);
  const version = lines.length;
  const of = { match: tournament, seat: NO_SEAT, n: 0, before: NOTHING_BEFORE, version, label: OF_ENTRANTS };
  const message = messageFor(of, { type: 'take_key', number, key: key.key }, lines);
  const signed = { key: key.key, n: 0, version, sig: hex(await key.sign(message)) };
  const { token = null } = entryOf(tournament);
  await ask('POST', `${pathOf(tournament)}/commands`, { token, body: { type: 'take_key', key: key.key, signed } });
}

/**
 * Take the seat that is kept at the own table: with the registered key if it is in this browser, and without it elsewhere.
 *
 * @param {string} tournament
 * @param {Own} own
 * @returns {Promise<Own>} The card with the token of the seat.
 */
export async function takeSeat(tournament, own) {
  const { token = null, keys = [] } = entryOf(tournament);
  const at = `${pathOf(tournament)}/me/seat`;
  const ours = keys.find(({ key }) => key === own.key);
  const key = ours === undefined ? null : await keyFrom(ours);
  if (key === null) return ask('POST', at, { token, body: {} });
  const match = own.card.table?.match ?? '';
  const custody = own.custody ?? 'server';
  const [command, lines] = [{ type: 'join', key: key.key, custody }, new HeldLines(match)];
  keepTokens(match, { keys: [bareKey(key)] });
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    const events = await lines.refresh();
    const signed = await signedJoin(match, command, key, events);
    try {
      return await ask('POST', at, { token, body: { custody, key: key.key, signed } });
    } catch (trouble) {
      // Somebody may have said to be there meanwhile: a join has to have seen that.
      if (!(trouble instanceof Refusal) || trouble.code !== 'bad_signature' || left === 0) throw trouble;
    }
  }
}
