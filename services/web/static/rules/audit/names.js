/** Names held against the record: whether people are called what the lines commit to that seated them (CUP/1 4.14.1). */
import { Malformed } from '../../auditor/faults.js';
import { nameMessage } from '../../auditor/signing/messages.js';
import { hex } from '../../bytes.js';

/** @typedef {import('../../auditor/audit.js').Line} Line */
/** @typedef {import('../../auditor/hashing.js').Hashing} Hashing */
/** @typedef {{match: string, name: string | null, player: string, salt: string | null, seat: number}} SeatName A line of a
 *   file of names; `name` and `salt` are null where they were erased. */
/** @typedef {{checked: number[], open: number[], erased: number[], swapped: number[], strange: number}} NamesFound The seats
 *   that are called what their lines commit to, those for which no line commits to a name, those of which no name is told;
 *   the lines that commit to another name; and how many names are told of whom no line seats. */

const BOT = 'bot/';
const MEMBERS = 'match,name,player,salt,seat';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SALT = /^[0-9a-f]{64}$/;
const [NAME_MAX, PLAYER_MAX, SEAT_MAX] = [256, 64, 254];
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {Uint8Array} file @returns {SeatName[]} @throws {Malformed} It is no file of names. */
export function namesIn(file) {
  try {
    const lines = decoder.decode(file).split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.map((line) => named(JSON.parse(line)));
  } catch (trouble) {
    throw new Malformed(`a file of names has one JSON object a line: ${/** @type {Error} */ (trouble).message}`);
  }
}

/** @param {any} told @returns {SeatName} */
function named(told) {
  const { match, name, player, salt, seat } = told;
  const fits =
    Object.keys(told).sort().join() === MEMBERS &&
    UUID.test(match) &&
    (name === null || isText(name, NAME_MAX)) &&
    isText(player, PLAYER_MAX) &&
    (salt === null || (typeof salt === 'string' && SALT.test(salt))) &&
    Number.isInteger(seat) &&
    seat >= 1 &&
    seat <= SEAT_MAX;
  if (!fits) throw new Malformed('this is no name of a seat');
  return told;
}

/** @param {unknown} said @param {number} most */
const isText = (said, most) => typeof said === 'string' && [...said].length <= most && !/\p{Surrogate}/u.test(said);

/**
 * Bots of the house are nobody, and called as it likes.
 * @param {Line[]} lines Those of a match without fault.
 * @param {SeatName[]} told
 * @param {Hashing} hashing
 * @returns {Promise<NamesFound>}
 */
export async function namesHeld(lines, told, hashing) {
  const { match } = lines[0].data;
  const seated = lines.filter(({ kind, data }) => kind === 'seat.joined' && isPerson(data.player));
  const people = new Map(seated.map((line) => [line.data.player, line]));
  const mine = told.filter((one) => isPerson(one.player) || one.match !== match);
  const known = mine.filter((one) => one.match === match && people.get(one.player)?.data.seat === one.seat);
  /** @type {NamesFound} */
  const found = { checked: [], open: [], erased: [], swapped: [], strange: mine.length - known.length };
  const called = known.filter(({ name }) => name !== null);
  for (const one of called) {
    const { number, data } = /** @type {Line} */ (people.get(one.player));
    if (data.name === undefined) found.open.push(data.seat);
    else if (await isCommitted(data.name, one, hashing)) found.checked.push(data.seat);
    else found.swapped.push(number);
  }
  const names = new Set(called.map(({ player }) => player));
  found.erased = [...people.values()].filter(({ data }) => !names.has(data.player)).map(({ data }) => data.seat);
  return found;
}

/** @param {NamesFound} found @returns {number | null} The first line that is contradicted, 0 for the file of names. */
export function lineAgainst({ swapped, strange }) {
  if (swapped.length > 0) return Math.min(...swapped);
  return strange > 0 ? 0 : null;
}

/** @param {string} commitment @param {SeatName} told @param {Hashing} hashing */
async function isCommitted(commitment, { name, salt }, hashing) {
  if (salt === null || name === null) return false;
  return hex(await hashing.sha256(nameMessage(salt, name))) === commitment;
}

/** @param {string} player */
const isPerson = (player) => !player.startsWith(BOT);
