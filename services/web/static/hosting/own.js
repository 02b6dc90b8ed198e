/** One's own place at the table, and what a player does about it: get up, resign, let a bot play, take it elsewhere. */
import { isKept, seatFragment } from '../client/keep.js';
import '../forms/controls.js';
import { drawingOf } from '../qr.js';
import { addressOf } from '../table/inviting.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */
/** @typedef {import('../signing/seat.js').KeyState} KeyState */

/** @param {string} name @param {import('../words/catalogue.js').Facts} [facts] */
const words = (name, facts = {}) => sentence(say(CATALOGUE.own[name], facts));

class TcOwn extends LitElement {
  static properties = {
    view: { attribute: false },
    hosts: { type: Boolean },
    busy: { type: Boolean },
    resigning: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** Whether the player is the host as well. */
    this.hosts = false;
    this.busy = false;
    /** Whether the player is asked if resigning is meant. */
    this.resigning = false;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {string} name @param {object} [detail] */
  #tell(name, detail) {
    this.resigning = false;
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  render() {
    const { view } = this;
    const mine = view?.seats.find(({ seat }) => seat === view.viewer);
    if (view === null || mine === undefined) return nothing;
    if (view.phase === 'lobby') return this.#waiting(view);
    return mine.out ? nothing : this.#playing(view, mine);
  }

  /** @param {View} view */
  #waiting(view) {
    const by = view.rules.start === 'full' ? 'full' : view.rules.starts_at ? 'time' : null;
    const who = by ?? (this.hosts ? 'you' : 'host');
    return html`<p class="row waiting">
      ${words('waiting', { who })}
      <button type="button" class="link" ?disabled=${this.busy} @click=${() => this.#tell('leave')}>${words('leave')}</button>
    </p>`;
  }

  /** @param {View} view @param {Seat} mine */
  #playing(view, mine) {
    // Nobody gives up while a round waits for other tables.
    if (mine.stand_in || view.phase === 'awaiting_board') return nothing;
    if (!this.resigning) {
      // Nobody else can sign for a seat.
      const lends = !mine.key && view.hosting?.lend.includes(mine.seat);
      return html`<p class="row end">
        ${
          lends
            ? html`<button
                type="button"
                class="link"
                ?disabled=${this.busy}
                @click=${() => this.#tell('play', { type: 'stand_in' })}
              >
                ${words('stand_in')}
              </button>`
            : nothing
        }
        <button type="button" class="link" @click=${() => (this.resigning = true)}>${words('resign')}</button>
      </p>`;
    }
    return html`<p class="row end" role="group" aria-label=${words('resign_asks')}>
      ${words('resign_sure')}
      <button type="button" class="link danger" @click=${() => this.#tell('play', { type: 'resign' })}>
        ${words('resign')}
      </button>
      <button type="button" class="link" @click=${() => (this.resigning = false)}>${words('stay')}</button>
    </p>`;
  }
}

/** The way to another device, which nobody else may see: drawn here, and only while it is open. */
class TcElsewhere extends LitElement {
  static properties = {
    match: {},
    shown: { type: Boolean },
    signs: { type: Boolean },
    key: { attribute: false },
    open: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    /** Whether the way is shown unasked. */
    this.shown = false;
    /** Whether the seat has a key, which goes along. */
    this.signs = false;
    /** What is known of that key: another may have come. @type {KeyState | null} */
    this.key = null;
    this.open = false;
  }

  createRenderRoot() {
    return this;
  }

  render() {
    const toggled = (/** @type {Event} */ event) => {
      this.open = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
      if (this.open && this.#stays) this.dispatchEvent(new CustomEvent('take-along', { bubbles: true }));
    };
    const kept = isKept(this.match);
    return html`<details class="sheet elsewhere ${kept ? '' : 'unkept'}" ?open=${this.shown} @toggle=${toggled}>
      <summary role=${kept ? nothing : 'alert'}>${words(kept ? 'elsewhere' : 'unkept')}</summary>
      ${this.open ? this.#way() : nothing}
    </details>`;
  }

  /** Whether what the seat signs with cannot leave this browser. */
  get #stays() {
    return this.signs && !this.key?.along;
  }

  #way() {
    return this.#stays ? html`<p class="hint">${CATALOGUE.keys.stays}</p>` : wayTo(this.match);
  }
}

