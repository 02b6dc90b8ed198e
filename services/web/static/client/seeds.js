/**
 * The seeds of an honest client (CUP/1 section 4.7): it makes one for a deal, commits to it, and opens it only when the
 * log holds the sealed deal. All seeds of a seat come from one key that no server is told: whichever device has the key
 * makes the same seeds, and opens those that another has fixed.
 */

import { concat, hex, unhex, utf8 } from '../bytes.js';
import { context, headOf, nextKey, seedCommitment, seedFrom } from '../cup1.js';
import { sha256 } from '../vendor/noble.js';
import { Alarm, Refusal, ask, matchPath, read } from './api.js';
import { keepSeed, keepTokens, seedsOf, tokensOf } from './keep.js';
import { checkSealed, dealOf, linesOf } from './record.js';
import { Distrust, checkTrust, trust } from './trust.js';

/** @typedef {import('./record.js').Line} Line */
/** @typedef {import('./view.js').View} View */

/** Refusals that say another device of whoever draws, or the clock, was first. */
const LATE = new Set([
  'seed_already_given',
  'not_dealing',
  'wrong_deal',
  'server_custody',
  'game_over',
  'tournament_over',
]);

/** When a seed is given again that a lost line or a house that is away has kept back, and how often for one view. */
const AGAIN_MS = 1_500;
const AGAIN_TIMES = 80;

/**
 * @typedef {object} DrawnFrom
 * @property {string} stream What deals: a match, a board, or a tournament that draws lots.
 * @property {string} path Its address in the interface.
 * @property {() => Promise<Line[]>} lines Reads its record.
 * @property {string} key What the seeds are made from, as hex.
 * @property {string | null} token Of whoever draws.
 * @property {(body: {type: string}, key: string) => Promise<unknown>} [order]
 *   Asks for something in its own way: a seat with a key signs it.
 */

/** Makes, fixes and opens the seeds of one who draws, whichever stream deals. */
export class Drawer {
  /** @param {DrawnFrom} from */
  constructor({ stream, path, lines, key, token, order }) {
    this.stream = stream;
    this.path = path;
    this.lines = lines;
    this.key = unhex(key);
    this.order = order ?? ((body, repeat) => ask('POST', `${path}/commands`, { token, body, key: repeat }));
  }

  /** What the stream belongs to. */
  get #id() {
    return this.stream.slice(this.stream.indexOf('/') + 1);
  }

  /**
   * @param {number} seat As the deal numbers it.
   * @param {number} number
   * @param {{ctx: Uint8Array, root: Uint8Array}} [bound] The deal as it is shown; as its record has it, if nothing is said.
   */
  async commit(seat, number, bound) {
    // Whoever does not believe the log will not open a seed, and whoever keeps it closed is barred.
    await checkTrust();
    const { seed, commit } = this.#made(bound ?? dealOf(await this.lines(), number), seat);
    keepSeed(this.#id, number, commit, seed);
    await this.#send({ type: 'commit_seed', deal: number, commit });
  }

  /**
   * @param {number} seat As the deal numbers it.
   * @param {number} number
   * @returns {Promise<boolean>} False if what is fixed came from another key, and is not kept here: then nothing is opened.
   */
  async open(seat, number) {
    const [lines, { policy, known, offered }] = await Promise.all([this.lines(), trust()]);
    const deal = dealOf(lines, number);
    const commit = deal.commits.get(seat) ?? '';
    const made = this.#made(deal, seat);
    const seed = seedsOf(this.#id, number).get(commit) ?? (made.commit === commit ? made.seed : null);
    if (seed === null) return false;
    try {
      checkSealed(deal, { stream: this.stream, seat, commit, policy });
    } catch (trouble) {
      if (!(trouble instanceof Alarm) || offered === null) throw trouble;
      throw new Distrust(trouble.kind, { known, offered });
    }
    await this.#send({ type: 'open_seed', deal: number, seed });
    return true;
  }

  /**
   * @param {{ctx: Uint8Array, root: Uint8Array}} bound
   * @param {number} seat
   * @returns {{seed: string, commit: string}} What the key makes for a deal, and what fixes it.
   */
  #made({ ctx, root }, seat) {
    const seed = seedFrom(this.key, ctx, root, seat);
    return { seed: hex(seed), commit: hex(seedCommitment(seed, ctx, root, seat)) };
  }

  /**
   * Two devices of whoever draws say the same, and perhaps at once: under the same key, which nobody else can foresee, so
   * that the second is answered as the first.
   *
   * @param {{type: string} & Record<string, unknown>} body
   */
  async #send(body) {
    const key = hex(sha256(concat(this.key, utf8(`${this.#id} ${JSON.stringify(body)}`))));
    try {
      await this.order(body, key);
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || !LATE.has(trouble.code)) throw trouble;
    }
  }
}

