/** The own card as it happens: a stream, and where none can be had a look now and then. */
import { Refusal, read, readJson } from '../client/api.js';

/** @typedef {import('./own.js').Own} Own */

/** Two heartbeats of the house and a little: a line that says nothing for so long is lost. */
const SILENCE_MS = 12_000;
const LOOK_MS = 4_000;
/** So many looks pass until a stream is asked for again that the house had no room for. */
const LOOKS = 8;

/**
 * @typedef {object} Ears
 * @property {() => string | undefined} token Of the entrant; nothing before somebody has entered.
 * @property {(own: Own) => Promise<void>} onOwn
 * @property {(trouble: Refusal) => void} onTrouble
 * @property {() => boolean} stays Whether the card is followed while nobody looks at it.
 */

export class LiveCard {
  /** @type {AbortController | null} */
  #connection = null;
  /** When it last said something, by the clock on the wall: no timer runs in a device that sleeps. */
  #fedAt = 0;
  /** @type {() => void} */
  #wake = () => {};
  #over = false;

  /** @param {string} path The address of the tournament in the interface. @param {Ears} ears */
  constructor(path, ears) {
    this.path = path;
    this.ears = ears;
    document.addEventListener('visibilitychange', () => this.#seen());
    void this.#run();
  }

  /** Somebody has entered, or looks again: what there is, is told at once. */
  look() {
    this.#wake();
  }

  #seen() {
    if (this.#rests() || Date.now() - this.#fedAt > SILENCE_MS) this.#connection?.abort();
    if (!this.#rests()) this.#wake();
  }

  #rests() {
    return this.ears.token() === undefined || (document.hidden && !this.ears.stays());
  }

  async #run() {
    for (let rest = 0; !this.#over; ) {
      if (this.#rests()) {
        await this.#sleep(null);
        continue;
      }
      rest = rest > 0 ? rest - 1 : await this.#streamed();
      if (this.#over || this.#rests()) continue;
      await this.#heard(() => readJson(`${this.path}/me`, { token: this.ears.token() }));
      await this.#sleep(LOOK_MS);
    }
  }

  /** @returns {Promise<number>} How many looks to wait until a stream is asked for again. */
  async #streamed() {
    const connection = new AbortController();
    this.#connection = connection;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const feed = () => {
      this.#fedAt = Date.now();
      clearTimeout(timer);
      timer = setTimeout(() => connection.abort(), SILENCE_MS);
    };
    try {
      feed();
      const how = { token: this.ears.token(), accept: 'application/x-ndjson', signal: connection.signal };
      await this.#read(await read(`${this.path}/me/stream`, how), feed);
      return 0;
    } catch (trouble) {
      // What else is amiss, the next look tells.
      return trouble instanceof Refusal && trouble.code === 'too_many_streams' ? LOOKS : 0;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {Response} response @param {() => void} feed */
  async #read(response, feed) {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      feed();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const item = line === '' ? {} : JSON.parse(line);
        if (item.own !== undefined) await this.#heard(async () => item.own);
        this.#over ||= item.ended !== undefined;
      }
    }
  }

  /** @param {() => Promise<Own>} find */
  async #heard(find) {
    try {
      const own = await find();
      this.#over ||= own.card.phase === 'closed';
      await this.ears.onOwn(own);
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      this.ears.onTrouble(trouble);
    }
  }

  /** @param {number | null} ms For ever if null; in any case until woken. */
  #sleep(ms) {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      if (ms !== null) setTimeout(resolve, ms);
    });
  }
}
