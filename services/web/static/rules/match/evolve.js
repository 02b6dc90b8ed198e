/**
 * A match from its lobby to its last line: who sits, how the dice come about, the game itself, whose clock runs.
 * The law of the file: `evolve` only remembers. What may happen is decided in `decide.js`.
 */
import { unhex } from '../../bytes.js';
import { isBetweenRounds, needsDeal, rollsNext } from '../table/dice.js';
import { evolve as played } from '../table/evolve.js';
import { openingState } from '../table/state.js';
import * as absences from './absence.js';
import { boardCups } from './boards.js';
import * as ceremonies from './ceremony.js';
import { clocksAfter, fullBanks, lengthened } from './clocks.js';
import { hashOf } from './dealer.js';

/** @typedef {import('../table/state.js').Event} Event */
/**
 * @typedef {object} Sitting
 * @property {string} player
 * @property {boolean} custody Whether the server draws its seeds.
 * @property {boolean} bot Whether it is a bot of the house.
 * @property {boolean} standIn Whether a bot of the house plays for it.
 * @property {boolean} lent Whether the server draws its seeds only while that is so.
 * @property {string | null} key What the seat itself named last to sign with; null for one that signs nothing.
 */
/**
 * @typedef {object} Match
 * @property {Uint8Array} id
 * @property {any} settings The rules object.
 * @property {number} policy What a deal publishes when it ends: 0 for all its dice, 1 for those that were shown.
 * @property {import('../table/state.js').Rules} rules
 * @property {Uint8Array} rulesHash
 * @property {Record<number, Sitting>} seated By seat.
 * @property {number} seatsGiven The highest seat that was ever given.
 * @property {number[]} came The seats that somebody has had, whoever has left since.
 * @property {import('../table/state.js').State | null} table
 * @property {import('./ceremony.js').Ceremony | null} ceremony
 * @property {import('./clocks.js').Clocks | null} clocks
 * @property {number} deals
 * @property {number | null} resumesAt When the table may deal the next round.
 * @property {number[]} continued The seats that have asked for the next round since the last one was over.
 * @property {import('./absence.js').Absence | null} absence Where the rules have limits for those who stay away.
 * @property {string | null} ending Why the match ends as soon as no round is under way, if it does.
 * @property {number | null} host The seat that is the host; null for whoever opened the match.
 * @property {boolean} locked Whether nobody else sits down.
 * @property {number[]} kicked The seats that the host takes out, ascending.
 * @property {number} changes How often the table was changed.
 * @property {Record<number, number>} asides How many lines beside the game each seat has written; 0 is the host.
 * @property {{since: number, until: number} | null} paused Since when the host holds the table up, and until when at most.
 * @property {number} heldMs For how long the host has held it up before.
 * @property {number[]} ready The seats that have said that they are there, at a table of a tournament.
 * @property {number | null} lastRound The round that the director has made the last one.
 * @property {number | null} rejoining The seat whose player got up a moment ago to take it again with a key.
 * @property {boolean} stopped Whether an official has ruled on it while it was played.
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
  came: [],
  table: null,
  ceremony: null,
  clocks: null,
  deals: 0,
  resumesAt: null,
  continued: [],
  absence: created.rules.idle === undefined ? null : absences.nobodyAway(at),
  ending: null,
  host: null,
  locked: false,
  kicked: [],
  changes: 0,
  asides: {},
  paused: null,
  heldMs: 0,
  ready: [],
  lastRound: null,
  rejoining: null,
  stopped: false,
  ended: false,
  at,
});

/** @param {Match} before @param {Event} event @param {number} at @returns {Match} */
export function evolve(before, event, at) {
  const changes = before.changes + Number(isChange(event));
  const match = { ...before, at, changes, asides: asidesAfter(before, event) };
  const remember = REMEMBER[event.type];
  const after = remember === undefined ? inPlay(match, event) : remember(match, event);
  if (before.absence === null) return after;
  const turn = after.table?.turn ?? null;
  return { ...after, absence: absences.evolve(before.absence, event, at, turn, before) };
}

/** @param {Event} event @returns {boolean} Whether it counts against the bound: getting one's seat back does not. */
const isChange = ({ type, data }) =>
  ['game.handed_over', 'game.locked', 'game.unlocked'].includes(type) ||
  (type === 'game.stood_in' && data.why !== 'idle');

/** What changes nothing of the game and can be written again and again is counted against its writer, or the host. */
const HOST = 0;

/** @param {Match} before @param {Event} event @returns {Record<number, number>} */
function asidesAfter({ asides, table }, { type, data }) {
  const again = type === 'game.looked' && table?.looked.includes(data.seat);
  const byHost = type === 'game.paused' || (type === 'seat.keyed' && data.by === 'host');
  if (!again && !byHost && type !== 'seat.keyed') return asides;
  const who = byHost ? HOST : data.seat;
  return { ...asides, [who]: (asides[who] ?? 0) + 1 };
}

