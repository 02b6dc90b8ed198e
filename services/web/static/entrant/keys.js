/**
 * The key of an entrant: registered once, before the first table, and taken every seat with (CUP/1 sections 4.14.8, 4.25).
 * It is made and kept as keys of seats are, and lies here before anything is signed with it.
 */
import { canonical } from '../auditor/canonical.js';
import { NOTHING_BEFORE, NO_SEAT, OF_ENTRANTS } from '../auditor/signing/messages.js';
import { hex } from '../bytes.js';
import { Alarm, Refusal, ask, read } from '../client/api.js';
import { bareKey, entryOf, keepEntry, keepTokens } from '../client/keep.js';
import { headOf } from '../cup1.js';
import { HeldLines } from '../signing/held_lines.js';
import { freshKey, keyFrom } from '../signing/keys.js';
import { messageOver, signedJoin } from '../signing/standing.js';

/** @typedef {import('./own.js').Own} Own */

const TRIES_MAX = 4;

/** @param {string} tournament */
const pathOf = (tournament) => `/api/v1/tournaments/${tournament}`;

/** Register a key for all seats of the entrant here. @param {string} tournament @param {Own} own */
export async function register(tournament, { card: { number, version } }) {
  const [before] = entryOf(tournament).keys ?? [];
  // What got no answer is asked again with the same key.
  const key = (before === undefined ? null : await keyFrom(before)) ?? (await freshKey());
  keepEntry(tournament, { keys: [bareKey(key)] });
  const seen = await lastLine(tournament, version);
  const of = {
    match: tournament,
    seat: NO_SEAT,
    n: 0,
    before: NOTHING_BEFORE,
    version: seen.version,
    label: OF_ENTRANTS,
  };
  const message = messageOver(of, { type: 'take_key', number, key: key.key }, seen.head);
  const signed = { key: key.key, n: 0, version: seen.version, sig: hex(await key.sign(message)) };
  const { token = null } = entryOf(tournament);
  await ask('POST', `${pathOf(tournament)}/commands`, { token, body: { type: 'take_key', key: key.key, signed } });
}

/**
 * The last line of the tournament, and no other: its hash says all that stands before it.
 *
 * @param {string} tournament
 * @param {number} version How many lines there are at least.
 * @returns {Promise<{version: number, head: string}>} How many there are with it, and its hash.
 */
async function lastLine(tournament, version) {
  const told = await read(`${pathOf(tournament)}/lines?after=${version - 1}`, { accept: 'application/x-ndjson' });
  const raw = (await told.text()).trimEnd().split('\n').at(-1) ?? '';
  const line = raw === '' ? {} : JSON.parse(raw);
  if (line.stream !== `tournament/${tournament}` || line.seq < version - 1 || canonical(line) !== raw)
    throw new Alarm('line', { line: String(version) });
  return { version: line.seq + 1, head: headOf(raw) };
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
