/**
 * Layer 3 of the audit: the rules, replayed (CUP/1 section 4.10).
 *
 * It is a port of the rules of the server. So it finds a slip of either side, and not a misreading by both.
 *
 * A record is a sequence of commands and what they led to. Given the secrets that a finished match has published, or
 * the dice that it has shown where it publishes no more, deciding is a pure function: each command is taken from the
 * first event it left and decided anew, and the record has to say the same, event by event. A roll the rules did not
 * call for, a die opened early or not at all, a posting that is wrong, a winner who did not win: each is a line that
 * differs.
 */
import { sharesDice } from '../../auditor/shared.js';
import { unhex } from '../../bytes.js';
import { isKnown, rulesOf } from '../games/all.js';
import { decide } from '../match/decide.js';
import { evolve, opened } from '../match/evolve.js';
import { Refused } from '../refused.js';
import { COMMANDS } from './behind.js';
import { BoardOrder, keeperOf } from './board_order.js';
import { Foul, OVERSIGNED } from './foul.js';
import { NOTHING, Told, told } from './published.js';
import { SHAPES, equal } from './shapes.js';
import { Signatures, bare } from './signed.js';

/** @typedef {import('../../auditor/audit.js').Line} Line */
/** @typedef {import('../../auditor/shared.js').Shared} Shared */
/** @typedef {import('../match/evolve.js').Match} Match */
/** @typedef {import('../match/ceremony.js').Keeper} Keeper */
/** @typedef {import('../table/decide.js').Command} Command */
/**
 * @typedef {{match: Match, keeper: Keeper | null}} Moment A match, and who knows its dice, before a command.
 */
/**
 * @typedef {object} ReplayResult
 * @property {boolean} judged Whether the rules of this record are known here.
 * @property {number | null} line The first line the rules do not allow; null if all are as they should be.
 * @property {number} upto The last line that could be judged; before the end where secrets are not published yet, or
 *   where the record ends in the middle of what one command led to.
 * @property {string} why In a sentence.
 * @property {import('../../auditor/faults.js').Code} [code] What is wrong with that line, if anything is.
 */

/** What is said of a record whose rules are not known here, before anything else. */
const UNJUDGED = 'who won was not checked: no engine here knows this game, or not every option of it that is named';
const LAWS = new Map([
  [
    'tournament.created',
    'who has which place was not checked: the laws of tournaments are replayed by `truecup audit`, and not here',
  ],
  ['board.created', 'what the board did was not decided anew: its laws are replayed by `truecup audit`, and not here'],
  [
    'season.created',
    'what counts for whom was not checked: the laws of seasons are replayed by `truecup audit`, and not here',
  ],
]);
const UNSHARED = 'who won was not checked: its dice are those of a board, whose record is not there or not in order';
const UNPROVED = 'these dice do not show it';

/** What decides about the lines after this one is not in the record, or not yet. */
class Unsettled extends Error {
  /** @param {number} upto @param {string} why */
  constructor(upto, why) {
    super(why);
    this.upto = upto;
  }
}

/**
 * @param {Line[]} lines Of a record that has passed layers 1 and 2.
 * @param {Shared | null} [shared] What the record of its board says, where the match shares dice.
 * @param {Map<number, Moment> | null} [moments] Takes the match before each command and after the last, by how many lines
 *   there were.
 * @returns {ReplayResult} What the rules say to it.
 */
export function replay(lines, shared = null, moments = null) {
  const laws = LAWS.get(lines[0].kind);
  if (laws !== undefined) return { judged: false, line: null, upto: 0, why: laws };
  if (!isKnown(lines[0].data.rules)) return { judged: false, line: null, upto: 0, why: UNJUDGED };
  if (sharesDice(lines) && shared === null) return { judged: false, line: null, upto: 0, why: UNSHARED };
  const record = new Replay(lines, shared, moments);
  try {
    record.replay();
  } catch (found) {
    return ruled(found);
  }
  const unseen = `; which of the dice never shown were rolled anew is not known, ${record.unopened} times`;
  const why = `every event follows from the rules${record.unopened ? unseen : ''}`;
  return { judged: true, line: null, upto: record.upto, why };
}

/** @param {unknown} found @returns {ReplayResult} */
function ruled(found) {
  if (found instanceof Foul)
    return { judged: true, line: found.line, upto: found.line, why: found.message, code: found.code };
  if (!(found instanceof Unsettled)) throw found;
  return { judged: true, line: null, upto: found.upto, why: found.message };
}

/** A record on its way through the referee. */
export class Replay {
  /** @param {Line[]} lines @param {Shared | null} [shared] @param {Map<number, Moment> | null} [moments] */
  constructor(lines, shared = null, moments = null) {
    this.moments = moments;
    this.lines = lines;
    this.shared = shared;
    this.order = shared === null ? null : new BoardOrder(shared, lines);
    this.signatures = new Signatures(lines);
    this.next = 1;
    this.timed = false;
    /** How many choices among dice that were never shown were taken as they stand. */
    this.unopened = 0;
    /** The seals of each deal. @type {Set<string>} */
    this.seals = new Set();
    /** @type {Map<number, Told>} */
    this.told = new Map();
    /** @type {Map<number, Map<number, Uint8Array>>} By deal and seat. */
    this.seeds = new Map();
    for (const { kind, data } of lines) {
      if (kind === 'seed.opened') {
        this.seeds.set(data.deal, (this.seeds.get(data.deal) ?? new Map()).set(data.seat, unhex(data.seed)));
      }
    }
  }

  /** @returns {number} The last line that is judged. */
  get upto() {
    return this.lines[this.next - 1].number;
  }