/** @param {Match} match @param {Event} event @returns {Match} */
const inPlay = (match, event) => ({
  ...match,
  ceremony: match.ceremony === null ? null : ceremonies.evolve(match.ceremony, event, match.at),
  table: match.table === null ? null : played(match.table, event),
  resumesAt: event.type === 'game.round_closed' ? match.at + match.settings.pause_ms : match.resumesAt,
  continued: ['game.round_closed', 'game.round_opened'].includes(event.type) ? [] : match.continued,
});

/** @param {Match} match @param {number} seat @returns {Match} */
function without(match, seat) {
  const { [seat]: _left, ...seated } = match.seated;
  return { ...match, seated };
}

/** @param {Match} match @param {{seat: number, player: string, key?: string}} joined @returns {Match} */
const seated = (match, { seat, player, key }) => ({
  ...match,
  seated: {
    ...match.seated,
    [seat]: { player, custody: false, bot: player.startsWith('bot/'), standIn: false, lent: false, key: key ?? null },
  },
  seatsGiven: Math.max(match.seatsGiven, seat),
  came: [...match.came, seat],
  rejoining: null,
});

/** @param {Match} match @param {number} seat @param {Partial<Sitting>} change @returns {Match} */
const reseated = (match, seat, change) => ({
  ...match,
  seated: { ...match.seated, [seat]: { ...match.seated[seat], ...change } },
});

/** @param {Match} match @param {{seat: number, by: string}} drawn @returns {Match} By whom its seeds are drawn now. */
const custody = (match, { seat, by }) =>
  reseated(match, seat, { custody: by === 'server', lent: by === 'server' && match.seated[seat].standIn });

/** @param {Match} match @param {{seat: number, key: string, by: string}} keyed @returns {Match} Whether a key that a host
 *  has named comes to hold is decided by a signature. */
const rekeyed = (match, { seat, key, by }) => (by === 'host' ? match : reseated(match, seat, { key }));

/** @param {Match} match @param {number} seat @returns {Match} Whoever has the seat next is not who was the host; a key ends
 *  with its seat. */
const given = (match, seat) =>
  match.table === null
    ? { ...without(match, seat), host: hostWithout(match, seat) }
    : reseated(match, seat, { key: null });

/** @param {Match} match @param {number} seat */
const hostWithout = ({ host }, seat) => (host === seat ? null : host);

/** @param {Match} match @param {number} seat @returns {Match} In the lobby it is left at once. */
const kicked = (match, seat) =>
  match.table === null ? match : { ...match, kicked: [...match.kicked, seat].sort((one, other) => one - other) };

/** @param {Match} match @returns {Match} What a round that ended in the pause moves by depends on the rules. */
function resumed(match) {
  const { at, settings, resumesAt } = match;
  const since = match.paused?.since ?? at;
  const endedAt = (resumesAt ?? 0) - settings.pause_ms;
  const movedBy = at - (settings.host?.moves === 'since' ? Math.max(since, endedAt) : since);
  const heldMs = match.heldMs + at - since;
  return { ...match, paused: null, heldMs, resumesAt: resumesAt === null ? null : resumesAt + movedBy };
}

/** @param {Match} match @param {{seat: number, ms: number}} given @returns {Match} */
const timeGiven = (match, { seat, ms }) => ({
  ...match,
  heldMs: match.heldMs + ms,
  clocks: match.clocks === null ? null : lengthened(match.clocks, seat, ms),
});

/** @param {Match} match @param {number[]} seats @returns {Match} */
const started = (match, seats) => ({
  ...match,
  table: openingTable(match, seats),
  clocks: match.settings.clock === null ? null : fullBanks(match.settings.clock, seats),
});

/** @param {Match} match @param {number[]} seats Who is to open does so, or the next seat that is still taken. */
function openingTable({ rules, settings: { starter, stacks, board } }, seats) {
  const table = { ...openingState(rules, seats, stacks), inStep: board !== undefined };
  if (starter === undefined) return table;
  const opens = seats.find((seat) => seat >= starter) ?? seats[0];
  return played(table, { type: 'game.first_chosen', data: { seat: opens, who: opens } });
}

/** @param {Match} match @param {any} data @returns {Match} */
const committed = (match, data) => ({
  ...match,
  ceremony: ceremonies.opened(match, data, stillIn(match), match.at),
  deals: match.deals + 1,
});

