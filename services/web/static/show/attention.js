/** What calls somebody back who looks elsewhere: the name of the tab. */

import { titleOf } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */

/**
 * Name the page and its tab: where the host gave the table no name, after who sits there; the tab says whose turn it is.
 *
 * @param {View} view
 * @param {string | null} name What the host called the table.
 */
export function entitle(view, name) {
  const title = name ?? titleOf(view.seats);
  const yours = view.moves.length > 0 && view.turn === view.viewer ? 'Your turn · ' : '';
  const heading = document.querySelector('#title');
  if (heading !== null && heading.textContent !== title) heading.textContent = title;
  document.title = `${yours}${title} · Truecup`;
}
