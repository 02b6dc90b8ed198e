/** The controls of a viewer: what may be done now, and nothing else. Every button comes from the view's own moves. */
import './bidding.js';
import './calling.js';
import './handling.js';
import { Refusal, needed } from '../client/api.js';
import { coach, waiting } from '../table/coach.js';
import { isWild, ownDice } from '../table/dice.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { claimWords, refusalWords } from '../words/phrases.js';
import { deeds, typed } from './deeds.js';
import { SecondThought } from './doubting.js';
import { hintsOf } from './hints.js';
import { keyList, pressedBy } from './keys.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('./deeds.js').Move} Move */

const WORDS = CATALOGUE.form;

class TcControls extends LitElement {
  #keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') this.doubt.takeBack();
    const pressed = event.defaultPrevented ? null : pressedBy(event, this);
    if (pressed === null) return;
    event.preventDefault();
    pressed.click();
  };

  static properties = {
    view: { attribute: false },
    proof: {},
    fault: {},
    busy: { type: Boolean },
    foot: { attribute: false },
    moves: { state: true },
    dice: { state: true },
    typing: { state: true },
    misread: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    this.proof = '';
    /** What the table said no to, when it was typed. */
    this.fault = '';
    this.busy = false;
    /** What stands last, for whoever holds a seat. @type {unknown} */
    this.foot = nothing;
    /** Whether the field for what is typed lies open. */
    this.typing = false;
    /** Why what was typed could not be read here. */
    this.misread = '';
    /** What is on offer: another list only where anything else is. @type {Move[]} */
    this.moves = [];
    /** @type {import('../table/dice.js').Die[]} */
    this.dice = [];
    /** What tells of each raise, where the host allows hints: another one for another view. @type {ReturnType<typeof hintsOf>} */
    this.chance = null;
    /** Where the keyboard was when the last command was sent. */
    this.held = '';
    this.said = false;
    this.doubt = new SecondThought(() => this.requestUpdate());
    /** What a doubt would be of. */
    this.doubted = '';
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener('keydown', this.#keyed);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#keyed);
    this.doubt.takeBack();
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('view') || this.view === null) return;
    this.chance = hintsOf(this.view);
    const before = [this.moves, this.dice];
    const dice = ownDice(this.view);
    // What was doubted is not what stands now.
    const { seat, words } = this.view.standing ?? {};
    if (this.doubted !== `${seat} ${words} ${this.view.pass_by}`) this.doubt.takeBack();
    this.doubted = `${seat} ${words} ${this.view.pass_by}`;
    if (JSON.stringify(before) === JSON.stringify([this.view.moves, dice])) return;
    [this.moves, this.dice] = [this.view.moves, dice];
    this.doubt.takeBack();
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
    this.doubt.takeBack();
    const focused = this.querySelector(':focus-visible');
    if (focused !== null) this.held = focused.closest('.typed') === null ? '.stepper input' : '#typed';
  }

  /** @param {object} body */
  send(body, typed = false) {
    this.said = typed;
    this.dispatchEvent(new CustomEvent('play', { detail: body, bubbles: true }));
  }

  render() {
    const { view } = this;
    if (view === null) return nothing;
    const says = this.moves.length === 0 ? waiting(view) : coach(view);
    return html`<div class="controls" @play=${() => this.#noted()} @chosen=${() => this.requestUpdate()}>
      <div class="choose">
        ${this.#dice(view)}
        <p class="coach">${says}</p>
        ${this.#claims(view)}
      </div>
      <div class="bar">${[...this.#chosen(), ...deeds(view)].map((deed) => this.#button(deed))}</div>
      ${this.moves.length > 0 && this.typing ? this.#typed() : nothing}
      <div class="foot-line">
        ${this.moves.length === 0 ? nothing : this.#fold()}
        <button type="button" class="link" data-keys @click=${this.#listKeys}>${CATALOGUE.screen.keys.open}</button>
        ${this.foot}
      </div>
      ${keyList()}
      <span class="sr" role="status">${this.doubt.state === 'asking' ? CATALOGUE.screen.doubt.asked : ''}</span>
    </div>`;
  }

  /** @returns {import('./deeds.js').Deed[]} What the forms above come to as they are filled in. */
  #chosen() {
    const there = { 'tc-dice': this.dice.length > 0, 'tc-bid': this.move('bid'), 'tc-call': this.move('call') };
    const names = Object.entries(there).flatMap(([name, isThere]) => (isThere ? [name] : []));
    const parts = /** @type {(LitElement & {deeds?: import('./deeds.js').Deed[]} | null)[]} */ (
      names.map((name) => this.querySelector(name))
    );
    return parts.flatMap((part) => part?.deeds ?? []);
  }

  /** @param {import('./deeds.js').Deed} deed */
  #button({ label, kind = 'plain-button', body, form, disabled = false }) {
    const send = () => body !== undefined && this.send(body);
    const doubts = kind === 'doubt';
    const state = doubts ? this.doubt.state : '';
    return html`<button
      type=${form === undefined ? 'button' : 'submit'}
      form=${form ?? nothing}
      class="button ${kind} ${state}"
      ?disabled=${this.busy || disabled}
      @click=${(/** @type {MouseEvent} */ event) => (doubts ? this.doubt.press(event, send) : send())}
    >
      ${this.#says(label, state)}
    </button>`;
  }

  /** @param {string} label @param {string} state Of a doubt. */
  #says(label, state) {
    const { take_back: back, again } = CATALOGUE.screen.doubt;
    if (state === 'counting') return back;
    return state === 'asking' ? say(again, { label }) : label;
  }

  #listKeys() {
    /** @type {HTMLDialogElement | null} */ (this.querySelector('dialog.keys'))?.showModal();
  }

  /** @param {View} view */
  #dice(view) {
    if (this.dice.length === 0) return nothing;
    return html`<tc-dice
      .move=${this.move('arrange')}
      .dice=${this.dice}
      .faces=${view.faces}
      .whose=${view.cup.length > 0 ? WORDS.whose.cup : WORDS.whose.own}
      .proof=${this.proof}
      ?wild=${isWild(view)}
      ?bound=${this.move('bid') === undefined && this.move('call') === undefined}
      ?busy=${this.busy}
    ></tc-dice>`;
  }

  /** @param {View} view */
  #claims(view) {
    const { faces, hands } = view;
    const [bid, call] = [this.move('bid'), this.move('call')];
    return html`${
      bid === undefined
        ? nothing
        : html`<tc-bid .move=${bid} .faces=${faces} .chance=${this.chance} ?wild=${isWild(view)} ?busy=${this.busy}></tc-bid>`
    }
    ${
      call === undefined
        ? nothing
        : html`<tc-call .move=${call} .hands=${hands} .faces=${faces} ?busy=${this.busy}></tc-call>`
    }`;
  }

  #fold() {
    return html`<button
      type="button"
      class="link"
      data-fold
      aria-expanded=${this.typing ? 'true' : 'false'}
      @click=${() => (this.typing = !this.typing)}
    >
      ${CATALOGUE.screen.type}
    </button>`;
  }

  #typed() {
    const fault = this.misread || this.fault;
    return html`<form class="typed" @submit=${this.#say}>
      <label for="typed">${WORDS.typed.label}</label>
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
        aria-describedby=${fault === '' ? nothing : 'typed-fault'}
        aria-invalid=${fault === '' ? nothing : 'true'}
      />
      <button class="button plain-button" type="submit" ?disabled=${this.busy}>${WORDS.typed.send}</button>
      ${fault === '' ? nothing : html`<p class="error" id="typed-fault" role="alert">${fault}</p>`}
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
      this.move('roll') === undefined ? '' : typed('roll'),
      this.move('accept') === undefined ? '' : typed('accept'),
      arrange === undefined || arrange.inside.length < 3 ? '' : WORDS.typed.keep,
      this.move('challenge') === undefined ? '' : typed('challenge'),
      ...this.moves.map(({ type }) => (TYPED.has(type) ? typed(type) : '')),
    ];
    return found.filter(Boolean).slice(0, 3).join(', ');
  }

  /** @param {SubmitEvent} event */
  async #say(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.querySelector('#typed'));
    const { seats, viewer } = /** @type {View} */ (this.view);
    const signs = seats.some(({ seat, key }) => seat === viewer && Boolean(key));
    try {
      const body = signs ? await this.#read(field.value) : { type: 'say', text: field.value };
      this.misread = body === null ? CATALOGUE.keys.misread : '';
      if (body !== null) this.send(body, true);
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      this.misread = refusalWords(trouble);
    }
  }

  /** What a seat signs is the command, and never the words. @param {string} text */
  async #read(text) {
    const { readTyped } = await needed(import('./typed.js'));
    return readTyped(text, this.moves);
  }
}

/** Moves that are typed as they are called. */
const TYPED = new Set(['spot_on', 'pass', 'count', 'catch', 'stop', 'look', 'buy_back', 'drop_out']);

customElements.define('tc-controls', TcControls);
