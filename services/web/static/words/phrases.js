/** The words of the house: numbers, faces, claims, amounts and people, as every page says them. */
import { CATALOGUE, countWords, handWords, joinNames, say, sentence } from './catalogue.js';

export { amountWords, countWords, faceName, facesName, inWords, joinNames, sentence } from './catalogue.js';

/** @typedef {import('../client/view.js').View} View */

/** @typedef {{quantity?: number | null, face?: number | null, shape?: string | null, faces?: number[] | null}} Claim */

/** @param {Claim} claim A count, or a hand. @returns {string} Such as "five threes" or "two pair, kings and tens". */
export function claimWords({ quantity, face, shape, faces }) {
  return shape ? handWords(shape, faces ?? []) : countWords(quantity ?? 0, face ?? 0);
}

/** @param {string} shape @returns {string} What a shape is called before its faces are known. */
export const shapeName = (shape) => CATALOGUE.shape_names[shape] ?? sentence(shape.replaceAll('_', ' '));

/** @param {import('../client/api.js').Alarm} alarm @returns {string} What the server says that cannot be so. */
export const alarmWords = ({ kind, facts }) => say(CATALOGUE.alarms[kind], facts);

/** @param {number} ms @returns {string} Minutes and seconds, as clocks show them. */
export function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** @param {number} at @returns {string} A moment as it is where the reader is, to the minute. */
export const moment = (at) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' }).format(at);

/** @param {string} name @returns {string} The name, kept from turning the direction of the words around it. */
export const apart = (name) => `\u2068${name}\u2069`;

/** What stands in place of a name that was erased: the id that records have. */
const ID = /^[pu][0-9a-f]{24}$/;

/**
 * @param {{seat: number, name: string, bot: boolean}} seat Of a view, or of a row of the lobby.
 * @returns {string} What whoever has it is called; whose name was erased goes by the seat.
 */
export const called = (seat) =>
  isErased(seat) ? say(CATALOGUE.people.erased, { seat: String(seat.seat) }) : seat.name;

/** @param {{name: string, bot: boolean}} seat */
const isErased = ({ name, bot }) => !bot && ID.test(name);

/** @param {{name: string, bot: boolean}} person @returns {string} A name in plain text; a bot says beside its own that it is one. */
export const personWords = ({ name, bot }) => (bot ? say(CATALOGUE.card.named_bot, { name }) : name);

/**
 * @param {{seat: number, name: string, bot: boolean}[]} seats
 * @returns {string} Whose table it is, as in the lobby: the first person's, or bot's.
 */
export function titleOf(seats) {
  const people = seats.filter((seat) => !seat.bot);
  const whole = [...people, ...seats].find((seat) => !isErased(seat));
  const first = whole ?? seats[0];
  return say(CATALOGUE.lobby.table, { seats: String(seats.length), name: first === undefined ? '' : called(first) });
}

/** @typedef {{code: string, message: string, facts: Record<string, any>}} Refused */

/** @param {Refused} refusal @returns {boolean} Whether the details of it are told in the language of the page. */
export const isTold = ({ code, facts }) => CATALOGUE.problems[code] === facts.title;

/** Where it is told, in English alone, what is wrong with what somebody wrote; the others say what programs do next. */
const WRITTEN = new Set(['bad_name', 'bad_question', 'malformed', 'not_understood']);

/** @param {Refused} refusal @returns {string} */
export function refusalWords(refusal) {
  const raises = refusal.facts.minimum_raises?.map(raiseWords) ?? [];
  const title = CATALOGUE.problems[refusal.code];
  const told = WRITTEN.has(refusal.code) && isTold(refusal) ? refusal.message : (title ?? refusal.facts.title);
  // What only programs mend is told in the words of those who press a button.
  const why = sentence(CATALOGUE.trouble[refusal.code] ?? told ?? refusal.message);
  return raises.length > 0 ? say(CATALOGUE.form.raises, { why, raises: raises.join(', ') }) : `${why}.`;
}

/** @param {[number, number] | [string, number[]]} raise A count of a face, or a shape and its faces. */
const raiseWords = ([what, of]) =>
  typeof what === 'string' && Array.isArray(of) ? claimWords({ shape: what, faces: of }) : `${what}x${of}`;

/** Names people at a table, for one viewer. */
export class Names {
  /** @param {View} view @param {View | null} [earlier] The view before, where those sat who have got up since. */
  constructor(view, earlier = null) {
    this.viewer = view.viewer;
    const seats = [...(earlier?.seats ?? []), ...view.seats];
    this.names = new Map(seats.map((seat) => [seat.seat, apart(called(seat))]));
  }

  /** @param {number | string} account A seat, or a place at the table such as the pot. */
  of(account) {
    const { you, seat, place } = CATALOGUE.people;
    if (typeof account === 'string') return say(place, { place: account });
    return account === this.viewer ? you : (this.names.get(account) ?? say(seat, { seat: String(account) }));
  }

  /** @param {number} seat @param {string} they What somebody else does. @param {string} you What you do. */
  does(seat, they, you) {
    return `${this.of(seat)} ${seat === this.viewer ? you : they}`;
  }

  /** @param {number} seat */
  whose(seat) {
    const { your, whose } = CATALOGUE.people;
    return seat === this.viewer ? your : say(whose, { name: this.of(seat) });
  }

  /** @param {number[]} seats @returns {'none' | 'you' | 'one' | 'many'} Of whom a verb speaks. */
  person(seats) {
    if (seats.length > 1) return 'many';
    return seats.length === 0 ? 'none' : seats[0] === this.viewer ? 'you' : 'one';
  }

  /** @param {number[]} seats @returns {string} Their names in a row. */
  all(seats) {
    return joinNames(seats.map((seat) => this.of(seat)));
  }

  /** @param {number[]} seats @param {string} they What one other does. @param {string} you Also what more than one do. */
  allDo(seats, they, you) {
    return `${this.all(seats)} ${this.person(seats) === 'one' ? they : you}`;
  }
}
