/**
 * Refusals and commands that clients keep, held against a record: heard in time, ignored, or overtaken.
 *
 * A refusal is the server's word, signed and dated, that it heard a command. It contradicts the record if that very
 * command stands there, or if the rules would have taken it: decided on the match as it was after the last line that is
 * not later (CUP/1 section 4.14.7). A key that it would have given a seat counts there as in layer 2: it is free, and one
 * that somebody could sign with. What has no answer proves nothing.
 */
import { decode } from '../auditor/canonical.js';
import { pointer, verifier } from '../auditor/ed25519.js';
import { Malformed } from '../auditor/faults.js';
import { decimal, noteOf } from '../auditor/notes.js';
import { isOfCommand } from '../auditor/records.js';
import { SIGNED } from '../auditor/shapes.js';
import { QUIET, RECOVERY_MS } from '../auditor/signing/keyed_seats.js';
import { NOTHING_BEFORE } from '../auditor/signing/messages.js';
import { hex, unhex, utf8 } from '../bytes.js';
import { isSigned } from '../client/notes.js';
import { list, maybe, members, oneOf, text, whole } from '../rules/audit/shapes.js';
import { decide } from '../rules/match/decide.js';
import { Refused } from '../rules/refused.js';
import * as noble from '../vendor/noble.js';
import { messageSigned } from './standing.js';

/** @typedef {import('../auditor/audit.js').Line} Line */
/** @typedef {import('../auditor/chain.js').Signed} Signed */
/** @typedef {import('../auditor/policies.js').Policy} Policy */
/** @typedef {import('../rules/audit/replay.js').Moment} Moment */
/** @typedef {'strange' | 'stands' | 'allowed' | 'lawful' | 'overtaken' | 'heard' | 'answered' | 'silent' | 'later'} What */
/** @typedef {{number: number, what: What, line: number | null, at: number | null}} NoteFinding Which note, from 1, and what
 *   comes of it. */
/** @typedef {{notes: NoteFinding[], contradicted: import('../client/receipts.js').Contradiction[]}} RefusalComparison */
/** @typedef {{key: string, at: number, by: {message: Uint8Array, signature: Uint8Array} | null}} Named A key that a host has
 *   named, and what the seat signed next. */
/** @typedef {{key: string, n: number, before: Uint8Array, named: Named[]}} Seat */
/** @typedef {{version: number, loud: number, seats: Map<number, Seat>}} State What signatures hang on after so many lines. */
/** @typedef {{signed: Signed, message: Uint8Array | null}} Known A command that is signed well; no message where the record
 *   does not reach so far. */
/** @typedef {{stream: string, version: number, message: string, at: number}} Refusal */

const COMMAND = 'CUP1 command\n';
const KEPT = /^CUP1 command\n(match\/[0-9a-f-]{36})\n(\{[^\n]*\})\n$/;
const REFUSAL =
  /^CUP1 refusal\n(match\/[0-9a-f-]{36})\n([0-9]+) ([0-9]+) ([0-9]+)\n([0-9a-f]{64})\n([0-9]+) ([a-z_]{1,64})\n$/;
const NOTHING = members({});
/** @param {unknown} value */
const isHash = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
/** @param {number} least @param {number} most @param {(value: any) => boolean} shape @returns {(value: any) => boolean} */
const sized = (least, most, shape) => (value) => shape(value) && value.length >= least && value.length <= most;
/** What a seat asks for, by the name of its command. Joins and handled dice say too little to be decided.
 *  @type {Map<string, (said: any) => boolean>} */
const ASKED = new Map([
  ['bid', members({ quantity: whole, face: whole })],
  ['call', members({ shape: sized(1, 20, text), faces: sized(0, 10, list(whole)) })],
  ['declare', members({ special: oneOf('social', 'reverse', 'impose'), to: maybe(whole) })],
  ['choose_first', members({ who: whole })],
  ['rekey', members({ key: isHash })],
  ['commit_seed', members({ deal: whole, commit: isHash })],
  ['open_seed', members({ deal: whole, seed: isHash })],
  ...['challenge', 'spot_on', 'pass', 'accept', 'catch', 'count', 'roll', 'demand_bills', 'stop', 'look'].map(
    (name) => /** @type {const} */ ([name, NOTHING]),
  ),
  ...['show_cocked', 'buy_back', 'drop_out', 'leave', 'resign'].map((name) => /** @type {const} */ ([name, NOTHING])),
]);
/** @type {Partial<Record<What, string>>} */
const CONTRADICTED = {
  stands: 'the server refused this command, and it stands in the record',
  allowed: 'the server refused a command here, though the rules allowed it',
};

const verified = verifier(noble);
const isPoint = pointer(noble);

/** @param {Uint8Array} bytes */
const hashOf = (bytes) => hex(noble.sha256(bytes));

