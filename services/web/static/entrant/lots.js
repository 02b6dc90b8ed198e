/**
 * Lots drawn by an entrant: a seed of one's own, fixed and opened while the card is open (CUP/1 section 4.7). It is made
 * from a key that no server is told, so that any device with the key opens what another has fixed.
 */
import { concat, hex, unhex, utf8 } from '../bytes.js';
import { Alarm, Refusal, ask, read } from '../client/api.js';
import { entryOf, keepEntry, keepSeed, seedsOf } from '../client/keep.js';
import { checkSealed, dealOf, linesOf } from '../client/record.js';
import { distrust, trust } from '../client/trust.js';
import { nextKey, seedCommitment, seedFrom } from '../cup1.js';
import { Awake } from '../show/awake.js';
import { sha256 } from '../vendor/noble.js';

/** @typedef {import('./own.js').Own} Own */

/** Refusals that say another device of this entrant, or the clock, was first. */
const LATE = new Set(['seed_already_given', 'not_dealing', 'wrong_deal', 'server_custody', 'tournament_over']);

/** @param {string} tournament @returns {string} The key of this entrant's lots, as hex; drawn if there was none. */
export function lotKey(tournament) {
  const { seeds = hex(crypto.getRandomValues(new Uint8Array(32))) } = entryOf(tournament);
  keepEntry(tournament, { seeds });
  return seeds;
}

/**
 * @param {string} tournament
 * @param {string} match
 * @returns {string} The key of this entrant's seat at a table, as hex: the same on every device that has that of the lots.
 */
export const tableKey = (tournament, match) => hex(nextKey(unhex(lotKey(tournament)), match));

/** Look, before a seed is offered, whether it would be opened in the end: who withholds one draws no more. */
export async function checkTrust() {
  const doubt = await distrust();
  if (doubt !== null) throw doubt;
}

export class LotDrawer {
  #busy = false;
  /** @type {Set<string>} */
  #done = new Set();
  #awake = new Awake();

  /** @param {string} tournament */
  constructor(tournament) {
    this.tournament = tournament;
    this.path = `/api/v1/tournaments/${tournament}`;
  }

  /** Do what the lots ask of this entrant's seed. @param {Own} own */
  async see({ card, drawer, deal, awaits }) {
    await this.#awake.keep(card.draws && ['check_in', 'drawing'].includes(card.phase));
    if (drawer === null || deal === null || awaits === null || this.#busy) return;
    const step = `${deal}/${awaits}`;
    if (this.#done.has(step)) return;
    this.#busy = true;
    try {
      await (awaits === 'commit' ? this.#commit(drawer, deal) : this.#open(drawer, deal));
      this.#done.add(step);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {number} drawer @param {number} number */
  async #commit(drawer, number) {
    await checkTrust();
    const { ctx, root } = dealOf(await this.#lines(), number);
    const seed = seedFrom(unhex(lotKey(this.tournament)), ctx, root, drawer);
    const commit = hex(seedCommitment(seed, ctx, root, drawer));
    keepSeed(this.tournament, number, commit, hex(seed));
    await this.#send({ type: 'commit_seed', deal: number, commit });
  }

  /** @param {number} drawer @param {number} number */
  async #open(drawer, number) {
    const [lines, { policy }] = await Promise.all([this.#lines(), trust()]);
    const deal = dealOf(lines, number);
    const commit = deal.commits.get(drawer) ?? '';
    const seed = seedsOf(this.tournament, number).get(commit) ?? this.#made(deal, drawer, commit);
    if (seed === null) throw new Alarm('seedless');
    checkSealed(deal, { stream: this.#stream, seat: drawer, commit, policy });
    await this.#send({ type: 'open_seed', deal: number, seed });
  }

  get #stream() {
    return `tournament/${this.tournament}`;
  }

  /**
   * @param {import('../client/record.js').Deal} deal @param {number} drawer @param {string} commit
   * @returns {string | null} The seed behind this commitment; null if it did not come from our key.
   */
  #made({ ctx, root }, drawer, commit) {
    const seed = seedFrom(unhex(lotKey(this.tournament)), ctx, root, drawer);
    return hex(seedCommitment(seed, ctx, root, drawer)) === commit ? hex(seed) : null;
  }

  async #lines() {
    return linesOf(await (await read(`${this.path}/export`, { accept: 'text/plain' })).text(), this.#stream);
  }

  /** Two devices of an entrant say the same under the same key, which nobody else can foresee. @param {object} body */
  async #send(body) {
    const { token = null } = entryOf(this.tournament);
    const about = utf8(`${this.tournament} ${JSON.stringify(body)}`);
    const key = hex(sha256(concat(unhex(lotKey(this.tournament)), about)));
    try {
      await ask('POST', `${this.path}/commands`, { token, body, key });
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || !LATE.has(trouble.code)) throw trouble;
    }
  }
}
