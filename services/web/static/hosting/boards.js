/**
 * Seeds for a duplicate board, whose dice several tables share (CUP/1 sections 4.7 and 4.23): whoever sits at one of them
 * fixes a seed and opens it once the log holds the sealed deal. It lies in this browser, and whichever page of its owner
 * is open gives it.
 */
import { hex } from '../bytes.js';
import { Alarm, Refusal, ask, readJson } from '../client/api.js';
import { keepSeed, seedsOf } from '../client/keep.js';
import { checkSealed, dealOf } from '../client/record.js';
import { boardLines } from '../client/seeds.js';
import { distrust, trust } from '../client/trust.js';
import { seedCommitment } from '../cup1.js';

/** @typedef {{stage: string, deal: number, drawer: number | null, awaits: 'commit' | 'open' | null}} OwnDraw */

const AGAIN_MS = 1_000;
/** So often a deal is looked at: it waits half a minute for seeds, as long for openings, and begins anew without whoever
 * withholds one. */
const LOOKS_MAX = 600;
/** Refusals that say another page of this owner, or the clock, was first. */
const LATE = new Set(['seed_already_given', 'not_dealing', 'wrong_deal', 'server_custody', 'game_over']);
const SETTLED = new Set(['ready', 'closed']);

export class BoardDrawer {
  /** @type {Set<string>} */
  #begun = new Set();

  /** @param {(alarm: Alarm) => void} onAlarm */
  constructor(onAlarm) {
    this.onAlarm = onAlarm;
  }

  /** Give a board what it asks of whoever has this token, of an entrant or of a seat. @param {string} board @param {string} token */
  begin(board, token) {
    if (this.#begun.has(board)) return;
    this.#begun.add(board);
    void this.#draw(new Draw(board, token));
  }

  /** @param {Draw} draw */
  async #draw(draw) {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      try {
        if (await draw.look()) return;
      } catch (trouble) {
        if (trouble instanceof Alarm) this.onAlarm(trouble);
        else if (!(trouble instanceof Refusal)) throw trouble;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

class Draw {
  /** @param {string} board @param {string} token */
  constructor(board, token) {
    this.board = board;
    this.token = token;
    this.path = `/api/v1/boards/${board}`;
    this.stream = `board/${board}`;
  }

  /** @returns {Promise<boolean>} Whether the deal waits for nothing of this owner any more. */
  async look() {
    const { stage, deal, drawer, awaits } = /** @type {OwnDraw} */ (
      await readJson(`${this.path}/me`, { token: this.token })
    );
    if (drawer === null || SETTLED.has(stage)) return true;
    if (awaits === 'commit') await this.#commit(drawer, deal);
    if (awaits === 'open') await this.#open(drawer, deal);
    return false;
  }

  /** @param {number} drawer @param {number} number */
  async #commit(drawer, number) {
    // Whoever does not believe the log will not open a seed, and whoever keeps it closed is barred.
    const doubt = await distrust();
    if (doubt !== null) throw doubt;
    const { ctx, root } = dealOf(await boardLines(this.board), number);
    const seed = crypto.getRandomValues(new Uint8Array(32));
    const commit = hex(seedCommitment(seed, ctx, root, drawer));
    keepSeed(this.board, number, commit, hex(seed));
    await this.#send({ type: 'commit_seed', deal: number, commit });
  }

  /** @param {number} drawer @param {number} number */
  async #open(drawer, number) {
    const [lines, { policy }] = await Promise.all([boardLines(this.board), trust()]);
    const deal = dealOf(lines, number);
    const commit = deal.commits.get(drawer) ?? '';
    const seed = seedsOf(this.board, number).get(commit);
    // Another device of this owner has fixed it, and opens it.
    if (seed === undefined) return;
    checkSealed(deal, { stream: this.stream, seat: drawer, commit, policy });
    await this.#send({ type: 'open_seed', deal: number, seed });
  }

  /** @param {object} body */
  async #send(body) {
    try {
      await ask('POST', `${this.path}/commands`, { token: this.token, body });
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || !LATE.has(trouble.code)) throw trouble;
    }
  }
}
