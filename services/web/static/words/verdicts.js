/** Verdicts in words: what the dice said, whatever it was that was settled. */
import { Names, claimWords, inWords } from './phrases.js';

/** @typedef {import('../client/view.js').Verdict} Verdict */
/** @typedef {Verdict & {claimant: number, quantity: number, face: number}} Told A verdict with what its kind is told by. */
/** @typedef {(verdict: Told, names: Names) => string} Finding */

/** @type {Record<string, Finding>} */
const FINDINGS = {
  challenge: tested,
  auto_challenge: (verdict, names) => `the last throw puts it to the test: ${tested(verdict, names)}`,
  count: counted,
  spot_on: (verdict) =>
    verdict.holds ? `${there(verdict)}, exactly` : `${there(verdict)}, not ${inWords(verdict.quantity)}`,
  pass: (verdict, names) =>
    `${names.whose(verdict.claimant)} dice ${verdict.holds ? 'all differ' : 'do not all differ'}`,
  catch: (verdict, names) =>
    verdict.holds
      ? `${names.whose(verdict.claimant)} claim did beat the one before`
      : `${names.whose(verdict.claimant)} claim did not beat the one before`,
  five_aces: (verdict, names) =>
    verdict.winners.length === 0
      ? 'five aces on both sides: nobody wins'
      : `${names.does(verdict.winners[0], 'has', 'have')} five aces`,
  social: () => 'a social: everybody drinks',
  reverse: () => 'a reverse: play goes the other way round',
  impose: (verdict, names) =>
    `${names.all(verdict.losers, 'drinks', 'drink')} at ${names.whose(verdict.claimant)} word`,
};

/** @param {Verdict} verdict @param {Names} names @returns {string} What was found, without who loses by it. */
export function finding(verdict, names) {
  const known = verdict.holds === null && ['challenge', 'auto_challenge', 'count'].includes(verdict.kind);
  const found = known ? undefined : FINDINGS[verdict.kind];
  return found === undefined ? 'the round is settled without a count' : found(/** @type {Told} */ (verdict), names);
}

/** @param {Verdict} verdict @returns {string} What was claimed and then tested; nothing where no claim was. */
export const claimed = (verdict) => (verdict.quantity === null && verdict.shape === null ? '' : claimWords(verdict));

/** @type {Finding} */
function tested(verdict, names) {
  const { count, quantity, holds } = verdict;
  const claim = count === null ? claimWords(verdict) : inWords(quantity);
  const fate = `${names.whose(verdict.claimant)} claim of ${claim} ${holds ? 'holds' : 'falls'}`;
  return count === null ? fate : `${there(verdict)}: ${fate}`;
}

/** @type {Finding} */
function counted(verdict, names) {
  if (verdict.count !== 0 || !verdict.holds) return tested(verdict, names);
  const won =
    verdict.winners.length === 0 ? 'and nobody pays' : `and ${names.does(verdict.claimant, 'wins', 'win')} by it`;
  return `there is none at all, ${won}`;
}

/** @param {Told} verdict */
function there(verdict) {
  return `${verdict.count === 1 ? 'there is' : 'there are'} ${claimWords({ quantity: verdict.count, face: verdict.face })}`;
}