/**
 * @param {Line[]} lines Of one match, that have passed layers 1 and 2.
 * @param {Map<number, Moment>} moments What the referee went through, by how many lines there were.
 * @param {string[]} notes Receipts are passed over.
 * @param {Policy | null} policy
 * @returns {RefusalComparison}
 */
export function heldRefusals(lines, moments, notes, policy) {
  const record = new Followed(lines, moments);
  const numbered = notes.map((text, at) => ({ text, number: at + 1 })).filter(({ text }) => isOfCommand(text));
  const kept = numbered
    .filter(({ text }) => text.startsWith(COMMAND))
    .map((one) => ({ ...one, known: record.kept(one.text) }));
  const refused = numbered
    .filter(({ text }) => !text.startsWith(COMMAND))
    .map((one) => ({ ...one, refusal: refusalIn(one.text, record, policy) }));
  const known = new Map(kept.flatMap(({ known: one }) => (one?.message ? [[hashOf(one.message), one]] : [])));
  const heard = new Set(refused.map(({ refusal }) => refusal?.message));
  const refusals = refused.map(({ number, refusal }) => ({ number, ...ofRefusal(refusal, record, known) }));
  const found = [...refusals, ...kept.map(({ number, known: one }) => ({ number, ...ofCommand(one, record, heard) }))];
  const against = refusals.flatMap(({ number, what, line }) => {
    const why = CONTRADICTED[what];
    return why === undefined ? [] : [{ number, line: line ?? 0, why }];
  });
  return {
    notes: found.sort((one, other) => one.number - other.number),
    contradicted: against.sort((one, other) => one.line - other.line),
  };
}

/** A record with what its signatures hung on after each of its lines. */
class Followed {
  /** @param {Line[]} lines @param {Map<number, Moment>} moments */
  constructor(lines, moments) {
    this.lines = lines;
    this.moments = moments;
    this.match = lines[0].data.match;
    this.stream = `match/${this.match}`;
    /** @type {State[]} */
    this.states = [{ version: 0, loud: 0, seats: new Map() }];
    /** @type {Map<string, number>} By the hash of what was signed. */
    this.stands = new Map();
    for (const line of lines) this.#follow(line);
  }

  /** @param {Line} line */
  #follow({ kind, data, at, signed, number }) {
    const { seats: before, loud, version } = this.states[number - 1];
    const seats = new Map(before);
    if (kind === 'seat.joined' && data.key !== undefined) seats.set(data.seat, fresh(data.key));
    if (signed !== undefined) {
      const seat = /** @type {Seat} */ (seats.get(signed.seat));
      const message = messageSigned(signed, this.match, seat.before, this.lines);
      this.stands.set(hashOf(message), number);
      const by = { message, signature: unhex(signed.sig) };
      const named = seat.named.map((one) => (one.by ? one : { ...one, by }));
      seats.set(signed.seat, { ...seat, n: signed.n, before: noble.sha256(message), named });
    }
    if (kind === 'seat.keyed') seats.set(data.seat, rekeyed(/** @type {Seat} */ (seats.get(data.seat)), data, at));
    if (kind === 'seat.left') seats.delete(data.seat);
    this.states.push({ version: version + 1, loud: QUIET.has(kind) ? loud : version, seats });
  }

  /** @param {string} text @returns {Known | null} A command that its seat signed over this very history. */
  kept(text) {
    const signed = signedIn(text, this.stream);
    if (signed === null) return null;
    if (signed.version > this.lines.length) return { signed, message: null };
    const joins = signed.command.type === 'join';
    const known = this.states[signed.version].seats.get(signed.seat);
    const seat = joins ? fresh(keyIn(signed.command)) : known;
    if (seat === undefined || signed.n !== seat.n + 1) return null;
    const message = messageSigned(signed, this.match, seat.before, this.lines);
    return keyFor(seat, Number.MAX_SAFE_INTEGER, message, unhex(signed.sig)) === null ? null : { signed, message };
  }

  /** @param {Refusal} refusal @returns {number | undefined} How many lines its command was decided on. */
  versionAt({ at, version }) {
    const before = this.lines.filter((line) => line.at <= at).length;
    const later = [...this.moments.keys()].filter((moment) => moment >= Math.max(before, version));
    return later.length === 0 ? undefined : Math.min(...later);
  }
}

/** @param {string} key @returns {Seat} */
const fresh = (key) => ({ key, n: -1, before: NOTHING_BEFORE, named: [] });

/** @param {{key?: unknown}} command */
const keyIn = ({ key }) => (typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) ? key : '');

/** @param {Seat} seat @param {{key: string, by: string}} keyed @param {number} at @returns {Seat} */
function rekeyed(seat, { key, by }, at) {
  if (by === 'seat') return { ...seat, key, named: [] };
  return { ...seat, named: [...seat.named.filter((one) => one.by !== null), { key, at, by: null }] };
}

/** @param {string} key @param {Uint8Array} message @param {Uint8Array} signature */
const signs = (key, message, signature) => key !== '' && verified(unhex(key), message, signature);

