/**
 * The deal ceremony (CUP/1 sections 4.1, 4.5 and 4.8): the server fixes every die, then every seat fixes a seed, then
 * the log fixes both, and only then do seeds open. Where a deal waits for a public beacon (section 5.3), the log fixes
 * the opened seeds as well, before the beacon speaks.
 */
import { hex, unhex } from '../../bytes.js';
import { contextOf, mixOf, seedCommitment } from '../../cup1.js';
import { NOTHING, ShownDeal, ShownDealer } from '../audit/published.js';
import { Refused } from '../refused.js';
import { Deal, Dealer, digest } from './dealer.js';

/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {import('../../cup1.js').Cup} Cup */
/**
 * @typedef {object} Ceremony Where the current deal stands.
 * @property {number} deal
 * @property {Uint8Array} ctx
 * @property {Uint8Array} root
 * @property {Cup[]} cups
 * @property {number[]} seats Those who have to give a seed, ascending.
 * @property {number} since When the present stage was reached.
 * @property {string} stage
 * @property {Record<number, string>} commits As hex.
 * @property {Record<number, string>} seeds As hex.
 * @property {number[]} missing The seats a voided deal names.
 * @property {{chain: string, round: number} | null} beacon The round of the beacon it waits for, if it does.
 * @property {Uint8Array | null} mix
 */

const HASH = /^[0-9a-f]{64}$/;

/** @typedef {{seeds: Record<number, Uint8Array>, told: import('../audit/published.js').Told}} Chance What the server drew for a deal,
 *   as far as its record shows it. */

/** The secrets of one deal: its own, or what its record shows of it, and the seeds the server drew. */
export class Keeper {
  /** @type {Dealer | null} */
  #dealer = null;

  /** @param {number} number @param {Chance} chance @param {any} deal @param {Record<number, Uint8Array>} seeds */
  constructor(number, chance, deal, seeds) {
    this.number = number;
    this.chance = chance;
    this.deal = deal;
    this.seeds = seeds;
  }

  /**
   * @param {Record<number, Uint8Array>} more
   * @returns {Keeper} The keeper of the same deal, with these seeds as well.
   */
  knowing(more) {
    return new Keeper(this.number, this.chance, this.deal, { ...this.seeds, ...more });
  }

