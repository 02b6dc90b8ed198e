/**
 * The secrets of a deal, published when it was closed: every key, commitment and die follows from them
 * (CUP/1 sections 4.1, 4.6 and 4.12).
 */

import { canonical } from '../../auditor/canonical.js';
import { concat, hex, u16, u8, utf8 } from '../../bytes.js';
import { dieValue, leafHash } from '../../cup1.js';
import { hmac, sha256 } from '../../vendor/noble.js';

/** @typedef {import('../../cup1.js').Cup} Cup */
/** @typedef {import('../table/places.js').Choice} Choice */

const HASH = 32;

/** @param {Uint8Array} bytes @returns {Uint8Array} */
export const digest = (bytes) => sha256(bytes);

/** @param {unknown} value @returns {Uint8Array} The hash of the one line that stands for a JSON value. */
export const hashOf = (value) => sha256(utf8(canonical(value)));

/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(concat(u8(1), left, right));

/** @param {string} label @param {Uint8Array} ctx @returns {(cup: number, roll: number, slot: number) => Uint8Array} */
function labelled(label, ctx) {
  const whole = concat(utf8(label), ctx, new Uint8Array(4));
  const at = whole.length - 4;
  return (cup, roll, slot) => {
    whole.set([cup, roll >> 8, roll & 255, slot], at);
    return whole;
  };
}

/** A deal: all that follows from its secret alone. */
export class Deal {
  /** @param {Uint8Array} secret @param {Uint8Array} ctx @param {Cup[]} cups Ascending by id. */
  constructor(secret, ctx, cups) {
    /** @type {Map<number, {leaf: number, slot: number, width: number}>} Where each cup begins. */
    this.starts = new Map();
    let [leaf, slot] = [0, 0];
    for (const [id, , rolls, width] of cups) {
      this.starts.set(id, { leaf, slot, width });
      [leaf, slot] = [leaf + rolls, slot + rolls * width];
    }
    this.keys = new Uint8Array(slot * HASH);
    this.coms = new Uint8Array(slot * HASH);
    this.leaves = cups.flatMap((cup) => this.#leavesOf(cup, secret, ctx));
    /** @type {Map<string, Uint8Array>} */
    this.nodes = new Map();
    this.root = this.#node(0, this.leaves.length);
  }

  /** @param {Cup} cup @param {Uint8Array} secret @param {Uint8Array} ctx */
  #leavesOf([id, , rolls, width], secret, ctx) {
    const [keyOf, comOf] = [labelled('CUP1.key', ctx), labelled('CUP1.com', ctx)];
    return Array.from({ length: rolls }, (_, roll) => {
      for (let slot = 0; slot < width; slot += 1) {
        const at = this.#at(id, roll, slot);
        const key = hmac(sha256, secret, keyOf(id, roll, slot));
        this.keys.set(key, at);
        this.coms.set(hmac(sha256, key, comOf(id, roll, slot)), at);
      }
      return leafHash(this.coms.subarray(this.#at(id, roll, 0), this.#at(id, roll, width)));
    });
  }

  /** @param {number} cup @param {number} roll @param {number} slot */
  #at(cup, roll, slot) {
    const start = this.#start(cup);
    return (start.slot + roll * start.width + slot) * HASH;
  }

  /** @param {number} cup */
  #start(cup) {
    return /** @type {{leaf: number, slot: number, width: number}} */ (this.starts.get(cup));
  }

  /** @param {number} from @param {number} to @returns {Uint8Array} The hash over these leaves. RFC 9162, 2.1.1. */
  #node(from, to) {
    if (to - from === 1) return this.leaves[from];
    const name = `${from} ${to}`;
    const known = this.nodes.get(name) ?? nodeHash(this.#node(from, split(from, to)), this.#node(split(from, to), to));
    this.nodes.set(name, known);
    return known;
  }

