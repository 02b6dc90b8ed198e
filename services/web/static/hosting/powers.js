/** What the host may do now, as the server says: nothing is offered that would be refused. */

/** @typedef {import('../client/view.js').View} View */

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

/** @param {View} view @param {string} power @returns {boolean} Whether it may be used on the table. */
export const mayTable = ({ hosting }, power) => Boolean(hosting?.table.includes(power));

/**
 * @param {View} view
 * @param {string} power
 * @param {number} seat On which it would be used.
 * @param {number} now The time of the server.
 */
export function maySeat({ hosting, hold_ms: left, seats }, power, seat, now) {
  // Nobody else can sign for a seat.
  if (power === 'stand_in' && seats.some((one) => one.seat === seat && Boolean(one.key))) return false;
  if (hosting === null || (power === 'give_time' && Number(left) < MINUTE_MS)) return false;
  if (power === 'stand_in') return hosting.stand_in.some(([away, since]) => away === seat && now >= since);
  return hosting[/** @type {'kick' | 'hand_over' | 'give_time' | 'take_back'} */ (power)].includes(seat);
}
