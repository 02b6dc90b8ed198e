/**
 * Layers 1 and 2 of the audit, written from the protocol: chain and log, commitments and dice (CUP/1 section 4.10).
 *
 * It agrees with the server's auditor on status, code and line. The law of the file: the record
 * is read once, from top to bottom, and the first fault ends it. What is looked at, in this order:
 *
 *     the file as a whole    UTF-8, every line ended, event lines before proofs                        line 0
 *     each event line        canonical, with the members of an event line                              E_FORMAT
 *                            follows the line before                                                   E_CHAIN
 *                            a type that exists, with its own members                                  E_FORMAT
 *                            in turn, then what follows from earlier lines (see `dealing`)             layer 2
 *                            what it says is logged is in the log, under a checkpoint believed         E_LOG
 *                            a beacon was still silent then                                            E_BEACON
 *                            what a seat with a key is said to have done, it signed                    E_UNSIGNED,
 *                                                                                     E_SIGNED (see `signing`)
 *     the proofs at the end  well-formed; the last line is in the log; the log only grew               E_LOG, on the line
 *                                                                                     after the last event line
 *
 * A record that ends before `match.ended`, or what else is the last line of a stream, or without its final proof, is
 * incomplete, not at fault.
 */
import { hex } from '../bytes.js';
import { Anchors } from './anchors.js';
import { latest } from './beacons.js';
import { follow } from './chain.js';
import { Dealing } from './dealing.js';
import { cupRollSlot, isUnknown } from './deals.js';
import { CODES, Debts, Fault } from './faults.js';
import { chosen } from './hashing.js';
import { misdatedLines } from './misdated.js';
import { NONE, checkIds, idMessages, isQuorum, policyOf } from './policies.js';
import { split } from './records.js';
import { isEnd } from './shapes.js';
import { KeyedSeats } from './signing/keyed_seats.js';

/** @typedef {import('./chain.js').Event} Event */
/** @typedef {import('./hashing.js').Hashing} Hashing */
/** @typedef {import('./policies.js').Policy} Policy */
/** @typedef {{number: number, kind: string, data: any, at: number, head: string, signed?: import('./chain.js').Signed}} Line
 *   An event line, its number from 1, its hash, and who signed it. */
/** @typedef {{state: string, ctx: string, root: string, mix: string | null, values: number[][]}} DealReport Every die
 *   that is proved is there as cup, roll, slot, modulus, value, ascending. */
/** @typedef {{status: 'OK' | 'FAULT' | 'INCOMPLETE', message: string, code: string | null, line: number | null,
 *   anchored: boolean | null, head: string | null, deals: Record<string, DealReport> | null,
 *   seats: Record<string, import('./signing/keyed_seats.js').SeatReport> | null, misdated: number[] | null}} Report The
 *   lines, from 1, that are more than a minute off the times of witnesses around them. */

const LINES_AT_ONCE = 256;
const OWED_MAX = 8_192;

/**
 * @param {Uint8Array} record The file, which may be any bytes.
 * @param {Policy | null} policy Whom to believe about the log, from `readPolicy`. It must not come with the record.
 * @param {{layers?: number[], hashing?: Hashing, shared?: import('./dealing.js').SharedDice | null}} [how] With layer 2,
 *   the dice; layer 1 is always looked at. `shared` is the deal of the board whose dice a match shares; without it these
 *   are not held against anything.
 * @returns {Promise<{report: Report, lines: Line[]}>} The lines only of a record that is not at fault, for layer 3.
 *   Cost: linear in the record and in the slots of the deals that publish their secret, at most 2**18 a deal.
 */
export async function audit(record, policy, { layers = [1, 2], hashing, shared = null } = {}) {
  const course = new Course(hashing ?? (await chosen()), policy, layers.includes(2), shared);
  try {
    const complete = await course.run(record);
    return { report: course.report(complete, await course.misdated()), lines: course.lines };
  } catch (trouble) {
    if (!(trouble instanceof Fault)) throw trouble;
    return { report: faulty(trouble), lines: [] };
  }
}

/**
 * @param {string} text
 * @param {Hashing} [hashing]
 * @returns {Promise<Policy>}
 * @throws {import('./faults.js').Malformed} The text is no policy; the message names the line.
 */
export async function readPolicy(text, hashing) {
  const { sha256 } = hashing ?? (await chosen());
  const policy = policyOf(text);
  checkIds(policy, await Promise.all(idMessages(policy).map(sha256)));
  return policy;
}

/** An audit on its way through a record. */
class Course {
  /** @type {Line[]} */
  lines = [];
  /** @type {Event | null} */
  #last = null;
  #debts = new Debts();

