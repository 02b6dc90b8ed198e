/** The table: one page to watch a match and to play in it. */

import { Alarm, Refusal, brought, needed, serverClock } from '../client/api.js';
import { dropSeat, invitedTokens, isKept, keepName, keepTokens, repinPolicy, tokensOf } from '../client/keep.js';
import { Follow } from '../client/lines/follow.js';
import { Guard, doubtOfLog, policiesOf } from '../hosting/guarding.js';
import { entitle } from '../show/attention.js';
import '../show/lift.js';
import { Lifting } from '../show/lifting.js';
import '../hosting/brought.js';
import { Farewell } from '../hosting/farewell.js';
import '../hosting/host.js';
import { elsewhere, rail, returning, seatKey } from '../hosting/own.js';
import { hostToken } from '../hosting/powers.js';
import '../show/noises.js';
import { Sayings, tray } from '../show/sayings.js';
import { Reminder, endingNote } from '../table/absence.js';
import { board } from '../table/board.js';
import { isSettled } from '../table/coach.js';
import { sheet } from '../table/ledger.js';
import * as panels from '../table/panels.js';
import { LitElement, classMap, html, nothing } from '../vendor/libraries.js';
import '../watch/crowd.js';
import { alarmWords, refusalWords } from '../words/phrases.js';
import { Voice } from '../words/spoken.js';
import { Story } from '../words/telling.js';

/** @typedef {import('../client/view.js').View} View */

const PAST = 80;
/** How long an answer may take until somebody is told that what was asked is kept. */
const SLOW_MS = 3_000;

class TcTable extends LitElement {
  #invited = () => this.#takeInvitation();
  /** Another page of this browser may have taken a seat here. */
  #kept = () => this.requestUpdate();
  #signed = () => this.guard?.signed();

  static properties = {
    match: {},
    version: { type: Number },
    view: { state: true },
    settled: { state: true },
    connection: { state: true },
    alarms: { state: true },
    offered: { state: true },
    strange: { state: true },
    kept: { state: true },
    busy: { state: true },
    waits: { state: true },
    fault: { state: true },
    proof: { state: true },
    key: { state: true },
    tick: { state: true },
    brought: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    this.version = 0;
    /** @type {View | null} */
    this.view = null;
    /** @type {View | null} */
    this.settled = null;
    this.story = new Story();
    this.farewell = new Farewell();
    this.connection = 'live';
    /** @type {string[]} */
    this.alarms = [];
    /** @type {string | null} A policy of the log that may be accepted. */
    this.offered = null;
    /** @type {{known: string, offered: string} | null} Policies of which the log meets only the one not believed here. */
    this.strange = null;
    this.kept = 0;
    this.busy = false;
    /** Whether an answer is late. */
    this.waits = false;
    this.fault = '';
    /** @type {import('../client/proving.js').Proof} */
    this.proof = '';
    /** @type {import('../signing/seat.js').KeyState | null} */
    this.key = null;
    /** The seconds that are left of what runs. */
    this.tick = 0;
    this.reminder = new Reminder();
    this.lifting = new Lifting();
    this.sayings = new Sayings(() => this.requestUpdate());
    /** Whether more of what one command led to is on its way: the table is drawn when all of it is there. */
    this.more = false;
    /** @type {ReturnType<typeof tokensOf>} */
    this.tokens = {};
    /** @type {import('../client/keep.js').Brought | null} A seat from a link, which its owner has still to choose. */
    this.brought = null;
    this.awaited = 0;
    /** Whether what was asked last was typed. */
    this.typed = false;
    this.voice = new Voice(() => this.querySelector('[data-live]'));
    /** @type {Guard | null} */
    this.guard = null;
  }