/** @param {Match} match @param {any} data @returns {Match} What binds its hashes is in the stream of the board. */
const shared = (match, { deal, root, mix }) => ({
  ...match,
  ceremony: ceremonies.shared(deal, boardCups(match), unhex(root), unhex(mix), match.at),
});

/** @param {Match} match @returns {number} The round under way or over; the first one as long as it has not begun. */
export const roundNow = ({ table }) => Math.max(1, table?.round ?? 0);

/** @type {Record<string, (match: Match, event: Event) => Match>} */
const REMEMBER = {
  'seat.joined': (match, { data }) => seated(match, data),
  'seat.keyed': (match, { data }) => rekeyed(match, data),
  'seat.left': (match, { data }) =>
    data.reason === 'rejoins' ? { ...match, rejoining: data.seat } : given(match, data.seat),
  'game.seed_custody': (match, { data }) => custody(match, data),
  'game.started': (match, { data }) => started(match, data.seats),
  'game.clock_set': (match, { data }) =>
    match.clocks === null ? match : { ...match, clocks: clocksAfter(match.clocks, data) },
  'game.end_asked': (match, { data }) => ({ ...match, ending: data.why }),
  'game.continued': (match, { data }) => ({ ...match, continued: [...match.continued, data.seat] }),
  'game.seat_ready': (match, { data }) => ({ ...match, ready: [...match.ready, data.seat] }),
  'game.last_round': (match) => ({ ...match, lastRound: roundNow(match) }),
  'game.stopped': (match) => ({ ...match, stopped: true }),
  'game.kicked': (match, { data }) => kicked(match, data.seat),
  'game.paused': (match, { data }) => ({ ...match, paused: { since: match.at, until: data.until } }),
  'game.resumed': (match) => resumed(match),
  'game.time_given': (match, { data }) => timeGiven(match, data),
  'game.handed_over': (match, { data }) => ({ ...match, host: data.to }),
  'game.locked': (match) => ({ ...match, locked: true }),
  'game.unlocked': (match) => ({ ...match, locked: false }),
  'game.stood_in': (match, { data }) => reseated(match, data.seat, { standIn: true }),
  'game.taken_back': (match, { data }) => reseated(match, data.seat, { standIn: false }),
  'match.ended': (match) => ({ ...match, ended: true }),
  'deal.committed': (match, { data }) => committed(match, data),
  'deal.shared': (match, { data }) => shared(match, data),
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
  if (table === null) return lobbyDueAt(match);
  const waiting = ceremony === null ? [] : ceremonies.awaited(ceremony);
  const first = [
    ...waiting.map((seat) => seedDueAt(match, seat)),
    ...(match.paused === null ? [] : [match.paused.until]),
  ];
  if (first.length) return Math.min(...first);
  if (tableDeals(match)) return haveLooked(match) ? match.at : (match.resumesAt ?? match.at);
  if (inCeremony(match)) return null;
  if (clocks !== null) return clocks.due;
  return absence === null || absence.turn === null ? null : absence.turnSince + settings.idle.turn_ms;
}

/** @param {Match} match @returns {boolean} Whether nobody wants to look at the dice of the last round any longer. */
function haveLooked(match) {
  const { absence, continued, kicked: leaving } = match;
  if (continued.length === 0 || !isContinuable(match)) return false;
  return peopleIn(match).every((seat) => [...continued, ...leaving].includes(seat) || seat in (absence?.turns ?? {}));
}

/** @param {Match} match @returns {boolean} Whether a pause goes on that players may end. */
export const isContinuable = (match) =>
  match.settings.pause_ends !== undefined &&
  match.paused === null &&
  match.resumesAt !== null &&
  match.resumesAt > match.at &&
  tableDeals(match);

/** @param {Match} match @returns {number | null} When it begins of itself, or ends because nobody came or went. */
function lobbyDueAt(match) {
  if (match.settings.starts_at !== undefined) return match.settings.starts_at;
  if (startsOfItself(match)) return match.at;
  // Who comes late to a table of a tournament is for the tournament to say.
  if (match.absence === null || match.settings.event !== undefined) return null;
  return match.absence.cameAt + match.settings.idle.lobby_ms;
}

/** @param {Match} match @returns {boolean} Whether a lobby that is due begins; bots alone wait for their host. */
export function startsOfItself(match) {
  const { settings, seated: players, rules } = match;
  const taken = Object.keys(players).length;
  if (Object.values(players).every(({ bot }) => bot)) return false;
  if (settings.starts_at !== undefined) return taken >= rules.seats[0];
  if (settings.event !== undefined) return readyAwaited(match).length === 0 && taken >= rules.seats[0];
  return settings.start === 'full' && taken === settings.seats;
}

/** @param {Match} match @returns {number[]} The seats that nobody has had, which are kept for who takes them with a key. */
export const keptSeats = ({ settings, came }) =>
  Array.from({ length: settings.seats }, (_, at) => at + 1).filter((seat) => !came.includes(seat));

