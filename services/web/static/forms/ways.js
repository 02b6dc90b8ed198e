/** Ways of handling that a law allows, found out by trying plans on it: no form asks for a law by its name. */
import { LAWS } from '../rules/laws.js';

/** @typedef {import('./deeds.js').Move} Move */
/** @typedef {import('../rules/table/places.js').Handled} Handled */
/**
 * @typedef {object} Ways
 * @property {boolean} pushes Whether dice may be rolled only along with some that are shown.
 * @property {boolean} showsOne Whether no more than one die may be shown at once.
 * @property {boolean} follows Whether what is kept hidden decides on which side the others roll.
 * @property {(handled: Handled) => boolean} allows Whether a plan may be done.
 */

/** @type {Handled} */
const NOTHING = { hidden: 0, shows: [], hides: [], rollsInside: [], rollsOutside: [], keepsInside: 0 };

/** @param {Move} move @returns {Ways} */
export function waysOf({ law, placements, whole }) {
  const allows = (/** @type {Partial<Handled>} */ handled) =>
    LAWS.get(law)?.allows({ ...NOTHING, ...handled }) ?? false;
  const shows = whole && placements.includes('outside');
  return {
    pushes: shows && !allows({ hidden: 1, rollsInside: [0] }),
    showsOne: shows && !allows({ hidden: 3, shows: [0, 1], rollsInside: [2] }),
    follows: placements.includes('roll_outside') && !allows({ hidden: 2, rollsInside: [0], keepsInside: 1 }),
    allows,
  };
}
