/** Verdicts in words: what the dice said, whatever it was that was settled. */

import { CATALOGUE, countWords, say } from './catalogue.js';
import { factsOf } from './facts.js';
import { claimWords } from './phrases.js';

/** @typedef {import('../client/view.js').Verdict} Verdict */
/** @typedef {import('./phrases.js').Names} Names */

/** Verdicts that put a claim to the test, as a challenge does. */
const TESTS = new Set(['auto_challenge', 'count']);

/** @param {Verdict} verdict @param {Names} names @returns {string} What was found, without who loses by it. */
export function finding(verdict, names) {
  const facts = factsOf(verdict, names);
  const { count, face } = verdict;
  if (count !== null && face !== null) {
    facts.counted = countWords(count, face);
    facts.there = say(CATALOGUE.there, facts);
  }
  if (TESTS.has(verdict.kind)) facts.tested = say(CATALOGUE.verdicts.challenge, facts);
  return say(CATALOGUE.verdicts[verdict.kind] ?? CATALOGUE.verdicts.other, facts);
}

/** @param {Verdict} verdict @returns {string} What was claimed and then tested; nothing where no claim was. */
export const claimed = (verdict) => (verdict.quantity === null && verdict.shape === null ? '' : claimWords(verdict));
