/**
 * Lots drawn by an entrant: a seed of one's own, fixed and opened while the card is open (CUP/1 section 4.7). It is made
 * from a key that no server is told, so that any device with the key opens what another has fixed.
 */
import { hex, unhex } from '../bytes.js';
import { Alarm } from '../client/api.js';
import { entryOf, keepEntry, tokensOf } from '../client/keep.js';
import { Drawer, linesAt } from '../client/seeds.js';
import { nextKey } from '../cup1.js';
import { Awake } from '../show/awake.js';

/** @typedef {import('./own.js').Own} Own */

/** @param {string} tournament @returns {string} The key of this entrant's lots, as hex; drawn if there was none. */
export function lotKey(tournament) {
  const { seeds = hex(crypto.getRandomValues(new Uint8Array(32))) } = entryOf(tournament);
  keepEntry(tournament, { seeds });
  return seeds;
}

/**
 * @param {string} tournament
 * @param {string} match
 * @returns {string} The key of this entrant's seat at a table, as hex: the one that is kept, or else the same on every
 *   device that has that of the lots.
 */
export const tableKey = (tournament, match) => tokensOf(match).seeds ?? hex(nextKey(unhex(lotKey(tournament)), match));

export class LotDrawer {
  #busy = false;
  /** @type {Set<string>} */
  #done = new Set();
  #awake = new Awake();

  /** @param {string} tournament */
  constructor(tournament) {
    this.tournament = tournament;
  }

  /** Do what the lots ask of this entrant's seed. @param {Own} own */
  async see({ card, drawer, deal, awaits }) {
    await this.#awake.keep(card.draws && ['check_in', 'drawing'].includes(card.phase));
    if (drawer === null || deal === null || awaits === null || this.#busy) return;
    const step = `${deal}/${awaits}`;
    if (this.#done.has(step)) return;
    this.#busy = true;
    try {
      const seeds = this.#seeds();
      if (awaits === 'commit') await seeds.commit(drawer, deal);
      else if (!(await seeds.open(drawer, deal))) throw new Alarm('seedless');
      this.#done.add(step);
    } finally {
      this.#busy = false;
    }
  }

  #seeds() {
    const [stream, path] = [`tournament/${this.tournament}`, `/api/v1/tournaments/${this.tournament}`];
    const { token = null } = entryOf(this.tournament);
    const lines = () => linesAt(`${path}/export`, stream);
    return new Drawer({ stream, path, lines, key: lotKey(this.tournament), token });
  }
}
