/** What calls somebody back who looks elsewhere: the name of the tab, and a notification by whoever wants one. */

import { keepCalls, wantsCalls } from '../client/keep.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
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
  const isYours = view.moves.length > 0 && view.turn === view.viewer;
  const heading = document.querySelector('#title');
  if (heading !== null && heading.textContent !== title) heading.textContent = title;
  document.title = isYours ? say(CATALOGUE.beside.turn, { title }) : `${title} · Truecup`;
}

/** @returns {boolean} Whether this browser may, and is to, tell of turns while nobody looks. */
export const callsBack = () => wantsCalls() && globalThis.Notification?.permission === 'granted';

/** @returns {boolean} Whether there is a way to tell, or to ask for one. */
export const mayCall = () => (globalThis.Notification?.permission ?? 'denied') !== 'denied';

/** @param {boolean} wanted @returns {Promise<boolean>} Whether its owner wants, and lets, this browser tell of turns. */
export async function askToCall(wanted) {
  keepCalls(wanted && (await globalThis.Notification?.requestPermission?.()) === 'granted');
  return callsBack();
}

/** Tells whose turn it is who looks elsewhere: once a turn, and no more than that it has come. */
export class Caller {
  #turn = '';

  /** @param {View} view @returns {boolean} Whether a turn of the viewer has just come. */
  see(view) {
    const turn = view.viewer !== null && view.turn === view.viewer && view.moves.length > 0 ? `${view.round}` : '';
    const came = turn !== '' && this.#turn === '';
    this.#turn = turn;
    if (came && document.hidden && callsBack()) call(view);
    return came;
  }
}

/** @param {View} view */
function call(view) {
  try {
    const told = new Notification(sentence(say(CATALOGUE.spoken.turn, {})), { body: view.title, tag: view.match });
    told.onclick = () => focus();
  } catch {
    // Phones tell of things by a service worker alone, and have their vibration.
  }
}
