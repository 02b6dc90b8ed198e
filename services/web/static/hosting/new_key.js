/** The host gives a seat whose player has lost its key another one, which the player's browser has made. */
import { Refusal, ask, matchPath } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { apart, called, refusalWords } from '../words/phrases.js';
import { hostToken } from './powers.js';

/** @typedef {import('../client/view.js').View} View */

const KEYS = CATALOGUE.keys;
const ASKED = /^#give-key=(?<seat>[1-9]\d{0,2})\.(?<key>[0-9a-f]{64})$/;

class TcNewKey extends LitElement {
  static properties = {
    view: { attribute: false },
    asked: { state: true },
    given: { state: true },
    busy: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** @type {{seat: number, key: string} | null} What the link that was opened here asks for. */
    this.asked = null;
    this.given = false;
    this.busy = false;
    this.fault = '';
  }

  createRenderRoot() {
    return this;
  }

  #opened = () => this.#take();

  connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.#opened);
    this.#take();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#opened);
  }

  #take() {
    const found = ASKED.exec(location.hash)?.groups;
    if (found === undefined) return;
    history.replaceState(null, '', location.pathname + location.search);
    Object.assign(this, { asked: { seat: Number(found.seat), key: found.key }, given: false, fault: '' });
    void this.updateComplete.then(() => this.scrollIntoView({ block: 'nearest' }));
  }

  /** What comes of it is told where another link has not been opened meanwhile. @param {View} view @param {{seat: number, key: string}} asked */
  async #give(view, asked) {
    const { seat, key } = asked;
    this.busy = true;
    this.fault = '';
    try {
      const token = hostToken(view, tokensOf(view.match));
      await ask('POST', matchPath(view.match, `/seats/${seat}/key`), { token, body: { key } });
      this.given = this.asked === asked;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (this.asked === asked) this.fault = refusalWords(refusal);
    } finally {
      this.busy = false;
    }
  }

  render() {
    const { asked, view } = this;
    if (asked === null || view === null) return nothing;
    const seat = view.seats.find((one) => one.seat === asked.seat);
    if (seat === undefined || !seat.key) return nothing;
    if (hostToken(view, tokensOf(view.match)) === undefined)
      return html`<p class="note" role="alert">${KEYS.host_only}</p>`;
    const name = apart(called(seat));
    if (this.given) return html`<p class="note" role="status">${say(KEYS.given, { name })}</p>`;
    return html`<section class="note give-key" role="alert" aria-labelledby="give-key">
      <p id="give-key"><strong>${say(KEYS.give_asks, { name })}</strong></p>
      <p>${KEYS.give_hint}</p>
      <p class="row">
        <button class="button" type="button" ?disabled=${this.busy} @click=${() => void this.#give(view, asked)}>${KEYS.give}</button>
        <button class="link" type="button" @click=${() => (this.asked = null)}>${KEYS.give_not}</button>
      </p>
      ${this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`}
    </section>`;
  }
}

customElements.define('tc-new-key', TcNewKey);