  /** @param {number} cup @param {number} roll @returns {Uint8Array[]} From the leaf's sibling upwards. */
  path(cup, roll) {
    const leaf = this.#start(cup).leaf + roll;
    const found = [];
    let [from, to] = [0, this.leaves.length];
    while (to - from > 1) {
      const middle = split(from, to);
      found.unshift(leaf < middle ? this.#node(middle, to) : this.#node(from, middle));
      [from, to] = leaf < middle ? [from, middle] : [middle, to];
    }
    return found;
  }

  /** @param {number} cup @param {number} roll @returns {Uint8Array[]} A commitment for each slot. */
  commitments(cup, roll) {
    const { width } = this.#start(cup);
    return Array.from({ length: width }, (_, slot) => {
      const at = this.#at(cup, roll, slot);
      return this.coms.subarray(at, at + HASH);
    });
  }

  /** @param {number} cup @param {number} roll @param {number} slot @returns {Uint8Array} */
  key(cup, roll, slot) {
    const at = this.#at(cup, roll, slot);
    return this.keys.subarray(at, at + HASH);
  }
}

/** @param {number} from @param {number} to @returns {number} Where the left half of these leaves ends. */
const split = (from, to) => from + 2 ** (31 - Math.clz32(to - from - 1));

/** @param {string} seal @param {number} cup @param {number} roll @param {number} slot @returns {string} */
export const sealedAt = (seal, cup, roll, slot) => `${cup} ${roll} ${slot} ${seal}`;

/** Who knows every die of a deal whose seeds are open. */
export class Dealer {
  /** @param {number} number @param {Pick<Deal, 'key' | 'commitments' | 'path'>} deal @param {Uint8Array} mix */
  constructor(number, deal, mix) {
    this.number = number;
    this.deal = deal;
    this.mix = mix;
    /** @type {Map<string, number>} */
    this.known = new Map();
    /** @type {Map<string, Choice>} By seal, cup, roll and slot. */
    this.choices = new Map();
  }

  /** @param {number} cup @param {number} roll @param {number} slot @param {number} m @returns {number} From 0. */
  value(cup, roll, slot, m) {
    const name = `${cup} ${roll} ${slot} ${m}`;
    const known = this.known.get(name) ?? dieValue(this.deal.key(cup, roll, slot), this.mix, [cup, roll, slot], m);
    this.known.set(name, known);
    return known;
  }

  /** @param {Choice} choice @param {number} cup @param {number} slot @returns {string} What fixes a choice. */
  sealed(choice, cup, slot) {
    const listed = [choice.roll_inside, choice.roll_outside, choice.outside].flatMap((each) => [each.length, ...each]);
    const at = concat(u8(cup), u16(choice.roll), u8(slot));
    const key = this.deal.key(cup, choice.roll, slot);
    const seal = hex(hmac(sha256, key, concat(utf8('CUP1.cho'), this.mix, at, listed)));
    this.choices.set(sealedAt(seal, cup, choice.roll, slot), choice);
    return seal;
  }

  /**
   * @param {string} seal
   * @param {number} cup
   * @param {number} slot
   * @param {Iterable<Choice>} candidates
   * @returns {Choice | undefined} The one of these choices, all of one roll, that has this seal.
   */
  unsealed(seal, cup, slot, candidates) {
    for (const choice of candidates) {
      // What a seal stands for at one address says nothing about the same bytes at another.
      const known = this.choices.get(sealedAt(seal, cup, choice.roll, slot));
      if (known !== undefined || this.sealed(choice, cup, slot) === seal) return known ?? choice;
    }
    return undefined;
  }

  /**
   * @param {number} cup
   * @param {number} roll
   * @param {number[]} slots Ascending.
   * @param {number[]} m Their moduli, in the same order.
   * @returns {import('../table/state.js').Event} What shows these dice, with its proof.
   */
  open(cup, roll, slots, m) {
    const data = {
      deal: this.number,
      cup,
      roll,
      com: this.deal.commitments(cup, roll).map(hex),
      path: this.deal.path(cup, roll).map(hex),
      keys: slots.map((slot) => [slot, hex(this.deal.key(cup, roll, slot))]),
      values: slots.map((slot, at) => [slot, this.value(cup, roll, slot, m[at])]),
    };
    return { type: 'cup.revealed', data };
  }
}

const none = () => {
  throw new Error('no dice are known here');
};

/** For commands that look at no dice. @type {any} */
export const NO_DICE = { number: -1, value: none, open: none, sealed: none, unsealed: none };