  /**
   * @param {Hashing} hashing
   * @param {Policy | null} policy
   * @param {boolean} dice
   * @param {import('./dealing.js').SharedDice | null} shared
   */
  constructor(hashing, policy, dice, shared) {
    this.hashing = hashing;
    this.policy = policy;
    this.dice = dice;
    this.anchors = new Anchors(hashing, this.#debts, policy);
    this.dealing = new Dealing(hashing, this.#debts, shared);
    this.signing = new KeyedSeats(hashing);
  }

  /** @param {Uint8Array} record @returns {Promise<boolean>} Whether it is complete. @throws {Fault} The first. */
  async run(record) {
    let [complete, fault] = [false, /** @type {Fault | null} */ (null)];
    try {
      complete = await this.#settled(record);
    } catch (trouble) {
      if (!(trouble instanceof Fault)) throw trouble;
      fault = trouble;
    }
    // A key that is refused was asked for all the same, and its signature bears out what its seat signed before.
    const end = fault === null ? Infinity : fault.line - (fault.code === 'E_SIGNED' ? 0 : 1);
    const unborne = await this.signing.firstNotBorneOut(end);
    if (unborne !== null) {
      throw this.#debts.at(unborne + 1, new Fault('E_SIGNED', 'no signature of its seat bears this line out'));
    }
    if (fault !== null) throw fault;
    return complete;
  }

  /** @param {Uint8Array} record @returns {Promise<boolean>} Whether it is complete. @throws {Fault} With its line. */
  async #settled(record) {
    try {
      const complete = await this.#read(record);
      await this.#debts.settle();
      return complete;
    } catch (trouble) {
      // What was put down before this fault comes first.
      await this.#debts.settle();
      if (trouble instanceof Fault && trouble.line === 0) trouble.line = this.#debts.line;
      throw trouble;
    }
  }

  /** @param {Uint8Array} record */
  async #read(record) {
    const parts = split(record);
    for (let at = 0; at < parts.lines.length; at += LINES_AT_ONCE) {
      const some = parts.lines.slice(at, at + LINES_AT_ONCE);
      const hashes = await Promise.all(some.map(this.hashing.sha256));
      for (const [place, line] of some.entries()) await this.#step(line, hex(hashes[place]));
      await this.#debts.settle();
    }
    this.#debts.line += 1;
    const last = /** @type {Event} */ (this.#last);
    return this.anchors.finish(last, parts) && isEnd(last.type);
  }

  /** @param {Uint8Array} line @param {string} head */
  async #step(line, head) {
    this.#debts.line += 1;
    const event = follow(line, head, this.#last);
    this.#last = event;
    if (this.dice) await this.dealing.step(event);
    const seen = this.anchors.step(event);
    if (this.dice && event.type === 'deal.fixed') this.#checkTime(/** @type {Promise<Map<string, bigint>>} */ (seen));
    if (this.dice) await this.signing.step(event);
    const { seq, type: kind, data, at, signed } = event;
    this.lines.push({ number: seq + 1, kind, data, at, head, signed });
    if (this.#debts.weight > OWED_MAX) await this.#debts.settle();
  }

  /** @param {Promise<Map<string, bigint>>} seen That enough saw all seeds open while nobody could know the beacon. */
  #checkTime(seen) {
    const { policy } = this;
    const due = latest(/** @type {import('./beacons.js').Round} */ (this.dealing.deals.at(-1)?.beacon));
    if (policy === null) return;
    if (policy.quorum === NONE) throw new Fault('E_BEACON', 'no witness is asked when all seeds were open');
    const timely = seen.then((found) => new Map([...found].filter(([, at]) => at <= due)));
    const enough = timely.then((witnesses) => isQuorum(policy, witnesses));
    this.#debts.owe(enough, 'E_BEACON', 'too few witnesses saw the seeds open before the round was near');
  }

  /** @returns {Promise<number[]>} The lines that witnesses date otherwise. */
  async misdated() {
    const found = this.anchors.witnessed.map(async ({ seq, seen }) => ({ seq, seen: await seen }));
    return misdatedLines(this.lines, await Promise.all(found));
  }

  /** @param {boolean} complete @param {number[]} misdated @returns {Report} Of a record without fault. */
  report(complete, misdated) {
    const deals = this.dealing.deals.map((deal) => [String(deal.number), reported(deal)]);
    // Of dice that are shared nothing is known without the record of their board.
    const dice = this.dice && !this.dealing.deals.some(isUnknown);
    return {
      status: complete ? 'OK' : 'INCOMPLETE',
      message: told(complete, this.policy !== null, dice),
      code: null,
      line: null,
      anchored: this.anchors.anchored,
      head: /** @type {Event} */ (this.#last).head,
      deals: Object.fromEntries(deals),
      seats: this.signing.report(),
      misdated: misdated.length > 0 ? misdated : null,
    };
  }
}

/** @param {Fault} fault @returns {Report} It says what and where, and nothing else of the record. */
function faulty({ code, line, message }) {
  const found = `${CODES[code]}: ${message}`;
  const unsaid = { anchored: null, head: null, deals: null, seats: null, misdated: null };
  return { status: 'FAULT', message: found, code, line, ...unsaid };
}

/** @param {import('./deals.js').Deal} deal @returns {DealReport} */
function reported({ stage, ctx, root, mix, values }) {
  const proved = [...values].sort(([one], [other]) => one - other);
  const rows = proved.map(([place, [m, value]]) => [...cupRollSlot(place), m, value]);
  return { state: stage, ctx: hex(ctx), root: hex(root), mix: mix && hex(mix), values: rows };
}

/** @param {boolean} complete @param {boolean} judged @param {boolean} dice */
function told(complete, judged, dice) {
  const fixed = dice ? ', and all dice were fixed before the seeds were known' : '';
  const found = `every line follows the one before it${fixed}`;
  if (!complete) {
    return `${found}, as far as the record goes: it ends before the match did, or without the log’s final proof`;
  }
  return `${found}; ${judged ? 'the log vouches for it' : 'no policy was given, so nobody’s word for the log was judged'}`;
}
