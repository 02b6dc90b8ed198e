/**
 * Absence: who keeps a table waiting, for how long, and what is known of it.
 *
 * Whatever a match waits for has a time, which stands in the rules (`idle`). A turn has a deadline that acting within
 * it does not move; seeds have an account that every deal draws on. Matches without the rule know of no absence.
 */

/** @typedef {import('../table/state.js').Event} Event */
/**
 * @typedef {object} Absence
 * @property {Record<number, number>} turns In how many of its turns in a row the table acted for each absent seat.
 * @property {number[]} called The seats whose turn it has been.
 * @property {number[]} acted The seats that have acted themselves.
 * @property {number | null} turn Whose turn it is.
 * @property {number} turnSince When that turn began.
 * @property {boolean} counted Whether the table has acted in this turn already.
 * @property {number} anew How often this turn has begun anew, for a stand-in or after one.
 * @property {Record<number, number>} seeds What each seat has used of its time for seeds, in milliseconds.
 * @property {number} attendedAt When a person last acted, came or went.
 * @property {number} cameAt When somebody last came or went.
 */
/** @typedef {import('./evolve.js').Match} Match */

/** How long a seat has for its commitment or its opening. */
export const CEREMONY_MS = 30_000;
/** What each of them is granted without being charged. */
const SEED_FREE_MS = 2_000;
/** How often a turn begins anew: once for whoever stands in, once for the player who is back. */
const ANEW_MAX = 2;
/** What a seat does. A roll of the passed cup names no seat, and whoever rolls has to claim. */
const ACTS = new Set(
  [
    ...['accepted', 'arranged', 'bid', 'bills_demanded', 'bought_back', 'called', 'caught', 'challenged'],
    ...['chase_stopped', 'cocked_called', 'cocked_shown', 'count_asked', 'declared', 'dropped_out', 'first_chosen'],
    ...['looked', 'passed', 'spot_on_called'],
  ].map((name) => `game.${name}`),
);

/** By these somebody is there, who need not play. */
const CAME = new Set(['seat.joined', 'seat.left']);
const ATTENDED = new Set([
  'game.started',
  ...['kicked', 'paused', 'time_given', 'handed_over', 'locked', 'unlocked', 'continued', 'seat_ready'].map(
    (name) => `game.${name}`,
  ),
]);

/** @param {number} at @returns {Absence} */
export const nobodyAway = (at) => ({
  turns: {},
  called: [],
  acted: [],
  turn: null,
  turnSince: 0,
  counted: false,
  anew: 0,
  seeds: {},
  attendedAt: at,
  cameAt: at,
});

/** @param {Absence} absence @param {number} seat @returns {boolean} Whether it leaves the others waiting. */
export const isAway = ({ turns, called, acted }, seat) =>
  seat in turns || (called.includes(seat) && !acted.includes(seat));

/** @param {Absence} absence @param {number} seat In how many turns in a row the table acts for it, if it acts now. */
export const turnsNow = ({ turns, counted }, seat) => (turns[seat] ?? 0) + (counted ? 0 : 1);

/**
 * @param {Absence} absence
 * @param {any} idle
 * @param {number} seat
 * @param {number} since When the deal began.
 * @returns {number} Until when the seat may fix its seed.
 */
export function seedDueAt({ seeds }, idle, seat, since) {
  const left = Math.max(0, idle.seeds_ms - (seeds[seat] ?? 0));
  return since + Math.min(CEREMONY_MS, SEED_FREE_MS + left);
}

/** @param {Absence} absence @param {any} idle @param {number} seat Whether it has used up its time for seeds. */
export const hasSpent = ({ seeds }, idle, seat) => (seeds[seat] ?? 0) > idle.seeds_ms;

/**
 * @param {Absence} before
 * @param {Event} event
 * @param {number} at
 * @param {number | null} turn Whose turn it is after the event.
 * @param {Match} match As it stood before the event.
 * @returns {Absence}
 */
export function evolve(before, event, at, turn, match) {
  const absence = remembered(before, event, at, match);
  if (turn === absence.turn && !['game.round_closed', 'deal.ready'].includes(event.type)) return absence;
  const called = turn === null || absence.called.includes(turn) ? absence.called : [...absence.called, turn];
  return { ...absence, called, turn, turnSince: at, counted: false, anew: 0 };
}

/**
 * @param {Absence} absence
 * @param {Event} event
 * @param {number} at
 * @param {Match} match
 * @returns {Absence}
 */
function remembered(absence, { type, data }, at, { ceremony, seated, paused }) {
  if (CAME.has(type)) return { ...absence, attendedAt: at, cameAt: at };
  if (ATTENDED.has(type)) return { ...absence, attendedAt: at };
  switch (type) {
    case 'seed.committed':
    case 'seed.opened':
      return ceremony === null
        ? absence
        : charged(absence, data.seat, Math.min(at - ceremony.since, CEREMONY_MS) - SEED_FREE_MS);
    case 'game.absent':
      return { ...absence, turns: { ...absence.turns, [data.seat]: data.turns }, counted: true };
    case 'game.returned': {
      const { [data.seat]: _ended, ...turns } = absence.turns;
      return acted({ ...absence, turns }, data.seat, at, seated);
    }
    case 'game.resumed':
      return {
        ...absence,
        turnSince: shifted(absence, at, paused),
        attendedAt: data.why === 'host' ? at : absence.attendedAt,
      };
    case 'game.stood_in':
      return { ...anew(absence, data.seat, at), attendedAt: data.why === 'idle' ? absence.attendedAt : at };
    case 'game.taken_back':
      return { ...anew(absence, data.seat, at), acted: together(absence.acted, data.seat), attendedAt: at };
    default:
      return ACTS.has(type) && !(data.seat in absence.turns) ? acted(absence, data.seat, at, seated) : absence;
  }
}

/** @param {Absence} absence @param {number} at @param {Match['paused']} paused @returns {number} Pauses count for nobody. */
const shifted = ({ turnSince }, at, paused) =>
  paused === null ? turnSince : turnSince + at - Math.max(turnSince, paused.since);

/** Somebody else plays a seat from now on. @param {Absence} absence @param {number} seat @param {number} at @returns {Absence} */
function anew(absence, seat, at) {
  const { [seat]: _ended, ...turns } = absence.turns;
  if (absence.turn !== seat || absence.anew >= ANEW_MAX) return { ...absence, turns };
  return { ...absence, turns, turnSince: at, counted: false, anew: absence.anew + 1 };
}

/** @param {number[]} seats @param {number} seat */
const together = (seats, seat) => (seats.includes(seat) ? seats : [...seats, seat]);

/** @param {Absence} absence @param {number} seat @param {number} over @returns {Absence} */
const charged = (absence, seat, over) =>
  over <= 0 ? absence : { ...absence, seeds: { ...absence.seeds, [seat]: (absence.seeds[seat] ?? 0) + over } };

/** @param {Match['seated'][number]} player @returns {boolean} Whether the house plays the seat now, for itself or for another. */
export const isHouse = ({ bot, standIn }) => bot || standIn;

/** @param {Absence} absence @param {number} seat @param {number} at @param {Match['seated']} seated @returns {Absence} */
const acted = (absence, seat, at, seated) => ({
  ...absence,
  acted: together(absence.acted, seat),
  attendedAt: isHouse(seated[seat]) ? absence.attendedAt : at,
});
