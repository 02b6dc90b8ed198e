/** Public beacons: when a round is due. Their BLS signatures are not checked here; all that needs no key is. */
import { Fault } from './faults.js';

/** @typedef {{chain: string, round: number}} Round */
/** @typedef {Round & {randomness: string, signature: string}} Answer */

const MARGIN_S = 6n;
/** The beacons known here, by their chain hash: drand's quicknet. */
const CHAINS = new Map([
  ['52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971', { genesis: 1_692_803_367n, period: 3n }],
]);

/** @param {Round} beacon @returns {bigint} The last moment, in Unix seconds, at which all seeds may be open. */
export function latest({ chain, round }) {
  const known = CHAINS.get(chain);
  if (known === undefined) throw new Fault('E_BEACON', 'this beacon is not known, so nobody can say when it speaks');
  return known.genesis + (BigInt(round) - 1n) * known.period - MARGIN_S;
}

/** @param {Round | null} announced @param {Answer | null} answer Whose randomness is the hash of its signature. */
export function checkAnswer(announced, answer) {
  if (announced === null && answer === null) return;
  if (announced === null) throw new Fault('E_BEACON', 'a beacon answered that nobody had announced');
  if (answer === null) throw new Fault('E_BEACON', 'the beacon that was announced did not answer');
  if (answer.chain !== announced.chain) throw new Fault('E_BEACON', 'this is the answer of another beacon');
  if (answer.round !== announced.round) throw new Fault('E_BEACON', 'this is the answer of another round');
}
