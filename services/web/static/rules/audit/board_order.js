/**
 * Order between a board and a match: every doubt stands before the line that closes its round, every die behind it.
 *
 * The hashes prove it both ways. The line of the board names the last line of each match that it knows, in which the round
 * waits or the match is over; the match names that line before it goes on.
 */
import { unhex } from '../../bytes.js';
import { Keeper } from '../match/ceremony.js';
import { Deal } from '../match/dealer.js';
import { Told } from './published.js';

/** @typedef {import('../match/evolve.js').Match} Match */
/** @typedef {import('../../auditor/audit.js').Line} Line */
/** @typedef {import('../../auditor/shared.js').Shared} Shared */

/** @param {import('../../auditor/dealing.js').SharedDice} dice @param {string} secret @returns {Keeper} It knows them all. */
export function keeperOf({ number, cups, ctx, root }, secret) {
  const told = new Told(unhex(root));
  told.secret = unhex(secret);
  return new Keeper(number, { seeds: {}, told }, new Deal(told.secret, unhex(ctx), cups), {});
}

/** A match on its way through the referee, held against the rounds of its board. */
export class BoardOrder {
  /** @type {Map<number, number>} */
  #waitsFrom = new Map();

  /** @param {Shared} shared What the record of the board says. @param {Line[]} lines Of the match. */
  constructor(shared, lines) {
    this.shared = shared;
    this.lines = lines;
  }

  /** @param {Match} match As it stands after the line at this place. @param {number} seq */
  take({ table }, seq) {
    if (table?.phase === 'awaiting_board' && !this.#waitsFrom.has(table.round)) this.#waitsFrom.set(table.round, seq);
  }

  /**
   * @param {Match} match
   * @param {{seq: number, head: string}} event A round is judged.
   * @param {number} seq In the line at this place.
   * @returns {string} What is wrong with it; empty if nothing is.
   */
  faultAtRelease({ table }, event, seq) {
    const round = table?.round ?? 0;
    const closed = this.shared.rounds.get(round);
    if (closed === undefined || closed.seq !== event.seq || closed.head !== event.head) {
      return 'the board has closed no such round in this line';
    }
    return this.#faultOfLine(round, seq - 1);
  }

  /** @param {Match} match @returns {string} What is wrong with what the board says of a match that is over. */
  faultAtEnd({ ended }) {
    if (!ended) return '';
    const last = this.lines.length - 1;
    return [...this.shared.rounds.keys()].map((round) => this.#faultOfLine(round, last)).find(Boolean) ?? '';
  }

  /** @param {number} round @param {number} latest */
  #faultOfLine(round, latest) {
    const named = this.shared.rounds.get(round)?.lines.get(this.lines[0].data.match);
    if (named === undefined || named.seq < 0 || named.seq > latest || this.lines[named.seq].head !== named.head) {
      return 'the board names another line of this match';
    }
    // A match that was over before, or at which nobody ever waited, has no line that comes later.
    const since = this.#waitsFrom.get(round) ?? this.lines.length - 1;
    return named.seq >= since ? '' : 'the board closed the round before it was over here';
  }
}
