/**
 * Who signs for a seat: every command of it, over the last line its player has seen, whose hash is worked out here.
 *
 * The law of the file: what is signed is kept before it is sent, and what got no answer is sent again as the same bytes.
 * A command counts when its line stands in the record, and not before; until then the next one has the same number, so at
 * most one of them can stand. CUP/1 sections 4.14.2 and 4.14.8.
 */
import { RECOVERY_MS } from '../auditor/signing/keyed_seats.js';
import { hex } from '../bytes.js';
import { Refusal, ask, freshKey as freshRequest, matchPath, readJson, serverClock } from '../client/api.js';
import { keepUnanswered, tokensOf, unanswered } from '../client/keep.js';
import { Refused } from '../rules/refused.js';
import { PASSED_CUP, handOf } from './hand.js';
import { keyAlong, keyFrom } from './keys.js';
import { freshSalt, handlingForm, publicForm } from './public_form.js';
import { messageFor, standingOf } from './standing.js';

/** @typedef {import('../auditor/chain.js').Event} Event */
/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('./keys.js').SeatKey} SeatKey */
/** @typedef {import('./public_form.js').Command} Command */
/** @typedef {import('./standing.js').Standing} Standing */

const TRIES_MAX = 4;
/** What one asks for whatever has happened meanwhile: the line it is signed over is the newest there is. */
const TIMELESS = new Set(['leave', 'resign', 'rekey', 'commit_seed', 'open_seed']);

/** @param {string} code */
const refused = (code) => new Refusal({ code, status: 409 });

export class Signer {
  /**
   * @param {{match: string, seat: number, token: string}} who
   * @param {import('./held_lines.js').HeldLines} lines
   */
  constructor(who, lines) {
    this.who = who;
    this.lines = lines;
  }

  /** @returns {Promise<SeatKey[]>} Those of the seat that are in this browser. */
  async keys() {
    const found = await Promise.all((tokensOf(this.who.match).keys ?? []).map(keyFrom));
    return [...found.filter((key) => key !== null), keyAlong(this.who.match)];
  }

  /** @param {Event[]} events @returns {Standing} */
  standing(events) {
    const standing = standingOf(events, this.who.match, this.who.seat);
    if (standing === null) throw refused('no_seat');
    return standing;
  }

  /**
   * Ask for something, signed. Pages of one browser do so one after the other.
   *
   * @param {Command} body
   * @param {View} view The one that its player has seen.
   * @returns {Promise<any>} The answer.
   */
  order(body, view) {
    return inTurn(`truecup.order.${this.who.match}`, () => this.#order(body, view));
  }

  /** @param {Command} body @param {View} view */
  async #order(body, view) {
    const { match, token } = this.who;
    for (let left = TRIES_MAX - 1; ; left -= 1) {
      const order = await this.#signed(body, view);
      keepUnanswered(match, order);
      try {
        const answer = await ask('POST', matchPath(match, '/commands'), { token, ...order });
        keepUnanswered(match, null);
        return answer;
      } catch (trouble) {
        if (!(trouble instanceof Refusal) || trouble.isUnjudged) throw trouble;
        keepUnanswered(match, null);
        // Another page of this seat may have signed in between what changes nothing here, such as a seed.
        const late = trouble.code === 'bad_signature' && (trouble.facts.why === 'n' || TIMELESS.has(body.type));
        if (!late || left === 0) throw trouble;
        await this.lines.refresh();
      }
    }
  }

  /** @param {Command} body @param {View} view @returns {Promise<import('../client/keep.js').Order>} */
  async #signed(body, view) {
    const events = await this.lines.upTo(view.version);
    if (events.length < view.version) throw refused('unreachable');
    const standing = this.standing(events);
    const key = await this.#keyAt(standing);
    const version = TIMELESS.has(body.type) ? events.length : view.version;
    const [n, asked] = [standing.n + 1, JSON.stringify(body)];
    const before = unanswered(this.who.match);
    const { signed: last } = before?.body ?? {};
    if (before?.asked === asked && last.n === n && last.version === version) return before;
    const { command, sent, salt } = await this.#formOf(body, view, events);
    const message = messageFor({ ...this.who, n, before: standing.before, version }, command, events);
    const signed = { n, version, sig: hex(await key.sign(message)), ...salt };
    return { asked, body: { ...sent, signed }, key: freshRequest() };
  }

  /** @param {Standing} standing @returns {Promise<SeatKey>} */
  async #keyAt({ key, named }) {
    const own = await this.keys();
    const isTime = named !== null && serverClock.now() - named.at >= RECOVERY_MS;
    const found = own.find((one) => one.key === key) ?? (isTime ? own.find((one) => one.key === named.key) : undefined);
    if (found === undefined) throw refused('lost_key');
    return found;
  }

  /** @param {Command} body @param {View} view @param {Event[]} events */
  async #formOf(body, view, events) {
    if (body.type !== 'arrange') return { command: publicForm(body), sent: body, salt: {} };
    const { match, seat, token } = this.who;
    const cup = view.cup.length > 0 ? PASSED_CUP : (view.rules.board?.positions[String(seat)] ?? seat);
    const openings = await readJson(matchPath(match, '/openings'), { token });
    const [sent, salt] = [inSight(body, view), freshSalt()];
    try {
      return { command: handlingForm(sent, handOf(events, openings, cup, view.faces[1]), salt), sent, salt: { salt } };
    } catch (trouble) {
      // The proofs may be those of the next line by now: whoever asks again is told so.
      throw trouble instanceof Refused ? refused('wrong_phase') : trouble;
    }
  }
}

/** With the screen up, all that is rolled is rolled in sight. @param {Command} body @param {View} view @returns {Command} */
function inSight(body, { moves }) {
  const placements = moves.find(({ type }) => type === 'arrange')?.placements ?? [];
  if (placements.includes('roll_inside') || !placements.includes('roll_outside')) return body;
  return { ...body, roll_inside: [], roll_outside: [...body.roll_inside, ...body.roll_outside] };
}

/**
 * Browsers withhold locks from pages without a secure context, and refuse them where nothing may be kept; there the counter
 * of commands lets one stand.
 */
const locks = globalThis.navigator?.locks;
/** @type {Promise<unknown>} */
let queue = Promise.resolve();

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} what
 * @returns {Promise<T>}
 */
export async function inTurn(name, what) {
  let begun = false;
  const begin = () => {
    begun = true;
    return what();
  };
  try {
    if (locks !== undefined) return /** @type {T} */ (await locks.request(name, begin));
  } catch (trouble) {
    if (begun) throw trouble;
  }
  const turn = queue.then(what);
  queue = turn.catch(() => {});
  return turn;
}
