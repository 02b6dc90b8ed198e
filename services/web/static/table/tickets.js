/** The front page's choice of tables, as the server makes it when it writes the page, and what a ticket says of one. */

import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { minutes } from '../words/phrases.js';

/** @typedef {import('../client/view.js').LobbyRow & {watching?: number}} Row With how many watch just then. */
/** @typedef {'open' | 'live' | 'ended'} State */

const STALE_MS = 600_000;
const BOTS_MAX = 3;

/** @param {Row} row @returns {number} How many people sit there. */
const peopleAt = (row) => row.seats.filter((seat) => !seat.bot).length;

/** @param {Row} row @returns {State} */
function stateOf(row) {
  if (row.phase === 'lobby') return 'open';
  return row.phase === 'finished' ? 'ended' : 'live';
}

/** @param {Row[]} rows @param {State} state @returns {{shown: Row[], all: number}} Those with people first. */
export function onFront(rows, state) {
  const now = Math.max(...rows.map((row) => row.at));
  const all = rows.filter((row) => stateOf(row) === state);
  const found = all.filter((row) => state !== 'live' || now - row.at < STALE_MS);
  const people = found.filter((row) => peopleAt(row) > 0);
  const bots = found.filter((row) => peopleAt(row) === 0);
  return { shown: [...people, ...(state === 'ended' ? bots.slice(0, BOTS_MAX) : bots)], all: all.length };
}

/** @param {Row[]} rows @returns {Row | undefined} The one that most people watch, the first of several. */
export const mostWatched = (rows) => [...rows].sort((one, other) => (other.watching ?? 0) - (one.watching ?? 0)).at(0);

/** @param {Row[]} rows Open tables. @returns {Row | undefined} The first where somebody waits and a seat is free. */
export const waitingIn = (rows) =>
  rows.find((row) => row.seats.length < row.seats_max && !row.locked && !row.starts_at && peopleAt(row) > 0);

/** @param {Row} row @returns {string} Whether people or bots play there, and how fast. */
export function companyAt(row) {
  const people = peopleAt(row);
  const bots = row.seats.length - people;
  const counted = [
    people > 0 ? [say(CATALOGUE.lobby.people, { people: String(people) })] : [],
    bots > 0 ? [say(CATALOGUE.lobby.bots, { bots: String(bots) })] : [],
  ].flat();
  const watching = say(CATALOGUE.watch.crowd, { watching: String(row.watching ?? 0) });
  return [counted.length === 0 ? '' : joinNames(counted), paceOf(row), watching].filter(Boolean).join(' · ');
}

/** @param {Row} row @returns {string} Nothing of a row that was written before rows said it. */
function paceOf({ clock_ms: clock, turn_ms: turn }) {
  if (clock === undefined) return '';
  const { bank, turn: each, none } = CATALOGUE.lobby.pace;
  if (clock) return say(bank, { time: minutes(clock) });
  return turn ? say(each, { time: minutes(turn) }) : none;
}
