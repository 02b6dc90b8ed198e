/** What the viewer may do now, and nothing else: every button comes from the view's own moves. */
import { die, hand } from './dice.js';
import { parsed, push } from './textmode.js';
import { LitElement, html, live, nothing } from './vendor/libraries.js';
import { claimWords, faceName, sentence } from './words.js';

/** @typedef {{type: string} & Record<string, any>} Move */

const FACES = [1, 2, 3, 4, 5, 6];
const QUICK_MAX = 6;

export class TcControls extends LitElement {
  static properties = {
    moves: { attribute: false },
    dice: { attribute: false },
    turn: { attribute: false },
    busy: { type: Boolean },
    quantity: { state: true },
    face: { state: true },
    picked: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {Move[]} */
    this.moves = [];
    /** @type {{face: number | null, shown: boolean}[]} */
    this.dice = [];
    this.turn = '';
    this.busy = false;
    this.quantity = 1;
    this.face = 0;
    /** @type {number[]} */
    this.picked = [];
    this.fault = '';
    /** Where the keyboard was when the last command was sent. */
    this.held = '';
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('moves')) return;
    this.picked = [];
    this.fault = '';
    const bid = this.move('bid');
    if (bid === undefined) return;
    const [quantity, face] = bid.faces.includes(this.face)
      ? [this.least(bid, this.face), this.face]
      : (bid.minimum[0] ?? bid.lowest[0]);
    [this.quantity, this.face] = [quantity, face];
  }

  /** Who plays by keyboard goes on from where they were, though the controls were gone in between. */
  updated() {
    if (this.held === '' || this.busy || this.moves.length === 0) return;
    if (document.activeElement === document.body) {
      const place = /** @type {HTMLElement | null} */ (this.querySelector(this.held) ?? this.querySelector('.doubt'));
      place?.focus({ preventScroll: true });
    }
    this.held = '';
  }

  /** @param {string} type @returns {Move | undefined} */
  move(type) {
    return this.moves.find((move) => move.type === type);
  }

  /** @param {Move} bid @param {number} face @returns {number} The least quantity that may be bid of a face. */
  least(bid, face) {
    return bid.lowest.find((/** @type {number[]} */ pair) => pair[1] === face)?.[0] ?? bid.quantity_max;
  }

  /** @param {object} body */
  send(body) {
    this.fault = '';
    const focused = this.querySelector(':focus-visible');
    if (focused !== null) this.held = focused.closest('.typed') === null ? '.stepper input' : '#typed';
    this.dispatchEvent(new CustomEvent('play', { detail: body, bubbles: true }));
  }

  render() {
    if (this.moves.length === 0) return html`<p class="waiting" ?hidden=${this.turn === ''}>${this.turn}</p>`;
    const bid = this.move('bid');
    return html`<div class="controls">
      <p class="coach">${this.coach(bid)}</p>
      ${bid === undefined ? nothing : this.bidForm(bid)}
      <div class="others">${this.doubts()} ${this.pushForm()}</div>
      ${this.typed()}
    </div>`;
  }

  /** @param {Move | undefined} bid @returns {string} What there is to decide, for those who play for the first time. */
  coach(bid) {
    const doubts = this.move('challenge') !== undefined;
    if (this.turn !== '') return `${this.turn} You may doubt out of turn.`;
    if (bid === undefined) return doubts ? 'Nothing beats this bid: doubt it.' : '';
    if (doubts) return 'Bid higher, or doubt the bid that stands.';
    return 'How many dice of one face lie under all cups together? Yours are above; the rest is nerve.';
  }

  /** @param {Move} bid */
  bidForm(bid) {
    const least = this.least(bid, this.face);
    const words = claimWords(this.quantity, this.face);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.send({ type: 'bid', quantity: this.quantity, face: this.face });
    };
    return html`<form class="bid" @submit=${submit} aria-label="Bid">
      ${this.quick(bid)}
      <div class="compose">
        <div class="stepper" role="group" aria-label="Quantity">
          <button
            type="button"
            aria-label="Fewer"
            ?disabled=${this.quantity <= least}
            @click=${() => this.step(bid, -1)}
          >
            −
          </button>
          <input
            type="number"
            inputmode="numeric"
            aria-label="Quantity"
            min=${least}
            max=${bid.quantity_max}
            .value=${live(String(this.quantity))}
            @change=${(/** @type {any} */ event) => this.step(bid, Number(event.target.value) - this.quantity)}
          />
          <button
            type="button"
            aria-label="More"
            ?disabled=${this.quantity >= bid.quantity_max}
            @click=${() => this.step(bid, 1)}
          >
            +
          </button>
        </div>
        <fieldset class="faces">
          <legend class="sr">Face</legend>
          ${FACES.map((face) => this.faceButton(bid, face))}
        </fieldset>
        <button class="button" type="submit" ?disabled=${this.busy}>Bid ${words}</button>
      </div>
    </form>`;
  }

  /** @param {Move} bid */
  quick(bid) {
    const raises = bid.minimum.slice(0, QUICK_MAX);
    if (raises.length === 0) return nothing;
    return html`<div class="quick" role="group" aria-label="Smallest raises">
      ${raises.map(
        (/** @type {[number, number]} */ [quantity, face]) =>
          html`<button
            type="button"
            class="chip"
            ?disabled=${this.busy}
            aria-label="Bid ${claimWords(quantity, face)}"
            @click=${() => this.send({ type: 'bid', quantity, face })}
          >
            ${quantity} × ${die(face)}
          </button>`,
      )}
    </div>`;
  }

  /** @param {Move} bid @param {number} face */
  faceButton(bid, face) {
    const pick = () => {
      this.face = face;
      this.step(bid, 0);
    };
    return html`<label class="face"
      ><input
        type="radio"
        name="face"
        value=${face}
        aria-label=${`${faceName(face)}s`}
        .checked=${live(this.face === face)}
        ?disabled=${!bid.faces.includes(face)}
        @change=${pick}
      />${die(face)}</label
    >`;
  }

  /** @param {Move} bid @param {number} by */
  step(bid, by) {
    const wanted = Number.isFinite(this.quantity + by) ? this.quantity + by : 1;
    this.quantity = Math.min(bid.quantity_max, Math.max(this.least(bid, this.face), wanted));
    this.requestUpdate();
  }

  doubts() {
    const challenge = this.move('challenge');
    return html`${
      challenge === undefined
        ? nothing
        : html`<button
            type="button"
            class="button doubt"
            ?disabled=${this.busy}
            @click=${() => this.send({ type: 'challenge' })}
          >
            ${challenge.of === 'pass' ? 'Doubt the pass' : 'Liar!'}
          </button>`
    }
    ${
      this.move('spot_on') === undefined
        ? nothing
        : html`<button
            type="button"
            class="button exact"
            ?disabled=${this.busy}
            @click=${() => this.send({ type: 'spot_on' })}
          >
            Spot on
          </button>`
    }
    ${
      this.move('pass') === undefined
        ? nothing
        : html`<button
            type="button"
            class="button plain-button"
            ?disabled=${this.busy}
            @click=${() => this.send({ type: 'pass' })}
          >
            Pass: all mine differ
          </button>`
    }`;
  }

  pushForm() {
    const arrange = this.move('arrange');
    if (arrange === undefined) return nothing;
    return html`<fieldset class="push">
      <legend>Push: show equal dice, roll the others again</legend>
      ${arrange.positions.map((/** @type {number} */ position) => this.pushDie(position))}
      <button
        type="button"
        class="button plain-button"
        ?disabled=${this.busy || this.picked.length === 0 || this.picked.length === arrange.positions.length}
        @click=${() => this.send(push(this.picked, this.moves))}
      >
        Push
      </button>
    </fieldset>`;
  }

  /** @param {number} position */
  pushDie(position) {
    const face = this.dice[position]?.face ?? null;
    const toggle = () => {
      this.picked = this.picked.includes(position)
        ? this.picked.filter((one) => one !== position)
        : [...this.picked, position].sort((a, b) => a - b);
    };
    return html`<label class="face"
      ><input
        type="checkbox"
        .checked=${live(this.picked.includes(position))}
        @change=${toggle}
        aria-label="Die ${position + 1}${face === null ? '' : `, ${faceName(face)}`}"
      />${die(face)}</label
    >`;
  }

  typed() {
    return html`<form class="typed" @submit=${this.onTyped}>
      <label for="typed">Or type it</label>
      <input
        id="typed"
        name="typed"
        type="text"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        placeholder="5x3, liar"
        aria-describedby=${this.fault === '' ? nothing : 'typed-fault'}
        aria-invalid=${this.fault === '' ? nothing : 'true'}
      />
      <button class="button plain-button" type="submit" ?disabled=${this.busy}>Send</button>
      ${this.fault === '' ? nothing : html`<p class="error" id="typed-fault" role="alert">${this.fault}</p>`}
    </form>`;
  }

  /** @param {SubmitEvent} event */
  onTyped(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.querySelector('#typed'));
    try {
      this.send(parsed(field.value, this.moves));
      field.value = '';
    } catch (fault) {
      if (!(fault instanceof SyntaxError)) throw fault;
      this.fault = fault.message;
    }
  }
}

customElements.define('tc-controls', TcControls);

/**
 * The viewer's own dice, large.
 *
 * @param {any} seat
 * @param {'' | 'checking' | 'verified'} proof
 */
export function ownDice(seat, proof) {
  if (seat === undefined || seat.out || seat.dice.length === 0) return nothing;
  const marks = {
    '': nothing,
    checking: html`<span class="proof">checking…</span>`,
    verified: html`<span
      class="proof yes"
      title="Recomputed here from the key of each die, the tree that was fixed before the deal, and everybody’s seeds"
      >verified</span
    >`,
  };
  return html`<div class="own-dice">${hand(seat.dice, 'Your')} ${marks[proof]}</div>`;
}

/** @param {{code: string, message: string, facts: any}} refusal @returns {string} */
export function refusalWords(refusal) {
  const raises =
    refusal.facts.minimum_raises?.map((/** @type {[number, number]} */ pair) => `${pair[0]}x${pair[1]}`) ?? [];
  return `${sentence(refusal.message)}.${raises.length > 0 ? ` The smallest raises: ${raises.join(', ')}.` : ''}`;
}
