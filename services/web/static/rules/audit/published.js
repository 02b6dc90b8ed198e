/**
 * The dice a record shows of a deal that publishes no secret (CUP/1 section 5.4): those that were opened, and no other.
 *
 * The law of the file: whether a record publishes the secret of a deal is told by its being there, whatever its bytes
 * are. A key that is not there counts as 32 zero bytes: no line opens it, and so whoever compares finds the line with
 * which dice were not shown that had to be. Which dice were rolled anew (section 4.12) is shown with them; where it
 * never is, any choice stands for it that rolls none of the dice which everybody sees later: nobody but their owner ever knew
 * the others, and the rules ask only how many they were.
 */
import { unhex } from '../../bytes.js';
import { Dealer, sealedAt } from '../match/dealer.js';
import { candidatesFor } from '../table/places.js';
import { equal } from './shapes.js';

/** @typedef {import('../table/places.js').Choice} Choice */
/** @typedef {{kind: string, data: any}} Line */

/** Stands where bytes are asked for that the record does not have; that they are not there is never told by it. */
export const NOTHING = new Uint8Array(32);

/** @param {...number} numbers */
const named = (...numbers) => numbers.join(' ');

/** All that a record tells of the dice of a deal. */
export class Told {
  /** @param {Uint8Array} root What fixed them. */
  constructor(root) {
    this.root = root;
    /** @type {Uint8Array | null} What they all follow from; null where the record does not publish it. */
    this.secret = null;
    /** @type {Map<string, any>} The openings of each roll of a cup: all hold the same commitments and path. */
    this.shown = new Map();
    /** @type {Map<string, {key: Uint8Array, line: number}>} By cup, roll and slot, with the last line that did so. */
    this.keys = new Map();
    /** @type {Map<string, Choice>} Which dice were rolled anew, by cup and the roll it led to, where it was said. */
    this.choices = new Map();
    /** @type {Map<number, string>} What fixes the seeds that were not opened, by seat. */
    this.unopened = new Map();
  }
}

/** @type {Record<string, (deal: Told, data: any, line: number) => void>} */
const NOTED = {
  'seed.committed': (deal, { seat, commit }) => void deal.unopened.set(seat, commit),
  'seed.opened': (deal, { seat }) => void deal.unopened.delete(seat),
  'deal.closed': (deal, { secret }) => {
    if (secret !== null) deal.secret = unhex(secret);
  },
  'cup.revealed': (deal, data, line) => {
    deal.shown.set(named(data.cup, data.roll), data);
    for (const [slot, key] of data.keys) deal.keys.set(named(data.cup, data.roll, slot), { key: unhex(key), line });
  },
  'game.choices_revealed': (deal, { cup, choices }) => {
    for (const choice of choices) deal.choices.set(named(cup, choice.roll), choice);
  },
};

/** @param {Line[]} lines @returns {Map<number, Told>} What a record tells of each deal, by its number. */
export function told(lines) {
  /** @type {Map<number, Told>} */
  const found = new Map();
  lines.forEach(({ kind, data }, line) => {
    if (kind === 'deal.committed') found.set(data.deal, new Told(unhex(data.root)));
    const deal = found.get(kind.startsWith('game.') ? Math.max(...found.keys()) : data.deal);
    if (deal !== undefined) NOTED[kind]?.(deal, data, line);
  });
  return found;
}

/** A deal without its secret: it opens what its record opens. */
export class ShownDeal {
  /** @param {Told} known */
  constructor(known) {
    this.known = known;
    this.root = known.root;
  }

  /** @param {number} cup @param {number} roll @param {number} slot */
  key(cup, roll, slot) {
    return this.known.keys.get(named(cup, roll, slot))?.key ?? NOTHING;
  }

  /** @param {number} cup @param {number} roll @returns {Uint8Array[]} None if nothing of the roll was ever opened. */
  commitments(cup, roll) {
    return (this.known.shown.get(named(cup, roll))?.com ?? []).map(unhex);
  }

  /** @param {number} cup @param {number} roll @returns {Uint8Array[]} */
  path(cup, roll) {
    return (this.known.shown.get(named(cup, roll))?.path ?? []).map(unhex);
  }
}

/** Knows the dice that a record shows, and of the choices nobody ever opened which dice they left. */
export class ShownDealer extends Dealer {
  /** @param {number} number @param {ShownDeal} deal @param {Uint8Array} mix */
  constructor(number, deal, mix) {
    super(number, deal, mix);
    this.told = deal.known;
    /** @type {Map<string, string>} The seals for whose choice another stands, by cup and roll. */
    this.supposed = new Map();
  }

  /** @param {Choice} choice @param {number} cup @param {number} slot @returns {string} */
  sealed(choice, cup, slot) {
    return this.supposed.get(named(cup, choice.roll)) || super.sealed(choice, cup, slot);
  }

  /**
   * Let a choice stand for the one of this line, if it is never opened: it rolls none of the dice that are shown later,
   * and all those it took from the table that it may.
   *
   * @param {import('../table/places.js').Handful} before
   * @param {any} arranged
   * @param {import('../table/places.js').Place} place
   * @param {number} line
   * @returns {boolean} Whether one stands for it.
   */
  suppose(before, arranged, place, line) {
    const { choice: seal, roll, taken } = arranged;
    if (seal === null || roll === null || this.told.keys.has(named(place.cup, roll, place.size))) return false;
    const possible = [...candidatesFor(before, arranged)];
    const told = this.told.choices.get(named(place.cup, roll));
    const said = possible.find((each) => equal(each, told));
    const supposed = said ?? this.#fitting(before, possible, taken, place.cup, line);
    if (supposed === undefined) return false;
    // It stands for the seal of this cup and roll and for no other: a copy of the seal says nothing elsewhere.
    this.supposed.set(named(place.cup, roll), seal);
    this.choices.set(sealedAt(seal, place.cup, roll, place.size), supposed);
    return true;
  }

  /**
   * @param {import('../table/places.js').Handful} before
   * @param {Choice[]} possible
   * @param {import('../table/places.js').Address[]} taken
   * @param {number} cup
   * @param {number} line
   * @returns {Choice | undefined}
   */
  #fitting(before, possible, taken, cup, line) {
    const numbers = [...before.inside, ...before.outside];
    /** @param {Choice} choice */
    const rolled = (choice) => [...choice.roll_inside, ...choice.roll_outside].map((position) => numbers[position]);
    /** @param {import('../table/places.js').Address} at */
    const isSeenLater = (at) => (this.told.keys.get(named(cup, ...at))?.line ?? 0) > line;
    /** @param {Choice} choice */
    const fromTable = (choice) => rolled(choice).filter((at) => taken.some((each) => equal(each, at))).length;
    const fitting = possible.filter((choice) => !rolled(choice).some(isSeenLater));
    return fitting.sort((one, other) => fromTable(other) - fromTable(one))[0];
  }
}