/** @param {string} match */
function wayTo(match) {
  const url = `${addressOf()}#${seatFragment(match)}`;
  const { size, path } = drawingOf(url);
  return html`<p class="hint">${words('elsewhere_hint')}</p>
    <div class="invitation">
      <figure class="scan">
        <svg class="code" viewBox="0 0 ${size} ${size}" width="196" height="196" role="img" aria-label=${words('code')}>
          <path d=${path}></path>
        </svg>
      </figure>
      <div class="field">
        <label for="seat-link">${words('link')}</label>
        <input
          id="seat-link"
          type="text"
          readonly
          .value=${url}
          @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()}
        />
      </div>
    </div>`;
}

/** On a page that only watches, in a browser that has a seat here. @param {() => void} onReturn */
export const returning = (onReturn) =>
  html`<section class="sheet">
    <p>${words('taken')}</p>
    <button class="button" type="button" @click=${onReturn}>${words('return')}</button>
  </section>`;

/**
 * What somebody sees first for whom a bot plays.
 *
 * @param {View} view
 * @param {boolean} busy
 */
function takingBack(view, busy) {
  const mine = view.seats.find(({ seat }) => seat === view.viewer);
  if (!mine?.stand_in || mine.out || view.phase === 'finished') return nothing;
  const back = (/** @type {Event} */ event) =>
    event.target?.dispatchEvent(new CustomEvent('play', { detail: { type: 'take_back' }, bubbles: true }));
  return html`<div class="taking-back">
    <p>${words('stood_in')}</p>
    <button class="button" type="button" ?disabled=${busy} @click=${back}>${words('take_back')}</button>
  </div>`;
}

/**
 * @param {View} view
 * @param {{busy: boolean, hosts: boolean, token?: string, proof: string, fault: string, typed: boolean,
 *   onPlay: (body: {type: string}, typed: boolean) => void, onLeave: () => void}} how `token`
 *   where hints are given; `typed` where what was asked last was typed: then its
 *   fault is told where one types.
 */
export function rail(view, { busy, hosts, token, proof, fault: told, typed, onPlay, onLeave }) {
  const fault = view.phase === 'lobby' ? '' : told;
  const shownThere = typed && view.moves.length > 0;
  return html`<section
    class="rail ${view.turn === view.viewer ? 'yours' : ''}"
    aria-label=${CATALOGUE.board.place}
    @play=${(/** @type {CustomEvent} */ event) => onPlay(event.detail, isTyped(event))}
  >
    ${fault === '' || shownThere ? nothing : html`<p class="error" role="alert">${fault}</p>`}
    ${takingBack(view, busy)}
    <tc-controls
      .view=${view}
      .proof=${proof}
      .fault=${shownThere ? fault : ''}
      .foot=${html`${token === undefined ? nothing : html`<tc-hint .view=${view} .token=${token}></tc-hint>`}<tc-own .view=${view} ?hosts=${hosts} ?busy=${busy} @leave=${onLeave}></tc-own>`}
      ?busy=${busy}
    ></tc-controls>
  </section>`;
}

/** @param {Event} event @returns {boolean} Whether what is asked for was typed. */
const isTyped = ({ target }) => target instanceof Element && 'said' in target && Boolean(target.said);

/**
 * The way of the seat to another device.
 *
 * @param {View} view
 * @param {KeyState | null} key
 * @param {boolean} shown Whether it is open unasked.
 * @param {() => void} onAlong
 */
export function elsewhere(view, key, shown, onAlong) {
  return html`<tc-elsewhere match=${view.match} ?shown=${shown} ?signs=${hasKey(view)} .key=${key} @take-along=${onAlong}></tc-elsewhere>`;
}

/** @param {View} view @returns {boolean} Whether the viewer's seat signs what it asks for. */
const hasKey = ({ seats, viewer }) => seats.some(({ seat, key }) => seat === viewer && Boolean(key));

/**
 * @param {View} view
 * @param {boolean} lost Whether this is where a lost key is told of, or where one that is here lies.
 * @param {KeyState | null} key
 * @param {() => Promise<import('../signing/seat.js').SignedSeat> | undefined} signed
 */
export function seatKey(view, lost, key, signed) {
  if (key === null || key.here === lost || !hasKey(view) || view.phase === 'finished') return nothing;
  return html`<tc-seat-key .view=${view} .state=${key} .signed=${signed}></tc-seat-key>`;
}

customElements.define('tc-own', TcOwn);
customElements.define('tc-elsewhere', TcElsewhere);
