/** What layer 3 finds, and by which code. */

/** @typedef {import('../../auditor/faults.js').Code} Code */

/** The code of a line that does not follow from the rules. @type {Code} */
export const UNRULY = 'E_RULES';
/** The code of a line that a seat with a key is said to have asked for, and has not signed. @type {Code} */
export const UNASKED = 'E_UNSIGNED';
/** The code of a line that is signed, and that nobody asked for: it follows from another. @type {Code} */
export const OVERSIGNED = 'E_SIGNED';

export class Foul extends Error {
  /** @param {number} line @param {string} why @param {Code} [code] */
  constructor(line, why, code = UNRULY) {
    super(why);
    this.line = line;
    this.code = code;
  }
}