  /** What the server wrote stays until there is something live to show. */
  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    ({ tokens: this.tokens, brought: this.brought } = invitedTokens(this.match));
    this.guard = new Guard(this.match, {
      onAlarm: (alarm) => this.#alarm(alarm),
      onPolicy: (text) => (this.offered = text),
      onKept: (count) => (this.kept = count),
      onProof: (proof) => (this.proof = proof),
      onKey: (state) => (this.key = state),
    });
    void brought(() => import('../show/drawer.js'));
    void brought(() => import('../hosting/keys.js'));
    if (this.hasAttribute('hints')) void brought(() => import('../analysis/hint.js'));
    this.#follow(Math.max(0, this.version - PAST));
    this.timer = setInterval(() => this.#count(), 250);
    addEventListener('hashchange', this.#invited);
    addEventListener('storage', this.#kept);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.following?.stop();
    this.guard?.stop();
    clearInterval(this.timer);
    removeEventListener('hashchange', this.#invited);
    removeEventListener('storage', this.#kept);
  }

  /** For an invitation that is opened where the table stands already, browsers load no page anew. */
  #takeInvitation() {
    const isSeat = location.hash.startsWith('#seat=');
    const { tokens, brought } = invitedTokens(this.match);
    this.brought = brought;
    if (isSeat && brought === null) return this.#return();
    // A seat that was taken on another page is that page's: this one goes on watching.
    this.tokens = { ...this.tokens, invite: tokens.invite };
    this.requestUpdate();
  }

  /** @param {number} after */
  #follow(after) {
    this.following?.stop();
    const { token = null, seat, host, called } = this.tokens;
    const name = this.getAttribute('name') ?? undefined;
    if (name !== called && (token ?? host)) keepTokens(this.match, { called: name });
    const who = token === null || seat === undefined ? null : { match: this.match, seat, token };
    this.guard?.keep(who);
    this.following = new Follow(
      this.match,
      { token, after, whenHidden: () => who !== null && this.view?.phase !== 'finished' },
      {
        onSnapshot: (view) => {
          this.fault = '';
          this.#see(view, true);
        },
        onFrame: (frame) => this.#hear(frame),
        onPhrase: (saying) => this.#listen(saying),
        onEnded: () => {
          this.connection = 'ended';
          this.guard?.compare();
        },
        onState: (state) => Object.assign(this, { connection: state, more: false }),
        onRefused: (refusal) => this.#lost(refusal),
      },
    );
  }

  /** @param {View} view @param {boolean} isSnapshot */
  #see(view, isSnapshot = false) {
    this.guard?.hold(view);
    const newer = this.view === null || view.version > this.view.version || view.viewer !== this.view.viewer;
    if (!newer && !(isSnapshot && view.version === this.view?.version)) return;
    if (this.view === null) this.#begin();
    serverClock.late = view.viewer === null && view.phase !== 'lobby' ? Number(this.dataset.delay ?? 0) : 0;
    this.view = view;
    this.lifting.see(view);
    this.#settle(view);
    this.voice.see(view);
    entitle(view, this.getAttribute('name'));
    this.guard?.see(view, this.story.previous?.event.type);
    if (isSnapshot && this.tokens.token && view.viewer === null) this.#sitNoMore();
  }

  /** The seat was given up, on another page or by another hand: forget it, and offer a seat again. */
  #sitNoMore() {
    this.#forget();
    this.guard?.keep(null);
  }

