/** The record of a match, of a board, or of a tournament that draws lots, read by somebody who believes none of it: the chain, and what it says of one deal. */
import { canonical } from '../auditor/canonical.js';
import { checkpointOf } from '../auditor/notes.js';
import { hex, same, unhex } from '../bytes.js';
import { anchorLeaf, context, headOf, mixOf, rootFrom, seedCommitment } from '../cup1.js';
import { sha256 } from '../vendor/noble.js';
import { Alarm } from './api.js';
import { believed } from './notes.js';

/** @typedef {{seq: number, head: string, type: string, data: any}} Line */
/** @typedef {{number: number, ctx: Uint8Array, root: Uint8Array, cups: import('../cup1.js').Cup[],
 *   commits: Map<number, string>, seeds: Map<number, string>, sealed: Line | null, logged: any,
 *   mix: Uint8Array | null, beacon: any}} Deal */

const GENESIS = '0'.repeat(64);

/**
 * @param {string} text The record file, or what of it stands behind some lines.
 * @param {string} stream Such as `match/…`.
 * @param {Line[]} [before] Those lines.
 * @returns {Line[]} The lines of the text.
 */
export function linesOf(text, stream, before = []) {
  let prev = before.at(-1)?.head ?? GENESIS;
  const raws = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return raws.map((raw, place) => {
    const seq = before.length + place;
    const line = JSON.parse(raw);
    if (line.prev !== prev || line.seq !== seq || line.stream !== stream || canonical(line) !== raw) {
      throw new Alarm('line', { line: String(seq + 1) });
    }
    prev = headOf(raw);
    return { seq, head: prev, type: line.type, data: line.data };
  });
}

/**
 * @param {Line[]} lines
 * @param {number} number
 * @returns {Deal}
 */
export function dealOf(lines, number) {
  const ours = lines.filter((line) => line.data.deal === number);
  const one = (/** @type {string} */ type) => ours.find((line) => line.type === type) ?? null;
  const each = (/** @type {string} */ type, /** @type {string} */ member) =>
    new Map(ours.filter((line) => line.type === type).map((line) => [line.data.seat, line.data[member]]));
  const [created, committed] = [lines[0]?.data, one('deal.committed')?.data];
  if (committed === undefined) throw new Alarm('no deal', { deal: String(number + 1) });
  const { match = created.tournament ?? created.board, rules, policy } = created;
  return {
    number,
    ctx: context({ match, rules, deal: number, policy: policy === 'all' ? 0 : 1, cups: committed.cups }),
    root: unhex(committed.root),
    cups: committed.cups,
    commits: each('seed.committed', 'commit'),
    seeds: each('seed.opened', 'seed'),
    sealed: one('deal.sealed'),
    logged: one('deal.logged')?.data ?? null,
    mix: one('deal.ready') === null ? null : unhex(one('deal.ready')?.data.mix),
    beacon: one('deal.ready')?.data.beacon ?? null,
  };
}

/**
 * What an honest seat, or one who draws lots, checks before it opens its seed (CUP/1 section 4.7.2).
 *
 * @param {Deal} deal
 * @param {{stream: string, seat: number, commit: string, policy: import('./notes.js').Policy}} own
 */
export function checkSealed(deal, { stream, seat, commit, policy }) {
  if (deal.sealed === null || deal.logged === null) throw new Alarm('unlogged');
  const listed = deal.sealed.data.seats.includes(seat) && deal.commits.get(seat) === commit;
  if (!listed) throw new Alarm('unlisted');
  const checkpoint = checkpointOf(deal.logged.checkpoint);
  if (!believed(checkpoint, policy)) throw new Alarm('checkpoint');
  const leaf = anchorLeaf(stream, deal.sealed.seq, deal.sealed.head, 'sealed');
  const root = rootFrom(leaf, BigInt(deal.logged.index), checkpoint.size, deal.logged.path.map(unhex));
  if (root === null || !same(root, checkpoint.root)) throw new Alarm('not in log');
}

/**
 * Check that every sealed seat's seed opens its commitment, and that all of them make the mix.
 *
 * @param {Deal} deal
 * @returns {Uint8Array} The mix.
 */
export function checkMix(deal) {
  const seats = deal.sealed?.data.seats ?? [];
  const seeds = new Map(seats.map((/** @type {number} */ seat) => [seat, unhex(deal.seeds.get(seat) ?? '')]));
  for (const [seat, seed] of seeds) {
    const fits =
      seed.length === 32 && same(seedCommitment(seed, deal.ctx, deal.root, seat), unhex(deal.commits.get(seat) ?? ''));
    if (!fits) throw new Alarm('seed', { seat: String(seat) });
  }
  const [asked, told] = [deal.sealed?.data.beacon ?? null, deal.beacon];
  if (asked?.chain !== told?.chain || asked?.round !== told?.round) throw new Alarm('other beacon');
  if (told !== null && hex(sha256(unhex(told.signature))) !== told.randomness) throw new Alarm('beacon');
  const mix = mixOf(deal.ctx, deal.root, seeds, told === null ? null : heard(told));
  if (deal.mix === null || !same(mix, deal.mix)) throw new Alarm('mix');
  return mix;
}

/** @param {{chain: string, round: number, randomness: string}} told @returns {import('../auditor/formulas.js').Heard} */
const heard = ({ chain, round, randomness }) => ({ chain: unhex(chain), round, randomness: unhex(randomness) });
