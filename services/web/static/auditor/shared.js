/** Shared deals: the dice of a board, known from its record, which its matches are held against (CUP/1 section 4.23). */
import { isObject } from './canonical.js';

/** @typedef {import('./audit.js').Line} Line */
/** @typedef {import('./audit.js').Report} Report */
/** @typedef {{seq: number, head: string, lines: Map<string, {seq: number, head: string}>}} ClosedRound The line of the
 *   board by which a round was over at all tables, and by match the last line of it that was known then. */
/** @typedef {{board: string, dice: import('./dealing.js').SharedDice | null, secret: string | null,
 *   rounds: Map<number, ClosedRound>}} Shared `dice` is null where no deal became ready, `secret` until it is published. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NEWLINE = 10;

/**
 * @param {Uint8Array} record Of a match, which nobody has judged yet.
 * @returns {string | null} The board whose dice it shares, by its first line; null if it has dice of its own.
 */
export function boardNamedIn(record) {
  const end = record.indexOf(NEWLINE);
  try {
    const first = JSON.parse(new TextDecoder().decode(record.subarray(0, end < 0 ? record.length : end)));
    const board = first.data.rules.board.id;
    return typeof board === 'string' && UUID.test(board) ? board : null;
  } catch {
    return null;
  }
}

/** @param {Line[]} lines @returns {boolean} Whether the rules of a match name a board. */
export const sharesDice = ([{ data }]) => isObject(data.rules?.board);

/**
 * @param {Line[]} lines Of the record of a board, in which layers 1 and 2 have found no fault.
 * @param {Report} report What they found.
 * @returns {Shared | null} What it says; null if its rounds are none.
 */
export function sharedDeal(lines, { deals }) {
  const { board } = lines[0].data;
  /** @type {Shared} */
  const shared = { board, dice: null, secret: null, rounds: new Map() };
  /** @type {Map<number, import('./formulas.js').Cup[]>} */
  const cups = new Map();
  for (const { number, kind, data, head } of lines) {
    if (kind === 'deal.committed') cups.set(data.deal, data.cups);
    if (kind === 'deal.ready') {
      const { ctx, root } = /** @type {Record<string, import('./audit.js').DealReport>} */ (deals)[data.deal];
      const known = { board, number: data.deal, ctx, root, mix: data.mix, head };
      shared.dice = { ...known, cups: /** @type {import('./formulas.js').Cup[]} */ (cups.get(data.deal)) };
    }
    if (kind === 'deal.closed' && shared.dice !== null) shared.secret = data.secret;
    if (kind === 'board.round_closed') {
      if (!isRound(data, shared.rounds.size + 1)) return null;
      shared.rounds.set(data.round, { seq: number - 1, head, lines: linesOf(data.tables) });
    }
  }
  return shared;
}

/** @param {any} data @param {number} next @returns {boolean} Whether it closes this round. */
const isRound = ({ round, tables }, next) => round === next && Array.isArray(tables) && tables.every(isRow);
/** @param {any} row */
const isRow = (row) => Array.isArray(row) && row.length === 4 && Number.isInteger(row[2]) && typeof row[3] === 'string';
/** @param {[number, string, number, string][]} tables @returns {ClosedRound['lines']} */
const linesOf = (tables) => new Map(tables.map(([, match, seq, head]) => [match, { seq, head }]));
