/**
 * The key of an entrant on the card: which one is registered, how it is put away and brought back, and how another device
 * comes to sign. A key that holds changes with its own word; one that officials have named holds once it was silent for
 * two minutes, and the page says the word for it then (CUP/1 section 4.25).
 */
import { Alarm, Refusal, serverClock } from '../client/api.js';
import { entryOf } from '../client/keep.js';
import { backup, linkField, restoring } from '../hosting/key_files.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say as sentence } from '../words/catalogue.js';
import { alarmWords, minutes, refusalWords } from '../words/phrases.js';
import { askForKey, bringBack, keyHere, say } from './keys.js';

/** @typedef {import('./own.js').Own} Own */
/** @typedef {import('../signing/keys.js').SeatKey} SeatKey */

const WORDS = CATALOGUE.card.key;
/** What asks this device to give its place to the key of another one. */
const ASKED = /^#sign-with=(?<number>[1-9]\d{0,4})\.(?<key>[0-9a-f]{64})$/;
const PHASES = ['entry', 'check_in', 'drawing', 'running'];
const SHOWN = 16;
const TICK_MS = 1_000;

/** @param {string} key */
const short = (key) => html`<code title=${key}>${key.slice(0, SHOWN)}…</code>`;

export class KeySheet {
  /** @type {Own | null} */
  #own = null;
  /** The newest that was heard, of which it may not be known yet what is here. @type {Own | null} */
  #heard = null;
  /** What is here of the key that holds, and of one that is to. @type {{held: SeatKey | null, asked: SeatKey | null}} */
  #here = { held: null, asked: null };
  /** What the link that was opened here asks for. @type {{number: number, key: string} | null} */
  #wanted = null;
  #busy = false;
  #fault = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {string} tournament @param {() => void} redraw */
  constructor(tournament, redraw) {
    this.tournament = tournament;
    this.redraw = redraw;
    this.#take();
    addEventListener('hashchange', () => this.#take());
  }

  #take() {
    const found = ASKED.exec(location.hash)?.groups;
    if (found === undefined) return;
    history.replaceState(null, '', location.pathname + location.search);
    this.#wanted = { number: Number(found.number), key: found.key };
    this.redraw();
  }

