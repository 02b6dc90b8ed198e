/**
 * Layer 2: the order of events in a match, and its dice held against what was fixed before the seeds were shown.
 *
 * The law of the file: an event is refused as out of turn before anything in it is worked out, and what is worked out
 * comes from earlier lines alone. No game is known here. CUP/1 sections 4.1, 4.5 and 4.8.
 *
 *     committed --> sealed --> logged --> (fixed) --> ready --> closed
 *          \----------\----------\--> voided --> closed
 */
import { hex, same, unhex, utf8 } from '../bytes.js';
import { checkAnswer } from './beacons.js';
import { canonical } from './canonical.js';
import { isUnknown, rebuilds } from './deals.js';
import { Fault } from './faults.js';
import { contextMessage, mixMessage, seedMessage } from './formulas.js';
import { remembering } from './merkle.js';
import { checkOpening } from './openings.js';

/** @typedef {import('./chain.js').Event} Event */
/** @typedef {import('./deals.js').Deal} Deal */

const SLOTS_MAX = 2 ** 18;
const MODULUS_MAX = 256;

const CREATES = new Set(['match.created', 'tournament.created', 'season.created', 'board.created']);

/** @typedef {{board: string, number: number, cups: import('./formulas.js').Cup[], ctx: string, root: string, mix: string,
 *   head: string}} SharedDice The deal of a board, which became ready in the line with the hash `head`; all hashes as hex. */

/** A match as far as the record has come: its seats and its deals. */
export class Dealing {
  /** @type {Deal[]} */
  deals = [];
  /** @type {{id: string, policy: string, rulesHash: Uint8Array}} */
  #created = { id: '', policy: '', rulesHash: new Uint8Array() };
  #begun = false;
  #ended = false;
  /** @type {Set<number>} */
  #seated = new Set();
  /** @type {Set<number>} Of the seats that are taken, those whose players have keys. */
  #keyed = new Set();
  /** @type {Set<number>} */
  #barred = new Set();

  /**
   * @param {import('./hashing.js').Hashing} hashing
   * @param {import('./faults.js').Debts} debts
   * @param {SharedDice | null} [shared] The deal of the board whose dice the match shares, where that is known.
   */
  constructor(hashing, debts, shared = null) {
    this.hashing = hashing;
    this.debts = debts;
    this.shared = shared;
  }

  /** @param {Event} event Checked and taken in. @throws {Fault} */
  async step({ type, data, stream }) {
    if (this.#ended) throw new Fault('E_ORDER', 'something follows the end of the match');
    if (this.#begun === CREATES.has(type)) {
      throw new Fault('E_ORDER', 'what creates the match, or what else it is, is the first line and no other');
    }
    switch (type) {
      case 'match.created':
      case 'tournament.created':
      case 'season.created':
      case 'board.created':
        return this.#create(stream, data);
      case 'seat.joined':
        return this.#join(data);
      case 'seat.left':
        return this.#leave(data.seat);
      case 'seat.keyed':
        return this.#checkKeyed(data.seat);
      case 'match.ended':
      case 'tournament.closed':
      case 'season.closed':
      case 'board.closed':
        return this.#end();
      case 'deal.committed':
        return this.#commit(data);
      case 'deal.shared':
        return this.#share(data);
      default:
        return STAGES.has(type) ? this.#step(type, data) : undefined;
    }
  }

  /** @param {string} type @param {any} data */
  #step(type, data) {
    const deal = this.#at(data.deal, type);
    switch (type) {
      case 'seed.committed':
        return this.#commitSeed(deal, data);
      case 'deal.sealed':
        return this.#seal(deal, data);
      case 'deal.logged':
        return this.#log(deal);
      case 'seed.opened':
        return this.#openSeed(deal, data);
      case 'deal.fixed':
        return fix(deal);
      case 'deal.ready':
        return this.#ready(deal, data);
      case 'cup.rolled':
        return roll(deal, data);
      case 'cup.revealed':
        return checkOpening(this.hashing, this.debts, deal, data);
      case 'deal.voided':
        return this.#void(deal, data);
      default:
        return this.#close(deal, data);
    }
  }

