/** The analysis of a replay, for whoever asks: its state while it is made, and the lines that it leads to. */
import { analysisOf, fileOf } from '../analysis/asking.js';
import '../analysis/pane.js';
import { Refusal } from '../client/api.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { refusalWords } from '../words/phrases.js';

/** @typedef {import('../analysis/asking.js').Analysis} Analysis */

const ERRORS = new Set(['mistake', 'blunder']);

export class Analyst {
  on = false;
  /** @type {Analysis | null} */
  analysis = null;
  /** How far it is. @type {{done: number, of: number} | null} */
  made = null;
  fault = '';
  /** @type {Promise<void> | null} */
  #asked = null;

  /** @param {string} match @param {() => void} changed */
  constructor(match, changed) {
    this.match = match;
    this.changed = changed;
  }

  /** Show it, or hide it. */
  async toggle() {
    this.on = !this.on;
    this.changed();
    if (this.on) await this.#come();
  }

  /** Save the match with its analysis as one file, once there is one. */
  async save() {
    this.on = true;
    this.changed();
    await this.#come();
    if (this.analysis === null) return;
    await this.#heard(async () => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await fileOf(this.match));
      link.download = `${this.match}.html`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  /** @param {'moments' | 'errors'} what @returns {Promise<number[]>} The lines of such moments, in their order. */
  async versions(what) {
    this.on = true;
    await this.#come();
    const { moments = [], events = [] } = this.analysis ?? {};
    const found = what === 'moments' ? moments : events.filter(({ decision }) => ERRORS.has(decision?.tag ?? ''));
    return found.map(({ version }) => version);
  }

  #come() {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  #ask() {
    return this.#heard(async () => {
      this.analysis = await analysisOf(this.match, (made) => {
        this.made = made;
        this.changed();
      });
    });
  }

  /** Do what the house may refuse, and show why. @param {() => Promise<void>} deed */
  async #heard(deed) {
    this.fault = '';
    try {
      await deed();
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = refusalWords(refusal);
      // Whoever asks once more may get it then.
      this.#asked = null;
    }
    this.changed();
  }

  /**
   * @param {{version: number, last: number, eyes: string, quiet: boolean, seats: {seat: number, name: string}[],
   *   texts: Map<number, string>}} seen
   * @param {(version: number) => void} onGo
   */
  pane({ version, last, eyes, quiet, seats, texts }, onGo) {
    if (!this.on) return nothing;
    if (this.fault !== '') return html`<p class="error" role="alert">${this.fault}</p>`;
    if (this.analysis === null) return this.#progress();
    return html`<tc-analysis
      .analysis=${this.analysis}
      .version=${version}
      .last=${last}
      .eyes=${eyes}
      .quiet=${quiet}
      .seats=${seats}
      .texts=${texts}
      @go=${(/** @type {CustomEvent<number>} */ { detail }) => onGo(detail)}
    ></tc-analysis>`;
  }

  #progress() {
    const words = CATALOGUE.analysis.page;
    const { done = 0, of = 0 } = this.made ?? {};
    const text = of === 0 ? '' : say(words.progress, { done: String(done), of: String(of) });
    return html`<div class="analysis sheet">
      <p role="status">${words.making} ${text}</p>
      <progress aria-label=${words.title} max=${Math.max(1, of)} value=${done}></progress>
    </div>`;
  }
}
