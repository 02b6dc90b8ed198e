/** The deal that a match is played with, as far as its signatures hang on it (CUP/1 sections 4.14.3 and 4.14.5). */
import { hex, unhex } from '../../bytes.js';
import { Fault } from '../faults.js';
import { positionsMessage } from './messages.js';

/** @typedef {{seq: number, command: Record<string, any>}} Handled Dice that a seat handled under a seal. */

const STAGES = new Map([
  ['deal.committed', 'committed'],
  ['deal.sealed', 'sealed'],
  ['deal.logged', 'logged'],
  ['deal.voided', 'voided'],
]);

export class DealAtHand {
  /** How far it has come; empty before the first. */
  stage = '';
  /** @type {Handled[]} */
  handled = [];
  /** @type {Set<number>} */
  #fixed = new Set();
  #publishesAll = false;

  /** @param {import('../hashing.js').Hashing} hashing */
  constructor(hashing) {
    this.hashing = hashing;
  }

  /** @param {any} created The members of the first line. */
  begin(created) {
    this.#publishesAll = created.policy === 'all';
  }

  /** @param {number} seat @returns {boolean} Whether it could fix a seed now, and has not. */
  waitsFor(seat) {
    return this.stage === 'committed' && !this.#fixed.has(seat);
  }

  /** @param {string} type @param {any} data Of an event that has been checked. */
  step(type, data) {
    if (type === 'seed.committed') this.#fixed.add(data.seat);
    if (type === 'deal.committed') {
      this.handled = [];
      this.#fixed = new Set();
    }
    this.stage = STAGES.get(type) ?? this.stage;
  }

  /** @param {any} closed The members of the event by which it closes. @throws {Fault} */
  async checkOpened(closed) {
    if (!this.#publishesAll || this.stage === 'voided') {
      if (closed.handled !== undefined) {
        throw new Fault('E_ORDER', 'what was done with the dice of this deal was to stay sealed');
      }
      return;
    }
    const opened = closed.handled ?? [];
    const fits = opened.length === this.handled.length;
    if (!fits || !this.handled.every(({ seq }, place) => seq === opened[place][0])) {
      throw new Fault('E_WITHHELD', 'a deal that closes opens every handling of dice that was signed in it, in order');
    }
    for (const [place, { command }] of this.handled.entries()) await this.#check(command, opened[place]);
  }

  /** @param {Record<string, any>} command @param {[seq: number, salt: string, positions: any]} opened */
  async #check(command, [, salt, positions]) {
    const counts = [positions.roll_inside.length, positions.roll_outside.length];
    if (counts[0] !== command.roll_inside || counts[1] !== command.roll_outside) {
      throw new Fault('E_SIGNED', 'as many dice were rolled as the sealed positions do not say');
    }
    const keyed = await this.hashing.keyed(unhex(salt));
    if (hex(await keyed(positionsMessage(positions))) !== command.sealed) {
      throw new Fault('E_SIGNED', 'these are not the positions that the seat had sealed');
    }
  }
}
