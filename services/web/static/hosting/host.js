/** What the host of a table may do: invite others, fill seats with bots, start the match, hold it up, end it. */
import { Refusal, ask, matchPath, serverClock } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import { invitation } from '../table/inviting.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { USUAL, levelName } from '../words/levels.js';
import { Names, minutes, refusalWords } from '../words/phrases.js';
import { MINUTE_MS, hostToken, maySeat, mayTable } from './powers.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

const REASONS = ['other', 'away', 'asked', 'conduct', 'trouble', 'break'];
/** Powers that are asked about before they are used. */
const GRAVE = ['kick', 'hand_over', 'end_match'];

/** @param {string} name @param {import('../words/catalogue.js').Facts} [facts] */
const words = (name, facts = {}) => sentence(say(CATALOGUE.host[name], facts));

class TcHost extends LitElement {
  static properties = {
    view: { attribute: false },
    tick: { type: Number },
    levels: { attribute: false },
    who: { state: true },
    reason: { state: true },
    grave: { state: true },
    busy: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** The seconds that are left of what runs at the table: with them, who may be stood in for changes. */
    this.tick = 0;
    /** @type {string[]} What bots may be seated of: levels that were measured to be stronger than another one. */
    this.levels = [];
    /** @type {number | null} The seat that powers are used on, as the host has chosen it. */
    this.who = null;
    this.reason = REASONS[0];
    /** The power of which the host is asked whether it is meant. */
    this.grave = '';
    this.busy = false;
    this.fault = '';
    /** The version that shows what came of what was asked last. */
    this.awaited = 0;
  }

  createRenderRoot() {
    return this;
  }

  /** Who has gone is asked about no more, and nobody else instead. */
  willUpdate() {
    const isOfSeat = this.grave === 'kick' || this.grave === 'hand_over';
    if (isOfSeat && this.view && !this.#others(this.view).some(({ seat }) => seat === this.who)) this.grave = '';
  }

  /** The keyboard goes on where a question was asked, or answered. @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!changed.has('grave')) return;
    const before = changed.get('grave');
    const place = this.grave === '' ? `[data-power="${before}"]` : '[data-asks] button';
    /** @type {HTMLElement | null} */ (before === undefined ? null : this.querySelector(place))?.focus();
  }

