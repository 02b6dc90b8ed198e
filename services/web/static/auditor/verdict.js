/** All three layers together, and what they come to (CUP/1 section 4.10). */
import { audit } from './audit.js';
import { CODES } from './faults.js';
import { rule } from '../rules/referee.js';

/** @typedef {import('./audit.js').Line} Line */
/** @typedef {import('./audit.js').Report} Report */
/** @typedef {Report & {layers: number[], rules: string | null, seeds: {own: number[], server: number[]} | null}} Verdict
 *   `rules` is what layer 3 found, in a sentence; `seeds` says which seats drew theirs, and for which the server did. */

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

/** @param {Line[]} lines Who drew the seeds of the seats that took part in any deal. */
function seedsOf(lines) {
  const named = (/** @type {string} */ kind) => {
    const seats = lines.filter((line) => line.kind === kind).map((line) => line.data.seat);
    return new Set(seats.filter(Number.isInteger));
  };
  const [took, server] = [named('seed.committed'), named('game.seed_custody')];
  const seats = [...took].sort((one, other) => one - other);
  return { own: seats.filter((seat) => !server.has(seat)), server: seats.filter((seat) => server.has(seat)) };
}
