/**
 * The scene of a verdict: which cups rise, in which order, what each adds, and who loses. It goes by dice that everybody
 * sees and by no others, so that whoever watches it learns nothing that the table does not show.
 */

import { counting } from '../table/dice.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { Names } from '../words/phrases.js';
import { told } from '../words/telling.js';
import { claimed, finding } from '../words/verdicts.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */
/** @typedef {import('../client/view.js').Die} Die */
/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {import('../client/view.js').Verdict} Verdict */

/**
 * @typedef {object} Lifted What rises, or is told, at one place.
 * @property {number | null} seat Null for the cup that is passed on.
 * @property {string} name Whose it is.
 * @property {number[]} faces What lies there; nothing where only a number is told.
 * @property {number[]} sliding The places among `faces` of those that slide to the middle.
 * @property {boolean[]} wild Whether each of those that slide counts as another face than it shows.
 * @property {number} adds How much the number climbs by it.
 */
/**
 * @typedef {object} Loss
 * @property {number} seat
 * @property {string} text Who loses what, in a sentence.
 * @property {number} dice How many dice leave.
 */
/**
 * @typedef {object} Scene
 * @property {Verdict} verdict
 * @property {[number, number]} faces What kind of dice they are.
 * @property {Lifted[]} cups In the order in which they rise.
 * @property {string} asked The claim that was tested, in words; empty where none was.
 * @property {number | null} count What the number climbs to; null where nothing is counted.
 * @property {number | null} aim What was claimed of it.
 * @property {string} why One sentence.
 * @property {Loss[]} losses
 */

/** @param {Frame} frame */
export const isOpening = ({ event }) => event.type === 'game.round_opened';

/** @param {Frame} frame */
export const isVerdict = ({ event }) => event.type === 'game.judged';

/**
 * @param {Frame[]} frames That which says a verdict, and those of the same append behind it.
 * @returns {Scene | null} Null for a verdict that nothing lies open for.
 */
export function sceneOf([first, ...rest]) {
  const { view } = first;
  const verdict = /** @type {Verdict} */ (/** @type {unknown} */ (first.event));
  const names = new Names(view);
  const nameOf = (/** @type {number | null} */ seat) => (seat === null ? say(CATALOGUE.show.cup, {}) : names.of(seat));
  const cups = inTurn(view, verdict)
    .flatMap((place) => lifted(place, view, verdict))
    .map((cup) => ({ name: sentence(nameOf(cup.seat)), ...cup }));
  if (cups.length === 0) return null;
  const sum = cups.reduce((all, { adds }) => all + adds, 0);
  const { claimant, count, quantity } = verdict;
  const asked = claimed(verdict);
  return {
    verdict,
    faces: view.faces,
    cups,
    asked: asked === '' || claimant === null ? '' : claimOf(names, claimant, asked),
    // Where what lies open comes to another number, the sentence alone says which.
    count: sum === count ? count : null,
    aim: quantity,
    why: `${sentence(finding(verdict, view))}.`,
    losses: lossesOf(view, verdict, rest),
  };
}

/** @param {Names} names @param {number} claimant @param {string} claim */
function claimOf(names, claimant, claim) {
  const facts = { claimant: names.of(claimant), 'claimant.person': names.person([claimant]), claim };
  return sentence(say(CATALOGUE.show.claim, facts));
}

/** @typedef {{seat: number | null, dice: Die[], counted: number | null}} Spot */

/** The cup that is passed on, then the seats from the left of who doubted on. @param {View} view @param {Verdict} verdict @returns {Spot[]} */
function inTurn({ seats, cup }, { doubters, claimant }) {
  const from = doubters[0] ?? claimant ?? 0;
  const behind = seats.findIndex(({ seat }) => seat > from);
  const first = behind < 0 ? 0 : behind;
  return [{ seat: null, dice: cup, counted: null }, ...seats.slice(first), ...seats.slice(0, first)];
}

/** @param {Spot} place @param {View} view @param {Verdict} verdict @returns {Omit<Lifted, 'name'>[]} */
function lifted({ seat, dice, counted }, view, verdict) {
  const isOpen = dice.length > 0 && dice.every((die) => die.shown && die.face !== null);
  if (!isOpen) return counted === null ? [] : [{ seat, faces: [], sliding: [], wild: [], adds: counted }];
  const faces = dice.map((die) => Number(die.face));
  const slides = sliding(seat, view, verdict);
  const places = [...dice.keys()].filter((place) => slides(dice[place]));
  const wild = places.map((place) => verdict.face !== null && faces[place] !== verdict.face);
  return [{ seat, faces, sliding: places, wild, adds: verdict.count === null ? 0 : places.length }];
}

/**
 * @param {number | null} seat
 * @param {View} view
 * @param {Verdict} verdict
 * @returns {(die: Die) => boolean} Those that count; of a hand that was judged, all.
 */
function sliding(seat, view, verdict) {
  if (verdict.count !== null) return counting(view.seats, verdict, view.flags);
  const judged = view.cup.length > 0 ? null : verdict.claimant;
  return () => seat === judged;
}

/** @param {View} view @param {Verdict} verdict @param {Frame[]} rest @returns {Loss[]} */
function lossesOf(view, verdict, rest) {
  const names = new Names(view);
  return verdict.losers.map((seat) => {
    const posted = rest.filter(({ event }) => event.type === 'game.posted' && event.from === seat);
    const texts = posted.map((frame) => told(frame.event, frame.view)).filter((text) => text !== '');
    const dice = posted.filter(({ event }) => event.unit === 'die').reduce((sum, { event }) => sum + event.amount, 0);
    const loses = sentence(say(CATALOGUE.show.loses, { seat: names.of(seat), 'seat.person': names.person([seat]) }));
    return { seat, text: texts[0] ?? `${loses}.`, dice };
  });
}
