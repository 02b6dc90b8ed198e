/** How many watch a match: asked for now and again while somebody looks, and seldom where many do. */
import { Refusal, matchPath, readJson } from '../client/api.js';
import { LitElement } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

const ASK_MS = 10_000;
/** Whoever opens the page begins to watch with it, and is counted by then. */
const FIRST_MS = 1_500;
/** Of so many who watch together, one a millisecond asks at most. */
const EACH_MS = 10;

class TcCrowd extends LitElement {
  static properties = { match: {}, watching: { state: true } };

  constructor() {
    super();
    this.match = '';
    this.watching = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('match')) return;
    this.watching = 0;
    clearTimeout(this.timer);
    if (this.match !== '') void this.#ask(this.match, FIRST_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  /** @param {string} match @param {number} [wait] For how long, until it is asked again. */
  async #ask(match, wait = ASK_MS) {
    try {
      const { watching } = document.hidden ? this : await readJson(matchPath(match, '/watching'));
      if (match !== this.match || !this.isConnected) return;
      this.watching = watching;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
    }
    this.timer = setTimeout(() => void this.#ask(match), Math.max(wait, this.watching * EACH_MS));
  }

  render() {
    return say(CATALOGUE.watch.crowd, { watching: String(this.watching) });
  }
}

customElements.define('tc-crowd', TcCrowd);
