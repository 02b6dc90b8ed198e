/** A match and nothing around it: in the page of another site, over a stream, on a television. */
import { tellLost, whenBack } from '../client/again.js';
import { Refusal, readJson, serverClock } from '../client/api.js';
import { Follow } from '../client/lines/follow.js';
import { board } from '../table/board.js';
import { onFront } from '../table/tickets.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import '../watch/crowd.js';
import { Pace } from '../watch/pace.js';
import { strip } from '../watch/strip.js';
import { CATALOGUE, gameName, say } from '../words/catalogue.js';
import { titleOf } from '../words/phrases.js';
import { told } from '../words/telling.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {import('../client/view.js').LobbyRow} Row */

const TICK_MS = 1_000;
const CHOOSE_MS = 8_000;
/** How long a television shows what has ended. */
const LAST_MS = 15_000;
/** A line that is back within so long was not gone: a house that is begun again says goodbye first. */
const GONE_MS = 2_000;

/** @returns {Promise<Row[] | null>} The tables to choose from, the best first; null while they cannot be had. */
async function playing() {
  try {
    return onFront(await readJson('/api/v1/matches?state=live'), 'live').shown;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return null;
  }
}

/** @param {Row} row */
const hasPeople = (row) => row.seats.some((seat) => !seat.bot);

class TcStage extends LitElement {
  static properties = {
    match: {},
    kind: {},
    feed: {},
    version: { type: Number },
    delay: { type: Number, attribute: 'data-delay' },
    view: { state: true },
    text: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    this.kind = 'embed';
    this.feed = 'live';
    this.version = 0;
    this.delay = 0;
    /** @type {View | null} */
    this.view = null;
    this.text = '';
    /** @type {Follow | null} */
    this.following = null;
    this.pace = new Pace((frame) => this.#show(frame));
    /** @type {ReturnType<typeof setInterval>[]} */
    this.timers = [];
    this.endedAt = 0;
    /** Since when nothing is heard of the match. */
    this.lostAt = 0;
    /** How often tables were looked for, and which of these looks came last to its end, with an answer or without. */
    this.looks = 0;
    this.seen = 0;
    this.isUnanswered = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    serverClock.late = this.delay;
    if (this.match !== '') this.#follow(this.version);
    this.timers = [setInterval(() => this.#tick(), TICK_MS)];
    if (this.kind !== 'tv') return;
    this.timers.push(setInterval(() => void this.#choose(), CHOOSE_MS));
    whenBack(() => void this.#choose());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.following?.stop();
    this.pace.stop();
    for (const timer of this.timers) clearInterval(timer);
  }

  #tick() {
    if (this.view !== null) this.requestUpdate();
    const isFollowed = this.match !== '' && this.endedAt === 0;
    tellLost(isFollowed ? this.lostAt > 0 && Date.now() - this.lostAt >= GONE_MS : this.isUnanswered);
  }

  /** @param {number} after */
  #follow(after) {
    this.following?.stop();
    this.pace.stop();
    this.endedAt = 0;
    this.lostAt = 0;
    const late = this.feed === 'caster';
    // What stands over a stream or on a television is looked at where no browser can tell.
    this.following = new Follow(
      this.match,
      { token: null, after: late ? 0 : after, whenHidden: () => this.kind !== 'embed', late },
      {
        onSnapshot: (view) => {
          if (late && this.view !== null) return;
          // A caster begins where the cups are shut no more, and goes on from there.
          if (late && this.following !== null) this.following.version = view.version;
          this.#see(view);
        },
        onFrame: (frame) => (late ? this.pace.take(frame) : this.#show(frame)),
        onEnded: () => (this.endedAt = Date.now()),
        onState: (state) => {
          this.lostAt = state === 'lost' ? this.lostAt || Date.now() : 0;
          if (state === 'live') this.#tick();
        },
        onRefused: () => {},
      },
    );
  }

  /** @param {Frame} frame */
  #show(frame) {
    this.text = told(frame.event, frame.view) || this.text;
    this.#see(frame.view);
  }

  /** @param {View} view */
  #see(view) {
    if (this.view === null) this.replaceChildren();
    if (this.view === null || view.match !== this.view.match || view.version >= this.view.version) this.view = view;
  }

  /** Show the best table there is now, and what has ended for a while. */
  async #choose() {
    this.looks += 1;
    const look = this.looks;
    const tables = await playing();
    if (look < this.seen) return;
    this.seen = look;
    this.isUnanswered = tables === null;
    const [best] = tables ?? [];
    if (best === undefined || (this.endedAt > 0 && Date.now() - this.endedAt < LAST_MS)) return;
    const here = tables?.find((row) => row.match === this.match);
    if (here !== undefined && hasPeople(here) >= hasPeople(best)) return;
    this.match = best.match;
    this.delay = best.delay_ms ?? 0;
    serverClock.late = this.delay;
    this.text = '';
    this.#follow(best.version);
  }

  shouldUpdate() {
    return this.view !== null;
  }

  render() {
    const { view, kind } = this;
    if (view === null) return nothing;
    if (kind === 'overlay' && document.documentElement.dataset.theme !== 'felt')
      return html`${strip(view, this.text)}${this.#crowd(view)}`;
    return html`${kind === 'tv' ? this.#head(view) : nothing}
      ${board(view)}
      <p class="telling">${this.text}</p>
      ${kind === 'embed' ? this.#foot(view) : nothing} ${kind === 'overlay' ? this.#crowd(view) : nothing}`;
  }

  /** @param {View} view */
  #head(view) {
    return html`<header>
      <h1>${titleOf(view.seats)} <span class="muted">${gameName(view.title)}</span> <tc-crowd class="muted" match=${view.match}></tc-crowd> ${this.#lateness()}</h1>
      <figure class="scan">
        <img src="/m/${view.match}/qr.svg" width="120" height="120" alt=${say(CATALOGUE.watch.scan, {})} />
        <figcaption aria-hidden="true">${say(CATALOGUE.watch.scan, {})}</figcaption>
      </figure>
    </header>`;
  }

  /** @param {View} view */
  #crowd(view) {
    return html`<p class="late"><tc-crowd class="tag" match=${view.match}></tc-crowd></p>`;
  }

  #lateness() {
    const seconds = String(Math.round(this.delay / 1000));
    return this.delay === 0 ? nothing : html`<span class="tag">${say(CATALOGUE.watch.late_shown, { seconds })}</span>`;
  }

  /** @param {View} view */
  #foot(view) {
    return html`<p class="from">
      <a href="/m/${view.match}" target="_blank" rel="noopener">${say(CATALOGUE.watch.open, {})}</a>
      <tc-crowd class="muted" match=${view.match}></tc-crowd>
      <span class="muted">${gameName(view.title)} · Truecup</span>
    </p>`;
  }
}

customElements.define('tc-stage', TcStage);
