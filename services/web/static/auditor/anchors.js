/**
 * Layer 1, second half: the transparency log vouches for the record (CUP/1 sections 4.9 and 4.10).
 *
 * The law of the file: a line counts as logged when a checkpoint that meets the policy holds its anchor, and all
 * checkpoints of a record are heads of one log that only grew. Without a policy the hashes are checked and nobody's
 * signature is: the record is then consistent in itself, and not anchored.
 */
import { unhex } from '../bytes.js';
import { Fault, Malformed } from './faults.js';
import { anchorEntry } from './formulas.js';
import { continues, includes } from './merkle.js';
import { checkpointOf } from './notes.js';
import { asks, believed } from './policies.js';
import { consistencyOf, inclusionOf } from './proofs.js';
import { isEnd } from './shapes.js';

/** @typedef {import('./chain.js').Event} Event */
/** @typedef {import('./notes.js').Checkpoint} Checkpoint */
/** @typedef {import('./proofs.js').Proof} Proof */
/** @typedef {Map<string, bigint>} Seen Which witnesses saw a checkpoint, and when. */

const ANCHORS = new Map([
  ['deal.logged', { of: 'deal.sealed', kind: 'sealed' }],
  ['deal.fixed', { of: 'seed.opened', kind: 'opened' }],
]);

/** What the log has vouched for, line by line. */
export class Anchors {
  anchored = false;
  /** @type {{seq: number, seen: Promise<Seen>}[]} */
  witnessed = [];
  /** @type {Map<string, Event>} */
  #latest = new Map();
  /** @type {Checkpoint[]} */
  #earlier = [];

  /**
   * @param {import('./hashing.js').Hashing} hashing
   * @param {import('./faults.js').Debts} debts
   * @param {import('./policies.js').Policy | null} policy By none at all, no signature is judged.
   */
  constructor(hashing, debts, policy) {
    this.hashing = hashing;
    this.debts = debts;
    this.policy = policy;
  }

  /** @param {Event} event @returns {Promise<Seen> | null} Who saw what it says is logged; null if it says no such thing. */
  step(event) {
    const anchor = ANCHORS.get(event.type);
    if (anchor === undefined) {
      this.#latest.set(event.type, event);
      return null;
    }
    const logged = this.#latest.get(anchor.of);
    if (logged === undefined) throw new Fault('E_LOG', 'nothing is there that could have been logged');
    const { index, path, checkpoint: note } = event.data;
    const checkpoint = wellFormed(() => checkpointOf(note));
    this.#earlier.push(checkpoint);
    return this.#include(logged, anchor.kind, { number: BigInt(index), path: path.map(unhex) }, checkpoint);
  }

  /**
   * @param {Event} last
   * @param {import('./records.js').Parts} parts
   * @returns {boolean} Whether the proof of the last line is there; it is then checked, and that the log only grew.
   */
  finish(last, { proof: encoded, consistencies }) {
    if (encoded === null) return false;
    const proof = wellFormed(() => inclusionOf(encoded));
    const grown = wellFormed(() => consistencies.map(consistencyOf));
    const newest = wellFormed(() => checkpointOf(proof.checkpoint));
    this.#include(last, isEnd(last.type) ? 'final' : 'live', proof, newest);
    this.#checkGrowth(newest, proof.checkpoint, grown);
    return true;
  }

  /** @param {Event} event @param {string} kind @param {{number: bigint, path: Uint8Array[]}} proof
   *  @param {Checkpoint} checkpoint @returns {Promise<Seen>} */
  #include({ stream, seq, head }, kind, { number, path }, checkpoint) {
    const seen = this.#judge(checkpoint);
    this.debts.owe(
      seen.then((found) => found !== null),
      'E_LOG',
      'the policy does not believe this checkpoint',
    );
    const held = includes(this.hashing, checkpoint, number, anchorEntry(stream, seq, head, kind), path);
    this.debts.owe(held, 'E_LOG', `line ${seq + 1} is not in the log as ${kind}`);
    this.anchored = this.policy !== null;
    const known = seen.then((found) => found ?? new Map());
    this.witnessed.push({ seq, seen: known });
    return known;
  }

  /** @param {Checkpoint} checkpoint @returns {Promise<Seen | null>} */
  async #judge(checkpoint) {
    if (this.policy === null) return new Map();
    const asked = asks(this.policy, checkpoint);
    const answers = asked.map(({ key, message, signature }) => this.hashing.signed(key, message, signature));
    return believed(this.policy, asked, await Promise.all(answers));
  }

  /** @param {Checkpoint} newest @param {string} note @param {Proof[]} grown */
  #checkGrowth(newest, note, grown) {
    const ways = new Map(grown.map((proof) => [proof.number, proof]));
    const sizes = new Set(this.#earlier.map(({ size }) => size));
    if (ways.size < grown.length) throw new Fault('E_LOG', 'two consistency proofs begin at the same checkpoint');
    for (const { number, checkpoint } of grown) {
      if (!sizes.has(number)) throw new Fault('E_LOG', 'a consistency proof begins at no checkpoint of the record');
      if (checkpoint !== note) throw new Fault('E_LOG', 'a consistency proof leads to another checkpoint');
    }
    for (const old of this.#earlier) {
      const way = ways.get(old.size);
      if (way === undefined) throw new Fault('E_LOG', `nothing shows that the log only grew after entry ${old.size}`);
      if (old.origin !== newest.origin) throw new Fault('E_LOG', 'the checkpoints of the record are of two logs');
      const grew = continues(this.hashing, old, newest, way.path);
      this.debts.owe(grew, 'E_LOG', `the log did not only grow after entry ${old.size}`);
    }
  }
}

/** @template T @param {() => T} read @returns {T} @throws {Fault} */
function wellFormed(read) {
  try {
    return read();
  } catch (trouble) {
    if (trouble instanceof Malformed) throw new Fault('E_LOG', trouble.message);
    throw trouble;
  }
}