  /** @param {number} number @param {string} type @returns {Deal} The current deal, which has to be this one. */
  #at(number, type) {
    const deal = this.deals.at(-1);
    const stages = /** @type {string[]} */ (STAGES.get(type));
    if (deal === undefined || deal.number !== number)
      throw new Fault('E_ORDER', `deal ${number} is not the one at hand`);
    if (deal.shared && ENDS.has(type)) throw new Fault('E_ORDER', 'a shared deal ends in the stream of its board');
    if (!stages.includes(deal.stage)) throw new Fault('E_ORDER', `this is not what deal ${number} was waiting for`);
    return deal;
  }

  // ---- the match ----------------------------------------------------------------------------------

  /**
   * @param {string} stream
   * @param {{match?: string, tournament?: string, season?: string, board?: string, policy?: string, rules: object}} data
   *   No dice are thrown in a season, so it has no policy.
   */
  async #create(stream, { match, tournament, season, board, policy = 'all', rules }) {
    const named = Object.entries({ match, tournament, season, board });
    const [kind, id] = named.find(([, each]) => each !== undefined) ?? ['', ''];
    if (stream !== `${kind}/${id}`) throw new Fault('E_FORMAT', 'the stream is not named after what it is of');
    this.#begun = true;
    this.#created = { id: `${id}`, policy, rulesHash: await this.hashing.sha256(utf8(canonical(rules))) };
  }

  /** @param {{seat: number, key?: string}} data */
  #join({ seat, key }) {
    if (this.#seated.has(seat)) throw new Fault('E_ORDER', `seat ${seat} is taken`);
    this.#seated.add(seat);
    if (key !== undefined) this.#keyed.add(seat);
  }

  /** @param {number} seat */
  #leave(seat) {
    if (!this.#seated.delete(seat)) throw new Fault('E_ORDER', `nobody has seat ${seat}`);
    this.#keyed.delete(seat);
  }

  /** @param {number} seat */
  #checkKeyed(seat) {
    if (!this.#keyed.has(seat)) throw new Fault('E_ORDER', `nobody has seat ${seat} and a key for it`);
  }

  #end() {
    if (this.#isOpen) throw new Fault('E_WITHHELD', 'a deal was never closed');
    this.#ended = true;
  }

  get #isOpen() {
    return this.deals.length > 0 && !this.#sharesDice && this.deals.at(-1)?.stage !== 'closed';
  }

  get #sharesDice() {
    return this.deals.at(-1)?.shared ?? false;
  }

  // ---- a deal -------------------------------------------------------------------------------------

  /** @param {{deal: number, cups: import('./formulas.js').Cup[], root: string}} data */
  async #commit({ deal, cups, root }) {
    if (!isAscending(cups.map(([id]) => id))) throw new Fault('E_FORMAT', 'cups ascend by id');
    if (slotsOf(cups) > SLOTS_MAX) throw new Fault('E_FORMAT', `cups have at most ${SLOTS_MAX} slots together`);
    if (this.#isOpen || this.#sharesDice) throw new Fault('E_ORDER', 'a deal begins when the one before it is closed');
    if (deal !== this.deals.length) throw new Fault('E_ORDER', 'deals are numbered from 0');
    const { id, policy, rulesHash } = this.#created;
    const kept = policy === 'all' ? 0 : 1;
    const message = contextMessage(unhex(id.replaceAll('-', '')), deal, rulesHash, kept, cups);
    this.#open({ number: deal, cups, ctx: await this.hashing.sha256(message), root: unhex(root) });
  }

  /** @param {Pick<Deal, 'number' | 'cups' | 'ctx' | 'root'> & Partial<Deal>} known */
  #open(known) {
    this.deals.push({
      ...{ stage: 'committed', commits: new Map(), beacon: null, seeds: new Map(), mix: null, rolled: new Map() },
      ...{ values: new Map(), shown: new Map(), tree: remembering(this.hashing), shared: false, ...known },
    });
  }

  /** @param {{deal: number, board: string, root: string, mix: string, head: string}} data */
  #share({ deal, board, root, mix, head }) {
    // Whoever could change over from one deal to another could choose between their dice.
    if (this.deals.length > 0) throw new Fault('E_ORDER', 'a match has deals of its own, or shares one');
    const { shared } = this;
    if (shared !== null && (board !== shared.board || deal !== shared.number)) {
      throw new Fault('E_ORDER', 'the board has no such deal');
    }
    if (shared !== null && ![root === shared.root, mix === shared.mix, head === shared.head].every(Boolean)) {
      throw new Fault('E_MIX', 'these are not the dice of the board');
    }
    const fixed = { number: deal, cups: shared?.cups ?? [], ctx: unhex(shared?.ctx ?? ''), root: unhex(root) };
    this.#open({ ...fixed, mix: unhex(mix), stage: 'ready', shared: true });
  }

  /** @param {Deal} deal @param {{seat: number, commit: string}} data */
  #commitSeed(deal, { seat, commit }) {
    if (!this.#seated.has(seat)) throw new Fault('E_ORDER', `nobody has seat ${seat}`);
    if (deal.commits.has(seat)) throw new Fault('E_ORDER', `seat ${seat} has fixed a seed already`);
    deal.commits.set(seat, commit);
  }

  /** @param {Deal} deal @param {{seats: number[], beacon: import('./beacons.js').Round | null}} data */
  #seal(deal, { seats, beacon }) {
    const all = ascending(deal.commits.keys());
    if (seats.length === 0) throw new Fault('E_ORDER', 'a deal is sealed with one seat at least');
    if (!isSame(seats, all)) throw new Fault('E_ORDER', 'a deal is sealed with all seats that fixed a seed');
    if (seats.some((seat) => this.#barred.has(seat))) {
      throw new Fault('E_ORDER', 'a seat takes part that withheld its seed before');
    }
    Object.assign(deal, { beacon, stage: 'sealed' });
  }

  /** @param {Deal} deal That its sealing is in the log is for layer 1 to say. */
  #log(deal) {
    deal.stage = 'logged';
  }

  /** @param {Deal} deal @param {{seat: number, seed: string}} data */
  #openSeed(deal, { seat, seed }) {
    if (!missing(deal).includes(seat)) throw new Fault('E_ORDER', `no seed of seat ${seat} is waited for`);
    const bytes = unhex(seed);
    const made = this.hashing.keyed(bytes).then((mac) => mac(seedMessage(deal.ctx, deal.root, seat)));
    const fits = made.then((commit) => hex(commit) === deal.commits.get(seat));
    this.debts.owe(fits, 'E_COMMIT', `this is not the seed that seat ${seat} had fixed`);
    deal.seeds.set(seat, bytes);
  }

  /** @param {Deal} deal @param {{mix: string, beacon: import('./beacons.js').Answer | null}} data */
  #ready(deal, { mix, beacon }) {
    if (missing(deal).length > 0) throw new Fault('E_ORDER', 'a deal is ready with all seeds open');
    if ((deal.beacon === null) !== (deal.stage === 'logged')) {
      throw new Fault('E_ORDER', 'a deal is fixed before it is ready if it waits for a beacon');
    }
    checkAnswer(deal.beacon, beacon);
    if (beacon !== null) {
      const said = this.hashing.sha256(unhex(beacon.signature)).then((hash) => hex(hash) === beacon.randomness);
      this.debts.owe(said, 'E_BEACON', 'the randomness is not the hash of the signature');
    }
    const found = this.hashing.sha256(mixMessage(deal.ctx, deal.root, deal.seeds, beacon && heard(beacon)));
    const told = unhex(mix);
    this.debts.owe(
      found.then((hash) => same(hash, told)),
      'E_MIX',
      'this is not what the seeds come to',
    );
    Object.assign(deal, { mix: told, stage: 'ready' });
  }

  /** @param {Deal} deal @param {{seats: number[]}} data */
  #void(deal, { seats }) {
    const waited = missing(deal);
    if (deal.stage === 'fixed' || deal.stage === 'ready') throw new Fault('E_ABORT', 'the dice could be known already');
    if (deal.stage === 'logged') {
      if (waited.length === 0) throw new Fault('E_ABORT', 'all seeds were open: nothing can be thrown away any more');
      if (!isSame(seats, waited)) throw new Fault('E_ABORT', 'a void names exactly the seats that have not opened');
    }
    for (const seat of seats) this.#barred.add(seat);
    deal.stage = 'voided';
  }

  /** @param {Deal} deal @param {{secret: string | null}} data */
  #close(deal, { secret }) {
    const published = this.#created.policy === 'all' || deal.stage === 'voided';
    if (published && secret === null) throw new Fault('E_WITHHELD', 'the secret of this deal has to be published');
    if (!published && secret !== null) throw new Fault('E_ORDER', 'the secret of this deal was to stay unpublished');
    if (secret !== null) {
      const fits = rebuilds(this.hashing, deal, secret);
      this.debts.owe(fits, 'E_SECRET', 'the secret does not rebuild the root of the deal', slotsOf(deal.cups));
    }
    deal.stage = 'closed';
  }
}

