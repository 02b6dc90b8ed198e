/** What waits for officials: a table whose place is taken, a round that cannot be paired; and what helps. */
import { readJson } from '../client/api.js';
import { html, render } from '../vendor/libraries.js';
import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { apart } from '../words/phrases.js';

/** @typedef {{number: number, name: string}} Person */
/**
 * @typedef {{why: string, stage: number, round: number, table?: number, pairs?: [number, number][], sizes?: number[],
 *   entrants?: number[]}} Trouble
 */

const WORDS = CATALOGUE.holding.troubles;

/** @param {Trouble} trouble @param {(number: number) => string} named @returns {string} */
function told({ why, round, table, pairs = [], sizes = [], entrants = [] }, named) {
  const facts = { round: String(round), table: String(table) };
  if (why === 'another_match') return say(WORDS.taken, facts);
  if (pairs.length > 0) {
    const two = pairs.map((pair) => joinNames(pair.map(named)));
    return say(WORDS.pairs, { ...facts, pairs: two.join('; ') });
  }
  if (sizes.length === 0) return say(WORDS.package, facts);
  const who = joinNames(entrants.map(named));
  return say(WORDS.sizes, { ...facts, who, least: String(sizes[0]) });
}

/** @param {HTMLElement} place @param {string} tournament @param {string} token @param {Person[]} entrants */
export async function showTroubles(place, tournament, token, entrants) {
  /** @type {Trouble[]} */
  const found = await readJson(`/api/v1/tournaments/${tournament}/troubles`, { token });
  const named = (/** @type {number} */ number) => {
    const name = entrants.find((each) => each.number === number)?.name;
    return name === undefined ? String(number) : `${number} ${apart(name)}`;
  };
  render(html`<ul class="findings">${found.map((each) => html`<li class="no">${told(each, named)}</li>`)}</ul>`, place);
  place.hidden = found.length === 0;
}