  /** Another seat, which this browser has taken here since on another page, stays, and this page leads to it. */
  #forget() {
    dropSeat(this.match, this.tokens.token);
    this.tokens = { ...tokensOf(this.match), token: undefined, seat: undefined };
  }

  /** Keep how the dice of a round lay when it was over. @param {View} view */
  #settle(view) {
    if (view.last !== null && isSettled(view)) this.settled = view;
  }

  /** Take the server's writing away, but for the rules, which stand as they are. */
  #begin() {
    this.rules = this.querySelector('.rules');
    this.replaceChildren();
  }

  /** @param {import('../client/view.js').Frame} frame */
  #hear(frame) {
    this.guard?.hold(frame);
    this.farewell.hear(frame);
    const fresh = this.view === null || frame.version > this.view.version;
    const text = this.story.hear(frame, this.tokens.host !== undefined);
    if (text !== '' && fresh) this.voice.tell(frame, text);
    this.requestUpdate();
    this.more = frame.more;
    if (fresh) this.lifting.hear(frame);
    if (fresh) this.#see(frame.view);
    else this.#settle(frame.view);
  }

  /** @param {import('../show/sayings.js').Saying} saying */
  #listen(saying) {
    const text = this.sayings.hear(saying, this.view);
    if (text !== '') this.voice.say(text);
  }

  /** @param {Refusal} refusal */
  #lost(refusal) {
    if (refusal.code === 'version_in_the_future') {
      this.#alarm(new Alarm('shorter', { proved: 'no' }));
    } else if (refusal.code === 'bad_token' || refusal.code === 'foreign_token') {
      this.farewell.lose(this.tokens.seat);
      this.#forget();
      this.#follow(this.view?.version ?? 0);
    } else {
      this.fault = refusalWords(refusal);
    }
  }

  #accept() {
    repinPolicy(/** @type {string} */ (this.offered));
    this.offered = null;
  }

  /** Believe the policy of today, as the owner of this browser says, and do what distrust has kept back. */
  #believe(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    repinPolicy(/** @type {{offered: string}} */ (this.strange).offered);
    Object.assign(this, { strange: null, alarms: [], fault: '' });
    this.guard?.again();
  }

  /** @param {Alarm} alarm */
  #alarm(alarm) {
    const text = alarmWords(alarm);
    this.strange = policiesOf(alarm) ?? this.strange;
    if (!this.alarms.includes(text)) this.alarms = [...this.alarms, text];
  }

  #count() {
    if (!this.view?.due_at) return;
    this.tick = Math.ceil((this.view.due_at - serverClock.now()) / 1000);
    const text = this.reminder.tell(this.view);
    if (text !== '') this.voice.say(text);
  }

  /**
   * Ask, and offer nothing more until the table shows what came of it.
   *
   * @param {() => Promise<any>} what
   * @returns {Promise<any>} The answer; null if the server said no, which is then shown.
   */
  async #ask(what) {
    this.busy = true;
    this.fault = '';
    const slow = setTimeout(() => (this.waits = true), SLOW_MS);
    try {
      const answer = await what();
      this.awaited = answer?.version ?? this.awaited;
      return answer;
    } catch (trouble) {
      if (trouble instanceof Alarm) this.#alarm(trouble);
      else if (trouble instanceof Refusal) this.fault = refusalWords(trouble);
      else throw trouble;
      return null;
    } finally {
      clearTimeout(slow);
      Object.assign(this, { busy: false, waits: false });
    }
  }

  /** Who asks for the next round just as it begins has what was asked for. @param {{type: string}} body @param {boolean} typed */
  #play(body, typed) {
    this.typed = typed;
    const asked = this.#ask(async () => this.guard?.order(body));
    return body.type === 'continue' ? asked.finally(() => (this.fault = '')) : asked;
  }

  /** @param {SubmitEvent} event */
  async #join(event) {
    event.preventDefault();
    const asked = panels.askedIn(/** @type {HTMLFormElement} */ (event.target));
    const answer = await this.#ask(async () => {
      const doubt = asked.custody === 'client' ? await doubtOfLog() : null;
      if (doubt !== null) throw doubt;
      const { sitDown } = await needed(import('../signing/joining.js'));
      return sitDown(this.match, { ...asked, invite: this.tokens.invite });
    });
    if (answer === null) return;
    keepName(asked.name);
    keepTokens(this.match, { token: answer.token, seat: answer.seat, words: asked.words });
    this.tokens = tokensOf(this.match);
    this.#follow(this.view?.version ?? 0);
  }

  async #leave() {
    if ((await this.#ask(async () => this.guard?.leave())) === null) return;
    this.#forget();
    this.#follow(this.view?.version ?? 0);
  }

  /** Take the seat that this browser has here by now, taken on another page or from a link. */
  #return() {
    this.brought = null;
    this.tokens = tokensOf(this.match);
    this.#follow(this.view?.version ?? 0);
  }

  shouldUpdate() {
    return this.view !== null && !this.more;
  }

  render() {
    const view = /** @type {View} */ (this.view);
    const mine = view.seats.find((seat) => seat.seat === view.viewer);
    const underWay = view.phase !== 'lobby' && view.phase !== 'finished';
    const sits = mine !== undefined && view.phase !== 'finished';
    const hasPhrases = !this.hasAttribute('quiet') && view.phase !== 'finished';
    return html`${panels.alarmBanner(this.alarms, this.strange, (event) => this.#believe(event))}
      ${panels.policyNotice(this.offered, () => this.#accept())}
      <tc-new-key .view=${view}></tc-new-key>
      ${seatKey(view, true, this.key, this.#signed)}
      ${sits && !isKept(this.match) ? this.#elsewhere(view, !underWay) : nothing}
      <tc-brought .view=${view} .brought=${this.brought} @chosen=${() => this.#return()}></tc-brought>
      <div class=${classMap({ room: true, under: underWay, playing: underWay && sits && !mine.out })}>
        <div class="notes">${panels.connectionNote(this.connection, this.waits)} ${endingNote(view)}</div>
        ${board(view, { thread: this.story.thread, said: (seat) => this.sayings.at(seat, view), over: html`<tc-lift .scene=${this.lifting.scene} .shaken=${this.lifting.shaken}></tc-lift>${hasPhrases ? tray(this.match, this.sayings, refusalWords, sits) : nothing}` })}
        ${sits ? this.#rail(view) : nothing}
        <aside class="side">${this.farewell.note(view)} ${this.#sitting(view)} <tc-noises class="noises" ?seated=${mine !== undefined}></tc-noises> ${panels.lateness(view, this.dataset.delay)} ${panels.story(this.story.entries)}</aside>
        <div class="below">
          ${sheet(view)} ${isSettled(view) ? nothing : panels.lastRound(this.settled)}
          ${panels.fairness(view, this.kept, () => this.guard?.download())} ${this.rules ?? nothing} ${seatKey(view, false, this.key, this.#signed)}
        </div>
      </div>
      <p class="sr" role="status" aria-live="polite" data-live></p>`;
  }

  /** @param {View} view */
  #rail(view) {
    const busy = this.busy || view.version < this.awaited;
    const hosts = hostToken(view, this.tokens) !== undefined;
    return rail(view, {
      ...{ busy, hosts, proof: this.proof, fault: this.fault, typed: this.typed },
      token: this.hasAttribute('hints') ? this.tokens.token : undefined,
      ...{ onPlay: (body, typed) => this.#play(body, typed), onLeave: () => void this.#leave() },
    });
  }

  /** @param {View} view @param {boolean} [shown] */
  #elsewhere(view, shown = false) {
    return elsewhere(view, this.key, shown, () => void this.#ask(async () => (await this.#signed())?.takeAlong(view)));
  }

  /** @param {View} view */
  #sitting(view) {
    const { fault, tokens } = this;
    const busy = this.busy || view.version < this.awaited;
    const isElsewhere = !tokens.token && tokensOf(this.match).token !== undefined && view.phase !== 'finished';
    if (isElsewhere) return returning(() => this.#return());
    const join = tokens.token ? nothing : panels.joinForm({ view, busy, fault, onJoin: (event) => this.#join(event) });
    const hosts = hostToken(view, tokens) !== undefined && view.phase !== 'finished';
    const host = hosts
      ? html`<tc-host .view=${view} .tick=${this.tick} .levels=${(this.dataset.levels ?? '').split(' ')}></tc-host>`
      : nothing;
    const sits = tokens.token !== undefined && view.viewer !== null && view.phase !== 'finished';
    const way = sits && isKept(this.match) ? this.#elsewhere(view) : nothing;
    return html`${panels.finished(view)} ${join} ${host} ${way}`;
  }
}

customElements.define('tc-table', TcTable);
