/**
 * The seeds of an honest client (CUP/1 section 4.7): it makes one for a deal, commits to it, and opens it only when the
 * log holds the sealed deal. All seeds of a seat come from one key that no server is told: whichever device has the key
 * makes the same seeds, and opens those that another has fixed.
 */

import { concat, hex, unhex, utf8 } from '../bytes.js';
import { context, nextKey, seedCommitment, seedFrom } from '../cup1.js';
import { sha256 } from '../vendor/noble.js';
import { Alarm, Refusal, ask, matchPath, read } from './api.js';
import { keepSeed, keepTokens, seedsOf, tokensOf } from './keep.js';
import { checkSealed, dealOf, linesOf } from './record.js';
import { Distrust, distrust, trust } from './trust.js';

/** @typedef {import('./view.js').Deal} Deal */
/** @typedef {import('./view.js').View} View */

/** Refusals that say another page of this seat, or the clock, was first. */
const LATE = new Set(['seed_already_given', 'not_dealing', 'wrong_deal', 'server_custody', 'game_over']);

export class SeedKeeper {
  #busy = false;
  /** @type {View | null} */
  #next = null;
  /** @type {Set<string>} */
  #done = new Set();

  /**
   * @param {{match: string, seat: number, token: string, seeds: string}} who `seeds` is the key they are made from.
   * @param {(alarm: Alarm) => void} onAlarm
   */
  constructor(who, onAlarm) {
    this.who = who;
    this.onAlarm = onAlarm;
  }

  /** Do what the view asks of this seat's seeds, one step at a time. @param {View} view */
  async see(view) {
    this.#next = view;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#next !== null) {
        const wanted = this.#next;
        this.#next = null;
        await this.#step(wanted);
      }
    } catch (trouble) {
      if (trouble instanceof Alarm) this.onAlarm(trouble);
      else if (!(trouble instanceof Refusal)) throw trouble;
    } finally {
      this.#busy = false;
    }
  }

  /** @param {View} view */
  async #step(view) {
    const { deal } = view;
    if (deal === null || !deal.waiting_for.includes(this.who.seat) || !this.#isOurs(view)) return;
    const step = `${deal.number}/${deal.stage}`;
    if (this.#done.has(step)) return;
    if (deal.stage === 'committed') await this.#commit(view, deal);
    if (deal.stage === 'logged') await this.#open(deal.number);
    this.#done.add(step);
  }

  /** @param {View} view @returns {boolean} Whether this seat draws its own seeds. */
  #isOurs(view) {
    return view.seats.find((seat) => seat.seat === this.who.seat)?.custody === 'client';
  }

  /** @param {View} view @param {Deal} deal */
  async #commit(view, deal) {
    // Whoever does not believe the log will not open a seed, and a seat that keeps its seed closed is barred.
    const doubt = await distrust();
    if (doubt !== null) throw doubt;
    const ctx = context({
      match: view.match,
      deal: deal.number,
      rules: view.rules,
      policy: view.policy === 'all' ? 0 : 1,
      cups: deal.cups,
    });
    const root = unhex(deal.root);
    const seed = seedFrom(unhex(this.who.seeds), ctx, root, this.who.seat);
    const commit = hex(seedCommitment(seed, ctx, root, this.who.seat));
    keepSeed(view.match, deal.number, commit, hex(seed));
    await this.#send({ type: 'commit_seed', deal: deal.number, commit });
  }

  /** @param {number} number */
  async #open(number) {
    const { match, seat, token } = this.who;
    const [lines, { policy, known, offered }] = await Promise.all([recordLines(match), trust()]);
    const deal = dealOf(lines, number);
    const commit = deal.commits.get(seat) ?? '';
    const seed = seedsOf(match, deal.number).get(commit) ?? this.#made(deal, commit);
    if (seed === null) throw new Alarm('seedless');
    try {
      checkSealed(deal, { stream: streamOf(match), seat, commit, policy });
    } catch (trouble) {
      if (!(trouble instanceof Alarm) || offered === null) throw trouble;
      throw new Distrust(trouble.kind, { known, offered });
    }
    await this.#send({ type: 'open_seed', deal: deal.number, seed }, token);
  }

  /**
   * @param {import('./record.js').Deal} deal
   * @param {string} commit
   * @returns {string | null} The seed behind this commitment; null if it did not come from our key.
   */
  #made({ ctx, root }, commit) {
    const seed = seedFrom(unhex(this.who.seeds), ctx, root, this.who.seat);
    return hex(seedCommitment(seed, ctx, root, this.who.seat)) === commit ? hex(seed) : null;
  }

  /**
   * Two devices of a seat say the same, and perhaps at once: under the same key, which nobody else can foresee, so that
   * the second is answered as the first.
   *
   * @param {object} body
   */
  async #send(body, token = this.who.token) {
    const { match, seeds } = this.who;
    const key = hex(sha256(concat(unhex(seeds), utf8(`${match} ${JSON.stringify(body)}`))));
    try {
      await ask('POST', matchPath(match, '/commands'), { token, body, key });
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || !LATE.has(trouble.code)) throw trouble;
    }
  }
}

/**
 * @param {string} match
 * @returns {string} The key of the seat here, as hex; drawn if there was none, with the owner's own words in it.
 */
export function seedKey(match) {
  const { seeds, words } = tokensOf(match);
  if (seeds !== undefined) return seeds;
  const drawn = crypto.getRandomValues(new Uint8Array(32));
  const key = hex(words ? sha256(concat(drawn, utf8(words))) : drawn);
  keepTokens(match, { seeds: key });
  return key;
}

/** @param {string} match @param {string} next @returns {string} The key of the seat at a rematch, as hex. */
export const keyAt = (match, next) => hex(nextKey(unhex(seedKey(match)), next));

/** @param {string} match */
const streamOf = (match) => `match/${match}`;

/** @param {string} match */
export async function recordLines(match) {
  return linesOf(await (await read(matchPath(match, '/record'), { accept: 'text/plain' })).text(), streamOf(match));
}

/** @param {string} board */
export async function boardLines(board) {
  const record = await read(`/api/v1/boards/${board}/record`, { accept: 'text/plain' });
  return linesOf(await record.text(), `board/${board}`);
}
