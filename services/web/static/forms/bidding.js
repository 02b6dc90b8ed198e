/** The form of a bid: so many of a face. */
import { die } from '../table/dice.js';
import { LitElement, html, live, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { claimWords, facesName, sentence } from '../words/phrases.js';
import { hintWords, percent } from './hints.js';

/** @typedef {import('./deeds.js').Move} Move */
/** @typedef {Event & {target: HTMLInputElement}} Changed */

const QUICK_MAX = 6;
const WORDS = CATALOGUE.form;

/** Sends `play` with the body of a bid, and `chosen` whenever its button has to say something else. */
class TcBid extends LitElement {
  static properties = {
    move: { attribute: false },
    faces: { attribute: false },
    chance: { attribute: false },
    wild: { type: Boolean },
    busy: { type: Boolean },
    quantity: { state: true },
    face: { state: true },
  };

  constructor() {
    super();
    /** @type {Move} */
    this.move = { type: 'bid' };
    /** @type {[number, number]} */
    this.faces = [1, 6];
    /** Says how likely a raise is, where the host allows hints. @type {((raise: {quantity: number, face: number}) => number) | null} */
    this.chance = null;
    /** Whether ones count as any face. */
    this.wild = false;
    this.busy = false;
    this.quantity = 1;
    this.face = -1;
    /** What stands in the field while it is typed: it counts when all of it is there. @type {string | null} */
    this.typed = null;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('move')) return;
    this.typed = null;
    const { move } = this;
    const known = move.faces.includes(this.face);
    [this.quantity, this.face] = known ? [this.#least(this.face), this.face] : (move.minimum[0] ?? move.lowest[0]);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    // Whoever hears it draws its forms anew: if that were a choice as well, there would be no end of it.
    const other = ['move', 'quantity', 'face'].some((one) => changed.has(one));
    if (other) this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
  }

  /** @returns {import('./deeds.js').Deed[]} The button that sends the form, for the bar below it. */
  get deeds() {
    return [
      {
        label: say(WORDS.bid.label, { claim: claimWords({ quantity: this.quantity, face: this.face }) }),
        kind: '',
        form: 'bid-form',
      },
    ];
  }

  /** @param {number} face @returns {number} The least quantity that may be bid of a face. */
  #least(face) {
    const lowest = this.move.lowest.find((/** @type {number[]} */ pair) => pair[1] === face);
    return lowest?.[0] ?? this.move.quantity_max;
  }

  /** @param {number} quantity @param {number} face */
  #send(quantity, face) {
    this.dispatchEvent(new CustomEvent('play', { detail: { type: 'bid', quantity, face }, bubbles: true }));
  }

  render() {
    const least = this.#least(this.face);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#send(this.quantity, this.face);
    };
    return html`<form class="claim-form bid" id="bid-form" @submit=${submit} aria-label=${WORDS.bid.title}>
      ${this.#quick()} ${this.#hint()}
      <div class="compose">
        <div class="stepper" role="group" aria-label=${WORDS.quantity}>
          <button type="button" aria-label=${WORDS.fewer} ?disabled=${this.quantity <= least} @click=${() => this.#step(-1)}>
            −
          </button>
          <input
            type="number"
            inputmode="numeric"
            aria-label=${WORDS.quantity}
            min=${least}
            max=${this.move.quantity_max}
            .value=${live(this.typed ?? String(this.quantity))}
            @input=${(/** @type {Changed} */ event) => (this.typed = event.target.value)}
            @change=${(/** @type {Changed} */ event) => this.#step(Number(event.target.value) - this.quantity)}
          />
          <button
            type="button"
            aria-label=${WORDS.more}
            ?disabled=${this.quantity >= this.move.quantity_max}
            @click=${() => this.#step(1)}
          >
            +
          </button>
        </div>
        <fieldset class="faces">
          <legend class="sr">${WORDS.face}</legend>
          ${this.#allFaces().map((face) => this.#faceButton(face))}
        </fieldset>
      </div>
    </form>`;
  }

  #quick() {
    const raises = this.move.minimum.slice(0, QUICK_MAX);
    if (raises.length === 0) return nothing;
    return html`<div class="quick" role="group" aria-label=${WORDS.bid.quick}>
      ${raises.map(
        (/** @type {[number, number]} */ [quantity, face]) =>
          html`<button
            type="button"
            class="chip"
            ?disabled=${this.busy}
            aria-label=${this.#spoken(quantity, face)}
            @click=${() => this.#send(quantity, face)}
          >
            ${quantity}&nbsp;× ${die(face, { faces: this.faces })} ${this.#likely(quantity, face)}
          </button>`,
      )}
    </div>`;
  }

  /** @param {number} quantity @param {number} face @returns {string} Nothing where there are no hints. */
  #likely(quantity, face) {
    return this.chance === null ? '' : percent(this.chance({ quantity, face }));
  }

  /** @param {number} quantity @param {number} face @returns {string} For those who do not see the picture. */
  #spoken(quantity, face) {
    const { label, chance } = WORDS.bid;
    const facts = { claim: claimWords({ quantity, face }), chance: this.#likely(quantity, face) };
    return say(this.chance === null ? label : chance, facts);
  }

  /** How likely the bid is that the form has come to. */
  #hint() {
    if (this.chance === null) return nothing;
    const { quantity, face } = this;
    return html`<p class="hint" data-hint>${hintWords({ quantity, face }, this.chance({ quantity, face }))}</p>`;
  }

  /** @returns {number[]} Those that may be bid in their own order; those that may not, before them. */
  #allFaces() {
    const [first, count] = this.faces;
    const every = Array.from({ length: count }, (_, place) => first + place);
    return [...every.filter((face) => !this.move.faces.includes(face)), ...this.move.faces];
  }

  /** @param {number} face */
  #faceButton(face) {
    const pick = () => {
      this.face = face;
      this.#step(0);
    };
    const isClosed = !this.move.faces.includes(face);
    const why = isClosed ? closed(face, this.wild) : nothing;
    return html`<label class="face" title=${why}
      ><input
        type="radio"
        name="face"
        value=${face}
        aria-label=${facesName(face)}
        aria-description=${why}
        .checked=${live(this.face === face)}
        ?disabled=${isClosed}
        @change=${pick}
      />${die(face, { faces: this.faces })}</label
    >`;
  }

  /** @param {number} by */
  #step(by) {
    this.typed = null;
    const wanted = Number.isFinite(this.quantity + by) ? this.quantity + by : 1;
    this.quantity = Math.min(this.move.quantity_max, Math.max(this.#least(this.face), wanted));
    this.requestUpdate();
  }
}

/** @param {number} face @param {boolean} wild @returns {string} Why a face may not be bid. */
const closed = (face, wild) =>
  sentence(say(CATALOGUE.screen.closed, { face: wild && face === 1 ? 'wild' : 'other', faces: facesName(face) }));

customElements.define('tc-bid', TcBid);
