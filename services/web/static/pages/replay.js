/** The replay: every frame of a match, forwards and backwards. */
import { Refusal, matchPath, readJson } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import { refusalWords } from '../forms/controls.js';
import { board } from '../table/board.js';
import { sheet } from '../table/ledger.js';
import { story } from '../table/panels.js';
import { wayBack } from '../table/yours.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { told } from '../words/telling.js';

/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {Event & {target: HTMLInputElement | HTMLSelectElement}} Changed */

const STEP_MS = 900;
const AROUND = 60;

/** @param {Frame} frame */
const opens = (frame) => frame.event.type === 'game.round_opened';

class TcReplay extends LitElement {
  static properties = {
    match: {},
    frames: { state: true },
    at: { state: true },
    playing: { state: true },
    speed: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    /** @type {Frame[]} */
    this.frames = [];
    /** What each frame tells. @type {Map<Frame, string>} */
    this.texts = new Map();
    this.at = 0;
    this.playing = false;
    this.speed = 1;
    this.fault = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    void this.#load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  async #load() {
    const { token = null } = tokensOf(this.match);
    try {
      const { frames } = await this.#frames(token);
      this.replaceChildren();
      this.frames = frames;
      this.texts = new Map(
        frames.map((frame, at) => [frame, told(frame.event, frame.view, frames[at - 1]?.event.type)]),
      );
      const wanted = Number(new URLSearchParams(location.hash.slice(1)).get('v'));
      const places = /** @type {((frame: Frame) => boolean)[]} */ ([
        (frame) => frame.version === wanted,
        opens,
        () => true,
      ]);
      const at = places.map((is) => frames.findIndex(is)).find((place) => place >= 0) ?? 0;
      this.at = frames[at].version === wanted ? at : this.#rolled(at);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.replaceChildren();
      this.fault = refusalWords(refusal);
    }
  }

