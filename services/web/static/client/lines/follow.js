/** The live connection to a match: one, taken up again wherever it was lost. */
import { Refusal, matchPath, read, refusalOf } from '../api.js';
import { houseSocket } from '../socket.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Frame} Frame */

/** Two heartbeats of the house and a little: a line that says nothing for so long is lost. */
const SILENCE_MS = 12_000;
const WAIT_MS_MAX = 15_000;
/** What a browser says when the device has lost its line, and when it has one again. */
const HINTS = ['offline', 'online'];
/** Refusals that no waiting mends. */
const FINAL = new Set(['unknown_match', 'bad_token', 'foreign_token', 'version_in_the_future']);

/**
 * @typedef {object} Ears
 * @property {(view: View) => void} onSnapshot
 * @property {(frame: Frame) => void} onFrame
 * @property {(saying: {seat: number, phrase: string}) => void} [onPhrase] Told what seats say, if it is there.
 * @property {() => void} onEnded
 * @property {(state: 'live' | 'lost' | 'paused') => void} onState
 * @property {(refusal: Refusal) => void} onRefused
 */

export class Follow {
  #stopped = false;
  #failures = 0;
  /** @type {AbortController | null} */
  #connection = null;
  /** When it last said something, by the clock on the wall: no timer runs in a device that sleeps. */
  #fedAt = 0;
  /** @type {() => void} */
  #wake = () => {};
  #visible = () => this.#seen();
  /** What the device says of its line is a hint: a house on the same machine answers all the same, and at once. */
  #line = () => (navigator.onLine ? this.#again() : this.#connection?.abort());

  /**
   * @param {string} match
   * @param {{token: string | null, after: number, whenHidden: () => boolean, late?: boolean, glance?: boolean}} how `whenHidden` says
   *   whether to stay connected while nobody looks: whoever has seeds to give does, spectators free their connection.
   *   `late`: every cup is wanted, one round late. `glance`: whoever looks is not counted among those who watch.
   * @param {Ears} ears
   */
  constructor(match, how, ears) {
    this.match = match;
    this.how = how;
    this.ears = ears;
    this.version = how.after;
    document.addEventListener('visibilitychange', this.#visible);
    for (const hint of HINTS) addEventListener(hint, this.#line);
    void this.#run();
  }

  stop() {
    this.#stopped = true;
    document.removeEventListener('visibilitychange', this.#visible);
    for (const hint of HINTS) removeEventListener(hint, this.#line);
    this.#connection?.abort();
    this.#wake();
  }

  #seen() {
    if (this.#mayRest() || Date.now() - this.#fedAt > SILENCE_MS) this.#connection?.abort();
    if (!this.#mayRest()) this.#again();
  }

  /** The line is back: nobody waits for as long as the last attempts have failed. */
  #again() {
    this.#failures = 0;
    this.#wake();
  }

  #mayRest() {
    return document.hidden && !this.how.whenHidden();
  }

  async #run() {
    while (!this.#stopped) {
      if (this.#mayRest()) {
        this.ears.onState('paused');
        await this.#sleep(null);
      } else if (await this.#connected()) {
        return;
      } else if (!this.#stopped && !this.#mayRest()) {
        this.ears.onState('lost');
        await this.#sleep(Math.min(WAIT_MS_MAX, 300 * 2 ** this.#failures) * (0.7 + Math.random() * 0.6));
        this.#failures += 1;
      }
    }
  }

  /** @returns {Promise<boolean>} Whether this was the last connection. */
  async #connected() {
    const connection = new AbortController();
    this.#connection = connection;
    /** @type {{timer: ReturnType<typeof setTimeout> | undefined, feed: () => void}} */
    const watch = { timer: undefined, feed: () => {} };
    watch.feed = () => {
      this.#fedAt = Date.now();
      clearTimeout(watch.timer);
      watch.timer = setTimeout(() => connection.abort(), SILENCE_MS);
    };
    try {
      watch.feed();
      const over = this.how.late || this.how.glance ? null : await this.#overSocket(connection.signal, watch.feed);
      if (over !== null) return over;
      const path = matchPath(this.match, this.#path());
      const how = { token: this.how.token, accept: 'application/x-ndjson', signal: connection.signal };
      return await this.#heard(await read(path, how), watch.feed);
    } catch (trouble) {
      return this.#judged(trouble);
    } finally {
      clearTimeout(watch.timer);
    }
  }

  #path() {
    if (this.how.glance) return `/stream?after=${this.version}&glance=true`;
    if (!this.how.late)
      return `/stream?after=${this.version}${this.ears.onPhrase === undefined ? '' : '&phrases=true'}`;
    return this.version === 0 ? '/caster' : `/caster?after=${this.version}`;
  }

  /**
   * @param {AbortSignal} signal @param {() => void} feed
   * @returns {Promise<boolean | null>} Whether this was the last connection; null if no socket can be had.
   */
  async #overSocket(signal, feed) {
    const phrases = this.ears.onPhrase !== undefined;
    const about = { match: this.match, token: this.how.token, after: this.version, phrases };
    const over = await houseSocket.watch(about, signal, (item) => {
      feed();
      return this.#item(item);
    });
    if (over !== null && typeof over === 'object') throw refusalOf(over);
    return over;
  }

  /** @param {unknown} trouble */
  #judged(trouble) {
    if (!(trouble instanceof Refusal) || !FINAL.has(trouble.code)) return false;
    this.ears.onRefused(trouble);
    this.stop();
    return true;
  }

  /** @param {Response} response @param {() => void} feed */
  async #heard(response, feed) {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return false;
      feed();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '' && this.#item(JSON.parse(line))) return true;
      }
    }
  }

  /** @param {any} item @returns {boolean} Whether the match is over. */
  #item(item) {
    this.#failures = 0;
    if (item.snapshot) {
      this.ears.onState('live');
      this.ears.onSnapshot(item.snapshot);
    } else if (item.ended !== undefined) {
      this.ears.onEnded();
      this.stop();
      return true;
    } else if (item.phrase !== undefined) {
      this.ears.onPhrase?.(item);
    } else if (item.version !== undefined) {
      this.version = item.version;
      this.ears.onFrame(item);
    }
    return false;
  }

  /** @param {number | null} ms For ever if null; in any case until woken. */
  #sleep(ms) {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      if (ms !== null) setTimeout(resolve, ms);
    });
  }
}
