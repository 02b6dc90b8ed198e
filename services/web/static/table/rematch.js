/** What comes after a match: its replay, a rematch of those who sat at it, and another table for everybody else. */
import { Refusal, matchPath, needed, readJson } from '../client/api.js';
import { keepTokens, tableOf, tokensOf } from '../client/keep.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { alarmWords, apart, called, sentence } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{match: string | null, started: boolean, seats: {seat: number, name: string, sits: boolean}[]}} Next */

const FRESH_MS = 2_000;
/** @type {Record<string, any>} */
const WORDS = CATALOGUE.table.ended;

class TcRematch extends LitElement {
  static properties = {
    view: { attribute: false },
    next: { state: true },
    open: { state: true },
    busy: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** @type {Next | null} What has become of the match, as far as it is known. */
    this.next = null;
    /** @type {string | null} A table of the same game that waits for players. */
    this.open = null;
    this.busy = false;
    this.fault = '';
    /** Whether this page saw that the next match had not begun: then it goes there when it does. */
    this.waits = false;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => {
      if (!document.hidden && this.#sat && !this.next?.started) void this.#look();
    }, FRESH_MS);
    void this.#look();
    if (!this.#sat) void this.#find();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  get #match() {
    return /** @type {View} */ (this.view).match;
  }

  get #sat() {
    const { token, host } = tokensOf(this.#match);
    return (token ?? host) !== undefined;
  }

  /** See who has said yes, and go to the next table when the match there begins. */
  async #look() {
    try {
      const next = /** @type {Next} */ (await readJson(matchPath(this.#match, '/rematch')));
      this.next = next;
      if (next.match === null) return;
      if (!next.started) this.waits = true;
      else if (this.waits && tokensOf(next.match).token !== undefined) location.assign(tableOf(next.match));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
    }
  }

  /** Look once for a table of the same game at which a seat is free. */
  async #find() {
    try {
      const rows = /** @type {import('../client/view.js').LobbyRow[]} */ (await readJson('/api/v1/matches?state=open'));
      const free = rows.find((row) => row.game === this.view?.game && row.seats.length < row.seats_max && !row.locked);
      this.open = free?.match ?? null;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
    }
  }

  /** @param {() => Promise<unknown>} what Says `true` where it leaves this page, and is not to be asked for again. */
  async #do(what) {
    this.busy = true;
    this.fault = '';
    try {
      this.busy = (await what()) === true;
    } catch (refusal) {
      this.busy = false;
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = `${sentence(CATALOGUE.problems[refusal.code] ?? refusal.facts.title ?? refusal.message)}.`;
    }
  }

  /** The seat here, if it signs: under the name that it has at the next table as well. */
  get #signing() {
    const { viewer, seats } = /** @type {View} */ (this.view);
    const seat = seats.find((one) => one.seat === viewer);
    const name = this.next?.seats.find((one) => one.seat === viewer)?.name;
    if (!seat?.key || name === undefined) return null;
    return { name, custody: seat.custody, key: seat.key };
  }

  /** Sit down at the next table. What this browser draws there, it draws for a house it believes. */
  async #rematch() {
    const { viewer, seats } = /** @type {View} */ (this.view);
    const own = seats.find(({ seat }) => seat === viewer)?.custody === 'client';
    const { distrust } = await needed(import('../client/trust.js'));
    const { keyAt } = await needed(import('../client/seeds.js'));
    const doubt = own ? await distrust() : null;
    if (doubt !== null) {
      this.fault = alarmWords(doubt);
      return;
    }
    const { sitAgain } = await needed(import('../signing/joining.js'));
    const { token, host, words } = tokensOf(this.#match);
    const answer = await sitAgain(this.#match, token ?? host, this.#signing);
    const { token: seated, seat, host: hosting, invite } = answer;
    // Whoever has got up again is given no seat, and keeps one that they have taken there since.
    const taken = seated === undefined ? {} : { token: seated, seat, words, seeds: keyAt(this.#match, answer.match) };
    keepTokens(answer.match, { ...taken, invite, ...(hosting && { host: hosting }) });
    this.waits = true;
    if (seated === undefined) location.assign(tableOf(answer.match));
    await this.#look();
  }

  /** Open a table under the same rules, for whoever comes. */
  async #again() {
    const { rules, policy } = /** @type {View} */ (this.view);
    const { asides, edition, beacon, ...same } = /** @type {Record<string, unknown>} */ (
      /** @type {unknown} */ (rules)
    );
    const { openTable } = await needed(import('../signing/tables.js'));
    const match = await openTable({ table: { rules: same, policy } });
    addEventListener('pageshow', () => (this.busy = false), { once: true });
    location.assign(`/m/${match}`);
    return true;
  }

  render() {
    if (this.view === null) return nothing;
    const again = this.#sat
      ? this.#agreeing(this.next)
      : html`<p class="row">
          <button class="button" type="button" ?disabled=${this.busy} @click=${() => this.#do(() => this.#again())}>
            ${WORDS.again}
          </button>
          <span class="hint">${WORDS.opens}</span>
        </p>`;
    return html`<section class="sheet">
      <h2>${WORDS.heading}</h2>
      ${again} ${this.fault === '' ? nothing : html`<p class="error" role="alert">${this.fault}</p>`}
      <p class="row">
        <a class="button plain-button" href="/m/${this.#match}/replay">${WORDS.replay}</a>
        <a class="button plain-button" href="/m/${this.#match}/audit">${WORDS.audit}</a>
        ${this.open === null ? nothing : html`<a class="button plain-button" href="/m/${this.open}">${WORDS.next}</a>`}
        <a class="button plain-button" href="/#create">${WORDS.another}</a>
      </p>
    </section>`;
  }

  /** @param {Next | null} next */
  #agreeing(next) {
    const { viewer } = /** @type {View} */ (this.view);
    const yes = next?.seats.filter((one) => one.sits) ?? [];
    const mine = yes.some(({ seat }) => seat === viewer);
    // Another device may have said yes: this one is given the same seat there when it says so as well.
    const isHere = mine && next !== null && next.match !== null && tokensOf(next.match).token !== undefined;
    // Those who are asked hear of the others first, and of themselves last.
    const others = yes.filter(({ seat }) => seat !== viewer).map((one) => apart(called({ ...one, bot: false })));
    const names = sentence(joinNames([...others, ...(mine ? [CATALOGUE.people.you] : [])]));
    const told = yes.length === 0 ? '' : say(WORDS.yes, { names, seats: String(next?.seats.length) });
    const there = next?.match ? html`<a href="/m/${next.match}">${WORDS.to_next}</a>` : nothing;
    const waiting = isHere && !next?.started ? html`<span class="hint">${WORDS.begins}</span>` : nothing;
    const button = html`<button
      class="button"
      type="button"
      ?disabled=${this.busy || next === null}
      @click=${() => this.#do(() => this.#rematch())}
    >
      ${WORDS.rematch}
    </button>`;
    return html`<p class="row">
        ${isHere || next?.started ? nothing : button}
        <span role="status">${told}</span>
        ${there}
        ${waiting}
      </p>`;
  }
}

customElements.define('tc-rematch', TcRematch);
