/** The lines of a match as whoever signs holds them: each is read once, and follows from the one before it. */
import { follow } from '../auditor/chain.js';
import { Fault } from '../auditor/faults.js';
import { utf8 } from '../bytes.js';
import { Alarm, matchPath, read } from '../client/api.js';
import { headOf } from '../cup1.js';

/** @typedef {import('../auditor/chain.js').Event} Event */

export class HeldLines {
  /** @type {string[]} */
  #raws = [];
  /** @type {Event[]} */
  #events = [];
  /** @type {Promise<void>} */
  #reading = Promise.resolve();

  /** @param {string} match */
  constructor(match) {
    this.match = match;
  }

  /** @param {number} version @returns {Promise<Event[]>} As many lines, or more. */
  async upTo(version) {
    await this.#reading;
    if (this.#events.length < version) await this.refresh();
    return this.#events;
  }

  /** @returns {Promise<Event[]>} All lines that there are now. */
  async refresh() {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => {});
    await reading;
    return this.#events;
  }

  async #read() {
    const text = await (await read(matchPath(this.match, '/record'), { accept: 'text/plain' })).text();
    const raws = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const [seq, raw] of raws.entries()) {
      if (seq === this.#raws.length) this.#take(raw, seq);
      else if (this.#raws[seq] !== raw) throw new Alarm('another', { version: String(seq + 1), proved: 'no' });
    }
  }

  /** @param {string} raw @param {number} seq */
  #take(raw, seq) {
    try {
      this.#events.push(follow(utf8(raw), headOf(raw), this.#events.at(-1) ?? null));
    } catch (trouble) {
      if (trouble instanceof Fault) throw new Alarm('line', { line: String(seq + 1) });
      throw trouble;
    }
    this.#raws.push(raw);
  }
}
