/**
 * A match from its lobby to its last line: who sits, how the dice come about, the game itself, whose clock runs.
 * The law of the file: `evolve` only remembers. What may happen is decided in `decide.js`.
 */
import { unhex } from '../../bytes.js';
import { needsDeal, rollsNext } from '../table/dice.js';
import { evolve as played } from '../table/evolve.js';
import { openingState } from '../table/state.js';
import * as absences from './absence.js';
import * as ceremonies from './ceremony.js';
import { clocksAfter, fullBanks } from './clocks.js';
import { hashOf } from './dealer.js';

/** @typedef {import('../table/state.js').Event} Event */
/**
 * @typedef {object} Match
 * @property {Uint8Array} id
 * @property {any} settings The rules object.
 * @property {number} policy What a deal publishes when it ends: 0 for all its dice, 1 for those that were shown.
 * @property {import('../table/state.js').Rules} rules
 * @property {Uint8Array} rulesHash
 * @property {Record<number, {custody: boolean, bot: boolean}>} seated By seat, whether the server draws its seeds, and
 *   whether the house plays it.
 * @property {number} seatsGiven The highest seat that was ever given.
 * @property {import('../table/state.js').State | null} table
 * @property {import('./ceremony.js').Ceremony | null} ceremony
 * @property {import('./clocks.js').Clocks | null} clocks
 * @property {number} deals
 * @property {number | null} resumesAt When the table may deal the next round.
 * @property {import('./absence.js').Absence | null} absence Where the rules have limits for those who stay away.
 * @property {string | null} ending Why the match ends as soon as no round is under way, if it does.
 * @property {boolean} ended
 * @property {number} at The time of the last event.
 */

/** @param {any} created @param {import('../table/state.js').Rules} rules @param {number} at @returns {Match} */
export const opened = (created, rules, at) => ({
  id: unhex(created.match.replaceAll('-', '')),
  settings: created.rules,
  policy: created.policy === 'all' ? 0 : 1,
  rules,
  rulesHash: hashOf(created.rules),
  seated: {},
  seatsGiven: 0,
  table: null,
  ceremony: null,
  clocks: null,
  deals: 0,
  resumesAt: null,
  absence: created.rules.idle === undefined ? null : absences.nobodyAway(at),
  ending: null,
  ended: false,
  at,
});

/** @param {Match} before @param {Event} event @param {number} at @returns {Match} */
export function evolve(before, event, at) {
  const match = { ...before, at };
  const remember = REMEMBER[event.type];
  const after = remember === undefined ? inPlay(match, event) : remember(match, event);
  if (before.absence === null) return after;
  const { absence, ceremony, seated } = before;
  return { ...after, absence: absences.evolve(absence, event, at, after.table?.turn ?? null, ceremony, seated) };
}

/** @param {Match} match @param {Event} event @returns {Match} */
const inPlay = (match, event) => ({
  ...match,
  ceremony: match.ceremony === null ? null : ceremonies.evolve(match.ceremony, event, match.at),
  table: match.table === null ? null : played(match.table, event),
  resumesAt: event.type === 'game.round_closed' ? match.at + match.settings.pause_ms : match.resumesAt,
});

/** @param {Match} match @param {number} seat @returns {Match} */
function without(match, seat) {
  const { [seat]: _left, ...seated } = match.seated;
  return { ...match, seated };
}

/** @param {Match} match @param {{seat: number, player: string}} joined @returns {Match} */
const seated = (match, { seat, player }) => ({
  ...match,
  seated: { ...match.seated, [seat]: { custody: false, bot: player.startsWith('bot/') } },
  seatsGiven: Math.max(match.seatsGiven, seat),
});

/** @param {Match} match @param {number} seat @returns {Match} */
const inCustody = (match, seat) => ({
  ...match,
  seated: { ...match.seated, [seat]: { ...match.seated[seat], custody: true } },
});

/** @param {Match} match @param {number[]} seats @returns {Match} */
const started = (match, seats) => ({
  ...match,
  table: openingState(match.rules, seats),
  clocks: match.settings.clock === null ? null : fullBanks(match.settings.clock, seats),
});

/** @param {Match} match @param {any} data @returns {Match} */
const committed = (match, data) => ({
  ...match,
  ceremony: ceremonies.opened(match, data, stillIn(match), match.at),
  deals: match.deals + 1,
});

