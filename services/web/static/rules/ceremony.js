/**
 * The deal ceremony (CUP/1 sections 4.1, 4.5 and 4.8): the server fixes every die, then every seat fixes a seed, then
 * the log fixes both, and only then do seeds open.
 */
import { hex, unhex } from '../bytes.js';
import { contextOf, mixOf, seedCommitment } from '../cup1.js';
import { Deal, Dealer } from './dealer.js';
import { Refused } from './refused.js';

/** @typedef {import('./state.js').Event} Event */
/** @typedef {import('../cup1.js').Cup} Cup */
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
 * @property {Uint8Array | null} mix
 */

const HASH = /^[0-9a-f]{64}$/;

/** The secrets of one deal: its own, and the seeds the server drew. */
export class Keeper {
  /** @type {Dealer | null} */
  #dealer = null;

  /** @param {number} number @param {Uint8Array} secret @param {Record<number, Uint8Array>} seeds @param {Deal} deal */
  constructor(number, secret, seeds, deal) {
    this.number = number;
    this.secret = secret;
    this.seeds = seeds;
    this.deal = deal;
  }

  /** @param {Uint8Array} mix What the seeds of the deal came to. */
  dealer(mix) {
    if (this.#dealer === null || this.#dealer.mix !== mix) this.#dealer = new Dealer(this.number, this.deal, mix);
    return this.#dealer;
  }
}

/**
 * @param {{id: Uint8Array, rulesHash: Uint8Array, deals: number}} match
 * @param {Cup[]} cups
 * @param {Uint8Array} secret
 * @param {Record<number, Uint8Array>} seeds Those the server draws.
 * @returns {{committed: Event, keeper: Keeper}}
 */
export function begun(match, cups, secret, seeds) {
  const deal = new Deal(secret, contextOf(match.id, match.deals, match.rulesHash, 0, cups), cups);
  const committed = { type: 'deal.committed', data: { deal: match.deals, cups, root: hex(deal.root) } };
  return { committed, keeper: new Keeper(match.deals, secret, seeds, deal) };
}

/**
 * @param {{id: Uint8Array, rulesHash: Uint8Array}} match
 * @param {any} committed The members of `deal.committed`.
 * @param {number[]} seats
 * @param {number} at
 * @returns {Ceremony}
 */
export const opened = (match, committed, seats, at) => ({
  deal: committed.deal,
  ctx: contextOf(match.id, committed.deal, match.rulesHash, 0, committed.cups),
  root: unhex(committed.root),
  cups: committed.cups,
  seats,
  since: at,
  stage: 'committed',
  commits: {},
  seeds: {},
  mix: null,
});

/** @param {Ceremony} ceremony @param {Event} event @param {number} at @returns {Ceremony} */
export function evolve(ceremony, { type, data }, at) {
  switch (type) {
    case 'seed.committed':
      return { ...ceremony, commits: { ...ceremony.commits, [data.seat]: data.commit } };
    case 'deal.sealed':
      return { ...ceremony, stage: 'sealed', seats: data.seats, since: at };
    case 'deal.logged':
      return { ...ceremony, stage: 'logged', since: at };
    case 'seed.opened':
      return { ...ceremony, seeds: { ...ceremony.seeds, [data.seat]: data.seed } };
    case 'deal.ready':
      return { ...ceremony, stage: 'ready', mix: unhex(data.mix), since: at };
    case 'deal.voided':
      return { ...ceremony, stage: 'voided', since: at };
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
  const fits = !(seat in ceremony.seeds) && HASH.test(seed);
  if (!fits || commitmentOf(ceremony, seat, seed) !== ceremony.commits[seat]) throw new Refused('this is not that seed');
  return { type: 'seed.opened', data: { deal, seat, seed } };
}

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {[seat: number, seed: string][]} */
const inCustody = (ceremony, { seeds }) =>
  awaited(ceremony)
    .filter((seat) => seat in seeds)
    .map((seat) => [seat, hex(seeds[seat])]);

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {Event[]} Of the seats whose seeds the server draws. */
export const custodyCommits = (ceremony, keeper) =>
  inCustody(ceremony, keeper).map(([seat, seed]) => ({
    type: 'seed.committed',
    data: { deal: ceremony.deal, seat, commit: commitmentOf(ceremony, seat, seed) },
  }));

/** @param {Ceremony} ceremony @param {Keeper} keeper @returns {Event[]} */
export const custodyOpenings = (ceremony, keeper) =>
  inCustody(ceremony, keeper).map(([seat, seed]) => ({
    type: 'seed.opened',
    data: { deal: ceremony.deal, seat, seed },
  }));

/** @param {Ceremony} ceremony @returns {Event} Exactly those who committed take part. */
export const sealed = ({ deal, commits }) => ({
  type: 'deal.sealed',
  data: { deal, seats: Object.keys(commits).map(Number), beacon: null },
});

/** @param {Ceremony} ceremony @returns {Event} All seeds are open: every die is determined. */
export function ready({ deal, ctx, root, seeds }) {
  const given = new Map(Object.entries(seeds).map(([seat, seed]) => [Number(seat), unhex(seed)]));
  return { type: 'deal.ready', data: { deal, mix: hex(mixOf(ctx, root, given)), beacon: null } };
}

/** @param {Ceremony} ceremony @param {Uint8Array} secret @returns {Event[]} Void the deal, publish its secret, bar them. */
export function voided(ceremony, secret) {
  const [{ deal }, missing] = [ceremony, awaited(ceremony)];
  return [
    { type: 'deal.voided', data: { deal, reason: 'withheld', seats: missing } },
    { type: 'deal.closed', data: { deal, secret: hex(secret) } },
    ...missing.map((seat) => ({ type: 'seat.left', data: { seat, reason: 'withheld' } })),
  ];
}
