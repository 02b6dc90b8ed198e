/**
 * The seats with keys, line by line: every command of theirs is signed, over all that its player had to have seen.
 *
 * The law of the file: it looks at a line after everything else has. A signature is not verified as it comes but where
 * its key ends, at the end of the record and at a fault, since each message holds the hash of the one before: the last
 * good one bears out all before it. What a player had to have seen are the loud lines: a command dies with the next one.
 * CUP/1 sections 4.14.2 to 4.14.6.
 */
import { hex, unhex } from '../../bytes.js';
import { Fault } from '../faults.js';
import { DealAtHand } from './deal_at_hand.js';
import { ARRANGED, JOIN, OF_A_SEAT, fits } from './forms.js';
import { NOTHING_BEFORE, NO_SEAT, commandText, messageOf } from './messages.js';

/** @typedef {import('../chain.js').Event} Event */
/** @typedef {import('../chain.js').Signed} Signed */
/** @typedef {{seq: number, message: Uint8Array, signature: Uint8Array}} SignedLine */
/** @typedef {{key: Uint8Array, lines: SignedLine[]}} Era The lines that were signed by one key while it was that of its
 *   seat. */
/** @typedef {{key: string, eras: Era[], n: number, before: Uint8Array, joined: string, serverMayDraw: boolean, serverDraws: boolean,
 *   serverDrew: boolean, pending: {key: string, seq: number, at: number} | null, recovered: number[], clock: number,
 *   blamed: boolean, left: boolean}} Seat `n` is the command it signed last, -1 before its join, and `before` the hash of
 *   the message of that; `joined` is that of its join, as hex; `pending` is a recovery that its next command decides. */
/** @typedef {{key: string, signed: number, clock: number, custody: boolean, recovered: number[]}} SeatReport What is
 *   proved of a seat: its present key, how many lines it signed, how often the clock acted for it, whether the server
 *   drew its seeds, and the places of the lines, from 0, by which a host had its key replaced. */

/** How long the old key has to be silent after a host has named a new one, in milliseconds. */
export const RECOVERY_MS = 120_000;
const CUSTODY = 'game.seed_custody';
const TIMED_OUT = 'game.timed_out';
const FORFEITED = 'game.forfeited';
const LEFT = 'seat.left';
const KEYED = 'seat.keyed';
const SEEDS = new Set(['seed.committed', 'seed.opened']);
/** The types of lines that change nothing a command could depend on. */
export const QUIET = new Set(['seat.joined', KEYED, ...SEEDS, CUSTODY, 'game.clock_set', 'game.looked']);

/** All seats with keys of one stream. */
export class KeyedSeats {
  /** @type {Map<number, Seat>} */
  #seats = new Map();
  /** @type {Era[]} */
  #eras = [];
  /** @type {Uint8Array} */
  #match = new Uint8Array();
  /** @type {string[]} */
  #heads = [];
  #loud = 0;
  /** @type {Event | null} */
  #last = null;
  #deal;

  /** @param {import('../hashing.js').Hashing} hashing */
  constructor(hashing) {
    this.hashing = hashing;
    this.#deal = new DealAtHand(hashing);
  }

  /** @param {Event} event Everything else of which has been looked at. @throws {Fault} */
  async step(event) {
    const { type, data, signed } = event;
    if (event.seq === 0) this.#begin(event);
    if (type === 'seat.joined') this.#join(data, signed);
    if (signed === undefined) this.#stepUnsigned(event);
    else await this.#stepSigned(event, signed);
    if (type === KEYED) this.#rekey(event);
    await this.#stepAfter(type, data);
    this.#deal.step(type, data);
    if (!QUIET.has(type)) this.#loud = event.seq;
    this.#heads.push(event.head);
    this.#last = event;
  }

