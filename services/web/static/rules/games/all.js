/** Every game of the house, by name. A game is a value. */
import { equal, maybe, members, namesKnown, object, oneOf, text, within } from '../audit/shapes.js';
import { OWN_CUPS } from './own_cups.js';
import { PASSED_CUP_GAMES } from './passed_cup.js';
import { SERIALS } from './serials.js';

/** @typedef {import('./rules.js').Rules} Rules */
/** @typedef {import('../audit/shapes.js').Shape} Shape */
/**
 * @typedef {{options: import('../audit/shapes.js').Shape, agree: (options: any) => boolean, rules: (options: any) => Rules}} Game
 */

/** @type {Map<string, Game>} */
export const GAMES = new Map(Object.entries({ ...OWN_CUPS, ...PASSED_CUP_GAMES, ...SERIALS }));

const BANK_MS_MAX = 86_400_000;
const INCREMENT_MS_MAX = 600_000;
const PAUSE_MS_MAX = 60_000;

const BEACON = members({
  chain: (value) => /^[0-9a-f]{64}$/.test(value),
  genesis: within(0, 2 ** 40),
  period: within(1, 3_600),
});

const CLOCK = members({
  bank_ms: within(1_000, BANK_MS_MAX),
  increment_ms: within(0, INCREMENT_MS_MAX),
  on_timeout: oneOf('act', 'forfeit'),
});

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const IDLE = {
  turn_ms: within(1_000, BANK_MS_MAX),
  turns: within(1, 100),
  seeds_ms: within(0, HOUR_MS),
  lobby_ms: within(1_000, DAY_MS),
  bots_ms: within(1_000, HOUR_MS),
};
/** What becomes of a seat that stays away; that it is out is not written. */
// biome-ignore lint/suspicious/noThenProperty: it is the name in the rules object, and nobody waits for a shape.
const IDLE_FURTHER = { then: oneOf('stand_in') };
const CHANGES_MAX = 10_000;
const HOST = { hold_ms: within(0, DAY_MS), away_ms: within(1_000, HOUR_MS) };

