/** The next round as it would be paired now, for officials: the house works it out and keeps nothing of it. */
import { ask } from '../client/api.js';
import { html, nothing, render } from '../vendor/libraries.js';
import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { apart, personWords } from '../words/phrases.js';

/** @typedef {{number: number, name: string, bot: boolean}} Person */
/**
 * @typedef {{round: number, tables: {table: number, seats: Person[]}[], resting: Person[], cost: number | null,
 *   bound: number | null}} Preview
 */

const WORDS = CATALOGUE.holding.preview;

/** @param {Person[]} people */
const named = (people) => joinNames(people.map((one) => `${one.number} ${apart(personWords(one))}`));

/** @param {Preview} preview @returns {string} What it costs, beside what no other would cost less than. */
function costs({ cost, bound }) {
  if (cost === null || bound === null) return '';
  return say(WORDS.cost, { best: cost === bound ? 'yes' : 'no', cost: String(cost), bound: String(bound) });
}

/**
 * @param {HTMLElement} place
 * @param {string} tournament
 * @param {string | null} token
 * @param {(tables: string) => void} change Is told of these tables, one a line, to be set otherwise by hand.
 */
export async function showPreview(place, tournament, token, change) {
  /** @type {Preview} */
  const found = await ask('POST', `/api/v1/tournaments/${tournament}/preview`, { token });
  const lines = found.tables.map(({ seats }) => seats.map(({ number }) => number).join(' ')).join('\n');
  render(
    html`<h2 tabindex="-1">${say(WORDS.title, { round: String(found.round) })}</h2>
      <p class="note">${WORDS.zeros}</p>
      <ol>${found.tables.map(({ table, seats }) => html`<li value=${table}>${named(seats)}</li>`)}</ol>
      ${found.resting.length === 0 ? nothing : html`<p>${say(WORDS.resting, { who: named(found.resting) })}</p>`}
      <p class="muted">${costs(found)}</p>
      <p class="row"><button class="button plain-button" type="button" @click=${() => change(lines)}>${WORDS.change}</button>
      <button class="link" type="button" @click=${() => (place.hidden = true)}>${WORDS.close}</button></p>`,
    place,
  );
  place.hidden = false;
  place.querySelector('h2')?.focus();
}