  /** Ask, and offer nothing more until the table shows what came of it. @param {string} rest @param {object} [body] */
  async #ask(rest, body) {
    const view = /** @type {View} */ (this.view);
    const token = hostToken(view, tokensOf(view.match));
    this.busy = true;
    this.fault = '';
    try {
      const answer = await ask('POST', matchPath(view.match, rest), { token, body });
      this.awaited = answer.version;
      this.reason = REASONS[0];
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = refusalWords(refusal);
    } finally {
      this.busy = false;
      this.grave = '';
    }
  }

  /** @param {string} type @param {object} [more] */
  #use(type, more = {}) {
    return this.#ask('/commands', { type, ...more });
  }

  /** @param {SubmitEvent} event */
  #bots(event) {
    event.preventDefault();
    const asked = new FormData(/** @type {HTMLFormElement} */ (event.target));
    void this.#ask('/bots', { count: Number(asked.get('count')), level: String(asked.get('level')) });
  }

  render() {
    const { view } = this;
    if (view === null || view.phase === 'finished') return nothing;
    const busy = this.busy || view.version < this.awaited;
    const trouble = this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`;
    if (view.phase === 'lobby') return this.#lobby(view, busy, trouble);
    return html`<details class="sheet host">
      <summary>${words('title')}</summary>
      ${trouble} ${this.#seats(view, busy)} ${this.#holding(view, busy)} ${this.#endIt(view, busy)}
    </details>`;
  }

  /** @param {View} view @param {boolean} busy @param {unknown} trouble */
  #lobby(view, busy, trouble) {
    const few = view.seats.length < 2;
    const lock = view.locked ? 'unlock' : 'lock';
    return html`<section class="sheet host" aria-labelledby="host-title">
      <h2 id="host-title">${words('title')}</h2>
      ${invitation(view.match)} ${this.#fill(view, busy)} ${trouble}
      <div class="row">
        <button class="button" type="button" ?disabled=${busy || few} @click=${() => this.#ask('/start')}>
          ${words('start')}
        </button>
        ${view.rules.host ? this.#power(lock, busy || !mayTable(view, lock)) : nothing}
      </div>
      ${few ? html`<p class="hint">${words('few')}</p>` : nothing} 
      ${this.grave === 'end_match' ? this.#closing(busy) : html`${this.#folded(view, busy)} ${this.#close(view, busy)}`}
    </section>`;
  }

  /** @param {View} view @param {boolean} busy */
  #close(view, busy) {
    const close = () => {
      if (view.rules.host) this.grave = 'end_match';
      else void this.#use('end_match');
    };
    return html`<p class="row end">
      <button class="link danger" type="button" data-power="end_match" ?disabled=${busy} @click=${close}>
        ${words('close')}
      </button>
    </p>`;
  }

  /** Why a table is closed at which nobody has played yet. @param {boolean} busy */
  #closing(busy) {
    const close = () => void this.#use('end_match', this.#about('end_match'));
    return html`<div class="row" role="group" aria-label=${words('close')} data-asks>
      ${this.#why()}
      <button type="button" class="link danger" ?disabled=${busy} @click=${close}>${words('close')}</button>
      <button type="button" class="link" @click=${() => (this.grave = '')}>${words('no', { power: 'close' })}</button>
    </div>`;
  }

  /** @param {View} view @param {boolean} busy */
  #folded(view, busy) {
    if (!view.rules.host || this.#others(view).length === 0) return nothing;
    return html`<details>
      <summary>${words('seats')}</summary>
      ${this.#seats(view, busy)}
    </details>`;
  }

  /** @param {View} view @param {boolean} busy */
  #fill(view, busy) {
    const free = view.rules.seats - view.seats.length;
    return html`<form class="row" @submit=${(/** @type {SubmitEvent} */ event) => this.#bots(event)}>
      <div class="field choice whole">
        <label for="bot-level">${CATALOGUE.levels.choose}</label>
        <select id="bot-level" name="level">
          ${this.levels.map((level) => html`<option value=${level} ?selected=${level === USUAL}>${levelName(level)}</option>`)}
        </select>
      </div>
      <div class="field number">
        <label for="bot-count">${words('bots')}</label>
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
      <button class="button plain-button" type="submit" ?disabled=${busy || free === 0}>${words('add')}</button>
      <p class="hint"><a href="/statistics#levels">${CATALOGUE.levels.how}</a></p>
    </form>`;
  }

  /** @param {View} view @returns {Seat[]} On whose seats the host has powers. */
  #others({ seats, viewer }) {
    return seats.filter(({ seat, out }) => seat !== viewer && !out);
  }

  /** @param {View} view @param {boolean} busy */
  #seats(view, busy) {
    const others = this.#others(view);
    const chosen = others.find(({ seat }) => seat === this.who) ?? others[0];
    if (!view.rules.host || chosen === undefined) return nothing;
    if (this.grave === 'kick' || this.grave === 'hand_over') return this.#sure(chosen, view, busy);
    const lasting = view.phase === 'lobby' ? ['kick', 'hand_over'] : this.#powersInPlay(view, chosen);
    const now = serverClock.now();
    return html`<div class="row">
        <div class="field choice">
          <label for="host-who">${words('who')}</label>
          <select id="host-who" @change=${(/** @type {Event} */ event) => (this.who = Number(chosenIn(event)))}>
            ${others.map(
              ({ seat, name }) => html`<option value=${seat} ?selected=${seat === chosen.seat}>${name}</option>`,
            )}
          </select>
        </div>
        ${this.#why()}
      </div>
      <div class="row">
        ${lasting.map((power) => this.#power(power, busy || !maySeat(view, power, chosen.seat, now), chosen))}
      </div>`;
  }

  /** @param {View} view @param {Seat} seat @returns {string[]} */
  #powersInPlay({ rules }, seat) {
    return [
      seat.stand_in ? 'take_back' : 'stand_in',
      ...(rules.clock === null ? [] : ['give_time']),
      'hand_over',
      'kick',
    ];
  }

  #why() {
    return html`<div class="field choice">
      <label for="host-why">${words('why')}</label>
      <select id="host-why" @change=${(/** @type {Event} */ event) => (this.reason = chosenIn(event))}>
        ${REASONS.map(
          (reason) =>
            html`<option value=${reason} ?selected=${reason === this.reason}>${words('reason', { reason })}</option>`,
        )}
      </select>
    </div>`;
  }

  /** A button for a power, on the table or on a seat. @param {string} power @param {boolean} off @param {Seat} [seat] */
  #power(power, off, seat) {
    const use = () => {
      if (GRAVE.includes(power)) Object.assign(this, { grave: power, who: seat?.seat ?? this.who });
      else void this.#use(power, this.#about(power, seat));
    };
    return html`<button
      class="button plain-button"
      type="button"
      data-power=${power}
      ?disabled=${off}
      @click=${use}
    >
      ${words(power)}
    </button>`;
  }

  /** @param {string} power @param {Seat} [seat] @returns {object} What the command says besides its type. */
  #about(power, seat) {
    const { reason } = this;
    if (power === 'pause' || power === 'end_match') return { reason };
    if (power === 'kick') return { who: seat?.seat, reason };
    if (power === 'give_time') return { who: seat?.seat, ms: MINUTE_MS, reason };
    if (power === 'hand_over') return { to: seat?.seat };
    return seat === undefined ? {} : { who: seat.seat };
  }

  /** @param {Seat} seat @param {View} view @param {boolean} busy */
  #sure(seat, view, busy) {
    const power = this.grave;
    const facts = { seat: new Names(view).of(seat.seat), reason: words('reason', { reason: this.reason }) };
    return this.#question(words(`${power}_sure`, { ...facts, phase: view.phase }), busy, () =>
      this.#use(power, this.#about(power, seat)),
    );
  }

  /** @param {string} text @param {boolean} busy @param {() => void} yes */
  #question(text, busy, yes) {
    return html`<p class="row" role="group" aria-label=${`${words(this.grave)}?`} data-asks>
      <span>${text}</span>
      <button type="button" class="link danger" ?disabled=${busy} @click=${yes}>${words(this.grave)}</button>
      <button type="button" class="link" @click=${() => (this.grave = '')}>${words('no', { power: this.grave })}</button>
    </p>`;
  }

  /** @param {View} view @param {boolean} busy */
  #holding(view, busy) {
    if (!view.rules.host) return nothing;
    const power = view.paused === null ? 'pause' : 'resume';
    return html`<div class="row">
      ${this.#power(power, busy || !mayTable(view, power))}
      <p class="hint">${words('hold', { time: minutes(view.hold_ms ?? 0) })}</p>
    </div>`;
  }

  /** It counts as soon as no round is under way; nobody has to wait for the moment. @param {View} view @param {boolean} busy */
  #endIt(view, busy) {
    if (view.ending) return html`<p class="muted">${words('ending')}</p>`;
    if (this.grave === 'end_match') {
      return this.#question(words('end_match_sure'), busy, () =>
        this.#use('end_match', view.rules.host ? this.#about('end_match') : {}),
      );
    }
    return html`<p class="muted">${words('end')}</p>
      ${this.#power('end_match', busy)}`;
  }
}

/** @param {Event} event @returns {string} */
const chosenIn = (event) => /** @type {HTMLSelectElement} */ (event.target).value;

customElements.define('tc-host', TcHost);
