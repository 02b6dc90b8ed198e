/** A link to a seat, in a browser that has another seat at the table: its owner chooses, and neither is lost unasked. */
import { Refusal, matchPath, readJson } from '../client/api.js';
import { keepBrought, tokensOf } from '../client/keep.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { apart, called } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */

/** @param {string} name @param {import('../words/catalogue.js').Facts} [facts] */
const words = (name, facts = {}) => sentence(say(CATALOGUE.own.brought[name], facts));

class TcBrought extends LitElement {
  static properties = {
    view: { attribute: false },
    brought: { attribute: false },
    dead: { state: true },
    busy: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** @type {import('../client/keep.js').Brought | null} */
    this.brought = null;
    /** Whether the link leads to no seat. */
    this.dead = false;
    this.busy = false;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('brought')) this.dead = false;
  }

  #choose() {
    this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
  }

  /** Sit where the link leads, if it leads anywhere: a seat is not given away for one that nobody has. */
  async #take() {
    const [view, brought] = [/** @type {View} */ (this.view), this.brought];
    if (brought === null) return;
    this.busy = true;
    try {
      const seen = /** @type {View} */ (await readJson(matchPath(view.match), { token: brought.token }));
      if (this.brought !== brought) return; // its owner has chosen meanwhile
      this.dead = seen.viewer !== brought.seat;
      if (this.dead) return;
      keepBrought(view.match, brought);
      this.#choose();
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.dead = !refusal.isUnjudged;
    } finally {
      this.busy = false;
    }
  }

  render() {
    if (this.view === null || this.brought === null) return nothing;
    const { seats, match } = this.view;
    const named = (/** @type {number | undefined} */ seat) => {
      const found = seats.find((one) => one.seat === seat);
      return apart(found === undefined ? String(seat) : called(found));
    };
    const facts = { there: named(this.brought.seat), here: named(tokensOf(match).seat) };
    const take = html`<button type="button" class="link danger" ?disabled=${this.busy} @click=${() => this.#take()}>
      ${words('take')}
    </button>`;
    return html`<div class="note" role="alert">
      <p>${this.dead ? words('dead') : words('asks', facts)}</p>
      <p class="row">
        <button type="button" class="button plain-button" @click=${() => this.#choose()}>${words('keep')}</button>
        ${this.dead ? nothing : take}
      </p>
    </div>`;
  }
}

customElements.define('tc-brought', TcBrought);
