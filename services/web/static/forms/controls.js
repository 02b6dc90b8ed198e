/** The controls of a viewer: what may be done now, and nothing else. Every button comes from the view's own moves. */
import './bidding.js';
import './calling.js';
import './handling.js';
import { coach, waiting } from '../table/coach.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { claimWords, sentence } from '../words/phrases.js';
import { deeds } from './deeds.js';
import { hintsOf } from './hints.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('./deeds.js').Move} Move */

class TcControls extends LitElement {
  static properties = {
    view: { attribute: false },
    proof: {},
    fault: {},
    busy: { type: Boolean },
    moves: { state: true },
    dice: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    this.proof = '';
    /** What the table said no to, when it was typed. */
    this.fault = '';
    this.busy = false;
    /** What is on offer: another list only where anything else is. @type {Move[]} */
    this.moves = [];
    /** @type {import('../table/dice.js').Die[]} */
    this.dice = [];
    /** Where the keyboard was when the last command was sent. */
    this.held = '';
    this.said = false;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('view') || this.view === null) return;
    const before = [this.moves, this.dice];
    const dice = ownDice(this.view);
    if (JSON.stringify(before) === JSON.stringify([this.view.moves, dice])) return;
    [this.moves, this.dice] = [this.view.moves, dice];
    if (this.said) this.#empty();
  }

  /** What was typed has been done. */
  #empty() {
    const field = /** @type {HTMLInputElement | null} */ (this.querySelector('#typed'));
    if (field !== null) field.value = '';
    this.said = false;
  }

  updated() {
    if (this.held === '' || this.busy || this.moves.length === 0) return;
    const places = [this.held, '.doubt', '.claim-form input:not(:disabled)', '.button:not(:disabled)'];
    this.held = '';
    void this.#goOn(places);
  }

  /**
   * Who plays by keyboard goes on from where they were, though the controls were gone in between.
   *
   * @param {string[]} places The best first.
   */
  async #goOn(places) {
    const parts = /** @type {NodeListOf<LitElement>} */ (this.querySelectorAll('tc-dice, tc-bid, tc-call'));
    await Promise.all(Array.from(parts, (part) => part.updateComplete));
    if (document.activeElement !== document.body) return;
    const found = places.map((place) => this.querySelector(place)).find((place) => place !== null);
    /** @type {HTMLElement | null | undefined} */ (found)?.focus({ preventScroll: true });
  }

  /** @param {string} type @returns {Move | undefined} */
  move(type) {
    return this.moves.find((move) => move.type === type);
  }

  /** Remember where the keyboard is; the command itself goes on to the table. */
  #noted() {
    const focused = this.querySelector(':focus-visible');
    if (focused !== null) this.held = focused.closest('.typed') === null ? '.stepper input' : '#typed';
  }

  /** @param {object} body */
  send(body) {
    this.dispatchEvent(new CustomEvent('play', { detail: body, bubbles: true }));
  }

  render() {
    const { view } = this;
    if (view === null) return nothing;
    const says = this.moves.length === 0 ? waiting(view) : coach(view);
    return html`<div class="controls" @play=${() => this.#noted()}>
      <p class="coach">${says}</p>
      ${this.#dice(view)} ${this.#claims(view)} ${deeds(view, this.busy, (body) => this.send(body))}
      ${this.moves.length === 0 ? nothing : this.#typed()}
    </div>`;
  }

  /** @param {View} view */
  #dice(view) {
    if (this.dice.length === 0) return nothing;
    return html`<tc-dice
      .move=${this.move('arrange')}
      .dice=${this.dice}
      .faces=${view.faces}
      .whose=${view.cup.length > 0 ? 'The cup’s' : 'Your'}
      .proof=${this.proof}
      ?bound=${this.move('bid') === undefined && this.move('call') === undefined}
      ?busy=${this.busy}
    ></tc-dice>`;
  }

  /** @param {View} view */
  #claims(view) {
    const { faces, hands } = view;
    const [bid, call] = [this.move('bid'), this.move('call')];
    return html`${bid === undefined ? nothing : html`<tc-bid .move=${bid} .faces=${faces} .chance=${hintsOf(view)} ?busy=${this.busy}></tc-bid>`}
    ${
      call === undefined
        ? nothing
        : html`<tc-call .move=${call} .hands=${hands} .faces=${faces} ?busy=${this.busy}></tc-call>`
    }`;
  }

  #typed() {
    return html`<form class="typed" @submit=${this.#say}>
      <label for="typed">Or type it</label>
      <input
        id="typed"
        name="typed"
        type="text"
        maxlength="200"
        required
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        placeholder=${this.#examples()}
        aria-describedby=${this.fault === '' ? nothing : 'typed-fault'}
        aria-invalid=${this.fault === '' ? nothing : 'true'}
      />
      <button class="button plain-button" type="submit" ?disabled=${this.busy}>Send</button>
      ${this.fault === '' ? nothing : html`<p class="error" id="typed-fault" role="alert">${this.fault}</p>`}
    </form>`;
  }

  /** @returns {string} Something that may be typed now. */
  #examples() {
    const [bid, call, arrange] = [this.move('bid'), this.move('call'), this.move('arrange')];
    const [least] = bid === undefined ? [] : bid.minimum.length > 0 ? bid.minimum : bid.lowest;
    const found = [
      least === undefined ? '' : least.join('x'),
      call === undefined
        ? ''
        : claimWords(call.minimum)
            .replaceAll(/^a |,|\band /g, '')
            .replaceAll('\u2011', '-'),
      this.move('roll') === undefined ? '' : 'roll',
      this.move('accept') === undefined ? '' : 'believe',
      arrange === undefined || arrange.inside.length < 3 ? '' : 'keep 1 3',
      this.move('challenge') === undefined ? '' : 'liar',
      ...this.moves.map(({ type }) => (TYPED.has(type) ? type.replace('_', ' ') : '')),
    ];
    return found.filter(Boolean).slice(0, 3).join(', ');
  }

  /** @param {SubmitEvent} event */
  #say(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.querySelector('#typed'));
    this.said = true;
    this.send({ type: 'say', text: field.value });
  }
}

/** Moves that are typed as they are called. */
const TYPED = new Set(['spot_on', 'pass', 'count', 'catch', 'stop', 'look', 'buy_back', 'drop_out']);

customElements.define('tc-controls', TcControls);

/** @param {View} view @returns {import('../table/dice.js').Die[]} The dice the viewer handles, or else may know. */
function ownDice(view) {
  const mine = view.seats.find((seat) => seat.seat === view.viewer);
  if (mine === undefined || mine.out) return [];
  const mayKnow = view.cup.some((one) => !one.shown && one.face !== null);
  const holds = view.moves.some((/** @type {Move} */ move) => move.type === 'arrange' || move.type === 'call');
  return mayKnow || holds ? (view.cup.length > 0 ? view.cup : mine.dice) : mine.dice;
}

/** @param {{code: string, message: string, facts: Record<string, any>}} refusal @returns {string} */
export function refusalWords(refusal) {
  const raises = refusal.facts.minimum_raises?.map(raiseWords) ?? [];
  return `${sentence(refusal.message)}.${raises.length > 0 ? ` The smallest raises: ${raises.join(', ')}.` : ''}`;
}

/** @param {[number, number] | [string, number[]]} raise A count of a face, or a shape and its faces. */
const raiseWords = ([what, of]) =>
  typeof what === 'string' && Array.isArray(of) ? claimWords({ shape: what, faces: of }) : `${what}x${of}`;
