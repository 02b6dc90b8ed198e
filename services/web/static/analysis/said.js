/** Automatic words: the sentence of a key in the reader's language, each argument where its pointer points. */
import { sha256 } from '../vendor/noble.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { claimWords } from '../words/phrases.js';
import { chanceWords, partWords, pointsWords, worthWords } from './figures.js';

/** @typedef {import('./asking.js').Analysis} Analysis */
/** @typedef {import('./asking.js').Move} Move */

/** Phrasings of each key. */
const VARIANTS = 2;
/** What gives away how something came out: nobody could know it before the cups were lifted. */
export const ENDS = new Set(['caught', 'lucky', 'passed', 'unlucky', 'call', 'swing']);

/** @param {{key: string}} told @returns {boolean} */
export const saysTheEnd = ({ key }) => ENDS.has(key);

/** @param {string} head @param {number} version @param {string} key @returns {number} Which phrasing is read. */
const variantOf = (head, version, key) => sha256(new TextEncoder().encode(`${head}\n${version}\n${key}`))[0] % VARIANTS;

/** @param {any} document @param {string} pointer @returns {any} What stands there (RFC 6901). */
const foundAt = (document, pointer) =>
  pointer
    .split('/')
    .slice(1)
    .reduce((found, part) => found[part], document);

/** @param {Move} move @param {'did' | 'move'} how As somebody does it, or by its name. */
export function moveWords(move, how) {
  const claim = move.quantity === undefined && move.shape === undefined ? '' : claimWords(move);
  return say(CATALOGUE.analysis[how], { type: move.type, claim });
}

/** How each argument is written, by its name. @type {Record<string, (value: any, analysis: Analysis) => string>} */
const WRITTEN = {
  did: (move) => moveWords(move, 'did'),
  best: (move) => moveWords(move, 'move'),
  other: (move) => moveWords(move, 'move'),
  claim: claimWords,
  raise: claimWords,
  chance: chanceWords,
  public: chanceWords,
  read: chanceWords,
  label: (label) => say(CATALOGUE.analysis.label, { label }),
  points: pointsWords,
  own: (count) => say(CATALOGUE.analysis.own, { number: String(count) }),
  before: partWords,
  after: worthWords,
  worth: worthWords,
  runner_up: worthWords,
};

/**
 * @param {Analysis} analysis
 * @param {{version: number, key: string, args: Record<string, string>}} told
 * @param {(seat: number) => string} nameOf
 * @returns {string}
 */
export function sentenceWords(analysis, told, nameOf) {
  const { version, key, args } = told;
  /** @type {Record<string, string>} */
  const facts = { variant: String(variantOf(analysis.head, version, key)) };
  for (const [name, pointer] of Object.entries(args)) {
    const value = foundAt(analysis, pointer);
    if (name === 'seat') {
      facts.seat = nameOf(value);
      facts['seat.whose'] = say(CATALOGUE.people.whose, { name: facts.seat });
      continue;
    }
    // What a seat has is a count of dice, but where it speaks of how they fell.
    const written = key === 'dealt' && name === 'own' ? worthWords : WRITTEN[name];
    facts[name] = written(value, analysis);
  }
  return `${sentence(say(CATALOGUE.analysis.said[key], facts))}.`;
}
