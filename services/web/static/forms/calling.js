/** The form of a call: a hand, by its shape and then its faces, always one of those that may be called. */
import { die, pictured } from '../table/dice.js';
import { LitElement, html, live, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { byRow, nearest, rowsOf } from '../words/hands.js';
import { claimWords, faceName, inWords, sentence, shapeName } from '../words/phrases.js';

/** @typedef {import('./deeds.js').Move} Move */

const QUICK_MAX = 2;
const WORDS = CATALOGUE.form;
/** So many scores have a button each; of more, one is put together digit by digit. */
const SCORES_MAX = 24;

/** Sends `play` with the body of a call, and `chosen` whenever its button has to say something else. */
class TcCall extends LitElement {
  static properties = {
    move: { attribute: false },
    hands: { attribute: false },
    faces: { attribute: false },
    busy: { type: Boolean },
    shape: { state: true },
    named: { state: true },
  };

  constructor() {
    super();
    /** @type {Move} */
    this.move = { type: 'call' };
    /** By shape, lowest first. @type {Record<string, number[][]>} */
    this.hands = {};
    /** @type {[number, number]} */
    this.faces = [1, 6];
    this.busy = false;
    this.shape = '';
    /** @type {number[]} */
    this.named = [];
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('move')) return;
    const { minimum } = this.move;
    const known = this.hands[this.shape]?.some((hand) => hand.join() === this.named.join());
    if (!known) [this.shape, this.named] = [minimum.shape, minimum.faces];
  }

  /** @param {string} shape @param {number[]} faces */
  #send(shape, faces) {
    this.dispatchEvent(new CustomEvent('play', { detail: { type: 'call', shape, faces }, bubbles: true }));
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const other = ['move', 'shape', 'named'].some((one) => changed.has(one));
    if (other) this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
  }

  /** @returns {import('./deeds.js').Deed[]} The button that sends the form, for the bar below it; scores have their own. */
  get deeds() {
    if (this.#hasChips) return [];
    return [
      {
        label: say(WORDS.call.label, { claim: claimWords({ shape: this.shape, faces: this.named }) }),
        kind: '',
        form: 'call-form',
      },
    ];
  }

  /** Whether each score has a button. */
  get #hasChips() {
    const { length } = this.hands.score ?? [];
    return length > 0 && length <= SCORES_MAX;
  }

  render() {
    const shapes = Object.keys(this.hands);
    if (this.#hasChips) return this.#scores(this.hands.score);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#send(this.shape, this.named);
    };
    return html`<form class="claim-form call" id="call-form" @submit=${submit} aria-label=${WORDS.call.title}>
      ${this.#quick()} ${shapes.length < 2 ? nothing : this.#shapes(shapes)}
      <div class="rows">${this.#rows().map((row, at) => this.#row(row, at))}</div>
    </form>`;
  }

  /** @param {number[][]} scores */
  #scores(scores) {
    return html`<div class="claim-form call quick scores" role="group" aria-label=${WORDS.call.scores}>
      ${scores.map((faces) => this.#chip('score', faces))}
    </div>`;
  }

  /** The next hand up, and the lowest of the shapes above it. */
  #quick() {
    const { minimum } = this.move;
    const above = Object.entries(this.hands).filter(([shape]) => shape !== minimum.shape);
    const next = above.map(([shape, hands]) => ({ shape, faces: hands[0] }));
    return html`<div class="quick" role="group" aria-label=${WORDS.call.quick}>
      ${[minimum, ...next].slice(0, QUICK_MAX).map(({ shape, faces }) => this.#chip(shape, faces))}
    </div>`;
  }

  /** @param {string} shape @param {number[]} faces */
  #chip(shape, faces) {
    return html`<button
      type="button"
      class="chip"
      ?disabled=${this.busy}
      aria-label=${say(WORDS.call.label, { claim: claimWords({ shape, faces }) })}
      @click=${() => this.#send(shape, faces)}
    >
      ${pictured({ shape, faces }, this.faces)}
    </button>`;
  }

  /** @param {string[]} shapes */
  #shapes(shapes) {
    const pick = (/** @type {string} */ shape) => {
      [this.shape, this.named] = [shape, this.hands[shape][0]];
    };
    return html`<fieldset class="shapes">
      <legend class="sr">${WORDS.hand}</legend>
      ${shapes.map(
        (shape) =>
          html`<label class="shape"
            ><input
              type="radio"
              name="shape"
              value=${shape}
              .checked=${live(this.shape === shape)}
              @change=${() => pick(shape)}
            />${shapeName(shape)}</label
          >`,
      )}
    </fieldset>`;
  }

  #rows() {
    return rowsOf(this.shape, this.named.length);
  }

  /** @param {import('../words/hands.js').Row} row @param {number} at */
  #row(row, at) {
    const [first, count] = this.faces;
    const every = Array.from({ length: count }, (_, place) => first + place);
    const says = this.#legend(row, at);
    return html`<fieldset class="faces">
      <legend>${says}</legend>
      ${every.map((face) => this.#face(face, row, at, says))}
    </fieldset>`;
  }

  /** @param {import('../words/hands.js').Row} row @param {number} at */
  #legend(row, at) {
    const { call } = WORDS;
    if (this.shape === 'score') return say(call.row, { place: String(at) });
    const facts = { faces: inWords(row.faces), dice: String(row.dice), 'dice.words': inWords(row.dice) };
    if (row.dice === 1) return this.#rows().length === 1 ? sentence(say(call.alone, facts)) : call.beside;
    if (row.faces > 1) return sentence(say(call.sets, facts));
    return at === 0 ? sentence(say(call.first, facts)) : say(call.other, facts);
  }

  /** @param {number} face @param {import('../words/hands.js').Row} row @param {number} at @param {string} says */
  #face(face, row, at, says) {
    const rows = this.#rows();
    const chosen = byRow(rows, this.named)[at].includes(face);
    const without = row.faces > 1 && chosen;
    const wanted = (/** @type {number[]} */ faces) => faces.includes(face) !== without;
    const found = nearest(this.hands[this.shape], rows, this.named, at, wanted);
    return html`<label class="face"
      ><input
        type=${row.faces > 1 ? 'checkbox' : 'radio'}
        name="row-${at}"
        value=${face}
        aria-label="${says} ${faceName(face)}"
        .checked=${live(chosen)}
        ?disabled=${found === undefined && !chosen}
        @change=${() => (this.named = found ?? [...this.named])}
      />${die(face, { faces: this.faces })}</label
    >`;
  }
}

customElements.define('tc-call', TcCall);
