/** What a match says of each seat: how well it decided, how often it bluffed, and what the dice gave it. */
import { mark } from '../table/faces.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE } from '../words/catalogue.js';
import { partWords, shareWords } from './figures.js';

/** @typedef {import('./asking.js').Analysis} Analysis */

/** Below so many decisions accuracy says little. */
const FEW = 20;

/**
 * @param {Analysis} analysis
 * @param {import('./promises.js').Promises} promises
 * @param {(seat: number) => string} nameOf
 */
export function accounts(analysis, promises, nameOf) {
  const words = CATALOGUE.analysis.page;
  const columns = [
    words.seat,
    words.decisions,
    words.accuracy,
    words.mistakes,
    words.blunders,
    words.bluffs,
    words.luck,
  ];
  const few = analysis.seats.some(({ decisions }) => decisions < FEW);
  return html`<section class="accounts">
    <h3>${words.seats}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label=${words.seats}>
      <table class="figures">
        <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
        <tbody>${analysis.seats.map((account) => row(analysis, account, promises, nameOf))}</tbody>
      </table>
    </div>
    ${few ? html`<p class="muted small">${words.few}</p>` : nothing}
  </section>`;
}

/**
 * @param {Analysis} analysis
 * @param {Analysis['seats'][number]} account
 * @param {import('./promises.js').Promises} promises
 * @param {(seat: number) => string} nameOf
 */
function row(analysis, { seat, decisions, accuracy, tags, labels, luck }, promises, nameOf) {
  const bluffs = (labels.bluff ?? 0) + (labels['semi-bluff'] ?? 0);
  return html`<tr data-of=${seat}>
    <th scope="row">${mark(seat)} ${nameOf(seat)}</th>
    <td>${decisions}</td>
    <td class=${decisions < FEW ? 'few' : ''}>${accuracy === null ? '\u2013' : promises.show(accuracy, shareWords)}</td>
    <td>${tags.mistake ?? 0}</td>
    <td>${tags.blunder ?? 0}</td>
    <td>${bluffs}</td>
    <td>${luck === null ? '\u2013' : promises.show(luck.own, (ppm) => partWords(ppm, analysis))}</td>
  </tr>`;
}
