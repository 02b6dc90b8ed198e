/** The dice of one's own seat, recomputed from their openings and held against what the page shows. */
import { Refusal, matchPath, readJson } from './api.js';
import { hex } from './bytes.js';
import { opened } from './cup1.js';
import { Alarm, checkMix, dealOf } from './record.js';
import { recordLines } from './seeds.js';

const AGAIN_MS = 1500;

/** Keeps a mark beside one's dice true. */
export class Proving {
  #key = '';

  /**
   * @param {{match: string, seat: number, token: string}} who
   * @param {(proof: '' | 'checking' | 'verified') => void} onProof
   * @param {(alarm: Alarm) => void} onAlarm
   */
  constructor(who, onProof, onAlarm) {
    this.keeper = new DiceKeeper(who);
    this.onProof = onProof;
    this.onAlarm = onAlarm;
  }

  /** @param {any} view */
  async see(view) {
    const faces = hiddenFaces(view, view.viewer);
    const key = faces.length === 0 ? '' : `${view.deal?.number}/${view.round}/${faces.join('')}`;
    if (key === this.#key) return;
    this.#key = key;
    this.onProof(key === '' ? '' : 'checking');
    if (key === '') return;
    try {
      const verified = (await this.keeper.verify(view)) || (await this.#later(view, key));
      if (this.#key !== key) return;
      this.onProof(verified ? 'verified' : '');
      if (!verified) this.onAlarm(new Alarm('The dice on this page are not those the server can open.'));
    } catch (trouble) {
      if (trouble instanceof Alarm) this.onAlarm(trouble);
      else if (!(trouble instanceof Refusal)) throw trouble;
      if (this.#key === key) this.onProof('');
    }
  }

  /** The round may have ended while the openings were on their way. @param {any} view @param {string} key */
  async #later(view, key) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    return this.#key !== key || this.keeper.verify(view);
  }
}

/** Recomputes the hidden dice of one seat. */
class DiceKeeper {
  /** @type {Map<number, {ctx: Uint8Array, root: Uint8Array, mix: Uint8Array, cups: any}>} */
  #deals = new Map();

  /** @param {{match: string, seat: number, token: string}} who */
  constructor(who) {
    this.who = who;
  }

  /**
   * @param {any} view
   * @returns {Promise<boolean>} Whether the dice in the view are those that were fixed before the deal.
   */
  async verify(view) {
    const deal = await this.#deal(view);
    const openings = await readJson(matchPath(this.who.match, '/openings'), { token: this.who.token });
    const found = openings.filter(
      (/** @type {any} */ one) => one.deal === view.deal.number && one.cup === this.who.seat,
    );
    const dice = found.map((/** @type {any} */ one) => opened(one, deal));
    if (dice.includes(null)) throw new Alarm('A die of yours is not the one that was fixed before the deal.');
    const faces = dice.flat().map((/** @type {any} */ die) => die.value + 1);
    return faces.sort().join() === hiddenFaces(view, this.who.seat).sort().join();
  }

  /** @param {any} view */
  async #deal(view) {
    const known = this.#deals.get(view.deal.number);
    if (known !== undefined) return known;
    const deal = dealOf(await recordLines(this.who.match), view.deal.number);
    if (hex(deal.root) !== view.deal.root) throw new Alarm('The record and the table show two different deals.');
    const checked = { ctx: deal.ctx, root: deal.root, cups: deal.cups, mix: checkMix(deal) };
    this.#deals.set(view.deal.number, checked);
    return checked;
  }
}

/** @param {any} view @param {number} seat @returns {number[]} */
function hiddenFaces(view, seat) {
  const dice = view.seats.find((/** @type {any} */ one) => one.seat === seat)?.dice ?? [];
  return dice
    .filter((/** @type {any} */ die) => !die.shown && die.face !== null)
    .map((/** @type {any} */ die) => die.face);
}
