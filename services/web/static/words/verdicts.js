/** Verdicts in words: what the dice said, whatever it was that was settled. */

import { CATALOGUE, countWords, say } from './catalogue.js';
import { factsOfCount, lying } from './evidence.js';
import { factsOf } from './facts.js';
import { Names, claimWords } from './phrases.js';

/** @typedef {import('../client/view.js').Verdict} Verdict */
/** @typedef {import('../client/view.js').View} View */

/** Verdicts that put a claim to the test, as a challenge does. */
const TESTS = new Set(['auto_challenge', 'count']);

/**
 * @param {Verdict} verdict
 * @param {View} view A view in which the dice lie as they were judged.
 * @returns {string} What was found and why, without who loses by it.
 */
export function finding(verdict, view) {
  /** @type {import('./catalogue.js').Facts} */
  const facts = { ...factsOf(verdict, new Names(view)), lying: lying(verdict, view) };
  const { count, face } = verdict;
  if (count !== null && face !== null) {
    Object.assign(facts, factsOfCount({ ...verdict, count, face }, view));
    facts.counted = countWords(count, face);
    facts.there = say(CATALOGUE.there, facts);
  }
  if (TESTS.has(verdict.kind)) facts.tested = say(CATALOGUE.verdicts.challenge, facts);
  return say(CATALOGUE.verdicts[verdict.kind] ?? CATALOGUE.verdicts.other, facts);
}

/** @param {Verdict} verdict @returns {string} What was claimed and then tested; nothing where no claim was. */
export const claimed = (verdict) => (verdict.quantity === null && verdict.shape === null ? '' : claimWords(verdict));
