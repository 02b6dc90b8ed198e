/** The dice of one's own seat, recomputed from their openings and held against what the page shows. */

import { hex } from '../bytes.js';
import { opened } from '../cup1.js';
import { Alarm, Refusal, matchPath, readJson } from './api.js';
import { checkMix, dealOf } from './record.js';
import { boardLines, recordLines } from './seeds.js';

/** @typedef {import('./view.js').Die} Die */
/** @typedef {import('./view.js').View} View */
/** @typedef {View & {deal: import('./view.js').Deal}} Dealt A view of a match that has a deal. */

const AGAIN_MS = 1500;
/** So often are dice that differ looked at again: what tells the page of a new round may be later than their openings. */
const AGAIN_TIMES = 8;
/** What one command leads to comes as several events; only what they come to is looked at. */
const CALM_MS = 80;
const PASSED_CUP = 255;
/** After these, dice that look as before may be others. */
const THROWS = new Set(['cup.rolled', 'game.arranged']);

/** @typedef {'' | 'checking' | 'verified' | 'kept'} Proof `kept` says what only the reveal proves: which dice one kept. */

/** Keeps a mark beside one's dice true. */
export class Proving {
  #key = '';
  #throws = 0;

  /**
   * @param {{match: string, seat: number, token: string}} who
   * @param {(proof: Proof) => void} onProof
   * @param {(alarm: Alarm) => void} onAlarm
   */
  constructor(who, onProof, onAlarm) {
    this.keeper = new DiceKeeper(who);
    this.onProof = onProof;
    this.onAlarm = onAlarm;
  }

  /** @param {View} view @param {string} [event] The type of the event that led to it. */
  async see(view, event = '') {
    if (THROWS.has(event)) this.#throws += 1;
    const faces = hiddenFaces(view);
    const key = faces.length === 0 ? '' : `${view.deal?.number}/${view.round}/${this.#throws}/${faces.join()}`;
    const dealt = /** @type {Dealt} */ (view);
    if (key === this.#key) return;
    this.#key = key;
    this.onProof(key === '' ? '' : 'checking');
    await pause(CALM_MS);
    if (key === '' || this.#key !== key) return;
    try {
      const proof = (await this.keeper.verify(dealt)) || (await this.#later(dealt, key));
      if (this.#key !== key) return;
      this.onProof(proof);
      if (proof === '') this.onAlarm(new Alarm('dice'));
    } catch (trouble) {
      if (trouble instanceof Alarm) this.onAlarm(trouble);
      else if (!(trouble instanceof Refusal)) throw trouble;
      if (this.#key === key) this.onProof('');
    }
  }

  /**
   * The round may have ended while the openings were on their way, and the page may hear of it late.
   *
   * @param {Dealt} view
   * @param {string} key
   * @returns {Promise<Proof>} None if the dice differ and the page shows them all the while.
   */
  async #later(view, key) {
    for (let times = 0; times < AGAIN_TIMES; times += 1) {
      await pause(AGAIN_MS);
      if (this.#key !== key) return 'checking';
      const proof = await this.keeper.verify(view);
      if (proof !== '') return proof;
    }
    return '';
  }
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Recomputes the hidden dice that one seat may know: its own, or those of the cup that is passed on. */
class DiceKeeper {
  /** @type {Map<number, {ctx: Uint8Array, root: Uint8Array, mix: Uint8Array, cups: import('../cup1.js').Cup[]}>} */
  #deals = new Map();
  #round = '';
  #dice = 0;

  /** @param {{match: string, seat: number, token: string}} who */
  constructor(who) {
    this.who = who;
  }

  /**
   * @param {Dealt} view
   * @returns {Promise<Proof>} Whether the dice in the view are among those that were fixed before the deal. Of dice
   *   kept from a throw before the last, it is sealed until the reveal which they were.
   */
  async verify(view) {
    const deal = await this.#deal(view);
    const [, many] = view.faces;
    const dice = this.#size(view);
    /** @type {(import('../cup1.js').Opening & {deal: number})[]} */
    const openings = await readJson(matchPath(this.who.match, '/openings'), { token: this.who.token });
    const own = view.rules.board?.positions[String(this.who.seat)] ?? this.who.seat;
    const ours = openings.filter((one) => one.deal === view.deal.number && (one.cup === own || one.cup === PASSED_CUP));
    // Slots behind the dice are not dice: the blind one of a sealed choice has but one face.
    const m = (/** @type {number} */ slot) => (slot < dice ? many : 1);
    const found = ours.map((one) => opened(one, deal, m));
    if (found.includes(null)) return '';
    const all = found.flatMap((some) => some ?? []);
    const slots = all.filter((die) => die.slot < dice);
    const faces = slots.map((die) => die.value + view.faces[0]);
    if (faces.sort().join() !== hiddenFaces(view).sort().join()) return '';
    return slots.length < all.length ? 'kept' : 'verified';
  }

  /** @param {Dealt} view @returns {number} The dice of the place in this round: of those that roll, it shows none. */
  #size(view) {
    const round = `${view.deal.number}/${view.round}`;
    this.#dice = Math.max(round === this.#round ? this.#dice : 0, ownDice(view).length);
    this.#round = round;
    return this.#dice;
  }

  /** @param {Dealt} view */
  async #deal(view) {
    const known = this.#deals.get(view.deal.number);
    if (known !== undefined) return known;
    const { board } = view.rules;
    const lines = await (board === undefined ? recordLines(this.who.match) : boardLines(board.id));
    const deal = dealOf(lines, view.deal.number);
    if (hex(deal.root) !== view.deal.root) throw new Alarm('two deals');
    const checked = { ctx: deal.ctx, root: deal.root, cups: deal.cups, mix: checkMix(deal) };
    this.#deals.set(view.deal.number, checked);
    return checked;
  }
}

/** @param {View} view @returns {Die[]} The dice of the viewer's place. */
function ownDice(view) {
  if (view.cup.length > 0) return view.cup;
  return view.seats.find((one) => one.seat === view.viewer)?.dice ?? [];
}

/** @param {View} view @returns {(number | null)[]} Those that are known. */
function hiddenFaces(view) {
  const known = ownDice(view).filter((die) => !die.shown && die.face !== null);
  return known.map((die) => die.face);
}
