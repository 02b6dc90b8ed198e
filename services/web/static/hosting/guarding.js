/**
 * What holds the server to its word at a table: the history it has shown, the seeds and the dice of one's own seat. It
 * comes behind the page, which is read and played at meanwhile; what was shown before is held against it then.
 */
import { Refusal, ask, brought, matchPath, needed } from '../client/api.js';
import { Awake } from '../show/awake.js';

/** @typedef {import('../client/api.js').Alarm} Alarm */
/** @typedef {import('./boards.js').BoardDrawer} BoardDrawer */
/** @typedef {import('../client/history.js').History} History */
/** @typedef {import('../client/proving.js').Proof} Proof */
/** @typedef {import('../client/proving.js').Proving} Proving */
/** @typedef {import('../client/seeds.js').SeedKeeper} SeedKeeper */
/** @typedef {import('../client/trust.js').Distrust} Distrust */
/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../signing/seat.js').KeyState} KeyState */
/** @typedef {import('../signing/seat.js').SignedSeat} SignedSeat */
/** @typedef {{match: string, seat: number, token: string}} Who Whose dice and seeds they are. */
/** @typedef {{Proving: typeof import('../client/proving.js').Proving, SeedKeeper: typeof import('../client/seeds.js').SeedKeeper,
 *   seedKey: typeof import('../client/seeds.js').seedKey, boards: BoardDrawer}} Guards */

/**
 * @typedef {object} Ears
 * @property {(alarm: Alarm) => void} onAlarm
 * @property {(text: string) => void} onPolicy
 * @property {(count: number) => void} onKept
 * @property {(proof: Proof) => void} onProof
 * @property {(state: KeyState | null) => void} onKey
 */

export class Guard {
  /** @type {Guards | null} */
  #guards = null;
  /** @type {History | null} */
  #history = null;
  /** @type {SeedKeeper | null} */
  #seeds = null;
  /** @type {Proving | null} */
  #proving = null;
  /** @type {Who | null} */
  #who = null;
  /** @type {View | null} */
  #view = null;
  /** What was shown before there was a history to hold it against. @type {[number, string][]} */
  #shown = [];
  /** The seat, once it is known to have a key. @type {Promise<SignedSeat> | null} */
  #signed = null;
  /** Whether it was asked for a key for a seat that has none. */
  #asked = false;
  #awake = new Awake();
  #stopped = false;

  /** @param {string} match @param {Ears} ears */
  constructor(match, ears) {
    this.match = match;
    this.ears = ears;
    void this.#load();
  }

