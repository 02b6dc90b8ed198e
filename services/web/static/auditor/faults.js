/** The faults an audit can find in a record (CUP/1 section 4.10), and what each code means, for people. */

/** @typedef {keyof typeof CODES} Code */

export const CODES = {
  E_FORMAT: 'a line is not what the protocol allows to be written',
  E_CHAIN: 'a line does not follow the one before it: something was changed, left out or put in',
  E_ORDER: 'something happened out of turn',
  E_COMMIT: 'a seat’s seed is not the one it had fixed',
  E_MIX: 'the dice were not worked out from all seeds',
  E_SLOT: 'dice were rolled or shown that the deal does not have there',
  E_PATH: 'a shown die is not among those fixed before the seeds were known',
  E_KEY: 'the key of a shown die is not the one that was fixed',
  E_VALUE: 'a shown die does not have the value that follows from its key',
  E_SECRET: 'the published secret is not the one the dice were fixed with',
  E_WITHHELD: 'a secret that had to be published was not',
  E_ABORT: 'a deal was thrown away without a seat to answer for it',
  E_BEACON: 'the public beacon was not asked in time, or did not say this',
  E_LOG: 'the transparency log does not vouch for this record',
  E_UNSIGNED: 'a seat with a key has not signed what it is said to have done',
  E_SIGNED: 'what a seat signed is not what stands there, or not there',
  E_RULES: 'the rules of the game do not allow this',
  E_ACCESS: 'hidden dice were served to somebody who may not know them, or it is not on record who saw what',
};

/** Something is wrong with a record. */
export class Fault extends Error {
  /** @param {Code} code @param {string} why In a sentence. */
  constructor(code, why) {
    super(why);
    this.code = code;
    this.line = 0;
  }
}

/** A text is not what its format asks for. */
export class Malformed extends Error {}

/**
 * What a record owes before it can be believed: answers of hashes and signatures, which come later.
 *
 * The law of the file: the first fault wins. Checks are put down in the order in which they stand in the protocol, the
 * reading goes on meanwhile, and `settle` looks at the answers in that same order; so nothing waits for a single hash,
 * and the code and the line are those of an auditor that does.
 */
export class Debts {
  /** The line whose checks are put down now, from 1; 0 for the file as a whole. */
  line = 0;
  /** How much is owed, in answers. */
  weight = 0;
  /** @type {{answer: Promise<boolean>, line: number, code: Code, why: string}[]} */
  #owed = [];

  /** @param {Promise<boolean>} answer Whether all is well. @param {Code} code @param {string} why @param {number} weight */
  owe(answer, code, why, weight = 1) {
    this.weight += weight;
    this.#owed.push({ answer, line: this.line, code, why });
  }

  /** Wait for every answer. @throws {Fault} The first that is bad. */
  async settle() {
    const owed = this.#owed;
    this.#owed = [];
    this.weight = 0;
    for (const { answer, line, code, why } of owed) {
      if (!(await answer)) throw this.at(line, new Fault(code, why));
    }
  }

  /** @param {number} line @param {Fault} fault */
  at(line, fault) {
    fault.line = line;
    return fault;
  }
}
