/**
 * The laws of handling: which dice may be kept, shown, hidden and rolled, by game.
 * A law sees how many dice go where, and never a value.
 */

/** @typedef {import('./table/places.js').Handled} Handled */
/**
 * @typedef {object} Law
 * @property {(handled: Handled) => boolean} allows
 * @property {boolean} shows Whether a die may be shown.
 * @property {boolean} whole Whether a roll takes every hidden die that is not shown.
 * @property {boolean} sealed Whether it is the holder's secret which hidden dice were rolled (CUP/1 section 4.12).
 */

/** @param {Handled} handled */
const insideOnly = ({ shows, hides, rollsOutside }) => !(shows.length || hides.length || rollsOutside.length);
/** @param {Handled} handled */
const rolled = ({ rollsInside, rollsOutside }) => rollsInside.length + rollsOutside.length;

/** Show some hidden dice and roll all others. @param {Handled} handled */
const push = (handled) =>
  handled.shows.length > 0 &&
  handled.rollsInside.length > 0 &&
  !handled.hides.length &&
  !handled.rollsOutside.length &&
  !handled.keepsInside;

/** Do anything with each die, but something. @param {Handled} handled */
const free = (handled) => rolled(handled) + handled.shows.length + handled.hides.length > 0;

/** Roll outside if any die is kept inside, and inside if none is. @param {Handled} handled */
function finska(handled) {
  const wrong = handled.keepsInside ? handled.rollsInside : handled.rollsOutside;
  return !wrong.length && free(handled);
}

/** Show one hidden die, roll all others, or both. @param {Handled} handled */
function showOne(handled) {
  if (handled.hides.length || handled.rollsOutside.length || handled.shows.length > 1) return false;
  return handled.rollsInside.length ? !handled.keepsInside : handled.shows.length > 0;
}

/** By name; where dice are `frozen` there is no law to ask. @type {Map<string, Law>} */
export const LAWS = new Map(
  /** @type {[string, Law][]} */ ([
    ['push', { allows: push, shows: true, whole: true, sealed: false }],
    [
      'any_hidden',
      { allows: (handled) => insideOnly(handled) && rolled(handled) > 0, shows: false, whole: false, sealed: true },
    ],
    [
      'all_or_none',
      {
        allows: (handled) => insideOnly(handled) && rolled(handled) === handled.hidden,
        shows: false,
        whole: true,
        sealed: false,
      },
    ],
    ['free', { allows: free, shows: true, whole: false, sealed: true }],
    ['finska', { allows: finska, shows: true, whole: false, sealed: true }],
    ['show_one', { allows: showOne, shows: true, whole: true, sealed: false }],
  ]),
);
