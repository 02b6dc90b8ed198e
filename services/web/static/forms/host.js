/** What the host of a table may do: invite others, fill seats with bots, start the match, end it. */
import { Refusal, ask, matchPath } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import { invitation } from '../table/inviting.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { refusalWords } from './controls.js';

/** @typedef {import('../client/view.js').View} View */

class TcHost extends LitElement {
  static properties = {
    view: { attribute: false },
    busy: { state: true },
    ending: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    this.busy = false;
    /** Whether the host is asked if ending the match is meant. */
    this.ending = false;
    this.fault = '';
    /** The version that shows what came of what was asked last. */
    this.awaited = 0;
  }

  createRenderRoot() {
    return this;
  }

  /** Ask, and offer nothing more until the table shows what came of it. @param {string} rest @param {object} [body] */
  async #ask(rest, body) {
    const { match } = /** @type {View} */ (this.view);
    this.busy = true;
    this.fault = '';
    try {
      const answer = await ask('POST', matchPath(match, rest), { token: tokensOf(match).host, body });
      this.awaited = answer.version;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = refusalWords(refusal);
    } finally {
      this.busy = false;
    }
  }

  /** @param {SubmitEvent} event */
  #bots(event) {
    event.preventDefault();
    const count = Number(new FormData(/** @type {HTMLFormElement} */ (event.target)).get('count'));
    void this.#ask('/bots', { count });
  }

  /** It counts as soon as no round is under way; nobody has to wait for the moment. */
  async #end() {
    await this.#ask('/commands', { type: 'end_match' });
    this.ending = false;
  }

  render() {
    const { view } = this;
    if (view === null || view.phase === 'finished') return nothing;
    const busy = this.busy || view.version < this.awaited;
    const trouble = this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`;
    if (view.phase !== 'lobby') {
      return html`<details class="sheet host">
        <summary>You host this table</summary>
        ${trouble} ${this.#endIt(view, busy)}
      </details>`;
    }
    return html`<section class="sheet host" aria-labelledby="host-title">
      <h2 id="host-title">You host this table</h2>
      ${invitation(view.match)} ${this.#fill(view, busy)} ${trouble}
      <button
        class="button"
        type="button"
        ?disabled=${busy || view.seats.length < 2}
        @click=${() => this.#ask('/start')}
      >
        Start the match
      </button>
      ${view.seats.length < 2 ? html`<p class="hint">two seats have to be taken first</p>` : nothing}
      <p class="row end">
        <button class="link danger" type="button" ?disabled=${busy} @click=${() => this.#end()}>
          Close this table
        </button>
      </p>
    </section>`;
  }

  /** @param {View} view @param {boolean} busy */
  #fill(view, busy) {
    const free = view.rules.seats - view.seats.length;
    return html`<form class="row" @submit=${(/** @type {SubmitEvent} */ event) => this.#bots(event)}>
      <div class="field number">
        <label for="bot-count">House bots</label>
        <input
          id="bot-count"
          name="count"
          type="number"
          inputmode="numeric"
          min="1"
          max=${Math.max(1, free)}
          value=${Math.min(2, Math.max(1, free))}
          required
        />
      </div>
      <button class="button plain-button" type="submit" ?disabled=${busy || free === 0}>Add</button>
    </form>`;
  }

  /** @param {View} view @param {boolean} busy */
  #endIt(view, busy) {
    if (view.ending) return html`<p class="muted">This table ends when the round is over.</p>`;
    if (!this.ending) {
      return html`<p class="muted">You may end the match for everybody: it is over when the round is, and nobody wins.</p>
        <button
          class="button plain-button"
          type="button"
          ?disabled=${busy}
          @click=${() => (this.ending = true)}
        >
          End it
        </button>`;
    }
    return html`<p class="row" role="group" aria-label="End it?">
      End the match for everybody?
      <button type="button" class="link danger" ?disabled=${busy} @click=${() => this.#end()}>End it</button>
      <button type="button" class="link" @click=${() => (this.ending = false)}>Go on</button>
    </p>`;
  }
}

customElements.define('tc-host', TcHost);
