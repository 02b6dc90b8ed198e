/**
 * A clock per seat: a bank that runs while it is the seat's turn, and an increment for each turn a seat ends itself.
 * Times are Unix milliseconds and come with the lines.
 */

/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {{banks: Record<number, number>, running: number | null, due: number | null}} Clocks */

/** @param {any} clock @param {number[]} seats @returns {Clocks} */
export const fullBanks = (clock, seats) => ({
  banks: Object.fromEntries(seats.map((seat) => [seat, clock.bank_ms])),
  running: null,
  due: null,
});

/** @param {number} seat @param {number} bank @param {number | null} due @returns {Event} */
const clockSet = (seat, bank, due) => ({ type: 'game.clock_set', data: { seat, bank_ms: bank, due_at: due } });

/**
 * @param {any} clock The rules of the clock.
 * @param {Clocks} clocks
 * @param {number | null} turn Whose turn it is now; null while nobody's clock should run.
 * @param {number} at
 * @param {boolean} acted Whether the seat whose clock was running ended its turn itself.
 * @returns {Event[]}
 */
export function passedOn(clock, { banks, running, due }, turn, at, acted) {
  if (turn === running) return [];
  const found = [];
  const mine = turn === null ? 0 : banks[turn];
  if (running !== null && due !== null) {
    const left = Math.max(0, due - at) + (acted ? clock.increment_ms : 0);
    found.push(clockSet(running, left, null));
  }
  if (turn !== null) found.push(clockSet(turn, mine, at + mine));
  return found;
}

/** @param {Clocks} clocks @param {number} ms @returns {Event[]} The running deadline moved by the time of an outage. */
export function givenBack({ banks, running, due }, ms) {
  return running === null || due === null ? [] : [clockSet(running, banks[running], due + ms)];
}

/** @param {Clocks} clocks @param {number} seat @param {number} ms @returns {Clocks} With so much more for a seat. */
export const lengthened = ({ banks, running, due }, seat, ms) => ({
  banks: { ...banks, [seat]: banks[seat] + ms },
  running,
  due: due === null || running !== seat ? due : due + ms,
});

/** @param {Clocks} clocks @param {any} data @returns {Clocks} */
export const clocksAfter = (clocks, data) => ({
  banks: { ...clocks.banks, [data.seat]: data.bank_ms },
  running: data.due_at === null ? null : data.seat,
  due: data.due_at,
});
