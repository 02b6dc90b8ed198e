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

  /** @param {string} match @param {string | null} [token] Of a seat there. */
  constructor(match, token = null) {
    this.match = match;
    this.token = token;
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
    for (let goesOn = true; goesOn; ) {
      const [held, token] = [this.#raws.length, this.#ownToken()];
      // The last line that is held comes again: had any before it been another one, it would be another one too.
      const after = held > 1 ? `?after=${held - 1}` : '';
      const told = await read(matchPath(this.match, `/lines${after}`), { token, accept: 'application/x-ndjson' });
      const raws = (await told.text()).split('\n').filter((line) => line !== '');
      for (const [place, raw] of raws.entries()) this.#hold(raw, Math.max(0, held - 1) + place);
      goesOn = this.#raws.length > held && (told.headers.has('link') || token !== this.#ownToken());
    }
  }

  /** @returns {string | null} What has the lines at once of a table whose dice are those of others, too. */
  #ownToken() {
    return this.#events[0]?.data.rules?.board ? this.token : null;
  }

  /** @param {string} raw @param {number} seq */
  #hold(raw, seq) {
    if (seq === this.#raws.length) this.#take(raw, seq);
    else if (this.#raws[seq] !== raw) throw new Alarm('another', { version: String(seq + 1), proved: 'no' });
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
