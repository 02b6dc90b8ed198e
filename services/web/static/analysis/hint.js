/** A hint: what an analysis would say of the decision of this seat, by what it knows. For tables of practice alone. */
import { Refusal, matchPath, readJson } from '../client/api.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { claimWords, refusalWords } from '../words/phrases.js';
import { chanceWords, partWords } from './figures.js';
import { Promises } from './promises.js';
import { moveWords } from './said.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('./asking.js').Printed} Printed */
/** @typedef {import('./asking.js').Move} Move */
/** @typedef {{move: Move, weight: [number, 'model'], q?: Printed, chance?: Printed}} Option */
/**
 * @typedef {{version: number, round: number, by: string, policy: string, deals: number, options: Option[],
 *   worth: {kind: string, unit?: string}, standing?: {claim: any, odds: Printed, read?: Printed}}} Hint
 */

const ROWS_MAX = 6;
const WORDS = CATALOGUE.teach.hints;

/** @param {View} view @returns {boolean} Whether help is nobody's loss here: all others are bots, and no tournament is played. */
const isPractice = ({ viewer, seats, rules }) =>
  viewer !== null && !rules.event && seats.every(({ seat, bot }) => bot || seat === viewer);

/** @param {Option[]} options @returns {Option[]} Those that are called alike, such as ways with the dice, as one. */
function together(options) {
  /** @type {Map<string, Option>} */
  const found = new Map();
  for (const option of options) {
    const name = moveWords(option.move, 'move');
    const known = found.get(name);
    const sum = option.weight[0] + (known?.weight[0] ?? 0);
    found.set(name, { ...(known ?? option), weight: [sum, 'model'] });
  }
  return [...found.values()].slice(0, ROWS_MAX);
}

class TcHint extends LitElement {
  static properties = {
    view: { attribute: false },
    token: {},
    told: { state: true },
    busy: { state: true },
    fault: { state: true },
  };

  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    this.token = '';
    /** @type {Hint | null} */
    this.told = null;
    this.busy = false;
    this.fault = '';
  }

  createRenderRoot() {
    return this;
  }

  willUpdate() {
    // What was said of another decision is no hint for this one; one of a decision that is not shown yet waits for it.
    if (this.told === null || this.told.version >= (this.view?.version ?? 0)) return;
    this.told = null;
    this.querySelector('dialog')?.close();
  }

  async #ask() {
    const { view } = this;
    if (view === null) return;
    Object.assign(this, { busy: true, fault: '', told: null });
    this.querySelector('dialog')?.showModal();
    try {
      this.told = await readJson(matchPath(view.match, '/hint'), { token: this.token });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.fault = refusalWords(refusal);
    } finally {
      this.busy = false;
    }
  }

  render() {
    const { view } = this;
    if (view === null || view.turn !== view.viewer || view.moves.length === 0 || !isPractice(view)) return nothing;
    return html`<button type="button" class="link" data-ask-hint ?disabled=${this.busy} @click=${() => this.#ask()}>
        ${WORDS.ask}
      </button>
      <dialog class="sheet hinted" aria-labelledby="hint-title">
        <h2 id="hint-title">${WORDS.title}</h2>
        <div role="status">${this.#said()}</div>
        <form method="dialog"><button class="button plain-button">${CATALOGUE.teach.close}</button></form>
      </dialog>`;
  }

  #said() {
    if (this.fault !== '') return html`<p class="error">${this.fault}</p>`;
    return this.told === null ? html`<p>${WORDS.waits}</p>` : hinted(this.told);
  }
}

/** @param {Hint} hint */
function hinted(hint) {
  const { by, standing, options } = hint;
  /** @type {any} As much of an analysis as its figures ask for. */
  const document = { samples: hint.deals, worth: hint.worth, rounds: [{ round: hint.round, policy: hint.policy }] };
  const promises = new Promises(document, hint.round);
  const part = (/** @type {number} */ ppm) => partWords(ppm, document);
  const [isWorth, claims] = [by === 'worth', options.some(({ chance }) => chance !== undefined)];
  const { page } = CATALOGUE.analysis;
  const row = (/** @type {Option} */ { move, q, chance, weight }, /** @type {number} */ at) => html`<tr>
    <th scope="row">${moveWords(move, 'move')} ${at === 0 ? html`<span class="tag">${page.was_best}</span>` : nothing}</th>
    ${isWorth ? html`<td>${promises.show(q, part)}</td>` : nothing}
    ${claims ? html`<td>${chance === undefined ? nothing : promises.show(chance, chanceWords)}</td>` : nothing}
    <td>${promises.show(weight, chanceWords)}</td>
  </tr>`;
  const before = standing === undefined ? nothing : html`<p>${stands(standing, promises)}</p>`;
  const rows = together(options).map(row);
  return html`<p>${say(WORDS.by, { by })}</p>
    ${before}
    <div class="scroll" tabindex="0" role="region" aria-label=${WORDS.title}>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">${page.move}</th>
            ${isWorth ? html`<th scope="col">${page.worth}</th>` : nothing}
            ${claims ? html`<th scope="col">${WORDS.true}</th>` : nothing}
            <th scope="col">${page.weight}</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
    ${[...promises.given].map(([mark, promise]) => html`<p class="hint">${mark} ${promise}</p>`)}`;
}

/** @param {{claim: any, odds: Printed, read?: Printed}} standing @param {Promises} promises */
function stands({ claim, odds, read }, promises) {
  const own = promises.show(odds, chanceWords);
  const said = read === undefined ? nothing : html`; ${WORDS.read} ${promises.show(read, chanceWords)}`;
  return html`${sentence(claimWords(claim))}: ${WORDS.odds} ${own}${said}.`;
}

customElements.define('tc-hint', TcHint);
