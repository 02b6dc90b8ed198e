/** What the host may do now, power by power: nothing is offered that would be refused. */

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

/** What is given at once, where a seat gets more time. */
export const MINUTE_MS = 60_000;

/**
 * @param {View} view
 * @param {{host?: string, token?: string}} tokens Of this browser.
 * @returns {string | undefined} What the host asks with: at first that of whoever opened the table, then of a seat.
 */
export function hostToken({ host, viewer }, tokens) {
  if (host === null) return tokens.host;
  return host === viewer ? tokens.token : undefined;
}

/** @param {View} view */
const isBegun = ({ phase }) => phase !== 'lobby' && phase !== 'finished';

/** @param {View} view @param {number} now @returns {boolean} Whether the table has waited for the seat in turn too long. */
function keepsWaiting({ rules, seats, turn, due_at: due }, now) {
  const { host, idle, clock } = rules;
  if (!host || !idle || due === null) return false;
  const bank = seats.find(({ seat }) => seat === turn)?.bank_ms ?? 0;
  return now - (due - (clock === null ? idle.turn_ms : bank)) >= host.away_ms;
}

/** By power, whether it may be used on a seat. @type {Record<string, (view: View, seat: Seat, now: number) => boolean>} */
const ON_SEATS = {
  kick: ({ host, phase }, { seat, kicked, out }) => phase !== 'finished' && seat !== host && !kicked && !out,
  stand_in: (view, seat, now) =>
    isBegun(view) &&
    !seat.bot &&
    !seat.stand_in &&
    !seat.out &&
    seat.seat !== view.host &&
    (seat.absent > 0 || (view.turn === seat.seat && keepsWaiting(view, now))),
  take_back: (_, seat) => seat.stand_in && !seat.out,
  give_time: (view, seat) =>
    isBegun(view) && view.rules.clock !== null && view.paused === null && !seat.out && holds(view) >= MINUTE_MS,
  hand_over: ({ host, phase }, { seat, bot, kicked }) => phase !== 'finished' && !bot && !kicked && seat !== host,
};

/** @param {View} view @returns {number} For how many milliseconds the host may hold the table up. */
const holds = ({ hold_ms: left }) => left ?? 0;

/** By power, whether it may be used on the table. @type {Record<string, (view: View) => boolean>} */
const ON_TABLE = {
  pause: (view) => isBegun(view) && view.paused === null && holds(view) > 0,
  resume: ({ paused }) => paused !== null,
  lock: ({ phase, locked }) => phase === 'lobby' && !locked,
  unlock: ({ phase, locked }) => phase === 'lobby' && locked,
};

/** @param {View} view @param {string} power @returns {boolean} */
export const mayTable = (view, power) => Boolean(view.rules.host) && ON_TABLE[power](view);

/** @param {View} view @param {string} power @param {Seat} seat @param {number} now The time of the server. */
export const maySeat = (view, power, seat, now) => Boolean(view.rules.host) && ON_SEATS[power](view, seat, now);
