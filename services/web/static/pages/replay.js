/** The replay: every frame of a match, forwards and backwards. */
import { Refusal, brought, needed } from '../client/api.js';
import { tokensOf } from '../client/keep.js';
import '../show/lift.js';
import { isOpening, isVerdict, sceneOf } from '../show/scenes.js';
import { scrubber } from '../show/scrubber.js';
import { board } from '../table/board.js';
import { copied } from '../table/inviting.js';
import { sheet } from '../table/ledger.js';
import { story } from '../table/panels.js';
import { wayBack } from '../table/yours.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { OWN, chooseEyes, eyesAfter, eyesOf, framesFor } from '../watch/eyes.js';
import { listOfKeys, listen, showKeys } from '../watch/keys.js';
import { asked, note, settledAt } from '../watch/moment.js';
import { savePicture } from '../watch/picture.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { refusalWords } from '../words/phrases.js';
import { told } from '../words/telling.js';

/** @typedef {import('../client/view.js').Frame} Frame */

const STEP_MS = 900;
const AROUND = 60;

const WORDS = CATALOGUE.replay;

class TcReplay extends LitElement {
  static properties = {
    match: {},
    over: { type: Boolean },
    alone: { type: Boolean },
    frames: { state: true },
    eyes: { state: true },
    at: { state: true },
    playing: { state: true },
    speed: { state: true },
    fault: { state: true },
    copied: { state: true },
    quiet: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    this.over = false;
    /** Whether there is no house behind the page. */
    this.alone = false;
    /** @type {Frame[]} */
    this.frames = [];
    this.eyes = '';
    /** Those that were asked for last. */
    this.wanted = '';
    /** What each frame tells. @type {Map<Frame, string>} */
    this.texts = new Map();
    this.at = 0;
    this.playing = false;
    this.speed = 1;
    this.fault = '';
    this.copied = '';
    /** Whether what comes is hidden of a match that is over. */
    this.quiet = true;
    /** @type {import('../watch/analyst.js').Analyst | null} */
    this.analyst = null;
    /** Which version was told of last; 0 before the first. */
    this.told = 0;
    /** @type {import('../show/scenes.js').Scene | null} */
    this.scene = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {import('../watch/keys.js').Key[]} */
    this.keys = [];
    this.unlisten = () => {};
    this.moved = () => void this.#arrive();
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.keys = this.#keys();
    this.unlisten = listen(this.keys);
    addEventListener('hashchange', this.moved);
    void this.#arrive();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.unlisten();
    removeEventListener('hashchange', this.moved);
    clearTimeout(this.timer);
  }

  /** @returns {string} Of what is over every cup is of glass; a seat in play sees what it is shown. */
  get usual() {
    return this.over ? 'all' : OWN;
  }

  /** Show the moment that the address asks for. */
  async #arrive() {
    const { version, eyes } = asked();
    if (!(await this.#look(eyesOf(eyes, this.usual)))) return;
    const named = this.frames.findIndex((frame) => frame.version === version);
    const opened = Math.max(0, this.frames.findIndex(isOpening));
    this.at = named < 0 ? this.#rolled(opened) : settledAt(this.frames, named);
  }

  /** @param {string} eyes @returns {Promise<boolean>} Whether there is something to see. */
  async #look(eyes) {
    this.wanted = eyes;
    this.fault = '';
    if (eyes === this.eyes && this.frames.length > 0) return true;
    try {
      const frames = await framesFor(this.match, eyes, tokensOf(this.match).token ?? null);
      if (this.wanted !== eyes) return false;
      if (this.frames.length === 0) this.replaceChildren();
      this.texts = new Map(frames.map((frame, at) => [frame, told(frame.event, frame.view, frames[at - 1])]));
      this.frames = frames;
      this.eyes = eyes;
      this.fault = '';
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (this.wanted !== eyes) return false;
      if (this.frames.length === 0) this.replaceChildren();
      this.fault = refusalWords(refusal);
    }
    return this.fault === '';
  }

  /** @param {string} eyes */
  async #see(eyes) {
    if (await this.#look(eyes)) this.#go(this.at);
  }

