/** The members of every type of event, exactly (CUP/1 section 4.5). Whatever has others was never written by a server. */
import { unhex } from '../bytes.js';
import { isObject } from './canonical.js';
import { isStrictPoint } from './ed25519.js';
import { Fault } from './faults.js';

/** @typedef {(value: any) => boolean} Shape */

/** @type {(low: number, high: number) => Shape} */
const from = (low, high) => (value) => typeof value === 'number' && value >= low && value <= high;
/** @type {(form: RegExp) => Shape} */
const written = (form) => (value) => typeof value === 'string' && form.test(value);
/** @type {(item: Shape, least?: number, most?: number) => Shape} */
const list =
  (item, least = 0, most = Infinity) =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(item);
/** @type {(...items: Shape[]) => Shape} */
const row =
  (...items) =>
  (value) =>
    Array.isArray(value) && value.length === items.length && items.every((item, place) => item(value[place]));
/** @type {(members: Record<string, Shape>, optional?: Record<string, Shape>) => Shape} */
const exactly =
  (members, optional = {}) =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(members, name) || Object.hasOwn(optional, name)) &&
    Object.entries(members).every(([name, shape]) => Object.hasOwn(value, name) && shape(value[name])) &&
    Object.entries(optional).every(([name, shape]) => !Object.hasOwn(value, name) || shape(value[name]));
/** @type {(shape: Shape) => Shape} */
const orNull = (shape) => (value) => value === null || shape(value);