export class SeedKeeper {
  #busy = false;
  /** @type {View | null} */
  #next = null;
  /** @type {Set<string>} */
  #done = new Set();
  /** The last view, and how often it may still be seen again. @type {View | null} */
  #seen = null;
  #left = 0;

  /**
   * @param {{match: string, seat: number, token: string, seeds: string}} who `seeds` is the key they are made from.
   * @param {(alarm: Alarm) => void} onAlarm
   * @param {DrawnFrom['order']} order
   */
  constructor(who, onAlarm, order) {
    const { match, token, seeds: key } = who;
    this.seat = who.seat;
    this.drawer = new Drawer({
      stream: `match/${match}`,
      path: matchPath(match),
      lines: () => recordLines(match),
      key,
      token,
      order,
    });
    this.onAlarm = onAlarm;
  }

  /** Do what the view asks of this seat's seeds, one step at a time. @param {View} view */
  async see(view) {
    if (view !== this.#seen) this.#left = AGAIN_TIMES;
    this.#seen = view;
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
      else this.#later(trouble);
    } finally {
      this.#busy = false;
    }
  }

  /** Who is late with a seed pays for it, and no other view may come before that: what got no answer is tried again. @param {Refusal} trouble */
  #later({ isUnjudged }) {
    const view = this.#seen;
    if (view === null || this.#left === 0 || !isUnjudged) return;
    this.#left -= 1;
    setTimeout(() => this.#seen === view && this.see(view), AGAIN_MS);
  }

  /** @param {View} view */
  async #step(view) {
    const { deal } = view;
    if (deal === null || !deal.waiting_for.includes(this.seat) || !this.#isOurs(view)) return;
    const step = `${deal.number}/${deal.stage}`;
    if (this.#done.has(step)) return;
    if (deal.stage === 'committed') await this.drawer.commit(this.seat, deal.number, boundTo(view, deal));
    if (deal.stage === 'logged' && !(await this.drawer.open(this.seat, deal.number))) throw new Alarm('seedless');
    this.#done.add(step);
  }

  /** @param {View} view @returns {boolean} Whether this seat draws its own seeds. */
  #isOurs(view) {
    return view.seats.find((seat) => seat.seat === this.seat)?.custody === 'client';
  }
}

/** @param {View} view @param {import('./view.js').Deal} deal */
function boundTo({ match, rules, policy }, { number, root, cups }) {
  const ctx = context({ match, deal: number, rules, policy: policy === 'all' ? 0 : 1, cups });
  return { ctx, root: unhex(root) };
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

/** @param {string} path @param {string} stream @returns {Promise<Line[]>} */
export async function linesAt(path, stream) {
  return linesOf(await (await read(path, { accept: 'text/plain' })).text(), stream);
}

/** @param {string} match @returns {Promise<Line[]>} All lines as they are told now, whatever was read before. */
export const recordAnew = (match) => linesAt(matchPath(match, '/record'), `match/${match}`);

/** @type {Map<string, Line[]>} The lines of matches that were read: each is read once, whatever asks for it. */
const held = new Map();

/** @param {string} match @returns {Promise<Line[]>} The lines of its record, those that are new read behind the others. */
export async function recordLines(match) {
  const lines = await linesBehind(match, held.get(match) ?? [], null);
  held.set(match, lines);
  return lines;
}

/** @param {string} match @param {string} token That of a seat. @returns {Promise<Line[]>} All its lines, as a seat is told them now. */
export const ownLines = (match, token) => linesBehind(match, [], token);

/** @param {string} match @param {Line[]} before @param {string | null} token @returns {Promise<Line[]>} */
async function linesBehind(match, before, token) {
  for (;;) {
    // The last line that is held comes again: had any before it been another one, it would be another one too.
    const kept = before.slice(0, -1);
    const after = kept.length > 0 ? `?after=${kept.length}` : '';
    const told = await read(matchPath(match, `/lines${after}`), { token, accept: 'application/x-ndjson' });
    const text = await told.text();
    // A house that is behind, as a copy may be, says nothing against it.
    if (text === '') return before;
    const last = before.at(-1)?.head;
    if (last !== undefined && headOf(text.slice(0, text.indexOf('\n'))) !== last) {
      throw new Alarm('another', { version: String(before.length), proved: 'no' });
    }
    const lines = [...kept, ...linesOf(text, `match/${match}`, kept)];
    if (lines.length === before.length || !told.headers.has('link')) return lines;
    before = lines;
  }
}

/** @param {string} board */
export const boardLines = (board) => linesAt(`/api/v1/boards/${board}/record`, `board/${board}`);
