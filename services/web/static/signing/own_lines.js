/**
 * What a player looks at in the record: that it has the key and the name of the seat as they were signed, and that nothing
 * stands there of a seat with a key that it did not sign, but what the clock may do (CUP/1 section 4.14.8).
 */
import { Fault } from '../auditor/faults.js';
import { chosen } from '../auditor/hashing.js';
import { KeyedSeats } from '../auditor/signing/keyed_seats.js';
import { Alarm } from '../client/api.js';

/** @typedef {import('../auditor/chain.js').Event} Event */
/** @typedef {{key: string, name: string}} Joined What a seat has signed of itself. */

/** The codes of a line that a seat with a key has not signed, or not so. */
const OF_KEYS = new Set(['E_UNSIGNED', 'E_SIGNED']);

export class OwnLines {
  /** @type {KeyedSeats | null} */
  #seats = null;
  #looked = 0;
  /** What was found: after that nothing more is looked at. @type {Alarm | null} */
  #found = null;
  /** @type {Promise<void>} */
  #looking = Promise.resolve();

  /** @param {number} seat @param {Joined | undefined} joined Nothing where the seat came from another device. */
  constructor(seat, joined) {
    this.seat = seat;
    this.joined = joined;
  }

  /** @param {Event[]} events Of the whole match so far. @returns {Promise<void>} @throws {Alarm} */
  look(events) {
    const all = events.slice();
    const looking = this.#looking.then(() => this.#look(all));
    this.#looking = looking.catch(() => {});
    return looking;
  }

  /** @param {Event[]} events */
  async #look(events) {
    if (this.#found !== null) throw this.#found;
    try {
      this.#seats ??= new KeyedSeats(await chosen());
      for (const event of events.slice(this.#looked)) await this.#step(this.#seats, event);
      const spoilt = await this.#seats.firstNotBorneOut(events.length);
      if (spoilt !== null) throw unsigned(spoilt);
      this.#checkJoin(events);
    } catch (trouble) {
      if (trouble instanceof Alarm) this.#found = trouble;
      throw trouble;
    }
  }

  /** @param {KeyedSeats} seats @param {Event} event */
  async #step(seats, event) {
    try {
      await seats.step(event);
    } catch (trouble) {
      if (!(trouble instanceof Fault)) throw trouble;
      const spoilt = await seats.firstNotBorneOut(event.seq);
      throw spoilt === null && !OF_KEYS.has(trouble.code) ? unopened(event.seq) : unsigned(spoilt ?? event.seq);
    }
    this.#looked += 1;
  }

  /** @param {Event[]} events */
  #checkJoin(events) {
    const { joined } = this;
    const line = events.findLast(({ type, data }) => type === 'seat.joined' && data.seat === this.seat);
    if (joined === undefined || line === undefined) return;
    const { key, name } = line.data;
    if (key !== joined.key || name !== joined.name) throw new Alarm('other seat', { line: String(line.seq + 1) });
  }
}

/** @param {number} seq */
const unopened = (seq) => new Alarm('unopened line', { line: String(seq + 1) });

/** @param {number} seq */
const unsigned = (seq) => new Alarm('unsigned line', { line: String(seq + 1) });