/** @type {Record<string, (match: Match, event: Event) => Match>} */
const REMEMBER = {
  'seat.joined': (match, { data }) => seated(match, data),
  'seat.left': (match, { data }) => (match.table === null ? without(match, data.seat) : match),
  'game.seed_custody': (match, { data }) => inCustody(match, data.seat),
  'game.started': (match, { data }) => started(match, data.seats),
  'game.clock_set': (match, { data }) =>
    match.clocks === null ? match : { ...match, clocks: clocksAfter(match.clocks, data) },
  'game.end_asked': (match, { data }) => ({ ...match, ending: data.why }),
  'match.ended': (match) => ({ ...match, ended: true }),
  'deal.committed': (match, { data }) => committed(match, data),
};

/** @param {Match} match @returns {number[]} The seats that are not out, ascending. */
export function stillIn({ table }) {
  const { seats, out } = /** @type {import('../table/state.js').State} */ (table);
  return seats.filter((seat) => !out.includes(seat)).sort((one, other) => one - other);
}

/** @param {Match} match @returns {number | null} When the table has something to do by itself; null while it waits. */
export function dueAt(match) {
  const { table, ceremony, settings, absence, clocks } = match;
  if (match.ended) return null;
  if (table === null) return absence === null ? null : match.at + settings.idle.lobby_ms;
  const waiting = ceremony === null ? [] : ceremonies.awaited(ceremony);
  if (waiting.length) return Math.min(...waiting.map((seat) => seedDueAt(match, seat)));
  if (tableDeals(match)) return match.resumesAt ?? match.at;
  if (inCeremony(match)) return null;
  if (clocks !== null) return clocks.due;
  return absence === null || absence.turn === null ? null : absence.turnSince + settings.idle.turn_ms;
}

/** @param {Match} match @param {number} seat @returns {number} Until when it may give the seed that is awaited. */
export function seedDueAt({ ceremony, settings, absence }, seat) {
  const { since, stage } = /** @type {import('./ceremony.js').Ceremony} */ (ceremony);
  const charged = stage === 'committed' && absence !== null;
  return charged ? absences.seedDueAt(absence, settings.idle, seat, since) : since + absences.CEREMONY_MS;
}

/** @param {Match} match @returns {number[]} The seats that have used up their time for seeds, and are spared more. */
export function outOfSeedTime(match) {
  const { absence, settings, seated: players } = match;
  if (absence === null) return [];
  return stillIn(match).filter((seat) => !players[seat].custody && absences.hasSpent(absence, settings.idle, seat));
}

/** @param {Match} match @returns {number | null} When the table may end it, as bots play it for nobody. */
export function unattendedAt(match) {
  const { absence, settings, seated: players, table } = match;
  if (absence === null || table === null || match.ended || match.ending !== null) return null;
  return stillIn(match).every((seat) => players[seat].bot) ? absence.attendedAt + settings.idle.bots_ms : null;
}

/** @param {Match} match @returns {number | null} When the beacon speaks that the current deal waits for, if it does. */
export function beaconDueAt({ settings: { beacon }, ceremony }) {
  if (!beacon || !ceremony?.beacon) return null;
  return 1000 * (beacon.genesis + (ceremony.beacon.round - 1) * beacon.period);
}

/** @param {Match} match @returns {boolean} Whether the current deal is over or cannot serve another round. */
export const lacksDice = ({ table, ceremony }) =>
  ceremony === null || table === null || ceremony.stage !== 'ready' || needsDeal(table, ceremony.cups);

/** @param {Match} match @returns {boolean} Whether the dice of a deal are just coming about. */
export const inCeremony = ({ ceremony }) =>
  ceremony !== null && ['committed', 'sealed', 'logged', 'fixed'].includes(ceremony.stage);

/** @param {Match} match @returns {boolean} Whether the table has to deal before anybody can act. */
export function tableDeals(match) {
  const { table } = match;
  if (table === null || inCeremony(match) || table.phase === 'finished') return false;
  return table.phase === 'between_rounds' || (rollsNext(table) && lacksDice(match));
}

/** @param {Match} match @returns {boolean} Whether seats have to wait for dice. */
export const isDealing = (match) => inCeremony(match) || (tableDeals(match) && match.table?.phase === 'to_roll');
