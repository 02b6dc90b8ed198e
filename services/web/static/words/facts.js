/** The arguments of a sentence: what follows from the names of an event's members, whatever the event. */

import { amountWords, inWords } from './catalogue.js';
import { claimWords } from './phrases.js';

/** @typedef {import('./catalogue.js').Facts} Facts */
/** @typedef {import('./phrases.js').Names} Names */

const SEATS = ['seat', 'who', 'starter', 'from', 'to', 'claimant', 'turn', 'winner'];
const LISTS_OF_SEATS = ['seats', 'losers', 'winners'];
const NOBODY = 'none';

/** @param {Record<string, any>} event @param {Names} names @returns {Facts} Of an event or a verdict. */
export function factsOf(event, names) {
  /** @type {Facts} */
  const facts = {};
  for (const [name, value] of Object.entries(event)) {
    facts[name] = textOf(value);
    if (typeof value === 'number') facts[`${name}.words`] = inWords(value);
    if (SEATS.includes(name)) Object.assign(facts, factsOfAccount(name, value, names));
    if (LISTS_OF_SEATS.includes(name)) {
      facts[name] = names.all(value);
      facts[`${name}.person`] = names.person(value);
    }
  }
  if (event.deal !== undefined) facts['deal.ordinal'] = String(event.deal + 1);
  if (event.amount !== undefined) facts.amount = amountWords(event.amount, event.unit);
  if (event.shape || (event.quantity ?? null) !== null) facts.claim = claimWords(event);
  return facts;
}

/** @param {any} value A member of an event, as an argument. */
function textOf(value) {
  if (value === null) return NOBODY;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/** @param {string} name @param {number | string | null} account @param {Names} names @returns {Facts} */
function factsOfAccount(name, account, names) {
  if (account === null) return { [name]: NOBODY, [`${name}.person`]: NOBODY };
  if (typeof account === 'string') return { [name]: names.of(account), [`${name}.kind`]: account };
  return {
    [name]: names.of(account),
    [`${name}.whose`]: names.whose(account),
    [`${name}.person`]: names.person([account]),
    [`${name}.kind`]: 'seat',
  };
}