  /** @param {Uint8Array} mix What the seeds of the deal came to. */
  dealer(mix) {
    const Kind = this.chance.told.secret === null ? ShownDealer : Dealer;
    if (this.#dealer === null) this.#dealer = new Kind(this.number, this.deal, mix);
    return this.#dealer;
  }

  /**
   * @param {Ceremony} ceremony
   * @param {number} seat
   * @returns {string} Of a seed that never opened the record alone knows.
   */
  commitment(ceremony, seat) {
    return this.chance.told.unopened.get(seat) ?? commitmentOf(ceremony, seat, hex(this.seeds[seat]));
  }
}

/** @typedef {{id: Uint8Array, rulesHash: Uint8Array, policy: number, deals: number}} Frozen Of a match. */

/**
 * @param {Frozen} match
 * @param {Cup[]} cups
 * @param {Chance} chance
 * @param {number[]} custody The seats whose seeds the server draws.
 * @returns {{committed: Event, keeper: Keeper}}
 */
export function begun(match, cups, chance, custody) {
  const ctx = contextOf(match.id, match.deals, match.rulesHash, match.policy, cups);
  const { secret } = chance.told;
  const deal = secret === null ? new ShownDeal(chance.told) : new Deal(secret, ctx, cups);
  const seeds = Object.fromEntries(custody.map((seat) => [seat, chance.seeds[seat]]));
  const committed = { type: 'deal.committed', data: { deal: match.deals, cups, root: hex(deal.root) } };
  return { committed, keeper: new Keeper(match.deals, chance, deal, seeds) };
}

/** @param {Chance} chance @returns {string} */
const secretOf = ({ told }) => hex(told.secret ?? NOTHING);

/** @param {Keeper} keeper @param {number} policy @returns {Event} Its secret opens every die of it, shown or not. */
export const closed = ({ number, chance }, policy) => ({
  type: 'deal.closed',
  data: { deal: number, secret: policy === 0 ? secretOf(chance) : null },
});

/**
 * @param {Frozen} match
 * @param {any} committed The members of `deal.committed`.
 * @param {number[]} seats
 * @param {number} at
 * @returns {Ceremony}
 */
export const opened = (match, committed, seats, at) => ({
  deal: committed.deal,
  ctx: contextOf(match.id, committed.deal, match.rulesHash, match.policy, committed.cups),
  root: unhex(committed.root),
  cups: committed.cups,
  seats,
  since: at,
  stage: 'committed',
  commits: {},
  seeds: {},
  missing: [],
  beacon: null,
  mix: null,
});

/**
 * @param {number} deal
 * @param {Cup[]} cups
 * @param {Uint8Array} root
 * @param {Uint8Array} mix
 * @param {number} at
 * @returns {Ceremony} Of a deal that came about in the stream of a board.
 */
export const shared = (deal, cups, root, mix, at) => ({
  ...{ deal, ctx: new Uint8Array(), root, cups, seats: [], since: at, stage: 'ready' },
  ...{ commits: {}, seeds: {}, missing: [], beacon: null, mix },
});

/** @param {Ceremony} ceremony @param {Event} event @param {number} at @returns {Ceremony} */
export function evolve(ceremony, { type, data }, at) {
  switch (type) {
    case 'seed.committed':
      return { ...ceremony, commits: { ...ceremony.commits, [data.seat]: data.commit } };
    case 'deal.sealed':
      return { ...ceremony, stage: 'sealed', seats: data.seats, beacon: data.beacon, since: at };
    case 'deal.logged':
      return { ...ceremony, stage: 'logged', since: at };
    case 'seed.opened':
      return { ...ceremony, seeds: { ...ceremony.seeds, [data.seat]: data.seed } };
    case 'deal.fixed':
      return { ...ceremony, stage: 'fixed', since: at };
    case 'deal.ready':
      return { ...ceremony, stage: 'ready', mix: unhex(data.mix), since: at };
    case 'deal.voided':
      return { ...ceremony, stage: 'voided', missing: data.seats, since: at };
    case 'deal.closed':
      return { ...ceremony, stage: 'closed', since: at };
    default:
      return ceremony;
  }
}

/** @param {Ceremony} ceremony @returns {number[]} The seats whose commitment or opening is awaited now. */
export function awaited({ stage, commits, seeds, seats }) {
  if (stage !== 'committed' && stage !== 'logged') return [];
  const given = stage === 'committed' ? commits : seeds;
  return seats.filter((seat) => !(seat in given));
}

/** @param {Ceremony} ceremony @param {number} seat @param {string} seed */
const commitmentOf = ({ ctx, root }, seat, seed) => hex(seedCommitment(unhex(seed), ctx, root, seat));

/** @param {Ceremony} ceremony @param {number} seat @param {number} deal @param {string} stage */
function checkTurn(ceremony, seat, deal, stage) {
  if (ceremony.stage !== stage || !ceremony.seats.includes(seat) || deal !== ceremony.deal) {
    throw new Refused('no deal is waiting for this');
  }
}

/** @param {Ceremony} ceremony @param {any} command @returns {Event} A seat fixes its seed. */
export function commitSeed(ceremony, { seat, deal, commit }) {
  checkTurn(ceremony, seat, deal, 'committed');
  if (seat in ceremony.commits || !HASH.test(commit)) throw new Refused('this is no commitment, or not the first');
  return { type: 'seed.committed', data: { deal, seat, commit } };
}

/** @param {Ceremony} ceremony @param {any} command @returns {Event} A seat shows the seed it fixed. */
export function openSeed(ceremony, { seat, deal, seed }) {
  checkTurn(ceremony, seat, deal, 'logged');
  const first = !(seat in ceremony.seeds) && HASH.test(seed);
  const fits = first && commitmentOf(ceremony, seat, seed) === ceremony.commits[seat];
  if (!fits) throw new Refused('this is not the seed that was fixed');
  return { type: 'seed.opened', data: { deal, seat, seed } };
}

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {number[]} */
const inCustody = (ceremony, { seeds }) => awaited(ceremony).filter((seat) => seat in seeds);

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {Event[]} Of the seats whose seeds the server draws. */
export const custodyCommits = (ceremony, keeper) =>
  inCustody(ceremony, keeper).map((seat) => ({
    type: 'seed.committed',
    data: { deal: ceremony.deal, seat, commit: keeper.commitment(ceremony, seat) },
  }));

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {Event[]} */
export const custodyOpenings = (ceremony, keeper) =>
  inCustody(ceremony, keeper).map((seat) => ({
    type: 'seed.opened',
    data: { deal: ceremony.deal, seat, seed: hex(keeper.seeds[seat]) },
  }));

/** @param {Ceremony} ceremony @param {object | null} beacon @returns {Event} Exactly those who committed take part. */
export const sealed = ({ deal, commits }, beacon) => ({
  type: 'deal.sealed',
  data: { deal, seats: Object.keys(commits).map(Number), beacon },
});

/**
 * @param {Ceremony} ceremony
 * @param {string} [signature] The answer of the beacon, where it was asked, as hex.
 * @returns {Event} All seeds are open, and it has answered: every die is determined.
 */
export function ready({ deal, ctx, root, seeds, beacon }, signature) {
  const given = new Map(Object.entries(seeds).map(([seat, seed]) => [Number(seat), unhex(seed)]));
  const asked = beacon !== null && signature !== undefined;
  const answer = asked ? { ...beacon, randomness: hex(digest(unhex(signature))), signature } : null;
  const heard = answer && { ...answer, chain: unhex(answer.chain), randomness: unhex(answer.randomness) };
  return { type: 'deal.ready', data: { deal, mix: hex(mixOf(ctx, root, given, heard)), beacon: answer } };
}

/**
 * @param {Ceremony} ceremony
 * @param {Keeper} keeper
 * @param {'withheld' | 'late'} reason Where it was only too late for the beacon, nobody is named.
 * @returns {Event[]} Void the deal, publish its secret, bar who withheld a seed.
 */
export function voided(ceremony, { chance }, reason) {
  const { deal } = ceremony;
  const missing = reason === 'withheld' ? awaited(ceremony) : [];
  return [
    { type: 'deal.voided', data: { deal, reason, seats: missing } },
    { type: 'deal.closed', data: { deal, secret: secretOf(chance) } },
    ...missing.map((seat) => ({ type: 'seat.left', data: { seat, reason: 'withheld' } })),
  ];
}
