/** How a seat stands in the lines of its match: its key, which of its commands comes next, and what it signed last. */
import { verifier } from '../auditor/ed25519.js';
import { JOIN } from '../auditor/signing/forms.js';
import { NOTHING_BEFORE, NO_SEAT, commandText, messageOf } from '../auditor/signing/messages.js';
import { hex, unhex } from '../bytes.js';
import * as noble from '../vendor/noble.js';

/** @typedef {import('../auditor/chain.js').Event} Event */
/** @typedef {{key: string, at: number, seq: number}} Named A key that the host has named, and when. */
/** @typedef {{key: string | null, name: string | null, named: Named | null, n: number, before: Uint8Array,
 *   replaced: number | null}} Standing `key` is null for a seat that signs nothing, `n` the last command that it signed,
 *   `named` what its next command decides of, and `replaced` the line, from 0, by which it has a key of the host's. */

const verified = verifier(noble);

/** @param {string} match @returns {Uint8Array} The bytes of its id. */
const idOf = (match) => unhex(match.replaceAll('-', ''));

/** @typedef {{match: string, seat: number, n: number, before: Uint8Array, version: number, label?: Uint8Array}} Word */

/**
 * @param {Word} of
 * @param {object} command In its public form.
 * @param {string} head The hash of the last line that its player has seen, as hex.
 * @returns {Uint8Array} What is signed.
 */
export function messageOver({ match, seat, n, before, version, label }, command, head) {
  const said = noble.sha256(commandText(command));
  return messageOf({ match: idOf(match), seat, n, version, head: unhex(head), before, said, label });
}

/**
 * @param {Word} of
 * @param {object} command In its public form.
 * @param {{head: string}[]} lines At least as many as its player has seen.
 */
export const messageFor = (of, command, lines) => messageOver(of, command, lines[of.version - 1].head);

/**
 * @param {string} match
 * @param {object} command A join in its public form: whoever makes it has signed nothing before.
 * @param {import('./keys.js').SeatKey} key
 * @param {{head: string}[]} lines All that its player has seen.
 * @returns {Promise<{n: number, version: number, sig: string}>} What it is sent with.
 */
export async function signedJoin(match, command, key, lines) {
  const version = lines.length;
  const message = messageFor({ match, seat: NO_SEAT, n: 0, before: NOTHING_BEFORE, version }, command, lines);
  return { n: 0, version, sig: hex(await key.sign(message)) };
}

/**
 * @param {import('../auditor/chain.js').Signed} signed
 * @param {string} match
 * @param {Uint8Array} before The hash of what its seat signed before.
 * @param {{head: string}[]} lines At least as many as its player had seen.
 * @returns {Uint8Array} What the signature stands for: a join has no seat yet.
 */
export function messageSigned({ command, n, seat, version }, match, before, lines) {
  const place = command.type === JOIN ? NO_SEAT : seat;
  return messageFor({ match, seat: place, n, before, version }, command, lines);
}

/** @param {Event[]} events @param {string} match @param {number} seat @returns {Standing | null} Null if nobody sits there. */
export function standingOf(events, match, seat) {
  /** @type {Standing | null} */
  let standing = null;
  for (const event of events) {
    const { type, data, signed } = event;
    if (type === 'seat.joined' && data.seat === seat) standing = joined(data);
    if (standing === null) continue;
    if (signed?.seat === seat) goOn(standing, event, match, events);
    if (type === 'seat.keyed' && data.seat === seat) rekey(standing, event);
    if (type === 'seat.left' && data.seat === seat) standing = null;
  }
  return standing;
}

/** @param {any} data @returns {Standing} */
const joined = ({ key = null, name = null }) => ({
  ...{ key, name, named: null, n: -1, before: NOTHING_BEFORE, replaced: null },
});

/** @param {Standing} standing @param {Event} event @param {string} match @param {Event[]} events */
function goOn(standing, event, match, events) {
  const signed = /** @type {import('../auditor/chain.js').Signed} */ (event.signed);
  const message = messageSigned(signed, match, standing.before, events);
  const { key, named } = standing;
  if (named !== null && !verified(unhex(key ?? ''), message, unhex(signed.sig))) {
    Object.assign(standing, { key: named.key, replaced: named.seq });
  }
  Object.assign(standing, { n: signed.n, named: null, before: noble.sha256(message) });
}

/** @param {Standing} standing @param {Event} event */
function rekey(standing, { seq, at, data: { key, by } }) {
  if (by === 'host') standing.named = { key, at, seq };
  else Object.assign(standing, { key, replaced: null });
}
