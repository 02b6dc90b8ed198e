/** What a player does about the key of the own seat: put it away, bring it back, ask for another where it is lost. */
import { Alarm, Refusal, ask, matchPath, serverClock } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import { addressOf } from '../table/inviting.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { alarmWords, minutes, refusalWords } from '../words/phrases.js';
import { backup, linkField, restoring } from './key_files.js';
import { hostToken } from './powers.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../signing/seat.js').KeyState} KeyState */
/** @typedef {import('../signing/seat.js').SignedSeat} SignedSeat */

const KEYS = CATALOGUE.keys;

class TcSeatKey extends LitElement {
  static properties = {
    view: { attribute: false },
    state: { attribute: false },
    signed: { attribute: false },
    busy: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** @type {KeyState | null} */
    this.state = null;
    /** @type {() => Promise<SignedSeat>} */
    this.signed = () => Promise.reject(new Error('no seat'));
    this.busy = false;
    this.fault = '';
  }

  createRenderRoot() {
    return this;
  }

  /** Count down until the new key counts. */
  updated() {
    clearTimeout(this.timer);
    if (this.state?.from !== undefined && !this.state.here) this.timer = setTimeout(() => this.requestUpdate(), 1_000);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  /** @param {(signed: SignedSeat, view: View) => Promise<unknown>} what */
  async #do(what) {
    this.busy = true;
    this.fault = '';
    try {
      await what(await this.signed(), /** @type {View} */ (this.view));
    } catch (trouble) {
      if (trouble instanceof Alarm) this.fault = alarmWords(trouble);
      else if (trouble instanceof Refusal) this.fault = refusalWords(trouble);
      else throw trouble;
    } finally {
      this.busy = false;
    }
  }

  /** Whoever hosts as well gives the seat its key at once. */
  #ask() {
    return this.#do(async (signed, view) => {
      const [key, host] = [await signed.askForKey(view), hostToken(view, tokensOf(view.match))];
      if (host === undefined) return;
      await ask('POST', matchPath(view.match, `/seats/${view.viewer}/key`), { token: host, body: { key } });
      await signed.look(view.version + 1);
    });
  }

  /** @param {string} secret */
  #bringBack(secret) {
    return this.#do(async (signed, view) => {
      const isOurs = secret !== '' && (await signed.bringBack(secret, view));
      if (!isOurs) this.fault = KEYS.strange;
    });
  }

  render() {
    const { state, view } = this;
    if (state === null || view === null) return nothing;
    const fault = this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`;
    return state.here ? this.#here(state, fault) : this.#lost(state, view, fault);
  }

  /** @param {KeyState} state @param {unknown} fault */
  #here({ secret, replaced }, fault) {
    return html`<details class="sheet seat-key">
      <summary>${KEYS.title}</summary>
      <p class="hint">${KEYS.here}</p>
      ${replaced === undefined ? nothing : html`<p class="hint">${say(KEYS.replaced, { line: String(replaced) })}</p>`}
      ${backup(secret, this.view?.match ?? '', KEYS.bound)}
      ${fault}
    </details>`;
  }

  /** @param {KeyState} state @param {View} view @param {unknown} fault */
  #lost({ asked, from, replaced }, view, fault) {
    return html`<section class="note lost-key" role="alert" aria-labelledby="lost-key">
      <p id="lost-key"><strong>${KEYS.lost}</strong></p>
      ${replaced === undefined ? nothing : html`<p>${say(KEYS.replaced, { line: String(replaced) })}</p>`}
      ${from === undefined ? this.#asking(asked, view) : html`<p>${say(KEYS.named, { time: minutes(from - serverClock.now()) })}</p>`}
      ${restoring(this.busy, (secret) => this.#bringBack(secret))}
      ${fault}
    </section>`;
  }

  /** @param {string | undefined} asked @param {View} view */
  #asking(asked, view) {
    const press = html`<button class="button" type="button" ?disabled=${this.busy} @click=${() => void this.#ask()}>
      ${KEYS.ask}
    </button>`;
    if (asked === undefined || hostToken(view, tokensOf(view.match)) !== undefined)
      return html`<p>${KEYS.lost_how}</p>
        <p class="row">${press}</p>`;
    return html`<p>${KEYS.send}</p>
      ${linkField('key-link', KEYS.link, `${addressOf()}#give-key=${view.viewer}.${asked}`)}`;
  }
}

customElements.define('tc-seat-key', TcSeatKey);