  replay() {
    this.lines.forEach(checkShape);
    let match = this.#opened();
    this.told = told(this.lines.map((line) => ({ ...line, data: bare(line) })));
    let keeper = this.#keeperOfBoard();
    while (this.next < this.lines.length) {
      this.moments?.set(this.next, { match, keeper });
      const made = this.#decided(match, keeper);
      this.#compare(match, made);
      ({ match, keeper } = made);
    }
    this.moments?.set(this.next, { match, keeper });
    const why = this.order?.faultAtEnd(match) ?? '';
    if (why !== '') throw new Foul(this.upto, why);
  }

  /** @returns {Keeper | null} Who knows the dice of the board, where the match shares them. */
  #keeperOfBoard() {
    const dice = this.shared?.dice ?? null;
    const secret = this.shared?.secret ?? null;
    if (dice !== null && secret !== null) return keeperOf(dice, secret);
    if (this.lines.some(({ kind }) => kind === 'deal.shared')) {
      throw new Unsettled(1, 'the dice of its board are not published yet');
    }
    return null;
  }

  /** @returns {Match} */
  #opened() {
    const { number, data, at } = this.lines[0];
    const rules = rulesOf(data.rules, data.policy);
    if (rules === null) throw new Foul(number, 'these are no rules of this game, or not every option is spelled out');
    // Times are for show (CUP/1 section 4.4), unless the match has clocks: then they decide who is out of time. Or
    // unless its deals wait for a beacon: then they decide which round they wait for. Or unless it has limits for
    // those who stay away, or for hosts who hold the table up, or for pauses between rounds. Or unless it is of a
    // tournament: then all who play were seated as it was opened.
    const { clock, beacon, idle, host, pause_ends: ends, event } = data.rules;
    this.timed = clock !== null || [beacon, idle, host, ends, event].some((limits) => limits !== undefined);
    return opened(data, rules, at);
  }

  /** @param {Match} match @param {Keeper | null} keeper */
  #decided(match, keeper) {
    const line = this.lines[this.next];
    if (this.timed && line.at < match.at) throw new Foul(line.number, 'time runs backwards');
    const command = COMMANDS[line.kind];
    if (command === undefined) throw new Foul(line.number, `nobody asked for ${line.kind}`);
    try {
      const asked = this.signatures.asked(line) ?? command(line.data, { record: this, match, keeper });
      return decide(match, this.signatures.take(line, asked), line.at, keeper);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      // Where nothing else is published, the dice that prove a throw are shown behind what it was said to be.
      const unproved = refused.message === UNPROVED && this.next === this.lines.length - 1;
      if (unproved)
        throw new Unsettled(this.upto, `the record ends in the middle of what line ${this.upto + 1} led to`);
      throw new Foul(line.number, `${line.kind} is refused: ${refused.message}`);
    }
  }

  /** @param {Match} before @param {{events: import('../table/state.js').Event[], match: Match}} made */
  #compare(before, { events, match }) {
    const { upto, next: first } = this;
    let then = before;
    for (const { type, data } of events) {
      const line = this.lines[this.next];
      // A server writes all of it at once; but whoever holds only the beginning of a record accuses nobody.
      if (line === undefined)
        throw new Unsettled(upto, `the record ends in the middle of what line ${upto + 1} led to`);
      if (line.kind !== type || !equal(bare(line), data)) {
        throw new Foul(line.number, `the rules call for another event here: ${type}`);
      }
      if (this.timed && line.at !== match.at) {
        throw new Foul(line.number, `${type} follows of itself, and so at the same time as what it follows`);
      }
      if (line.signed !== undefined && this.next > first) {
        throw new Foul(line.number, `${type} follows of itself, and nobody asked for it`, OVERSIGNED);
      }
      if (type === 'game.choices_revealed') this.signatures.checkOpened(line);
      if (this.order !== null) {
        then = evolve(then, { type, data }, line.at);
        this.order.take(then, this.next);
      }
      this.next += 1;
    }
  }

  /** @param {Match} match What the server drew for the next deal, now that it is published. */
  chance(match) {
    // A deal before it may be closed first, and seats that have run out of time for seeds be spared them.
    const ahead = this.lines.slice(this.next, this.next + 2 + Object.keys(match.seated).length);
    const steps = ahead.filter(({ kind }) => kind !== 'game.seed_custody').slice(0, 2);
    const begun = steps.some(({ kind }) => kind === 'deal.committed');
    if (begun && match.policy === 0 && this.#told(match.deals).secret === null) {
      throw new Unsettled(this.upto, `the deal after line ${this.upto} is not closed yet`);
    }
    return this.#drawn(match, match.deals);
  }

  /** @param {Match} match What it drew for seats that gave no seed in time, in the deal that is already committed. */
  lateChance(match) {
    return this.#drawn(match, match.deals - 1);
  }

  /** @param {Match} match @param {number} deal */
  #drawn({ seated }, deal) {
    const seeds = Object.keys(seated).map((seat) => [seat, this.seeds.get(deal)?.get(Number(seat)) ?? NOTHING]);
    return { seeds: Object.fromEntries(seeds), told: this.#told(deal) };
  }

  /**
   * @param {string} seal
   * @param {number} deal
   * @returns {boolean} Whether it stands in the deal before; honest ones are made under different keys, never equal.
   */
  stands(seal, deal) {
    const known = this.seals.has(`${deal} ${seal}`);
    this.seals.add(`${deal} ${seal}`);
    return known;
  }

  /** @param {number} deal */
  #told(deal) {
    return this.told.get(deal) ?? new Told(NOTHING);
  }
}

/** @param {Line} line */
function checkShape({ number, kind, data }) {
  if (!SHAPES.get(kind)?.(data)) throw new Foul(number, `${kind} is no event of this game`);
}
