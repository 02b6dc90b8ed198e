/** The own card as it happens: a stream, and where none can be had a look now and then. */
import { Refusal, read, readJson } from '../client/api.js';
import { LiveLine, itemsOf } from '../client/lines/line.js';

/** @typedef {import('./own.js').Own} Own */

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
  #line = new LiveLine(() => this.#rests());
  #over = false;

  /** @param {string} path The address of the tournament in the interface. @param {Ears} ears */
  constructor(path, ears) {
    this.path = path;
    this.ears = ears;
    void this.#run();
  }

  /** Somebody has entered: what there is, is told at once. */
  look() {
    this.#line.wake();
  }

  #rests() {
    return this.ears.token() === undefined || (document.hidden && !this.ears.stays());
  }

  async #run() {
    for (let rest = 0; !this.#over; ) {
      if (this.#rests()) {
        await this.#line.sleep(null);
        continue;
      }
      rest = rest > 0 ? rest - 1 : await this.#streamed();
      if (this.#over || this.#rests()) continue;
      await this.#heard(() => readJson(`${this.path}/me`, { token: this.ears.token() }));
      await this.#line.sleep(LOOK_MS);
    }
  }

  /** @returns {Promise<number>} How many looks to wait until a stream is asked for again. */
  async #streamed() {
    try {
      await this.#line.listen((signal, feed) => this.#listen(signal, feed));
      return 0;
    } catch (trouble) {
      // What else is amiss, the next look tells.
      return trouble instanceof Refusal && trouble.code === 'too_many_streams' ? LOOKS : 0;
    }
  }

  /** @param {AbortSignal} signal @param {() => void} feed */
  async #listen(signal, feed) {
    const how = { token: this.ears.token(), accept: 'application/x-ndjson', signal };
    for await (const item of itemsOf(await read(`${this.path}/me/stream`, how), feed)) {
      if (item.own !== undefined) await this.#heard(async () => item.own);
      this.#over ||= item.ended !== undefined;
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
}
