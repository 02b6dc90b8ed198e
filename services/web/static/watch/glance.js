/** The most watched table on the front page: who plays there, what was claimed last, as it happens. */
import { Follow } from '../client/lines/follow.js';
import { kindOf, mark } from '../table/faces.js';
import { LitElement, classMap, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { called, claimWords } from '../words/phrases.js';
import { told } from '../words/telling.js';

/** @typedef {import('../client/view.js').View} View */

/** @returns {boolean} Whether whoever looks wants nothing to move, or little to be sent. */
function wantsRest() {
  const connection = /** @type {{connection?: {saveData?: boolean}}} */ (navigator).connection;
  return connection?.saveData === true || matchMedia('(prefers-reduced-motion: reduce)').matches;
}

class TcGlance extends LitElement {
  static properties = {
    match: {},
    called: {},
    version: { type: Number },
    view: { state: true },
    text: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    this.called = '';
    this.version = 0;
    /** @type {View | null} */
    this.view = null;
    this.text = '';
    /** @type {Follow | null} */
    this.following = null;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.show(this.match, this.called, this.version);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.following?.stop();
  }

  /** Follow a table; where nothing is to move, what the server wrote of the first one stays. */
  show(/** @type {string} */ match, /** @type {string} */ called, /** @type {number} */ version) {
    if (wantsRest() || match === this.following?.match) return;
    this.following?.stop();
    Object.assign(this, { match, called, text: '' });
    const how = { token: null, after: version, whenHidden: () => false, glance: true };
    this.following = new Follow(match, how, {
      onSnapshot: (view) => this.#see(view),
      onFrame: (frame) => {
        this.text = told(frame.event, frame.view) || this.text;
        this.#see(frame.view);
      },
      onEnded: () => {},
      onState: () => {},
      onRefused: () => {},
    });
  }

  /** @param {View} view */
  #see(view) {
    if (view.match !== this.match) return;
    if (this.view === null) this.replaceChildren();
    this.view = view;
  }

  shouldUpdate() {
    return this.view !== null;
  }

  render() {
    const { view } = this;
    if (view === null) return nothing;
    const claim = view.standing === null ? this.text : sentence(claimWords(view.standing));
    return html`<h2><a href="/m/${view.match}">${this.called}</a></h2>
      <p class="claimed">${claim}</p>
      <ul class="round">
        ${view.seats.map(
          (seat) =>
            html`<li class=${classMap({ turn: seat.seat === view.turn, out: seat.out })}>
              ${mark(seat.seat)}<bdi>${called(seat)}</bdi>
              ${seat.dice.length === 0 ? nothing : html`<span class="muted">${say(CATALOGUE.lobby.dice, { what: kindOf(view.faces), dice: String(seat.dice.length) })}</span>`}
            </li>`,
        )}
      </ul>`;
  }
}

customElements.define('tc-glance', TcGlance);
