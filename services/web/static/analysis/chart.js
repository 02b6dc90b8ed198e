/** The chart of a match: a line for each seat, ticks for key moments, and the same as a table. */
import { mark } from '../table/faces.js';
import { html, nothing, svg } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { MILLION, isFigure, partWords, worthWords } from './figures.js';

/** @typedef {import('./sight.js').Sight} Sight */
/** @typedef {import('./promises.js').Promises} Promises */
/** @typedef {import('./asking.js').Printed} Printed */

const [WIDE, HIGH, FOOT] = [1000, 200, 16];
/** How lines are broken, so that no two that cross are alike. */
const DASHES = ['none', '14 6', '3 5', '18 5 3 5', '8 4', '2 3', '24 6', '12 4 2 4 2 4'];

/** @param {Printed | undefined} printed @returns {number | null} */
const ppmOf = (printed) => (isFigure(printed) ? printed[0] : null);

/**
 * @param {Sight} sight
 * @param {number} last The last line of the match.
 * @param {(seat: number) => string} nameOf
 */
export function chart(sight, last, nameOf) {
  const points = sight.worths();
  if (points.length === 0) return html`<p class="muted">${CATALOGUE.analysis.page.no_chart}</p>`;
  const seats = [...new Set(points.flatMap(({ worths }) => Object.keys(worths)))].sort(
    (one, two) => Number(one) - Number(two),
  );
  const [low, high] = rangeOf(sight, points);
  // Before the first dice there is nothing to draw.
  const from = Math.min(...sight.analysis.events.map(({ version }) => version)) - 1;
  const across = (/** @type {number} */ version) => (WIDE * (version - from)) / Math.max(1, last - from);
  const down = (/** @type {number} */ ppm) => HIGH - ((ppm - low) * HIGH) / (high - low);
  const line = (/** @type {string} */ seat) =>
    points
      .flatMap(({ version, worths }) => {
        const ppm = ppmOf(worths[seat]);
        return ppm === null ? [] : [`${across(version).toFixed(1)},${down(ppm).toFixed(1)}`];
      })
      .join(' ');
  const label = say(CATALOGUE.analysis.page.chart, { view: sight.view, seat: nameOf(Number(sight.view)) });
  return html`<figure class="course">
    <svg viewBox="0 -6 ${WIDE} ${HIGH + FOOT + 6}" preserveAspectRatio="none" role="img" aria-label=${label}>
      ${[0, 0.5, 1].map((part) => svg`<line class="rule" x1="0" x2=${WIDE} y1=${HIGH * part} y2=${HIGH * part}></line>`)}
      ${seats.map((seat) => svg`<polyline data-of=${seat} stroke-dasharray=${DASHES[(Number(seat) - 1) % DASHES.length]} points=${line(seat)}></polyline>`)}
      <line class="cursor" x1=${across(sight.version)} x2=${across(sight.version)} y1="-6" y2=${HIGH + FOOT}></line>
      ${sight.analysis.moments.map(({ version }) => svg`<line class="tick" x1=${across(version)} x2=${across(version)} y1=${HIGH + 3} y2=${HIGH + FOOT}></line>`)}
    </svg>
    <figcaption>${label}</figcaption>
    <ul class="legend">
      ${seats.map((seat) => legend(sight, seat, ppmOf(points[points.length - 1].worths[seat]), nameOf))}
    </ul>
  </figure>`;
}

/** @param {Sight} sight @param {ReturnType<Sight['worths']>} points @returns {[number, number]} What the chart spans. */
function rangeOf(sight, points) {
  if (sight.analysis.worth.kind === 'match') return [0, MILLION];
  const found = points.flatMap(({ worths }) => Object.values(worths).map((one) => ppmOf(one) ?? 0));
  const [low, high] = [Math.min(0, ...found), Math.max(0, ...found)];
  return [low, high === low ? low + MILLION : high];
}

/** @param {Sight} sight @param {string} seat @param {number | null} ppm @param {(seat: number) => string} nameOf */
function legend(sight, seat, ppm, nameOf) {
  const dash = DASHES[(Number(seat) - 1) % DASHES.length];
  const now = ppm === null ? '' : say(CATALOGUE.analysis.page.now, { worth: worthWords(ppm, sight.analysis) });
  return html`<li data-of=${seat}>
    ${mark(Number(seat))}
    <svg class="dash" viewBox="0 0 36 6" aria-hidden="true"><line x1="0" x2="36" y1="3" y2="3" stroke-dasharray=${dash}></line></svg>
    <span>${nameOf(Number(seat))}</span> <span class="muted">${now}</span>
  </li>`;
}

/**
 * @param {Sight} sight
 * @param {Promises} promises
 * @param {(version: number) => string} whatOf What a line tells.
 * @param {(seat: number) => string} nameOf
 */
export function chartTable(sight, promises, whatOf, nameOf) {
  const words = CATALOGUE.analysis.page;
  const points = sight.worths();
  if (points.length === 0) return nothing;
  const seats = Object.keys(points[0].worths);
  const part = (/** @type {number} */ ppm) => partWords(ppm, sight.analysis);
  return html`<details>
    <summary>${words.table}</summary>
    <div class="scroll" tabindex="0" role="region" aria-label=${words.table}>
      <table class="figures">
        <thead><tr><th scope="col">${words.line}</th><th scope="col">${words.what}</th>
          ${seats.map((seat) => html`<th scope="col">${nameOf(Number(seat))}</th>`)}</tr></thead>
        <tbody>${points.map(
          ({ version, worths }) => html`<tr><th scope="row">${version}</th><td>${whatOf(version)}</td>
            ${seats.map((seat) => html`<td>${promises.show(worths[seat], part)}</td>`)}</tr>`,
        )}</tbody>
      </table>
    </div>
  </details>`;
}
