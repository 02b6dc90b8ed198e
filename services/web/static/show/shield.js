/** The shield at each die: a tap on one that lies open, or on one's own, tells in three pictures how it came about. */

import { die } from '../table/dice.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, faceName, joinNames, say, sentence } from '../words/catalogue.js';
import { apart, called } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{face: number, whose: string, own: boolean}} Told A die, and at whose place it lies. */

const WORDS = CATALOGUE.teach.shield;
const SHORT = 16;

/** What is drawn beside each sentence: a lock, drops that run together, and the die itself. */
const LOCK = html`<svg viewBox="0 0 40 40" aria-hidden="true" focusable="false">
  <path class="drawn" d="M13 18v-5a7 7 0 0 1 14 0v5M9 18h22v15H9z"></path>
  <circle class="dot" cx="20" cy="25" r="2.5"></circle>
</svg>`;
const DROPS = html`<svg viewBox="0 0 40 40" aria-hidden="true" focusable="false">
  <path class="drawn" d="M9 7v7c0 8 11 6 11 14M31 7v7c0 8-11 6-11 14M20 7v26M15 28l5 6 5-6"></path>
</svg>`;

class TcShield extends LitElement {
  #tapped = (/** @type {Event} */ event) => this.#tap(/** @type {Element} */ (event.target));

  static properties = { view: { attribute: false }, at: { state: true } };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** Which of the dice is told of. */
    this.at = 0;
    /** Dice as they lay when the story was opened: the game goes on behind it. @type {Told[]} */
    this.dice = [];
    /** @type {Element | null} */
    this.table = null;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.table = this.closest('tc-table');
    this.table?.addEventListener('click', this.#tapped);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.table?.removeEventListener('click', this.#tapped);
  }

  /** A die that is tapped to be chosen, in a form, tells nothing. @param {Element} target */
  #tap(target) {
    const drawn = target.closest('.hand .die:not(.hidden)');
    if (drawn === null || target.closest('form, label, button, dialog') !== null) return;
    const place = /** @type {Element} */ (drawn.closest('.hand'));
    const own = drawn.closest('.rail') !== null;
    const who = drawn.closest('li')?.querySelector('bdi')?.textContent;
    const all = dicesOf(this.view);
    const face = Number([...drawn.classList].find((name) => /^f\d+$/.test(name))?.slice(1));
    const found = all.findIndex((one) => one.face === face && (own ? one.own : one.whose === who));
    const before = [...place.querySelectorAll('.die:not(.hidden)')].indexOf(drawn);
    const first = all.findIndex((one) => (own ? one.own : one.whose === who));
    this.#open(all, all[first + before]?.face === face ? first + before : Math.max(0, found));
  }

  /** @param {Told[]} dice @param {number} at */
  async #open(dice, at) {
    if (dice.length === 0) return;
    this.dice = dice;
    this.at = at;
    this.requestUpdate();
    await this.updateComplete;
    const dialog = /** @type {HTMLDialogElement} */ (this.querySelector('dialog'));
    if (!dialog.open) dialog.showModal();
  }

  render() {
    const { view } = this;
    if (view === null) return nothing;
    const dice = dicesOf(view);
    return html`${
      dice.length === 0
        ? nothing
        : html`<button class="link" type="button" @click=${() => this.#open(dice, 0)}>${WORDS.open}</button>`
    }
      <dialog class="drawer story-of-die" aria-labelledby="die-title">
        <button class="button plain-button" type="button" @click=${() => this.querySelector('dialog')?.close()}>
          ${CATALOGUE.teach.close}
        </button>
        ${this.dice.length === 0 ? nothing : this.#story(view, this.dice[this.at])}
      </dialog>`;
  }

  /** @param {View} view @param {Told} told */
  #story(view, told) {
    const own = view.seats.filter((seat) => seat.custody === 'client').map((seat) => apart(called(seat)));
    const chance = own.length === 0 ? WORDS.alone : say(WORDS.added, { names: joinNames(own) });
    const beacon = view.rules.beacon ? ` ${WORDS.beacon}` : '';
    const deal = String((view.deal?.number ?? 0) + 1);
    const face = faceName(told.face);
    const seen = told.own && this.table?.querySelector('.proof.yes') ? WORDS.verified : WORDS.shown;
    return html`<h2 id="die-title">${WORDS.title}</h2>
      <p>${sentence(told.own ? say(WORDS.yours, { face }) : say(WORDS.theirs, { face, name: apart(told.whose) }))}</p>
      <ol class="pictures">
        <li>${LOCK}<p>${say(WORDS.fixed, { deal })}</p></li>
        <li>${DROPS}<p>${chance}${beacon}</p></li>
        <li>${die(told.face, { faces: view.faces })}<p>${say(seen, { face })}</p></li>
      </ol>
      <p class="row">
        <button class="button plain-button" type="button" ?disabled=${this.dice.length < 2} @click=${() => this.#next()}>
          ${say(WORDS.next, { at: String(this.at + 1), all: String(this.dice.length) })}
        </button>
      </p>
      <details>
        <summary>${WORDS.below}</summary>
        <p>${WORDS.mathematics}</p>
        ${view.deal === null ? nothing : html`<p><code class="hash">${view.deal.root.slice(0, SHORT)}…</code></p>`}
        <p>
          <a href="/m/${view.match}/audit">${WORDS.audit}</a> ·
          <a href="/api/v1/matches/${view.match}/record" download>${WORDS.record}</a>
        </p>
      </details>`;
  }

  #next() {
    this.at = (this.at + 1) % this.dice.length;
  }
}

/** @param {View | null} view @returns {Told[]} The dice of seats that the viewer sees, the viewer's own first. */
function dicesOf(view) {
  if (view === null) return [];
  const seats = [...view.seats].sort(
    (one, other) => Number(other.seat === view.viewer) - Number(one.seat === view.viewer),
  );
  const ofSeats = seats.flatMap((seat) =>
    seat.dice.map(({ face }) => ({ face, whose: called(seat), own: seat.seat === view.viewer })),
  );
  const ofCup = view.cup.map(({ face }) => ({ face, whose: WORDS.cup, own: false }));
  return /** @type {Told[]} */ ([...ofSeats, ...ofCup].filter(({ face }) => face !== null));
}

customElements.define('tc-shield', TcShield);
