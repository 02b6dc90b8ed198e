/**
 * The seeds of an entrant, for lots and for boards. What makes and checks them comes behind the card, which can be read
 * without it, and runs from the moment that there is something to draw.
 */
import { needed } from '../client/api.js';

/** @typedef {import('./own.js').Own} Own */
/** @typedef {import('./lots.js').LotDrawer} LotDrawer */
/** @typedef {import('../hosting/boards.js').BoardDrawer} BoardDrawer */
/** @typedef {import('../client/api.js').Alarm} Alarm */

/** What lots are drawn with, and keys of seats made. */
export async function drawnWith() {
  const { LotDrawer, lotKey, tableKey } = await needed(import('./lots.js'));
  return { LotDrawer, lotKey, tableKey };
}

/** Look, before a seed is offered, whether it would be opened in the end. */
export async function checkTrust() {
  const { checkTrust: check } = await needed(import('../client/trust.js'));
  await check();
}

export class Drawing {
  /** @type {LotDrawer | null} */
  #lots = null;
  /** @type {BoardDrawer | null} */
  #boards = null;

  /** @param {string} tournament @param {(alarm: Alarm) => void} onAlarm What is amiss with the seed of a board. */
  constructor(tournament, onAlarm) {
    this.tournament = tournament;
    this.onAlarm = onAlarm;
  }

  /** Do what boards and lots ask of this entrant's seeds. @param {Own} own @param {string | undefined} token */
  async see(own, token) {
    const { draws, table } = own.card;
    if (table?.state === 'started' && table.board !== null && token !== undefined)
      await this.#begin(table.board, token, table.match);
    // Whoever draws no more lets the screen go dark again.
    if (draws || own.drawer !== null || this.#lots !== null) await this.#see(own);
  }

  /** @param {string} board @param {string} token @param {string} match The table at which its dice are played. */
  async #begin(board, token, match) {
    const { BoardDrawer } = await needed(import('../hosting/boards.js'));
    const { tableKey } = await drawnWith();
    this.#boards ??= new BoardDrawer(this.onAlarm);
    this.#boards.begin(board, token, tableKey(this.tournament, match));
  }

  /** @param {Own} own */
  async #see(own) {
    const { LotDrawer } = await drawnWith();
    this.#lots ??= new LotDrawer(this.tournament);
    await this.#lots.see(own);
  }
}