  /**
   * @param {string | null} token A token of another day is no reason not to look.
   * @returns {Promise<{frames: Frame[]}>}
   */
  async #frames(token) {
    try {
      return await readJson(matchPath(this.match, '/replay'), { token });
    } catch (refusal) {
      if (token === null || !(refusal instanceof Refusal) || refusal.status > 403) throw refusal;
      return readJson(matchPath(this.match, '/replay'));
    }
  }

  /** @param {number} at */
  #go(at) {
    this.at = Math.min(this.frames.length - 1, Math.max(0, at));
    history.replaceState(null, '', `#v=${this.frames[this.at].version}`);
  }

  /** @param {number} at @returns {number} Where the dice are rolled that follow at once. */
  #rolled(at) {
    let rolled = at;
    while (this.frames[rolled + 1]?.event.type === 'cup.rolled') rolled += 1;
    return rolled;
  }

  /** @param {1 | -1} way @param {(frame: Frame) => boolean} stops Whether a frame is a place to stop at. */
  #move(way, stops) {
    const places = this.frames.flatMap((frame, at) => (stops(frame) ? [this.#rolled(at)] : []));
    const found = way === 1 ? places.find((at) => at > this.at) : places.findLast((at) => at < this.at);
    this.#go(found ?? (way === 1 ? this.frames.length - 1 : 0));
  }

  /** Stop at what there is to tell, and pass over what there is not. @param {1 | -1} way */
  #step(way) {
    this.#move(way, (frame) => this.texts.get(frame) !== '');
  }

  /** @param {1 | -1} way The round before or after. */
  #round(way) {
    this.#move(way, opens);
  }

  #toggle() {
    this.playing = !this.playing;
    clearTimeout(this.timer);
    if (!this.playing) return;
    if (this.at >= this.frames.length - 1) this.#go(0);
    this.#tick();
  }

  #tick() {
    const long = this.frames[this.at].event.type === 'game.judged' ? 3 : 1;
    this.timer = setTimeout(
      () => {
        if (!this.playing || !this.isConnected) return;
        this.#step(1);
        if (this.at >= this.frames.length - 1) this.playing = false;
        else this.#tick();
      },
      (STEP_MS * long) / this.speed,
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const steps = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.#step(-1),
      ArrowRight: () => this.#step(1),
      ArrowUp: () => this.#round(-1),
      ArrowDown: () => this.#round(1),
      PageUp: () => this.#round(-1),
      PageDown: () => this.#round(1),
      Home: () => this.#go(0),
      End: () => this.#go(this.frames.length - 1),
      ' ': () => this.#toggle(),
    });
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  }

  shouldUpdate() {
    return this.frames.length > 0 || this.fault !== '';
  }

  render() {
    if (this.fault !== '') return html`<p class="error" role="alert">${this.fault}</p>`;
    const { view, version } = this.frames[this.at];
    return html`<div class="table-grid">
      <div class="play">
        ${board(view, { counting: false })} ${this.#scrubber(view.round, version)}
        <p class="telling" aria-live="polite">${this.#story().at(-1)?.text}</p>
        ${this.#goesOn()}
      </div>
      <aside class="side">${sheet(view)} ${story(this.#story())}</aside>
    </div>`;
  }

  #goesOn() {
    if (this.frames[this.frames.length - 1].view.phase === 'finished') return nothing;
    return html`<p class="goes-on">
      The match was not over when you opened this page. <a href="/m/${this.match}">${wayBack(this.match)}</a>
    </p>`;
  }

  /** @param {number} round @param {number} version */
  #scrubber(round, version) {
    const last = this.frames.length - 1;
    const when = round === 0 ? 'Before the first round' : `Round ${round}`;
    const text = `${when} · ${version} of ${this.frames[last].version}`;
    return html`<div class="scrubber" role="group" aria-label="Replay">
      <div class="buttons">
        <button type="button" aria-label="Round before" @click=${() => this.#round(-1)}>
          ${icon('M4 4v12M17 4 8 10l9 6z')}
        </button>
        <button type="button" aria-label="Step back" @click=${() => this.#step(-1)}>${icon('M14 4 5 10l9 6z')}</button>
        <button type="button" class="main" aria-label=${this.playing ? 'Pause' : 'Play'} @click=${() => this.#toggle()}>
          ${icon(this.playing ? 'M6 4v12M14 4v12' : 'M6 3.5 16 10 6 16.5z')}
        </button>
        <button type="button" aria-label="Step on" @click=${() => this.#step(1)}>${icon('M6 4l9 6-9 6z')}</button>
        <button type="button" aria-label="Round after" @click=${() => this.#round(1)}>
          ${icon('M16 4v12M3 4l9 6-9 6z')}
        </button>
      </div>
      <input
        type="range"
        min="0"
        max=${last}
        .value=${String(this.at)}
        aria-label="Place in the match"
        aria-valuetext=${text}
        @input=${(/** @type {Changed} */ event) => this.#go(Number(event.target.value))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)}
      />
      <span class="place">${text}</span>
      <label class="speed"
        >Speed
        <select @change=${(/** @type {Changed} */ event) => (this.speed = Number(event.target.value))}>
          ${[0.5, 1, 2, 4].map((speed) => html`<option value=${speed} ?selected=${speed === 1}>${speed}×</option>`)}
        </select></label
      >
    </div>`;
  }

  #story() {
    const from = Math.max(0, this.at - AROUND);
    const frames = this.frames.slice(from, this.at + 1);
    return frames
      .map((frame) => ({
        version: frame.version,
        text: this.texts.get(frame) ?? '',
        kind: frame.event.type.replace('.', '-').replaceAll('_', '-'),
      }))
      .filter((entry) => entry.text !== '');
  }
}

/** @param {string} path */
const icon = (path) =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d=${path}></path></svg>`;

customElements.define('tc-replay', TcReplay);