/** What ends a deal. */
const ENDS = new Set(['deal.voided', 'deal.closed']);
const UNDONE = ['committed', 'sealed', 'logged', 'fixed', 'ready'];
/** At which stages of its deal an event may happen; a void that comes too late has a code of its own. */
const STAGES = new Map([
  ['seed.committed', ['committed']],
  ['deal.sealed', ['committed']],
  ['deal.logged', ['sealed']],
  ['seed.opened', ['logged']],
  ['deal.fixed', ['logged']],
  ['deal.ready', ['logged', 'fixed']],
  ['cup.rolled', ['ready']],
  ['cup.revealed', ['ready']],
  ['deal.voided', UNDONE],
  ['deal.closed', ['ready', 'voided']],
]);

/** @param {Deal} deal */
function fix(deal) {
  if (deal.beacon === null) throw new Fault('E_ORDER', 'only a deal with a beacon is fixed');
  if (missing(deal).length > 0) throw new Fault('E_ORDER', 'a deal is fixed with all seeds open');
  deal.stage = 'fixed';
}

/** @param {Deal} deal @param {{cup: number, roll: number, slots: number[], m: number[]}} data */
function roll(deal, { cup, roll: number, slots, m }) {
  const known = deal.cups.find(([id]) => id === cup);
  if (known === undefined && !isUnknown(deal)) throw new Fault('E_SLOT', 'the deal has no such cup');
  // Cups of a board that is not known may have any size.
  const [, , rolls, width] = known ?? [cup, cup, number + 1, MODULUS_MAX];
  const before = deal.rolled.get(cup) ?? [];
  if (number !== before.length) throw new Fault('E_SLOT', 'this is not the next roll of the cup');
  if (number >= rolls) throw new Fault('E_SLOT', 'the cup has no more rolls');
  if (slots.length === 0) throw new Fault('E_SLOT', 'a roll has a slot');
  if (!isAscending(slots)) throw new Fault('E_SLOT', 'slots ascend');
  if (slots[0] < 0) throw new Fault('E_SLOT', 'slots begin at 0');
  if (slots[slots.length - 1] >= width) throw new Fault('E_SLOT', 'slots lie within the width of the cup');
  if (m.length !== slots.length) throw new Fault('E_SLOT', 'each slot has a modulus');
  if (m.some((each) => each < 1 || each > MODULUS_MAX)) throw new Fault('E_SLOT', 'a modulus is from 1 to 256');
  before.push(new Map(slots.map((slot, place) => [slot, m[place]])));
  deal.rolled.set(cup, before);
}

/** @param {Deal} deal @returns {number[]} The seats that have not opened their seeds, ascending. */
const missing = ({ commits, seeds }) => ascending(commits.keys()).filter((seat) => !seeds.has(seat));
/** @param {import('./beacons.js').Answer} answer */
const heard = ({ chain, round, randomness }) => ({ chain: unhex(chain), round, randomness: unhex(randomness) });
/** @param {import('./formulas.js').Cup[]} cups */
const slotsOf = (cups) => cups.reduce((sum, [, , rolls, width]) => sum + rolls * width, 0);
/** @param {Iterable<number>} numbers */
const ascending = (numbers) => [...numbers].sort((one, other) => one - other);
/** @param {number[]} numbers */
const isAscending = (numbers) => numbers.every((number, place) => place === 0 || numbers[place - 1] < number);
/** @param {number[]} one @param {number[]} other */
const isSame = (one, other) => one.length === other.length && one.every((number, place) => number === other[place]);
