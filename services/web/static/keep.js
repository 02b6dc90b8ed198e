/** What this browser keeps: tokens, seeds, receipts, the pinned policy, and how its owner likes to be called. */

const PREFIX = 'truecup.';
const RECEIPTS_MAX = 40;

/** @param {string} name @returns {any} */
function load(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {string} name @param {unknown} value */
function store(name, value) {
  if (value === null) localStorage.removeItem(PREFIX + name);
  else localStorage.setItem(PREFIX + name, JSON.stringify(value));
}

/** @param {string} match @returns {{host?: string, token?: string, seat?: number, words?: string}} */
export const tokensOf = (match) => load(`match.${match}`) ?? {};

/** @param {string} match @param {object} more */
export const keepTokens = (match, more) => store(`match.${match}`, { ...tokensOf(match), ...more });

/** @param {string} match */
export function dropSeat(match) {
  const { host } = tokensOf(match);
  store(`match.${match}`, host === undefined ? null : { host });
}

/** @param {string} match */
export const dropTokens = (match) => store(`match.${match}`, null);

/** @returns {string} */
export const ownName = () => load('name') ?? '';
/** @param {string} name */
export const keepName = (name) => store('name', name);

/**
 * Seeds lie under their own commitments, so two pages of one seat never overwrite each other's.
 *
 * @param {string} match
 * @param {number} deal
 * @returns {Map<string, string>} Seeds by commitment.
 */
export function seedsOf(match, deal) {
  const prefix = `${PREFIX}seed.${match}.${deal}.`;
  const names = Array.from({ length: localStorage.length }, (_, place) => localStorage.key(place) ?? '');
  const ours = names.filter((name) => name.startsWith(prefix));
  return new Map(ours.map((name) => [name.slice(prefix.length), load(name.slice(PREFIX.length))]));
}

/** @param {string} match @param {number} deal @param {string} commit @param {string} seed */
export const keepSeed = (match, deal, commit, seed) => store(`seed.${match}.${deal}.${commit}`, seed);

/**
 * @param {string} text The policy as the server gives it now.
 * @returns {string} The policy as it was first seen here.
 */
export function pinnedPolicy(text) {
  const first = load('policy');
  if (first === null) store('policy', text);
  return first ?? text;
}

/** The last (version, head) pairs the server has shown for a match. */
export class Receipts {
  /** @param {string} match */
  constructor(match) {
    this.match = match;
    /** @type {Map<number, string>} */
    this.heads = new Map(load(`receipts.${match}`) ?? []);
  }

  /** @returns {[version: number, head: string] | null} */
  get last() {
    return this.heads.size === 0 ? null : [...this.heads].reduce((left, right) => (left[0] > right[0] ? left : right));
  }

  /** @param {number} version @param {string} head @returns {boolean} False if another head was shown before. */
  agree(version, head) {
    const known = this.heads.get(version);
    if (known !== undefined) return known === head;
    this.heads.set(version, head);
    const kept = [...this.heads].sort((left, right) => left[0] - right[0]).slice(-RECEIPTS_MAX);
    this.heads = new Map(kept);
    store(`receipts.${this.match}`, kept);
    return true;
  }
}
