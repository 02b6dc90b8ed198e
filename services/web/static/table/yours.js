/** The tables of this browser: where it holds a seat or hosts, and whose turn it is there. */

import { Refusal, matchPath, readJson, serverClock } from '../client/api.js';
import { ownMatches, tokensOf } from '../client/keep.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, gameName, say } from '../words/catalogue.js';
import { factsOf } from '../words/facts.js';
import { Names, titleOf } from '../words/phrases.js';
import { whoActs, whoIsAwaited } from './coach.js';

/** @typedef {import('../client/view.js').View} View */

const YOURS = CATALOGUE.lobby.yours;
/** How many tables are asked about, those that were taken last. */
const TABLES_MAX = 8;
const OVER_MS = 86_400_000;

export class OwnTables {
  /** Matches that are over, or that nobody knows here: they are asked about no more. @type {Set<string>} */
  #gone = new Set();
  /** As they were last: what does not come is no table that is gone. @type {Map<string, View>} */
  #seen = new Map();

  /**
   * Nobody's token is sent: what is asked is what a spectator may know, so no hidden dice are served for a list.
   *
   * @returns {Promise<View[]>} The tables of this browser as spectators see them, those in play first.
   */
  async read() {
    const wanted = ownMatches()
      .filter((match) => !this.#gone.has(match))
      .slice(0, TABLES_MAX);
    const views = (await Promise.all(wanted.map((match) => this.#view(match)))).filter((view) => view !== null);
    return [...views.filter((view) => view.phase !== 'finished'), ...views.filter((view) => view.phase === 'finished')];
  }

  /** @param {string} match @returns {Promise<View | null>} */
  async #view(match) {
    try {
      const view = /** @type {View} */ (await readJson(matchPath(match)));
      this.#seen.set(match, view);
      if (view.phase !== 'finished' || serverClock.now() - view.at < OVER_MS) return view;
      this.#gone.add(match);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.code !== 'unknown_match') return this.#seen.get(match) ?? null;
      this.#gone.add(match);
    }
    return null;
  }
}

/** @param {string} match @returns {string} What leads from another page to a table in play. */
export const wayBack = (match) => (tokensOf(match).token === undefined ? YOURS.live : YOURS.back);

/** @param {View[]} views @returns {unknown} */
export function ownTables(views) {
  if (views.length === 0) return nothing;
  return html`<section aria-labelledby="yours-title">
    <h2 id="yours-title">${YOURS.heading}</h2>
    <ul class="tables">
      ${views.map(ticket)}
    </ul>
  </section>`;
}

/** @param {View} view */
function ticket(view) {
  const { token, seat, called } = tokensOf(view.match);
  const sits = token !== undefined && view.seats.some((one) => one.seat === seat);
  const yours = sits && view.turn === seat;
  const door = view.phase === 'finished' ? YOURS.ended : sits ? YOURS.back : YOURS.host;
  return html`<li class="ticket ${yours ? 'yours' : ''}">
    <h3><a href="/m/${view.match}">${called ?? titleOf(view.seats)}</a></h3>
    <p class="who">${yours ? YOURS.turn : standing(view)}</p>
    <p class="facts">${gameName(view.title)}</p>
    <p class="facts">${progressOf(view)}</p>
    <p class="doors"><a href="/m/${view.match}">${door}</a></p>
  </li>`;
}

/** @param {View} view @returns {string} How far it has come. */
function progressOf({ round, seats, rules }) {
  if (round > 0) return say(CATALOGUE.lobby.round, { round: String(round) });
  return say(CATALOGUE.lobby.seats, { taken: String(seats.length), seats: String(rules.seats) });
}

/** @param {View} view @returns {string} Whose turn it is, or how the match stands. */
function standing(view) {
  if (view.phase === 'lobby') return whoIsAwaited(view);
  if (view.phase !== 'finished') return whoActs(view) || YOURS.between;
  return view.winner === null ? YOURS.over : say(YOURS.won, factsOf({ winner: view.winner }, new Names(view)));
}
