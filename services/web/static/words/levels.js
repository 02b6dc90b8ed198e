/** Levels of the house's players: which one a bot is, as its id says, and what each goes by. */
import { CATALOGUE } from './catalogue.js';

/** What the house plays where nobody says. */
export const USUAL = 'L2';
/** What bots are of before there were levels, and of levels that nobody here knows. */
const FIRST = 'L1';
const NAMED = /^bot\/(L\d)\.(?:cautious|steady|bold)(?:\/|$)/;
/** @type {Record<string, string>} */
const NAMES = CATALOGUE.levels.names;

/** @param {string} player The id of a bot. @returns {string} */
export function levelOf(player) {
  const level = NAMED.exec(player)?.[1] ?? FIRST;
  return level in NAMES ? level : FIRST;
}

/** @param {string} level @returns {string} Its number, and what it goes by. */
export const levelName = (level) => NAMES[level];