const ROUNDS_MAX = 10_000;
const UNITS_MAX = 1_000_000;
/** The end of the year 9999. */
const TIME_MAX = 253_402_300_799_999;
const U16_MAX = 2 ** 16 - 1;
const EVENT = members({
  tournament: (value) => text(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  stage: within(1, U16_MAX),
  round: within(1, 2 ** 32 - 1),
  table: within(1, U16_MAX),
  attempt: within(1, U16_MAX),
});

const BOARD = members({
  id: (value) => text(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  positions: (/** @type {any} */ value) => object(value) && Object.values(value).every(within(1, 254)),
});

const PLAIN = {
  game: text,
  options: () => true,
  deal_per: oneOf('match', 'round'),
  seats: within(2, 254),
  clock: maybe(CLOCK),
  pause_ms: within(0, PAUSE_MS_MAX),
};
/** What came later than the first matches stands there only where there is any. */
const FURTHER = {
  beacon: BEACON,
  idle: withFurther(IDLE, IDLE_FURTHER),
  host: withFurther(HOST, { changes: within(0, CHANGES_MAX), moves: oneOf('since') }),
  start: oneOf('full'),
  starts_at: within(0, TIME_MAX),
  pause_ends: oneOf('all'),
  edition: oneOf(2),
  event: EVENT,
  starter: within(1, 254),
  rounds_max: within(1, ROUNDS_MAX),
  stacks: (/** @type {any} */ value) => object(value) && Object.values(value).every(within(1, UNITS_MAX)),
  board: BOARD,
  asides: within(1, CHANGES_MAX),
};
const isShaped = withFurther(PLAIN, FURTHER);

/**
 * @param {Record<string, Shape>} always
 * @param {Record<string, Shape>} further What may stand there as well.
 * @returns {Shape}
 */
function withFurther(always, further) {
  /** @param {any} value */
  const shape = (value) => {
    const there = Object.entries(further).filter(([name]) => Object.hasOwn(value ?? {}, name));
    return members({ ...always, ...Object.fromEntries(there) })(value);
  };
  return Object.assign(shape, { members: { ...always, ...further } });
}

/**
 * @param {any} rules The rules object of the first line.
 * @returns {boolean} Whether it names only what is known here: its game, and each option by its name. Whether the values
 *   are allowed is for `rulesOf` to say: a rule that is broken is one thing, a rule that nobody has heard of another.
 */
export function isKnown(rules) {
  const game = GAMES.get(rules?.game);
  return game !== undefined && namesKnown(rules, isShaped) && namesKnown(rules.options, game.options);
}

/**
 * @param {any} settings The rules object of the first line, which has to spell every option out.
 * @param {'all' | 'shown'} policy What the deals publish when they end.
 * @returns {Rules | null} The rules it comes to; null if it is no rules object of its game.
 */
export function rulesOf(settings, policy) {
  const game = GAMES.get(settings.game);
  if (game === undefined || !isShaped(settings) || !game.options(settings.options) || !game.agree(settings.options)) {
    return null;
  }
  const read = game.rules(settings.options);
  const rules = settings.edition === undefined ? firstEdition(read) : read;
  const [lowest, highest] = rules.seats;
  const fits = lowest <= settings.seats && settings.seats <= highest;
  const served = policy === 'shown' ? !decidesUnseen(rules) : settings.deal_per === 'match' || mayDealEachRound(rules);
  return fits && served && suitsEvents(settings, rules) && suitsStart(settings) && suitsBoard(settings, rules, policy)
    ? rules
    : null;
}

/**
 * @param {any} settings
 * @param {Rules} rules
 * @param {'all' | 'shown'} policy
 * @returns {boolean} Whether it can be played with the dice of a board, if it is to be: the position is the seat.
 */
function suitsBoard({ board, seats, event, clock, starter, deal_per: per, stacks }, rules, policy) {
  if (board === undefined) return true;
  const own = Object.fromEntries(Array.from({ length: seats }, (_, at) => [at + 1, at + 1]));
  const said = event !== undefined && clock !== null && starter !== undefined && stacks === undefined;
  return equal(board.positions, own) && said && per === 'match' && policy === 'all' && mayShareDice(rules);
}

/** @param {Rules} rules @returns {boolean} Dice of an own cup lie as they fell, and one doubt of a count ends the round. */
function mayShareDice({ tokens, claims, handling, interludes, doubt, match }) {
  const plain = tokens.kind === 'own_cups' && claims.kind === 'counting' && handling.law === 'frozen';
  const one = interludes.length === 0 && !doubt.passOnce && doubt.who !== 'all' && match.bouts === null;
  return plain && one && match.nextStart !== 'letters' && match.first !== 'letters';
}

/**
 * @param {any} settings
 * @param {Rules} rules
 * @returns {boolean} Whether what is asked of a match for a tournament goes with its game and with all else.
 */
function suitsEvents({ event, starter, rounds_max: last, stacks, host, start, seats }, { match, tokens }) {
  const asked = [event, starter, last, stacks].some((each) => each !== undefined);
  if (asked && match.bouts !== null) return false;
  if (event !== undefined && (host !== undefined || start !== undefined)) return false;
  if (starter !== undefined && starter > seats) return false;
  return stacks === undefined || suitsSeats(stacks, seats, mostUnits(match, tokens));
}

/** @param {any} settings @returns {boolean} Whether a time to start, if it has one, is all that says when it starts. */
const suitsStart = ({ starts_at: at, event, start, idle }) =>
  at === undefined || (event === undefined && start === undefined && idle !== undefined);

/** @param {Record<string, number>} stacks @param {number} seats @param {number} most What a seat may begin with. */
function suitsSeats(stacks, seats, most) {
  const all = Array.from({ length: seats }, (_, at) => String(at + 1));
  return (
    Object.keys(stacks).length === seats && all.every((seat) => Object.hasOwn(stacks, seat) && stacks[seat] <= most)
  );
}

/** @param {Rules['match']} match @param {Rules['tokens']} tokens @returns {number} None where nobody is out without any. */
function mostUnits({ unit, outAt }, { dice }) {
  if (outAt !== 0) return 0;
  return unit === 'die' ? dice : unit === 'token' ? UNITS_MAX : 0;
}

/** @param {Rules} rules @returns {Rules} As they were read first: losses of seats that were out closed buying back. */
const firstEdition = (rules) => ({
  ...rules,
  interludes: rules.interludes.map((each) => (each.kind === 'buying' ? { ...each, closedBy: 'everybody' } : each)),
});

/**
 * @param {Rules} rules
 * @returns {boolean} Whether dice that were not shown stay somebody's secret when a round is over.
 */
export function keepsHidden({ reveal, tokens }) {
  return reveal.shows === 'counts' || reveal.muck || (reveal.shows === 'accused' && tokens.kind === 'own_cups');
}

/** @param {Rules} rules */
const mayDealEachRound = (rules) => !keepsHidden(rules) && rules.handling.gate !== 'blind';

/**
 * @param {Rules} rules
 * @returns {boolean} Whether dice decide that nobody is ever shown, which only a secret proves.
 */
function decidesUnseen({ claims, reveal, tokens, interludes }) {
  const counts = claims.kind === 'counting' && reveal.shows !== 'all';
  const looks = interludes.some(({ kind }) => kind === 'chase' || kind === 'cocked');
  return counts || reveal.muck || tokens.singleUse || looks;
}
