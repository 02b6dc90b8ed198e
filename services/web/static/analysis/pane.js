/** The analysis under a replay: the chart, what is said of the moment, and where the key moments are. */
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { apart, called } from '../words/phrases.js';
import { accounts } from './accounts.js';
import { chart, chartTable } from './chart.js';
import { claimed, decided } from './judged.js';
import { Promises } from './promises.js';
import { saysTheEnd, sentenceWords } from './said.js';
import { Sight } from './sight.js';

/** @typedef {import('./asking.js').Analysis} Analysis */

class TcAnalysis extends LitElement {
  static properties = {
    analysis: {},
    version: { type: Number },
    last: { type: Number },
    eyes: {},
    quiet: { type: Boolean },
    seats: {},
    texts: {},
  };

  constructor() {
    super();
    /** @type {Analysis | null} */
    this.analysis = null;
    this.version = 0;
    this.last = 0;
    this.eyes = 'all';
    this.quiet = true;
    /** @type {{seat: number, name: string, bot: boolean}[]} */
    this.seats = [];
    /** What each line tells. @type {Map<number, string>} */
    this.texts = new Map();
    this.nameOf = (/** @type {number} */ seat) => {
      const found = this.seats.find((one) => one.seat === seat);
      return found === undefined ? say(CATALOGUE.people.seat, { seat: String(seat) }) : apart(called(found));
    };
  }

  createRenderRoot() {
    return this;
  }

  render() {
    const { analysis, nameOf } = this;
    if (analysis === null) return nothing;
    const sight = new Sight(analysis, this);
    const { event } = sight;
    const promises = new Promises(analysis, event?.round ?? 1);
    const words = CATALOGUE.analysis.page;
    const whatOf = (/** @type {number} */ version) => this.texts.get(version) || words.deal;
    return html`<section class="analysis sheet" aria-labelledby="analysis-title">
      <h2 id="analysis-title">${words.title}</h2>
      ${chart(sight, this.last, nameOf)} ${this.#moments(analysis)}
      ${event === undefined ? nothing : html`${claimed(sight, event, promises, nameOf)} ${decided(sight, event, promises, nameOf)}`}
      ${this.#said(sight)} ${this.quiet ? nothing : accounts(analysis, promises, nameOf)}
      ${chartTable(sight, promises, whatOf, nameOf)} ${promised(promises)}
    </section>`;
  }

  /** @param {Analysis} analysis Its moments: while what comes is hidden, where they are and no word of what. */
  #moments({ moments }) {
    const words = CATALOGUE.analysis.page;
    if (moments.length === 0) return html`<p class="muted">${words.no_moments}</p>`;
    const go = (/** @type {number} */ version) => this.dispatchEvent(new CustomEvent('go', { detail: version }));
    return html`<section class="moments">
      <h3>${words.moments}</h3>
      <ol>${moments.map(({ version, kinds }, at) => {
        const number = say(words.moment, { number: String(at + 1) });
        const what = this.quiet ? '' : kinds.map((kind) => words.kinds[kind]).join(CATALOGUE.list.between);
        return html`<li><button class="chip" type="button" aria-label=${what === '' ? number : `${number}: ${what}`} @click=${() => go(version)}>
          ${at + 1}${what === '' ? nothing : html` <span class="small">${what}</span>`}
        </button></li>`;
      })}</ol>
    </section>`;
  }

  /** @param {Sight} sight What there is to say of the round, up to here. */
  #said(sight) {
    const words = CATALOGUE.analysis.page;
    const { analysis, event, version } = sight;
    const seen = new Map(analysis.events.map((one) => [one.version, one]));
    const told = analysis.text.filter((one) => {
      const about = seen.get(one.version);
      if (about === undefined || about.round !== event?.round || one.version > version) return false;
      return sight.isOver(about.round) || (!saysTheEnd(one) && sight.knows(about));
    });
    return html`<section class="words">
      <h3>${words.said}</h3>
      ${told.length === 0 ? html`<p class="muted">${words.nothing_said}</p>` : nothing}
      <ul>${told.map((one) => html`<li>${sentenceWords(analysis, one, this.nameOf)}</li>`)}</ul>
    </section>`;
  }
}

/** @param {Promises} promises What the marks mean that were just printed. */
const promised = ({ given }) =>
  given.size === 0
    ? nothing
    : html`<section class="promises small muted" aria-label=${CATALOGUE.analysis.page.marks}>
        ${[...given].map(([mark, promise]) => html`<p><span aria-hidden="true">${mark}</span> ${sentence(promise)}</p>`)}
      </section>`;

customElements.define('tc-analysis', TcAnalysis);