/** @param {Seat} seat Its key, by what it has signed since hosts named others for it. */
function keyOf({ key, named }) {
  let found = key;
  for (const { key: other, by } of named) if (by && !signs(found, by.message, by.signature)) found = other;
  return found;
}

/** @param {Seat} seat The key that a host has named for it, and nothing has decided yet. */
const openOf = ({ named }) => named.find(({ by }) => by === null);

/** @param {Seat} seat @param {number} at @param {Uint8Array} message @param {Uint8Array} signature @returns {string | null}
 *  The key that it is signed with, if one holds then. */
function keyFor(seat, at, message, signature) {
  const [key, open] = [keyOf(seat), openOf(seat)];
  if (signs(key, message, signature)) return key;
  const isDue = open !== undefined && at - open.at >= RECOVERY_MS;
  return isDue && signs(open.key, message, signature) ? open.key : null;
}

/** @param {Record<string, any>} command @param {string} by What it is signed with: that decides what a host has named
 *  for its seat. @param {number} number @param {State} state @returns {boolean} Whether the seat may have the key that
 *  it asks for, if it asks for one. */
function mayHave({ type, key = '' }, by, number, { seats }) {
  if (type !== 'rekey') return true;
  const others = [...seats].filter(([seat]) => seat !== number).map(([, seat]) => seat);
  const held = others.flatMap((seat) => [keyOf(seat), openOf(seat)?.key]);
  return ![by, ...held].includes(key) && isPoint(unhex(key));
}

/** @param {string} text @param {string} stream @returns {Signed | null} */
function signedIn(text, stream) {
  const found = KEPT.exec(text);
  if (found === null || found[1] !== stream) return null;
  try {
    const signed = decode(utf8(found[2]));
    return SIGNED(signed) ? /** @type {Signed} */ (signed) : null;
  } catch (trouble) {
    if (trouble instanceof Malformed) return null;
    throw trouble;
  }
}

/** @param {string} text @param {Followed} record @param {Policy | null} policy @returns {Refusal | null} */
function refusalIn(text, record, policy) {
  try {
    const note = noteOf(text);
    const found = REFUSAL.exec(note.body);
    if (found === null || (policy !== null && !isSigned(note, policy))) return null;
    const [seat, n, version, at] = [found[2], found[3], found[4], found[6]].map((one) => Number(decimal(one)));
    const refusal = { stream: found[1], seat, n, version, message: found[5], at };
    return refusal.stream === record.stream ? refusal : null;
  } catch (trouble) {
    if (trouble instanceof Malformed) return null;
    throw trouble;
  }
}

/** @param {What} what @param {number | null} [line] @param {number | null} [at] */
const came = (what, line = null, at = null) => ({ what, line, at });

/** @param {Known | null} known @param {Followed} record @param {Set<string | undefined>} heard */
function ofCommand(known, record, heard) {
  if (known === null) return came('strange');
  if (known.message === null) return came('later');
  const hash = hashOf(known.message);
  const line = record.stands.get(hash);
  if (line !== undefined) return came('stands', line);
  return came(heard.has(hash) ? 'answered' : 'silent');
}

/** @param {Refusal | null} refusal @param {Followed} record @param {Map<any, any>} known */
function ofRefusal(refusal, record, known) {
  if (refusal === null) return came('strange');
  const { message, at } = refusal;
  const line = record.stands.get(message);
  if (line !== undefined) return came('stands', line, at);
  if (refusal.version > record.lines.length) return came('later', null, at);
  const [version, one] = [record.versionAt(refusal), known.get(message)];
  if (version === undefined || one === undefined) return came('heard', null, at);
  const { what, line: where } = ruled(one, version, record, refusal);
  return came(what, where, at);
}

/** @param {{signed: Signed, message: Uint8Array}} known @param {number} version @param {Followed} record @param {Refusal}
 *  refusal @returns {{what: What, line: number | null}} What the rules say to a command that was refused, after so many lines. */
function ruled({ signed, message }, version, record, { at }) {
  const state = record.states[version];
  const { seats, loud } = state;
  const { match, keeper } = /** @type {Moment} */ (record.moments.get(version));
  if (signed.version <= loud) return came('overtaken', loud + 1);
  // Which dice lay where none are published the record does not say; and whom a house seats is not for rules alone.
  const { type, ...said } = signed.command;
  if (!ASKED.get(type)?.(said) || match.policy !== 0) return came('heard');
  const seat = /** @type {Seat} */ (seats.get(signed.seat));
  const key = seat.n + 1 === signed.n ? keyFor(seat, at, message, unhex(signed.sig)) : null;
  if (key === null || !mayHave(signed.command, key, signed.seat, state)) return came('lawful');
  try {
    const kind = type === 'resign' ? 'forfeit' : type;
    decide(match, { ...said, kind, seat: signed.seat }, Math.max(at, match.at), keeper);
  } catch (trouble) {
    if (trouble instanceof Refused) return came('lawful');
    throw trouble;
  }
  return came('allowed', version);
}
