/** All three layers together, and what they come to (CUP/1 section 4.10). */
import { audit } from './audit.js';
import { CODES } from './faults.js';
import { rule } from '../rules/referee.js';

/** @typedef {import('./audit.js').Line} Line */
/** @typedef {import('./audit.js').Report} Report */
/** @typedef {{own: number[], server: number[], unseeded: number[]}} Seeds Of the deals that were played: the seats that
 *   drew theirs, those for which the server did, and the numbers of the deals in which it did for all. */
/** @typedef {Report & {layers: number[], rules: string | null, seeds: Seeds | null}} Verdict
 *   `rules` is what layer 3 found, in a sentence. */

/**
 * @param {Uint8Array} record
 * @param {import('./policies.js').Policy | null} policy
 * @param {{layers?: number[], hashing?: import('./hashing.js').Hashing}} [how]
 * @returns {Promise<Verdict>}
 */
export async function verdictOf(record, policy, { layers = [1, 2, 3], hashing } = {}) {
  const lower = layers.filter((layer) => layer < 3);
  const { report, lines } = await audit(record, policy, { layers: lower, hashing });
  if (report.status === 'FAULT') return { ...report, layers: lower, rules: null, seeds: null };
  const verdict = { ...report, layers: lower, rules: null, seeds: seedsOf(lines) };
  return layers.includes(3) ? ruled(verdict, lines) : verdict;
}

/** @param {Verdict} verdict @param {Line[]} lines @returns {Verdict} */
function ruled(verdict, lines) {
  const { judged, line, upto, why } = rule(lines);
  if (!judged) return { ...verdict, rules: why };
  const layers = [...verdict.layers, 3];
  if (line !== null) {
    const fault = { status: /** @type {const} */ ('FAULT'), code: 'E_RULES', line, message: `${CODES.E_RULES}: ${why}` };
    return { ...fault, layers, anchored: null, head: null, deals: null, rules: null, seeds: null };
  }
  if (verdict.status === 'OK' && upto < lines.length) {
    const message = `${verdict.message}; but the rules could be replayed only up to line ${upto}: ${why}`;
    return { ...verdict, status: 'INCOMPLETE', layers, message, rules: why };
  }
  return { ...verdict, layers, rules: why };
}

/** @param {Line[]} lines @returns {Seeds} A deal that was voided has no dice: what was brought to it says nothing. */
function seedsOf(lines) {
  const [custody, own, server, unseeded] = [new Set(), new Set(), new Set(), new Set()];
  /** @type {Map<number, number[]>} */
  const sealed = new Map();
  for (const { kind, data } of lines) {
    if (kind === 'game.seed_custody') custody.add(data.seat);
    if (kind === 'deal.sealed') sealed.set(data.deal, data.seats);
    if (kind === 'deal.ready') {
      const seats = sealed.get(data.deal) ?? [];
      for (const seat of seats) (custody.has(seat) ? server : own).add(seat);
      if (seats.every((seat) => custody.has(seat))) unseeded.add(data.deal);
    }
  }
  return { own: ascending(own), server: ascending(server), unseeded: ascending(unseeded) };
}

/** @param {Set<number>} numbers */
const ascending = (numbers) => [...numbers].sort((one, other) => one - other);