  /** @param {Event} first */
  #begin({ stream, data }) {
    this.#match = idOf(stream);
    this.#deal.begin(data);
  }

  /**
   * @param {number} end Lines from this place on are not looked at.
   * @returns {Promise<number | null>} The place, from 0, of the first line that is signed and no signature bears out.
   *   Cost: a verification for each key.
   */
  async firstNotBorneOut(end) {
    const unborne = await Promise.all(this.#eras.map((era) => this.#unborne(era, end)));
    const found = unborne.filter((seq) => seq !== null);
    return found.length === 0 ? null : Math.min(...found);
  }

  /** @param {Era} era @param {number} end */
  async #unborne({ key, lines }, end) {
    let unborne = null;
    for (const { seq, message, signature } of lines.filter((line) => line.seq < end).reverse()) {
      if (await this.hashing.signed(key, message, signature)) return unborne;
      unborne = seq;
    }
    return unborne;
  }

  /** @returns {Record<string, SeatReport> | null} Of each seat that has or had a key; null if none had. */
  report() {
    const rows = [...this.#seats].map(([number, { key, eras, clock, serverDrew, recovered }]) => {
      const signed = eras.reduce((sum, { lines }) => sum + lines.length, 0);
      return [number, { key, signed, clock, custody: serverDrew, recovered }];
    });
    return rows.length === 0 ? null : Object.fromEntries(rows);
  }

  // ---- who has a key ------------------------------------------------------------------------------

  /** @param {{seat: number, key?: string}} data @param {Signed | undefined} signed */
  #join({ seat, key }, signed) {
    if (key === undefined) {
      this.#seats.delete(seat);
      return;
    }
    if (signed === undefined)
      throw new Fault('E_UNSIGNED', `seat ${seat} is said to have a key, and has signed nothing`);
    this.#checkFree(key);
    this.#seats.set(seat, {
      ...{ key, eras: [this.#beginEra(key)], n: -1, before: NOTHING_BEFORE, pending: null, recovered: [], clock: 0 },
      ...{ joined: '', serverMayDraw: false, serverDraws: false, serverDrew: false, blamed: false, left: false },
    });
  }

  /** @param {string} key That no seat of the match holds, or is to have. */
  #checkFree(key) {
    for (const seat of this.#seats.values()) {
      if (!seat.left && (seat.key === key || seat.pending?.key === key)) {
        throw new Fault('E_SIGNED', 'this key is that of another seat');
      }
    }
  }

  /** @param {string} key @returns {Era} */
  #beginEra(key) {
    const era = { key: unhex(key), lines: [] };
    this.#eras.push(era);
    return era;
  }

  /** @param {Event} event */
  #rekey({ seq, at, data: { seat: number, key, by } }) {
    const seat = /** @type {Seat} */ (this.#seats.get(number));
    this.#checkFree(key);
    if (by === 'seat') this.#change(seat, key);
    else seat.pending = { key, seq, at };
  }

  /** @param {Seat} seat @param {string} key */
  #change(seat, key) {
    seat.key = key;
    seat.eras.push(this.#beginEra(key));
  }

  // ---- lines that are signed ----------------------------------------------------------------------

  /** @param {Event} event @param {Signed} signed */
  async #stepSigned({ seq, type, data, at }, { command, n, seat: number, sig, version }) {
    const seat = this.#seats.get(number);
    if (seat === undefined || seat.left)
      throw new Fault('E_SIGNED', `seat ${number} has no key, and nothing to sign with`);
    if (Object.hasOwn(data, 'seat') && data.seat !== number) {
      throw new Fault('E_SIGNED', 'the line is of another seat than the signature');
    }
    if (!fits(type, data, command))
      throw new Fault('E_SIGNED', 'the line does not say what the signed command asks for');
    if (n !== seat.n + 1) {
      throw new Fault('E_SIGNED', `seat ${number} signs its commands one after the other, and this is out of turn`);
    }
    if (version <= this.#loud || version > seq) {
      throw new Fault('E_SIGNED', 'the player had not seen all that this command could depend on');
    }
    const joins = command.type === JOIN;
    const said = await this.hashing.sha256(commandText(command));
    const [place, head] = [joins ? NO_SEAT : number, unhex(this.#heads[version - 1])];
    const message = messageOf({ match: this.#match, seat: place, n, version, head, before: seat.before, said });
    const [line, digest] = [{ seq, message, signature: unhex(sig) }, await this.hashing.sha256(message)];
    if (joins) this.#seatOnce(seat, hex(digest), command);
    await this.#decideRecovery(seat, line, at);
    /** @type {Era} */ (seat.eras.at(-1)).lines.push(line);
    [seat.n, seat.before] = [n, digest];
    if (type === ARRANGED) this.#deal.handled.push({ seq, command });
  }

  /**
   * A join seats its player once: behind a change of key the first key would be free for it again.
   *
   * @param {Seat} seat
   * @param {string} joined The hash of its message, as hex.
   * @param {Record<string, any>} command
   */
  #seatOnce(seat, joined, { custody }) {
    for (const other of this.#seats.values()) {
      if (other.joined === joined) throw new Fault('E_SIGNED', 'this join has seated its player already');
    }
    Object.assign(seat, { joined, serverMayDraw: custody === 'server' });
  }

  /** @param {Seat} seat @param {SignedLine} line Signed with the old key a recovery is off. @param {number} at */
  async #decideRecovery(seat, { message, signature }, at) {
    const recovery = seat.pending;
    seat.pending = null;
    if (recovery === null || (await this.hashing.signed(unhex(seat.key), message, signature))) return;
    const inTime = at - recovery.at >= RECOVERY_MS;
    if (!inTime || !(await this.hashing.signed(unhex(recovery.key), message, signature))) {
      throw new Fault(
        'E_SIGNED',
        'a key was to be replaced, and the next command is not signed with either in its time',
      );
    }
    this.#change(seat, recovery.key);
    seat.recovered.push(recovery.seq);
  }

  // ---- lines that are not signed ------------------------------------------------------------------

  /** @param {Event} event */
  #stepUnsigned({ type, data }) {
    const seat = this.#seats.get(data.seat);
    if (seat === undefined) return;
    if (type === TIMED_OUT) seat.clock += 1;
    if (type === CUSTODY) this.#checkCustody(data, seat);
    else if (hasToBeSigned(type, data) && !this.#mayGoUnsigned(type, data, seat)) {
      throw new Fault('E_UNSIGNED', `seat ${data.seat} has a key, and has not signed this`);
    }
  }

  /** @param {any} data @param {Seat} seat Who gives the seeds back to it takes nothing from it. */
  #checkCustody(data, seat) {
    seat.serverDraws = data.by !== 'client';
    if (!seat.serverDraws) return;
    if (!seat.serverMayDraw && !this.#deal.waitsFor(data.seat)) {
      throw new Fault('E_UNSIGNED', 'the seat draws its own seeds, and none was due');
    }
    seat.serverDrew = true;
  }

  /** @param {string} type @param {any} data @param {Seat} seat */
  #mayGoUnsigned(type, data, seat) {
    if (SEEDS.has(type)) return seat.serverDraws;
    if (seat.blamed && (type === FORFEITED || type === LEFT)) return true;
    const last = this.#last;
    return last?.type === TIMED_OUT && last.data.seat === data.seat && type !== KEYED;
  }

  // ---- what follows of a line ---------------------------------------------------------------------

  /** @param {string} type @param {any} data */
  async #stepAfter(type, data) {
    if (type === LEFT) for (const seat of this.#those([data.seat])) seat.left = true;
    if (type === 'deal.voided' && this.#deal.stage === 'logged') {
      for (const seat of this.#those(data.seats)) seat.blamed = true;
    }
    if (type === 'deal.closed') await this.#deal.checkOpened(data);
  }

  /** @param {number[]} numbers @returns {Seat[]} Those of them that have keys. */
  #those(numbers) {
    return numbers.map((number) => this.#seats.get(number)).filter((seat) => seat !== undefined);
  }
}

/** @param {string} stream @returns {Uint8Array} The bytes of the id that it is named by. */
function idOf(stream) {
  return unhex(stream.slice(stream.indexOf('/') + 1).replaceAll('-', ''));
}

/** @param {string} type @param {any} data */
function hasToBeSigned(type, data) {
  if (type === KEYED) return data.by === 'seat';
  return OF_A_SEAT.has(type) || SEEDS.has(type) || type === LEFT;
}
