/** Quick phrases: what seats say to each other, for a moment, and whom one does not want to hear. */

import { Refusal, ask, matchPath } from '../client/api.js';
import { isQuiet, keepQuiet, tokensOf } from '../client/keep.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { called } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{seat: number, phrase: string}} Saying */

/** How long a phrase hangs at its seat. */
const SHOWN_MS = 5_000;

/** @param {string} name @param {import('../words/catalogue.js').Facts} [facts] */
const words = (name, facts = {}) => say(CATALOGUE.sayings[name], facts);

/** What is said at a table just now. */
export class Sayings {
  /** @type {Map<number, Saying>} */
  #said = new Map();
  /** @type {Set<number>} Seats one does not want to hear, while this page is open. */
  #muted = new Set();

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.off = isQuiet();
  }

  /** @param {Saying} saying @param {View | null} view @returns {string} What is to be spoken; nothing if it is not heard. */
  hear(saying, view) {
    const seat = view?.seats.find((one) => one.seat === saying.seat);
    const known = Object.hasOwn(CATALOGUE.sayings.phrases, saying.phrase);
    if (this.off || seat === undefined || !known || this.#muted.has(saying.seat)) return '';
    this.#said.set(saying.seat, saying);
    setTimeout(() => this.#end(saying), SHOWN_MS);
    this.onChange();
    return words('spoken', { seat: called(seat), words: CATALOGUE.sayings.phrases[saying.phrase] });
  }

  /** @param {Saying} saying What has not been followed by another of the same seat is taken away. */
  #end(saying) {
    if (this.#said.get(saying.seat) !== saying) return;
    this.#said.delete(saying.seat);
    this.onChange();
  }

  /** @param {number} seat */
  isMuted = (seat) => this.#muted.has(seat);

  /** @param {number} seat Hear a seat no more, or again. */
  toggle(seat) {
    if (!this.#muted.delete(seat)) this.#muted.add(seat);
    this.#said.delete(seat);
    this.onChange();
  }

  /** Hear nobody any more, at any table, or everybody again. */
  turn() {
    this.off = !this.off;
    keepQuiet(this.off);
    this.#said.clear();
    this.onChange();
  }

  /** What hangs at a seat. Spoken it is elsewhere. @param {import('../client/view.js').Seat} seat @param {View} view */
  at(seat, view) {
    const mute = this.isMuted(seat.seat);
    const saying = this.#said.get(seat.seat);
    if (saying === undefined && !mute) return nothing;
    const name = called(seat);
    return html`<p class="saying ${mute ? 'mute' : ''}">
      ${saying === undefined ? nothing : html`<span aria-hidden="true">${CATALOGUE.sayings.phrases[saying.phrase]}</span>`}
      ${
        seat.seat === view.viewer
          ? nothing
          : html`<button
              type="button"
              class="link"
              aria-label=${words('mute', { mute: mute ? 'yes' : 'no', name })}
              title=${words('mute', { mute: mute ? 'yes' : 'no', name })}
              @click=${() => this.toggle(seat.seat)}
            >
              ${words('mute_short', { mute: mute ? 'yes' : 'no' })}
            </button>`
      }
    </p>`;
  }
}

/** The phrases one may say, in a tray that lies over the table and moves nothing, and the one switch for all. */
class TcSayings extends LitElement {
  static properties = {
    match: {},
    sayings: { attribute: false },
    wordsOf: { attribute: false },
    off: { type: Boolean },
    seated: { type: Boolean },
    fault: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    /** @type {Sayings | null} */
    this.sayings = null;
    /** Says a refusal in words. @type {(refusal: Refusal) => string} */
    this.wordsOf = ({ message }) => message;
    this.off = false;
    this.seated = false;
    this.fault = '';
  }

  createRenderRoot() {
    return this;
  }

  /** @param {string} phrase */
  async #say(phrase) {
    this.fault = '';
    try {
      await ask('POST', matchPath(this.match, '/phrases'), { token: tokensOf(this.match).token, body: { phrase } });
      /** @type {HTMLDetailsElement} */ (this.querySelector('details')).open = false;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = this.wordsOf(refusal);
    }
  }

  render() {
    const title = words(this.seated ? 'title' : 'hearing');
    return html`<details>
      <summary title=${title}>
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M4 4h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-8l-5 4.5V16H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z"></path>
        </svg>
        <span class="sr">${title}</span>
      </summary>
      <div class="tray">
        ${this.off || !this.seated ? nothing : this.#choice(title)}
        <p class="error" role="status">${this.fault}</p>
        <button class="link" type="button" @click=${() => this.sayings?.turn()}>
          ${words('switch', { off: this.off ? 'yes' : 'no' })}
        </button>
      </div>
    </details>`;
  }

  /** @param {string} title */
  #choice(title) {
    return html`<p class="phrases" role="group" aria-label=${title}>
      ${Object.entries(CATALOGUE.sayings.phrases).map(
        ([phrase, text]) =>
          html`<button class="chip" type="button" data-phrase=${phrase} @click=${() => void this.#say(phrase)}>
            ${text}
          </button>`,
      )}
    </p>`;
  }
}

/**
 * @param {string} match
 * @param {Sayings} sayings
 * @param {(refusal: Refusal) => string} wordsOf Says a refusal in words.
 * @param {boolean} seated
 */
export const tray = (match, sayings, wordsOf, seated) =>
  html`<tc-sayings match=${match} .sayings=${sayings} .wordsOf=${wordsOf} ?off=${sayings.off} ?seated=${seated}></tc-sayings>`;

customElements.define('tc-sayings', TcSayings);
