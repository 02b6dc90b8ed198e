/** A refusal: a rule says no. Which does not matter here: a record that says otherwise is at fault on this line. */
export class Refused extends Error {}

/** @param {boolean} holds @param {string} why */
export function require(holds, why) {
  if (!holds) throw new Refused(why);
}