/** @param {Match} match @returns {number[]} The seats that have still to say that they are there, where they have to. */
export function readyAwaited(match) {
  const { settings, table, seated: players, ready } = match;
  if (settings.event === undefined || table !== null) return [];
  const seats = Object.keys(players).map(Number);
  const silent = seats.filter((seat) => !players[seat].bot && players[seat].key === null && !ready.includes(seat));
  return [...keptSeats(match), ...silent];
}

/** @param {Match} match @returns {number} For how many milliseconds the host may hold the table up, none without powers. */
export const leftToHold = ({ settings, heldMs }) => (settings.host?.hold_ms ?? 0) - heldMs;

/** @param {Match} match @returns {number} How long a seat has kept the table waiting before the host may replace it. */
export const awayMs = ({ settings }) => settings.host.away_ms;

/** @param {Match} match @param {number} seat @returns {number} Until when it may give the seed that is awaited. */
export function seedDueAt({ ceremony, settings, absence }, seat) {
  const { since, stage } = /** @type {import('./ceremony.js').Ceremony} */ (ceremony);
  const charged = stage === 'committed' && absence !== null;
  return charged ? absences.seedDueAt(absence, settings.idle, seat, since) : since + absences.CEREMONY_MS;
}

/** @param {Match} match @returns {number[]} The seats that have used up their time for seeds. */
export function outOfSeedTime(match) {
  const { absence, settings } = match;
  if (absence === null) return [];
  return stillIn(match).filter((seat) => absences.hasSpent(absence, settings.idle, seat));
}

/** @param {Match} match @returns {number[]} The seats that are not out and that people play. */
export const peopleIn = (match) => stillIn(match).filter((seat) => !absences.isHouse(match.seated[seat]));

/** @param {Match} match @returns {number | null} When the table may end it, as bots play it for nobody. */
export function unattendedAt(match) {
  const { absence, settings, table } = match;
  if (absence === null || table === null || match.ended || match.ending !== null) return null;
  // Bots that play in a tournament play for it.
  if (settings.event !== undefined) return null;
  return peopleIn(match).length === 0 ? absence.attendedAt + settings.idle.bots_ms : null;
}

/** @param {Match} match @returns {number | null} When the beacon speaks that the current deal waits for, if it does. */
export function beaconDueAt({ settings: { beacon }, ceremony }) {
  if (!beacon || !ceremony?.beacon) return null;
  return 1000 * (beacon.genesis + (ceremony.beacon.round - 1) * beacon.period);
}

/** @param {Match} match @returns {boolean} Whether the current deal is over or cannot serve another round. */
export const lacksDice = ({ table, ceremony }) =>
  ceremony === null || table === null || ceremony.stage !== 'ready' || needsDeal(table, ceremony.cups);

/** @param {Match} match @returns {number} The last round that it may have; a board has so many rolls and no other deal. */
export function roundLimit({ settings, lastRound, ceremony }) {
  const rolls = settings.board === undefined ? undefined : ceremony?.cups[0][2];
  return Math.min(...[settings.rounds_max, lastRound, rolls].map((limit) => limit ?? Number.POSITIVE_INFINITY));
}

/** @param {Match} match @returns {boolean} Whether that is settled. */
export const isPlayedOut = (match) =>
  match.table !== null && match.table.round >= roundLimit(match) && isBetweenRounds(match.table);

/** @param {Match} match @returns {boolean} Whether the dice of a deal are just coming about. */
export const inCeremony = ({ ceremony }) =>
  ceremony !== null && ['committed', 'sealed', 'logged', 'fixed'].includes(ceremony.stage);

/** @param {Match} match @returns {boolean} Whether the table has to deal before anybody can act. */
export function tableDeals(match) {
  const { table } = match;
  if (table === null || inCeremony(match) || table.phase === 'finished') return false;
  if (awaitsSharedDice(match)) return false;
  return table.phase === 'between_rounds' || (rollsNext(table) && lacksDice(match));
}

/** @param {Match} match @returns {boolean} Whether its dice are to be those of a board, which it has not been told of. */
const awaitsSharedDice = ({ settings, ceremony }) => settings.board !== undefined && ceremony === null;

/** @param {Match} match @returns {boolean} Whether seats have to wait for dice. */
export const isDealing = (match) =>
  inCeremony(match) ||
  (match.table !== null && awaitsSharedDice(match)) ||
  (tableDeals(match) && match.table?.phase === 'to_roll');

/** @param {Match} match @returns {boolean} Whether nobody can act, though a seat may be in turn. */
export const isHalted = (match) => isDealing(match) || match.paused !== null;
