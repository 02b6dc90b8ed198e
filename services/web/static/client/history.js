/**
 * The history of a match as this browser was shown it: every head, and every receipt the server signed for a command
 * of this browser. Whatever is shown later is held against them. Each line carries the hash of the one before it, so
 * one receipt vouches for all lines up to its own.
 */

import { Malformed } from '../auditor/faults.js';
import { Alarm, Refusal } from './api.js';
import { Heads, answers, keepReceipt, receiptsOf, tokensOf } from './keep.js';
import { isSigned, receiptOf } from './notes.js';
import { ownLines, recordAnew } from './seeds.js';
import { newPolicy, trust } from './trust.js';

export class History {
  #heads;
  /** @type {Promise<import('./trust.js').Trust> | null} */
  #trusted = null;
  /** @type {(event: Event) => void} */
  #hear = (event) => void this.#answered(/** @type {CustomEvent} */ (event).detail);

  /**
   * @param {string} match
   * @param {{onAlarm: (alarm: Alarm) => void, onPolicy: (text: string) => void, onKept: (count: number) => void}} ears
   */
  constructor(match, ears) {
    this.match = match;
    this.ears = ears;
    this.#heads = new Heads(match);
    answers.addEventListener('answer', this.#hear);
    ears.onKept(receiptsOf(match).length);
  }

  stop() {
    answers.removeEventListener('answer', this.#hear);
  }

  /** Hold what the server says now against what an earlier visit was told. */
  async begin() {
    await this.#careful(async () => {
      const offered = await newPolicy();
      if (offered !== null) this.ears.onPolicy(offered);
    });
    await this.#careful(async () => {
      for (const { note, checked } of receiptsOf(this.match)) if (!checked) await this.#check(note);
    });
    await this.compare();
  }

  /** @param {number} version @param {string} head */
  see(version, head) {
    const signed = this.#signed().find(({ seq }) => seq === version - 1);
    if (signed !== undefined && signed.head !== head) this.#another(version, true);
    else if (!this.#heads.agree(version, head)) this.#another(version);
  }

  /** Hold the record against every receipt, and every head that is remembered. */
  async compare() {
    const signed = this.#signed();
    const shown = [...this.#heads.heads];
    if (signed.length === 0 && shown.length === 0) return;
    await this.#careful(async () => {
      const { lines, isWhole } = await this.#linesNow();
      const told = [...signed.map(({ seq, head }) => /** @type {[number, string]} */ ([seq + 1, head])), ...shown];
      if (isWhole && told.some(([version]) => version > lines.length)) {
        this.ears.onAlarm(new Alarm('shorter', proved(signed.length > 0)));
      }
      const other = told.find(([version, head]) => version <= lines.length && lines[version - 1].head !== head);
      if (other !== undefined) this.#another(other[0], signed.length > 0);
    });
  }

  /**
   * The record shows a match whose dice lie at other tables too as far as all of these have come. The seat may see all
   * of it; for whoever has no seat any more it may be shorter than what was seen from there.
   */
  async #linesNow() {
    const lines = await recordAnew(this.match);
    if (lines[0]?.data.rules.board === undefined) return { lines, isWhole: true };
    const { token } = tokensOf(this.match);
    return token === undefined
      ? { lines, isWhole: false }
      : { lines: await ownLines(this.match, token), isWhole: true };
  }

  /** Hand the receipts to the owner of this browser, as a file that `truecup audit --receipts` reads. */
  download() {
    const text = receiptsOf(this.match).map(({ note }) => note);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
    link.download = `${this.match}.receipts`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #signed() {
    return receiptsOf(this.match)
      .filter(({ checked }) => checked)
      .map(({ note }) => receiptOf(note));
  }

  /** @param {any} answer */
  async #answered(answer) {
    if (answer.match !== this.match) return;
    this.see(answer.version, answer.head);
    await this.#careful(async () => {
      if (typeof answer.receipt !== 'string') throw new Alarm('no receipt');
      const receipt = await this.#check(answer.receipt);
      if (receipt.seq !== answer.version - 1 || receipt.head !== answer.head) {
        throw new Alarm('other line');
      }
    });
    this.ears.onKept(receiptsOf(this.match).length);
  }

  /** Check what the server signed, and keep it as evidence. @param {string} note */
  async #check(note) {
    const receipt = readReceipt(note);
    // Whoever could not be asked once is asked again.
    this.#trusted ??= trust().catch((trouble) => {
      this.#trusted = null;
      throw trouble;
    });
    let signed = isSigned(receipt, (await this.#trusted).policy);
    if (!signed) {
      this.#trusted = trust();
      const { policy, offered } = await this.#trusted;
      signed = isSigned(receipt, policy);
      // While the log changes its key, the new one may sign alone: the notice of the new policy is about that.
      if (!signed && offered === null) throw new Alarm('unsigned');
    }
    if (receipt.stream !== `match/${this.match}`) throw new Alarm('other match');
    const before = this.#signed().find(({ seq }) => seq === receipt.seq);
    if (before !== undefined && before.head !== receipt.head) this.#another(receipt.seq + 1, true);
    else keepReceipt(this.match, { seq: receipt.seq, note, checked: signed });
    return receipt;
  }

  /** @param {number} version @param {boolean} [isProved] */
  #another(version, isProved = false) {
    this.ears.onAlarm(new Alarm('another', { version: String(version), ...proved(isProved) }));
  }

  /**
   * Do something that may find a lie; a server that cannot be asked now is no liar.
   *
   * @param {() => Promise<void>} what
   */
  async #careful(what) {
    try {
      await what();
    } catch (trouble) {
      if (trouble instanceof Alarm) this.ears.onAlarm(trouble);
      else if (!(trouble instanceof Refusal)) throw trouble;
    }
  }
}

/** @param {boolean} isProved Whether receipts prove it to others. */
const proved = (isProved) => ({ proved: isProved ? 'yes' : 'no' });

/** @param {string} note */
function readReceipt(note) {
  try {
    return receiptOf(note);
  } catch (trouble) {
    if (!(trouble instanceof Malformed)) throw trouble;
    throw new Alarm('malformed');
  }
}