const ANY = () => true;
const INTEGER = from(-Infinity, Infinity);
const TEXT = written(/^/);
const HASH = written(/^[0-9a-f]{64}$/);
const SIGNATURE = written(/^[0-9a-f]{128}$/);
/** @type {Shape} */
const KEY = (value) => HASH(value) && isStrictPoint(unhex(value));
const OCTETS = written(/^(?:[0-9a-f]{2})*$/);
const UUID = written(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const KEPT = written(/^(?:all|shown)$/);
const SEAT = from(1, 254);
const NUMBER = from(0, 65_535);
const BYTE = from(0, 255);
const ROLLS = from(1, 65_535);
const WIDTH = from(1, 255);
const ROUND = from(1, Infinity);
const COUNTER_MAX = 2 ** 32 - 1;
const PLACES = list(INTEGER);
const POSITIONS = exactly({ inside: PLACES, outside: PLACES, roll_inside: PLACES, roll_outside: PLACES });

const CUPS = list(row(BYTE, BYTE, ROLLS, WIDTH), 1, 255);
const LOGGED = exactly({
  deal: INTEGER,
  index: INTEGER,
  path: list(HASH),
  checkpoint: TEXT,
});

/** @type {[kind: string, shape: Shape][]} */
const DEALS = [
  ['seat.joined', exactly({ seat: SEAT, player: TEXT }, { key: KEY, name: HASH })],
  ['seat.left', exactly({ seat: SEAT, reason: TEXT })],
  ['seat.keyed', exactly({ seat: SEAT, key: KEY, by: written(/^(?:seat|host)$/) })],
  ['deal.committed', exactly({ deal: NUMBER, cups: CUPS, root: HASH })],
  ['seed.committed', exactly({ deal: INTEGER, seat: SEAT, commit: HASH })],
  [
    'deal.sealed',
    exactly({ deal: INTEGER, seats: list(SEAT), beacon: orNull(exactly({ chain: HASH, round: ROUND })) }),
  ],
  ['deal.logged', LOGGED],
  ['seed.opened', exactly({ deal: INTEGER, seat: SEAT, seed: HASH })],
  ['deal.fixed', LOGGED],
  [
    'deal.ready',
    exactly({
      deal: INTEGER,
      mix: HASH,
      beacon: orNull(exactly({ chain: HASH, round: ROUND, randomness: HASH, signature: OCTETS })),
    }),
  ],
  ['cup.rolled', exactly({ deal: INTEGER, cup: INTEGER, roll: INTEGER, slots: list(INTEGER), m: list(INTEGER) })],
  [
    'cup.revealed',
    exactly({
      deal: INTEGER,
      cup: INTEGER,
      roll: INTEGER,
      com: list(HASH),
      path: list(HASH),
      keys: list(row(INTEGER, OCTETS)),
      values: list(row(INTEGER, INTEGER)),
    }),
  ],
  ['deal.voided', exactly({ deal: INTEGER, reason: TEXT, seats: list(SEAT) })],
  ['deal.closed', exactly({ deal: INTEGER, secret: orNull(HASH) }, { handled: list(row(INTEGER, HASH, POSITIONS)) })],
];
/** @type {Map<string, Shape>} */
const OF_A_MATCH = new Map([
  ['match.created', exactly({ match: UUID, rules: isObject, policy: KEPT })],
  ...DEALS,
  ['deal.shared', exactly({ deal: NUMBER, board: UUID, root: HASH, mix: HASH, head: HASH })],
  ['match.ended', ANY],
]);
/** @type {Map<string, Shape>} The lots of a tournament are a deal; what else happens in it layer 3 knows. */
const OF_A_TOURNAMENT = new Map([
  ['tournament.created', exactly({ tournament: UUID, rules: isObject, policy: written(/^all$/) })],
  ...DEALS,
  ['tournament.closed', ANY],
]);
/** @type {Map<string, Shape>} The deal that several matches share; when a round is over at all of them layer 3 knows. */
const OF_A_BOARD = new Map([
  ['board.created', exactly({ board: UUID, rules: isObject, policy: written(/^all$/) })],
  ...DEALS,
  ['board.closed', ANY],
]);
/** @type {Map<string, Shape>} No dice are thrown in a season; what counts in it layer 3 knows. */
const OF_A_SEASON = new Map([
  ['season.created', exactly({ season: UUID, game: TEXT, rules: isObject })],
  ['season.closed', ANY],
]);
const RULED = new RegExp(
  '^(?:game\\.seed_custody|(?:tournament|official|entry|player|check_in|bye|stage|tables|round|table|result|penalty' +
    '|pair|case|time|appeal|challenge)\\.)',
);

const OF_BOARDS = /^(?:game\.seed_custody|board\.)/;

/** What a line has of who signed the command that it came of. */
export const SIGNED = exactly({
  command: isObject,
  n: from(0, COUNTER_MAX),
  seat: SEAT,
  sig: SIGNATURE,
  version: from(1, COUNTER_MAX),
});
/** The members that every event line has, and the one that it has where a seat signed it. */
export const ENVELOPE = exactly(
  { at: INTEGER, data: isObject, prev: HASH, seq: from(0, Infinity), stream: TEXT, type: TEXT, v: from(1, 1) },
  { signed: SIGNED },
);

/**
 * @param {string} kind
 * @param {Record<string, any>} data
 * @param {string} stream
 * @throws {Fault} There is no such type in this stream, or it has other members. Those of `game.` events, and of what is
 *   ruled in a tournament, counts for a season or is over at a board, are free: layer 3 knows them.
 */
export function checkMembers(kind, data, stream) {
  const shape = shapeOf(kind, stream);
  if (shape === undefined) throw new Fault('E_FORMAT', 'there is no event of this type');
  if (!shape(data)) throw new Fault('E_FORMAT', `${kind} does not have the members it should`);
}

/** @param {string} kind @param {string} stream @returns {Shape | undefined} What such an event of this stream has. */
function shapeOf(kind, stream) {
  if (stream.startsWith('tournament/')) return OF_A_TOURNAMENT.get(kind) ?? (RULED.test(kind) ? ANY : undefined);
  if (stream.startsWith('season/')) return OF_A_SEASON.get(kind) ?? (kind.startsWith('season.') ? ANY : undefined);
  if (stream.startsWith('board/')) return OF_A_BOARD.get(kind) ?? (OF_BOARDS.test(kind) ? ANY : undefined);
  return kind.startsWith('game.') ? ANY : OF_A_MATCH.get(kind);
}

/** @param {string} kind @returns {boolean} Whether nothing follows an event of this type. */
export function isEnd(kind) {
  return ['match.ended', 'tournament.closed', 'season.closed', 'board.closed'].includes(kind);
}
