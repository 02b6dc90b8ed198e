/** The seat of this browser, if it has a key: signs for it, and looks at what the record says of it. */
import { RECOVERY_MS } from '../auditor/signing/keyed_seats.js';
import { Alarm, Refusal, ask, matchPath, serverClock } from '../client/api.js';
import { keepKey, keepTokens, tokensOf } from '../client/keep.js';
import { HeldLines } from './held_lines.js';
import { freshKey, keyAlong, plainKey } from './keys.js';
import { OwnLines } from './own_lines.js';
import { isSigned } from './public_form.js';
import { Signer } from './signer.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('./public_form.js').Command} Command */
/** @typedef {{here: boolean, along: boolean, secret?: string, asked?: string, from?: number, replaced?: number}} KeyState Whether this browser
 *   signs for the seat; whether its key goes along with the link to it; its key, where it can be taken along; the one that it has asked the host for, and from when on that
 *   one counts, once the host has named it; the line, from 1, by which the host gave the seat another one. */
/** @typedef {{onAlarm: (alarm: Alarm) => void, onKey: (state: KeyState | null) => void}} Ears */

/** What one command leads to comes as several events; only what they come to is looked at. */
const CALM_MS = 80;
/** When the record is asked for again that did not come. */
const AGAIN_MS = 2_000;

export class SignedSeat {
  #lines;
  #signer;
  #own;
  /** What the seat looked like when the record was read last. */
  #read = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #stopped = false;

  /** @param {{match: string, seat: number, token: string}} who @param {Ears} ears */
  constructor(who, ears) {
    this.who = who;
    this.ears = ears;
    this.#lines = new HeldLines(who.match, who.token);
    this.#signer = new Signer(who, this.#lines);
    this.#own = new OwnLines(who.seat, tokensOf(who.match).joined);
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Read the record where its lines are about to be signed over, or it has come to its end. @param {View} view */
  see(view) {
    const mine = view.seats.find(({ seat }) => seat === this.who.seat);
    const acts = view.moves.length > 0 ? view.version : '';
    const wanted = [mine?.key, mine?.key_named, acts, view.phase === 'finished'].join();
    if (wanted === this.#read) return;
    this.#read = wanted;
    this.#lookIn(CALM_MS, view.version);
  }

  /** @param {number} ms @param {number} version */
  #lookIn(ms, version) {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.look(version), ms);
  }

  /** What did not come is asked for again: nobody can be told of a key by a table that stands still. @param {number} version */
  async look(version) {
    try {
      await this.#tell(version);
      await this.#own.look(await this.#lines.upTo(version));
    } catch (trouble) {
      if (trouble instanceof Alarm) this.ears.onAlarm(trouble);
      else if (!(trouble instanceof Refusal)) throw trouble;
      else if (trouble.comesToPass) this.#lookIn(AGAIN_MS, version);
    }
  }

  /** @param {number} version */
  async #tell(version) {
    const { key, named, replaced } = this.#signer.standing(await this.#lines.upTo(version));
    const keys = await this.#signer.keys();
    const mine = keys.find((one) => one.key === key);
    const asked = tokensOf(this.who.match).asked;
    const isNamed = named !== null && keys.some((one) => one.key === named.key);
    const from = isNamed ? named.at + RECOVERY_MS : undefined;
    const here = mine !== undefined || (from !== undefined && serverClock.now() >= from);
    const along = key === keyAlong(this.who.match).key;
    const told = {
      here,
      along,
      secret: mine?.secret,
      asked: keys.some((one) => one.key === asked) ? asked : undefined,
      from,
    };
    this.ears.onKey({ ...told, replaced: replaced === null ? undefined : replaced + 1 });
    if (from !== undefined && !here) this.#later(version, from);
  }

  /** @param {number} version @param {number} from */
  #later(version, from) {
    this.#lookIn(Math.max(1_000, from - serverClock.now()), version);
  }

  /** @param {Command} body @param {View} view The one its player has seen. @returns {Promise<any>} The answer. */
  order(body, view) {
    const { match, token } = this.who;
    if (!isSigned(body)) return ask('POST', matchPath(match, '/commands'), { token, body });
    return this.#signer.order(body, view);
  }

  /** Change to the key that goes along with the seat. @param {View} view */
  async takeAlong(view) {
    const { key } = this.#signer.standing(await this.#lines.upTo(view.version));
    const along = keyAlong(this.who.match);
    if (key !== along.key) await this.order({ type: 'rekey', key: along.key }, view);
    await this.look((await this.#lines.refresh()).length);
  }

  /** Make a key in the place of a lost one. @param {View} view @returns {Promise<string>} What the host is to name. */
  async askForKey(view) {
    const { match } = this.who;
    const known = tokensOf(match).asked;
    if ((await this.#signer.keys()).some(({ key }) => key === known)) return known ?? '';
    const fresh = await freshKey();
    keepKey(match, fresh);
    keepTokens(match, { asked: fresh.key });
    await this.look(view.version);
    return fresh.key;
  }

  /** Sign with a key that its owner has put away. @param {string} secret @param {View} view @returns {Promise<boolean>} Whether it is the seat's. */
  async bringBack(secret, view) {
    const { key } = this.#signer.standing(await this.#lines.upTo(view.version));
    const brought = plainKey(secret);
    if (brought.key !== key) return false;
    keepKey(this.who.match, brought);
    await this.look(view.version);
    return true;
  }
}
