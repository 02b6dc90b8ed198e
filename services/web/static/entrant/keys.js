/**
 * The key of an entrant: registered before the first table, changed later, and taken every seat with (CUP/1 section 4.25).
 * It is made and kept as keys of seats are, and lies here before anything is signed with it.
 */
import { canonical } from '../auditor/canonical.js';
import { NOTHING_BEFORE, NO_SEAT, OF_ENTRANTS } from '../auditor/signing/messages.js';
import { hex } from '../bytes.js';
import { Alarm, Refusal, ask, read } from '../client/api.js';
import { bareKey, entryOf, keepEntry, keepTokens } from '../client/keep.js';
import { headOf } from '../cup1.js';
import { HeldLines } from '../signing/held_lines.js';
import { freshKey, keyFrom, plainKey } from '../signing/keys.js';
import { inTurn } from '../signing/signer.js';
import { messageOver, signedJoin } from '../signing/standing.js';

/** @typedef {import('./own.js').Own} Own */
/** @typedef {import('../signing/keys.js').SeatKey} SeatKey */

const TRIES_MAX = 4;

/** @param {string} tournament */
const pathOf = (tournament) => `/api/v1/tournaments/${tournament}`;

/** Register a key for all seats of the entrant here, one page of this browser after the other. @param {string} tournament @param {Own} own */
export const register = (tournament, own) => inTurn(`truecup.key.${tournament}`, () => registered(tournament, own));

/** @param {string} tournament @param {Own} own */
async function registered(tournament, own) {
  const [before] = entryOf(tournament).keys ?? [];
  // What got no answer is asked again with the same key.
  const key = (before === undefined ? null : await keyFrom(before)) ?? (await freshKey());
  keepEntry(tournament, { keys: [bareKey(key)] });
  await say(tournament, own, key.key, key);
}

/**
 * Say which key is the entrant's own: the one that holds as well, if another was named that is not to hold.
 *
 * @param {string} tournament
 * @param {Own} own
 * @param {string} key As hex.
 * @param {SeatKey} by What it is signed with.
 */
export async function say(tournament, { card: { number, version: known }, signing }, key, by) {
  const { version, head } = await lastLine(tournament, known);
  const n = signing?.n ?? 0;
  const of = { match: tournament, seat: NO_SEAT, n, before: NOTHING_BEFORE, version, label: OF_ENTRANTS };
  const message = messageOver(of, { type: 'take_key', number, key }, head);
  const signed = { key: by.key, n, version, sig: hex(await by.sign(message)) };
  const { token = null } = entryOf(tournament);
  await ask('POST', `${pathOf(tournament)}/commands`, { token, body: { type: 'take_key', key, signed } });
}

/**
 * @param {string} tournament
 * @param {string | undefined} key As hex.
 * @returns {Promise<SeatKey | null>} Null if it is not here.
 */
export async function keyHere(tournament, key) {
  const ours = (entryOf(tournament).keys ?? []).find((kept) => kept.key === key);
  return ours === undefined ? null : keyFrom(ours);
}

/** Make a key that is to be the entrant's here. @param {string} tournament @returns {Promise<string>} It, as hex. */
export async function askForKey(tournament) {
  const { keys = [], asked } = entryOf(tournament);
  const before = await keyHere(tournament, asked);
  if (before !== null) return before.key;
  const fresh = await freshKey();
  keepEntry(tournament, { keys: [...keys, bareKey(fresh)], asked: fresh.key });
  return fresh.key;
}

/**
 * Sign with a key that its owner has put away.
 *
 * @param {string} tournament
 * @param {Own} own
 * @param {string} secret As hex; nothing if there was none in the file.
 * @returns {boolean} Whether it is the entrant's.
 */
export function bringBack(tournament, { key }, secret) {
  if (secret === '' || plainKey(secret).key !== key) return false;
  keepEntry(tournament, { keys: [...(entryOf(tournament).keys ?? []), bareKey(plainKey(secret))] });
  return true;
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
  const { token = null } = entryOf(tournament);
  const at = `${pathOf(tournament)}/me/seat`;
  const key = await keyHere(tournament, own.key ?? undefined);
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