  /** Look what of the keys is in this browser. @param {Own} own */
  async see(own) {
    this.#heard = own;
    const [held, asked] = [own.key ?? undefined, entryOf(this.tournament).asked].map((key) =>
      keyHere(this.tournament, key),
    );
    const here = { held: await held, asked: await asked };
    if (this.#heard !== own) return; // something newer was heard meanwhile, and may be there already
    this.#here = here;
    this.#own = own;
    clearTimeout(this.#timer);
    await this.#wait(own);
    this.redraw();
  }

  /** Say the word for the key that was named as soon as it counts. @param {Own} own */
  async #wait({ signing }) {
    const { asked, held } = this.#here;
    if (held !== null || asked === null || signing?.named !== asked.key) return;
    if (serverClock.now() >= (signing.holds_at ?? 0) && !this.#busy)
      await this.#do((own) => this.#say(own, asked.key, asked));
    // Until the card says that it holds: a word that came too early is said again.
    this.#timer = setTimeout(() => this.#heard !== null && void this.see(this.#heard), TICK_MS);
  }

  /** @param {Own} own @param {string} key @param {SeatKey} by */
  #say = (own, key, by) => say(this.tournament, own, key, by);

  /** @param {(own: Own) => Promise<unknown>} what */
  async #do(what) {
    this.#busy = true;
    this.#fault = '';
    this.redraw();
    try {
      await what(/** @type {Own} */ (this.#own));
    } catch (trouble) {
      if (trouble instanceof Alarm) this.#fault = alarmWords(trouble);
      else if (trouble instanceof Refusal) this.#fault = refusalWords(trouble);
      else throw trouble;
    } finally {
      this.#busy = false;
    }
  }

  /** @param {(own: Own) => Promise<unknown>} what */
  async #press(what) {
    if (this.#busy) return;
    await this.#do(what);
    await this.see(/** @type {Own} */ (this.#heard));
  }

  #ask = () => this.#press(() => askForKey(this.tournament));

  /** @param {string} secret */
  #bringBack = (secret) =>
    this.#press(async (own) => {
      if (!bringBack(this.tournament, own, secret)) this.#fault = WORDS.strange;
    });

  /** @param {SeatKey} held @param {string} key */
  #give = (held, key) =>
    this.#press(async (own) => {
      await this.#say(own, key, held);
      this.#wanted = null;
    });

  /** @returns {unknown} What waits for a word of the key that is here. */
  get calls() {
    const { held } = this.#here;
    if (this.#own === null || held === null || !PHASES.includes(this.#own.card.phase)) return nothing;
    const { key, card, signing } = this.#own;
    const wanted = this.#wanted?.number === card.number && this.#wanted.key !== key ? this.#wanted.key : null;
    return html`${wanted === null ? nothing : this.#giving(held, wanted)}
      ${signing?.named ? this.#named(held, signing.named) : nothing}`;
  }

  /** @returns {unknown} */
  get shown() {
    const own = this.#own;
    if (own === null || own.key === null || !PHASES.includes(own.card.phase)) return nothing;
    const fault = this.#fault === '' ? nothing : html`<p class="error" role="alert">${this.#fault}</p>`;
    const { held } = this.#here;
    return held === null ? this.#lost(own, fault) : this.#held(held, fault);
  }

  /** @param {SeatKey} held @param {unknown} fault */
  #held(held, fault) {
    return html`<details class="sheet" id="own-key"><summary>${WORDS.title}</summary>
        <p>${WORDS.held} ${short(held.key)}</p>
        ${backup(held.secret, this.tournament, WORDS.bound)}
      </details>${fault}`;
  }

  /** @param {SeatKey} held @param {string} key */
  #giving(held, key) {
    return html`<section class="sheet now" role="alert" aria-labelledby="give-key">
      <h2 id="give-key">${WORDS.gives}</h2><p>${short(key)}</p><p>${WORDS.gives_hint}</p>
      <p class="row"><button class="button" type="button" ?disabled=${this.#busy} @click=${() => void this.#give(held, key)}>${WORDS.give}</button>
        <button class="link" type="button" @click=${() => this.#drop()}>${WORDS.give_not}</button></p></section>`;
  }

  #drop() {
    this.#wanted = null;
    this.redraw();
  }

  /** @param {SeatKey} held @param {string} named */
  #named(held, named) {
    return html`<section class="sheet now" role="alert" aria-labelledby="named-key">
      <h2 id="named-key">${WORDS.other}</h2><p>${short(named)}</p><p>${WORDS.other_hint}</p>
      <p><button class="button" type="button" ?disabled=${this.#busy} @click=${() => void this.#give(held, held.key)}>${WORDS.keep}</button></p></section>`;
  }

  /** @param {Own} own @param {unknown} fault */
  #lost(own, fault) {
    return html`<details class="sheet" id="own-key" open><summary>${WORDS.lost}</summary>
      <p>${WORDS.without} ${short(own.key ?? '')}</p>
      ${this.#asking(own)}
      ${restoring(this.#busy, (secret) => void this.#bringBack(secret))}
      ${fault}</details>`;
  }

  /** @param {Own} own */
  #asking({ card, signing }) {
    const { asked } = this.#here;
    if (asked === null)
      return html`<p><button class="button plain-button" type="button" ?disabled=${this.#busy} @click=${() => void this.#ask()}>${WORDS.take}</button></p>`;
    if (signing?.named === asked.key) {
      const time = minutes((signing.holds_at ?? 0) - serverClock.now());
      return html`<p>${sentence(WORDS.named, { time })}</p>`;
    }
    const [page, word] = [`${location.origin}/t/${this.tournament}`, `${card.number}.${asked.key}`];
    return html`<p>${WORDS.ways} ${short(asked.key)}</p>
      ${linkField('own-key-link', WORDS.own_link, `${page}/me#sign-with=${word}`)}
      ${linkField('officials-key-link', WORDS.officials_link, `${page}/host#name-key=${word}`)}`;
  }
}
