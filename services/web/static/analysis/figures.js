/** Figures of an analysis in words. */
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {import('./asking.js').Printed} Printed */
/** @typedef {import('./asking.js').Analysis} Analysis */

export const MILLION = 1_000_000;
/** A tenth of a per cent. */
const TENTH = 1_000;
/** A point in millionths of the stake. */
const POINT = 10_000;

/** @param {number} number @param {number} by @returns {number} The nearest integer to the quotient, half to even. */
function divide(number, by) {
  const whole = Math.floor(number / by);
  const twice = 2 * (number - whole * by);
  return twice > by || (twice === by && whole % 2 !== 0) ? whole + 1 : whole;
}

/** @param {number} tenths @returns {string} In the separators of the language, with one digit behind the point. */
function figure(tenths) {
  const { group, decimal, grouped } = CATALOGUE.figures;
  const size = Math.abs(tenths);
  const whole = Math.floor(size / 10);
  const digits = whole < Number(grouped) ? String(whole) : String(whole).replace(/\B(?=(\d{3})+$)/g, group);
  return `${tenths < 0 ? '\u2212' : ''}${digits}${decimal}${size % 10}`;
}

/** @param {number} tenths */
const percent = (tenths) => say(CATALOGUE.figures.percent, { number: figure(tenths) });

/** @param {number} ppm @returns {string} A share in per cent, such as `55.6 %`. */
export const shareWords = (ppm) => percent(divide(ppm, TENTH));

/** @param {number} ppm @returns {string} A chance: what is all but sure, or all but none, is never said to be so. */
export function chanceWords(ppm) {
  if (ppm > 0 && ppm <= TENTH / 2) return say(CATALOGUE.analysis.below, { number: percent(1) });
  if (ppm >= MILLION - TENTH / 2 && ppm < MILLION) {
    return say(CATALOGUE.analysis.above, { number: percent(MILLION / TENTH - 1) });
  }
  return shareWords(ppm);
}

/** @param {number} ppm @param {Analysis} analysis @returns {string} A worth, without what it is a part of. */
export const partWords = (ppm, { worth }) =>
  worth.kind === 'match' ? shareWords(ppm) : figure(divide(ppm, MILLION / 10));

/** @param {number} ppm @param {Analysis} analysis @returns {string} A worth: a share of the match, or in units of a session. */
export function worthWords(ppm, analysis) {
  const { kind, unit = 'unit' } = analysis.worth;
  const number = partWords(ppm, analysis);
  return kind === 'match' ? say(CATALOGUE.analysis.of_match, { number }) : `${number} ${CATALOGUE.units[unit][1]}`;
}

/** @param {number} ppm @returns {string} */
export const pointsWords = (ppm) => say(CATALOGUE.analysis.points, { number: figure(divide(ppm, POINT / 10)) });

/** @param {Printed | null | undefined} printed @returns {printed is Exclude<Printed, string>} */
export const isFigure = (printed) => Array.isArray(printed);