  /** @param {number} at */
  #go(at) {
    this.at = Math.min(this.frames.length - 1, Math.max(0, at));
    this.copied = '';
    this.scene = null;
    note(this.frames[settledAt(this.frames, this.at)].version, this.eyes, this.usual);
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
    if (way === 1 && isVerdict(this.frames[this.at])) this.#show();
  }

  /** Stop at what there is to tell, and pass over what there is not. @param {1 | -1} way */
  #step(way) {
    this.#move(way, (frame) => this.texts.get(frame) !== '');
  }

  /** Show the verdict at which one has come, with all that the same command led to. */
  #show() {
    const over = this.frames.findIndex(({ more }, place) => place >= this.at && !more);
    this.scene = sceneOf(this.frames.slice(this.at, over + 1));
  }

  /** @param {1 | -1} way The round before or after. */
  #round(way) {
    this.#move(way, isOpening);
  }

  #toggle() {
    this.playing = !this.playing;
    clearTimeout(this.timer);
    if (!this.playing) return;
    if (this.at >= this.frames.length - 1) this.#go(0);
    this.#tick();
  }

  #tick() {
    const long = this.frames[this.at].event.type === 'game.judged' ? 4 : 1;
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

  /** @param {1 | -1} way The next time that cups are lifted, or the last. */
  #lift(way) {
    this.#move(way, isVerdict);
  }

  /** @returns {Promise<import('../watch/analyst.js').Analyst | null>} Nobody before the match is over, or where none comes. */
  async #ask() {
    if (!this.over) return null;
    this.fault = '';
    try {
      const { Analyst } = await needed(import('../watch/analyst.js'));
      this.analyst ??= new Analyst(this.match, () => this.requestUpdate());
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = refusalWords(refusal);
    }
    return this.analyst;
  }

  async #analyse() {
    await (await this.#ask())?.toggle();
  }

  async #save() {
    await (await this.#ask())?.save();
  }

  /** @param {'moments' | 'errors'} what @param {1 | -1} way The next of them, or the last. */
  async #key(what, way) {
    const versions = (await (await this.#ask())?.versions(what)) ?? [];
    const here = this.frames[this.at].version;
    const found = way === 1 ? versions.find((one) => one > here) : versions.findLast((one) => one < here);
    if (found !== undefined) this.#reach(found);
  }

  /** @param {number} version */
  #reach(version) {
    this.#go(
      Math.max(
        0,
        this.frames.findLastIndex((frame) => frame.version <= version),
      ),
    );
  }

  async #copy() {
    this.#go(this.at);
    this.copied = (await copied(location.href)) ? 'copied' : 'address';
  }

  /** @returns {import('../watch/keys.js').Key[]} */
  #keys() {
    const on = (/** @type {() => void} */ act) => () => {
      if (this.frames.length > 0) act();
    };
    return [
      { keys: ['ArrowLeft'], shown: ['←'], does: 'back', act: on(() => this.#step(-1)) },
      { keys: ['ArrowRight'], shown: ['→'], does: 'on', act: on(() => this.#step(1)) },
      { keys: ['ArrowUp', 'PageUp'], shown: ['↑'], does: 'round_before', act: on(() => this.#round(-1)) },
      { keys: ['ArrowDown', 'PageDown'], shown: ['↓'], does: 'round_after', act: on(() => this.#round(1)) },
      { keys: ['r'], shown: ['R'], does: 'lift', act: on(() => this.#lift(1)) },
      { keys: ['R'], shown: ['⇧', 'R'], does: 'lift_before', act: on(() => this.#lift(-1)) },
      { keys: ['Home'], shown: ['Home'], does: 'first', act: on(() => this.#go(0)) },
      { keys: ['End'], shown: ['End'], does: 'last', act: on(() => this.#go(this.frames.length - 1)) },
      { keys: [' '], shown: ['␣'], does: 'play', act: on(() => this.#toggle()) },
      { keys: ['c'], shown: ['C'], does: 'copies', act: on(() => void this.#copy()) },
      ...(this.over ? this.#keysOfAnalysis(on) : []),
      { keys: ['?'], shown: ['?'], does: 'lists', act: on(() => showKeys(this)) },
    ];
  }

  /** @param {(act: () => void) => () => void} on @returns {import('../watch/keys.js').Key[]} */
  #keysOfAnalysis(on) {
    const turn = () => void this.#see(eyesAfter(this.eyes, this.frames[this.at].view.seats));
    return [
      { keys: ['a'], shown: ['A'], does: 'analysis', act: on(() => void this.#analyse()) },
      { keys: ['m'], shown: ['M'], does: 'moment_next', act: on(() => void this.#key('moments', 1)) },
      { keys: ['M'], shown: ['⇧', 'M'], does: 'moment_before', act: on(() => void this.#key('moments', -1)) },
      { keys: ['e'], shown: ['E'], does: 'error_next', act: on(() => void this.#key('errors', 1)) },
      { keys: ['v'], shown: ['V'], does: 'viewpoint', act: on(turn) },
    ];
  }

  shouldUpdate() {
    return this.frames.length > 0 || this.fault !== '';
  }

  updated() {
    document.querySelector('#comments')?.toggleAttribute('data-quiet', this.over && this.quiet);
    const frame = this.frames[this.at];
    if (frame === undefined || frame.version === this.told) return;
    const first = this.told === 0;
    this.told = frame.version;
    this.dispatchEvent(new CustomEvent('moment', { detail: frame.version }));
    if (first) void this.#comments();
  }

  async #comments() {
    const { followReplay } = await brought(() => import('../watch/comments.js'));
    followReplay(this, this.told);
  }

  render() {
    if (this.frames.length === 0) return html`<p class="error" role="alert">${this.fault}</p>`;
    const { view, version } = this.frames[this.at];
    const over = html`<tc-lift .scene=${this.scene} .speed=${this.speed}></tc-lift>`;
    return html`<div class="table-grid">
      <div class="play">
        ${board(view, { counting: false, over })} ${this.#scrubber(view.round, version)}
        <p class="telling" aria-live="polite">${this.#story().at(-1)?.text}</p>
        ${this.#goesOn()} ${this.#ways(view)} ${this.#analysis()}
      </div>
      <aside class="side">${sheet(view)} ${story(this.#story())}</aside>
      ${listOfKeys(this.keys)}
    </div>`;
  }

  #analysis() {
    if (this.analyst === null) return nothing;
    const { view, version } = this.frames[this.at];
    const texts = new Map(this.frames.map((frame) => [frame.version, this.texts.get(frame) ?? '']));
    const last = this.frames[this.frames.length - 1].version;
    const { eyes, quiet } = this;
    return this.analyst.pane({ version, last, eyes, quiet, seats: view.seats, texts }, (to) => this.#reach(to));
  }

  #waysOfAnalysis() {
    const words = CATALOGUE.analysis.page;
    return html`<button class="button plain-button" type="button" aria-pressed=${this.analyst?.on ?? false} @click=${() => void this.#analyse()}>
        ${words.title}
      </button>
      <button class="button plain-button" type="button" @click=${() => (this.quiet = !this.quiet)}>
        ${this.quiet ? words.spoilers : words.quiet}
      </button>`;
  }

  /** @param {import('../client/view.js').View} view */
  #ways(view) {
    const words = CATALOGUE.watch;
    const own = tokensOf(this.match).token !== undefined && !this.over;
    return html`<div class="ways">
      ${chooseEyes(this.eyes, view.seats, own, (eyes) => void this.#see(eyes))}
      ${this.over ? this.#waysOfAnalysis() : nothing}
      <button class="button plain-button" type="button" @click=${() => void this.#copy()}>${say(words.copy, {})}</button>
      ${this.alone ? nothing : this.#kept(view.version)}
      <button class="button plain-button" type="button" aria-haspopup="dialog" @click=${() => showKeys(this)}>
        ${say(words.keys, {})}
      </button>
      ${this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`}
      <p class="said" role="status">${this.copied === '' ? '' : say(words[this.copied], {})}</p>
    </div>`;
  }

  /** What a house makes of a match, to be kept. @param {number} version */
  #kept(version) {
    const { picture } = CATALOGUE.watch;
    const save = async () => Object.assign(this, { fault: await savePicture(this.match, version) });
    const file = html`<button class="button plain-button" type="button" @click=${() => void this.#save()}>
      ${CATALOGUE.analysis.page.file}
    </button>`;
    return html`<button class="button plain-button" type="button" @click=${save}>
        ${say(picture, {})}
      </button>
      ${this.over ? file : nothing}`;
  }

  #goesOn() {
    if (this.alone || this.frames[this.frames.length - 1].view.phase === 'finished') return nothing;
    return html`<p class="goes-on">
      ${WORDS.live} <a href="/m/${this.match}">${wayBack(this.match)}</a>
    </p>`;
  }

  /** @param {number} round @param {number} version */
  #scrubber(round, version) {
    const last = this.frames.length - 1;
    const when = round === 0 ? WORDS.before : say(WORDS.round, { round: String(round) });
    const text = say(WORDS.at, { when, version: String(version), last: String(this.frames[last].version) });
    return scrubber(
      { at: this.at, last, text, playing: this.playing },
      {
        round: (way) => this.#round(way),
        step: (way) => this.#step(way),
        toggle: () => this.#toggle(),
        go: (at) => this.#go(at),
        speed: (speed) => (this.speed = speed),
      },
    );
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

customElements.define('tc-replay', TcReplay);