  async #load() {
    const { History } = await brought(() => import('../client/history.js'));
    const { Proving } = await brought(() => import('../client/proving.js'));
    const { SeedKeeper, seedKey } = await brought(() => import('../client/seeds.js'));
    const { BoardDrawer } = await brought(() => import('./boards.js'));
    if (this.#stopped) return;
    this.#guards = { Proving, SeedKeeper, seedKey, boards: new BoardDrawer(this.ears.onAlarm) };
    this.#history = new History(this.match, this.ears);
    for (const [version, head] of this.#shown.splice(0)) this.#history.see(version, head);
    this.keep(this.#who);
    if (this.#view !== null) this.see(this.#view);
    void this.#history.begin();
  }

  stop() {
    this.#stopped = true;
    this.#history?.stop();
    void this.#awake.keep(false);
    void this.#signed?.then((signed) => signed.stop());
  }

  /** Draw and check for this seat from now on, and for no other. @param {Who | null} who */
  keep(who) {
    this.#who = who;
    this.#seeds = null;
    this.#proving = null;
    void this.#signed?.then((signed) => signed.stop());
    this.#signed = null;
    this.ears.onProof('');
    this.ears.onKey(null);
    if (who === null || this.#guards === null) return;
    const { Proving, SeedKeeper, seedKey } = this.#guards;
    // What the seat of before has still under way is not asked for as the one that is here by then.
    const order = (/** @type {{type: string}} */ body, /** @type {string} */ key) =>
      this.#who?.token === who.token
        ? this.order(body, key)
        : Promise.reject(new Refusal({ code: 'no_seat', status: 409 }));
    const ears = this.#earsOf(who);
    this.#seeds = new SeedKeeper({ ...who, seeds: seedKey(this.match) }, ears.onAlarm, order);
    this.#proving = new Proving(who, ears.onProof, ears.onAlarm);
  }

  /** @param {Who} who @returns {Ears} What is told of the seat for as long as this page guards it. */
  #earsOf(who) {
    const { onProof, onKey } = this.ears;
    const isOurs = () => this.#who === who;
    return {
      ...this.ears,
      onProof: (proof) => isOurs() && onProof(proof),
      onKey: (state) => isOurs() && onKey(state),
    };
  }

  /** @param {{version: number, head: string}} line The last one that the server has shown. */
  hold({ version, head }) {
    if (this.#history === null) this.#shown.push([version, head]);
    else this.#history.see(version, head);
  }

  /** Do what a view asks of the seat, and check its dice. @param {View} view @param {string} [event] What led to it. */
  see(view, event) {
    this.#view = view;
    const own = view.seats.some(({ seat, custody }) => seat === this.#who?.seat && custody === 'client');
    void this.#awake.keep(own && view.phase !== 'lobby' && view.phase !== 'finished');
    void this.#seeds?.see(view);
    void this.#proving?.see(view, event);
    if (this.#hasKey()) void this.signed().then((signed) => signed.see(view), offline);
    else this.#takeGiven(view);
    this.#drawForBoard(view);
  }

  /** A seat that was given out has a key as soon as its player is here; at an event its entrant brings the key. @param {View} view */
  #takeGiven({ phase, rules, seats, viewer }) {
    const who = this.#who;
    const seat = seats.find((one) => one.seat === who?.seat);
    if (this.#asked || who === null || seat === undefined || viewer !== who.seat) return;
    if (phase !== 'lobby' || rules.event !== undefined) return;
    this.#asked = true;
    void signGiven(who, seat).catch(offline);
  }

  #hasKey() {
    const { seats = [] } = this.#view ?? {};
    return seats.some(({ seat, key }) => seat === this.#who?.seat && Boolean(key));
  }

  /** @returns {Promise<SignedSeat>} What signs for the seat here, which has a key. */
  signed() {
    this.#signed ??= this.#begun(/** @type {Who} */ (this.#who));
    return this.#signed;
  }

  /** @param {Who} who */
  async #begun(who) {
    try {
      const { SignedSeat } = await needed(import('../signing/seat.js'));
      return new SignedSeat(who, this.#earsOf(who));
    } catch (trouble) {
      // It is asked for again with the next view.
      if (this.#who === who) this.#signed = null;
      throw trouble;
    }
  }

  /**
   * Ask for something as the seat here: signed, if it has a key.
   *
   * @param {{type: string}} body
   * @param {string} [key] Where another device may ask for the very same.
   * @returns {Promise<any>} The answer.
   */
  async order(body, key) {
    if (this.#hasKey()) return (await this.signed()).order(body, /** @type {View} */ (this.#view));
    return ask('POST', matchPath(this.match, '/commands'), { token: this.#who?.token, body, key });
  }

  /** Get up from the seat here. @returns {Promise<any>} The answer. */
  leave() {
    if (this.#hasKey()) return this.order({ type: 'leave' });
    return ask('DELETE', matchPath(this.match, '/seats/me'), { token: this.#who?.token });
  }

  /** Where the dice are shared with other tables, their board asks for the seeds. @param {View} view */
  #drawForBoard({ rules, deal, seats }) {
    if (rules.board === undefined || deal !== null || this.#who === null) return;
    const { seat, token } = this.#who;
    if (seats.some((one) => one.seat === seat && one.custody === 'client'))
      this.#guards?.boards.begin(rules.board.id, token, this.#guards.seedKey(this.match));
  }

  /** Hold all that was shown against the record. */
  compare() {
    void this.#history?.compare();
  }

  /** Begin anew, for another policy is believed now. */
  again() {
    void this.#history?.begin();
    if (this.#view !== null) void this.#seeds?.see(this.#view);
  }

  download() {
    this.#history?.download();
  }
}

/** @param {Who} who @param {import('../client/view.js').Seat} seat */
async function signGiven(who, seat) {
  const { signForGiven } = await needed(import('../signing/given_out.js'));
  await signForGiven(who, seat);
}

/** A line that is gone is no trouble yet. @param {unknown} trouble */
function offline(trouble) {
  if (!(trouble instanceof Refusal)) throw trouble;
}

/** @returns {Promise<Alarm | null>} Why this browser would not open its seeds in the end, before it promises any. */
export async function doubtOfLog() {
  try {
    const { distrust } = await needed(import('../client/trust.js'));
    return await distrust();
  } catch (trouble) {
    // A server that cannot be asked now is no liar, and whatever draws seeds asks again.
    if (trouble instanceof Refusal) return null;
    throw trouble;
  }
}

/** @param {Alarm} alarm @returns {Distrust['policies'] | null} Those that differ, if it is about them. */
export const policiesOf = (alarm) => ('policies' in alarm ? /** @type {Distrust} */ (alarm).policies : null);
