/** What is typed at a seat that signs: it is read here, for what is signed is the command, and never the words. */
import { CATALOGUE } from '../words/catalogue.js';
import { typed } from './deeds.js';

/** @typedef {import('./deeds.js').Move} Move */

const { faces, numbers } = CATALOGUE;

/**
 * @param {string} text
 * @param {Move[]} moves That may be made now.
 * @returns {{type: string} | null} The command; null if it is none of those that can be read here.
 */
export function readTyped(text, moves) {
  const said = plain(text);
  const bare = moves.find(({ type }) => isBare(type) && plain(typed(type)) === said);
  if (bare !== undefined) return { type: bare.type };
  const [quantity, face, ...more] = said.split(/\s*[x×*]\s*|\s+/).filter(Boolean);
  const [count, of] = [numberOf(quantity), faceOf(face)];
  const isBid = moves.some(({ type }) => type === 'bid') && more.length === 0 && count >= 0 && of >= 0;
  return isBid ? /** @type {{type: string}} */ ({ type: 'bid', quantity: count, face: of }) : null;
}

/** @param {string} type @returns {boolean} Whether nothing has to be said besides. */
const isBare = (type) => !/\{(?!price\})/.test(String(CATALOGUE.moves[type].typed));

/** @param {string} text */
const plain = (text) => text.trim().toLowerCase();

/** @param {string | undefined} word @returns {number} Negative if it is none. */
const numberOf = (word) => (/^\d{1,4}$/.test(word ?? '') ? Number(word) : numbers.indexOf(word ?? ''));

/** @param {string | undefined} word @returns {number} Negative if it is none. */
function faceOf(word) {
  if (/^\d{1,2}$/.test(word ?? '')) return Number(word);
  return faces.findIndex((/** @type {string[]} */ forms) => forms.includes(word ?? ''));
}
