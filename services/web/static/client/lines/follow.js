/** The live connection to a match: one, taken up again wherever it was lost. */
import { Refusal, matchPath, read, refusalOf } from '../api.js';
import { houseSocket } from '../socket.js';
import { LiveLine, itemsOf } from './line.js';

/** @typedef {import('../view.js').View} View */
/** @typedef {import('../view.js').Frame} Frame */

const WAIT_MS_MAX = 15_000;
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
  #line;

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
    // The line is back: nobody waits for as long as the last attempts have failed.
    this.#line = new LiveLine(
      () => this.#mayRest(),
      () => (this.#failures = 0),
    );
    void this.#run();
  }

  stop() {
    this.#stopped = true;
    this.#line.end();
  }

  #mayRest() {
    return document.hidden && !this.how.whenHidden();
  }

  async #run() {
    while (!this.#stopped) {
      if (this.#mayRest()) {
        this.ears.onState('paused');
        await this.#line.sleep(null);
      } else if (await this.#connected()) {
        return;
      } else if (!this.#stopped && !this.#mayRest()) {
        this.ears.onState('lost');
        await this.#line.sleep(Math.min(WAIT_MS_MAX, 300 * 2 ** this.#failures) * (0.7 + Math.random() * 0.6));
        this.#failures += 1;
      }
    }
  }

  /** @returns {Promise<boolean>} Whether this was the last connection. */
  async #connected() {
    try {
      return await this.#line.listen((signal, feed) => this.#heard(signal, feed));
    } catch (trouble) {
      return this.#judged(trouble);
    }
  }

  /** @param {AbortSignal} signal @param {() => void} feed */
  async #heard(signal, feed) {
    const over = this.how.late || this.how.glance ? null : await this.#overSocket(signal, feed);
    if (over !== null) return over;
    const how = { token: this.how.token, accept: 'application/x-ndjson', signal };
    for await (const item of itemsOf(await read(matchPath(this.match, this.#path()), how), feed)) {
      if (this.#stopped || this.#item(item)) return true;
    }
    return false;
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
}
