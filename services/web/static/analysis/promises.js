/** What figures promise: each that is not exact has a mark, and the mark a sentence. */
import { html } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { isFigure, shareWords } from './figures.js';

/** @typedef {import('./asking.js').Printed} Printed */
/** @typedef {import('./asking.js').Analysis} Analysis */

/** What stands beside a figure, by what vouches for it: nothing where it is exact. */
const MARKS = /** @type {Record<string, string>} */ ({ model: '\u2248', sampled: '\u223c', certified: '\u2713' });

/** What the figures of a round promise. */
export class Promises {
  /** @param {Analysis} analysis @param {number} round */
  constructor(analysis, round) {
    this.samples = String(analysis.samples);
    const used = analysis.rounds.find((one) => one.round === round) ?? analysis.rounds[0];
    this.policy = say(CATALOGUE.analysis.page.policy, { name: used.policy.split('@')[0] });
    /** The sentences of those that were printed, by their marks. @type {Map<string, string>} */
    this.given = new Map();
  }

  /**
   * @param {Printed | null | undefined} printed
   * @param {(ppm: number) => string} words
   * @returns {unknown} The figure with its mark, or why there is none.
   */
  show(printed, words) {
    if (!isFigure(printed)) return CATALOGUE.analysis.page.reasons[printed ?? 'no_model'];
    const [ppm, by, more] = printed;
    if (by === 'exact') return words(ppm);
    const facts = { by, policy: this.policy, samples: this.samples, more: shareWords(Number(more ?? 0)) };
    const promise = say(CATALOGUE.analysis.page.promise, facts);
    if (!this.given.has(MARKS[by])) this.given.set(MARKS[by], promise);
    return html`${words(ppm)}<abbr class="promise" title=${promise}>${MARKS[by]}</abbr>`;
  }
}
