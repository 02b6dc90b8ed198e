/** Advice in plain sentences: where a round stands, for the middle of the table and for whoever has to decide. */

import { CATALOGUE, say } from '../words/catalogue.js';
import { factsOf } from '../words/facts.js';
import { Names, claimWords } from '../words/phrases.js';
import { kindOf } from './faces.js';

/** @typedef {import('../client/view.js').View} View */

/** @typedef {import('../words/catalogue.js').Message} Message */

/** @type {{going_on: Message, awaited: Message, acts: Message, out: string, waits: Message, elsewhere: string,
 *   out_of_turn: string, cup: Message, advice: Record<string, Message>}} */
const WORDS = CATALOGUE.table;

/** @param {boolean} is @returns {string} As a message asks for it. */
const yesOr = (is) => (is ? 'yes' : 'no');

/** @param {View} view @returns {import('../words/catalogue.js').Facts} Whose turn it is, and what stands there. */
function factsOfTurn(view) {
  const claim = view.standing === null ? 'none' : claimWords(view.standing);
  return { ...factsOf({ turn: view.turn }, new Names(view)), phase: view.phase, claim };
}

/** @param {View} view @returns {string} Whom a table waits for that has not begun. */
export const whoIsAwaited = ({ seats, rules }) => say(WORDS.awaited, { full: yesOr(seats.length >= rules.seats) });

/** @param {View} view @returns {boolean} Whether the round is over here, and goes on at other tables with the same dice. */
const isHeld = ({ phase }) => phase === 'awaiting_board';

/** @param {View} view @returns {string} Whose turn it is, and for what; nothing while everybody waits. */
export function whoActs(view) {
  if (isHeld(view)) return WORDS.elsewhere;
  if (view.turn === null) return '';
  const accepts = view.moves.some((move) => move.type === 'accept');
  return say(WORDS.acts, { ...factsOfTurn(view), accepts: yesOr(accepts) });
}

/** @param {View} view @returns {string} What somebody reads who has nothing to do. */
export function waiting(view) {
  const mine = view.seats.find((seat) => seat.seat === view.viewer);
  if (mine?.out) return WORDS.out;
  if (isHeld(view)) return WORDS.elsewhere;
  if (view.continues !== null) return goingOn(view, view.continues);
  if (view.turn === null || view.phase === 'lobby' || view.phase === 'dealing' || view.phase === 'finished') return '';
  return say(WORDS.waits, factsOfTurn(view));
}

/** @param {View} view @param {{by: number[], awaits: number[]}} continues @returns {string} Who has looked enough, if anybody. */
function goingOn(view, { by, awaits }) {
  const names = new Names(view);
  const nobody = by.length === 0 || awaits.length === 0;
  return nobody ? '' : say(WORDS.going_on, { by: names.all(by), awaits: names.all(awaits) });
}

/** @param {View} view @returns {string} What there is to decide, for those who play for the first time. */
export function coach(view) {
  const may = new Set(view.moves.map((move) => move.type));
  if (view.turn !== view.viewer) return outOfTurn(view, may);
  const advice = ADVICE.find(([is]) => is(may, view));
  if (advice === undefined) return '';
  const [, key, more] = advice;
  return say(WORDS.advice[key], { ...factsOfTurn(view), ...more?.(may, view) });
}

/** @param {View} view @param {Set<string>} may */
function outOfTurn(view, may) {
  return [waiting(view), may.has('challenge') ? WORDS.out_of_turn : ''].filter(Boolean).join(' ');
}

/** @param {View} view @returns {boolean} Whether the viewer has seen the dice of the own cup. */
export const isKnown = (view) => view.seats.some((seat) => seat.seat === view.viewer && seat.dice[0]?.face !== null);

/** @typedef {(may: Set<string>, view: View) => Record<string, string>} More What a piece of advice goes by besides. */

/** The first that fits is said, by its key in the catalogue. @type {[(may: Set<string>, view: View) => boolean, string, More?][]} */
const ADVICE = [
  [(may) => may.has('choose_first'), 'choose_first'],
  [(may) => may.has('buy_back'), 'buy_back'],
  [(may) => may.has('stop'), 'stop'],
  [(may) => may.has('count'), 'count'],
  [(may) => may.has('roll'), 'roll'],
  [
    (may) => may.has('accept'),
    'accept',
    (_, view) => ({ looks: yesOr(!view.moves.some((move) => move.looks === false)) }),
  ],
  [(may, view) => may.has('look') && !isKnown(view), 'look'],
  [(may) => may.has('arrange') && !may.has('bid') && !may.has('call'), 'show'],
  [(may) => may.has('call'), 'call', (may, view) => ({ doubt: yesOr(view.standing !== null && may.has('challenge')) })],
  [(may) => may.has('bid'), 'bid', (may, view) => ({ kind: may.has('challenge') ? 'doubt' : kindOf(view.faces) })],
  [(may) => may.has('challenge'), 'challenge'],
];

/** @param {View} view @returns {string} Who has the cup that is passed on; nothing where there is none. */
export function cupWords(view) {
  if (view.cup.length === 0 || view.turn === null) return '';
  return say(WORDS.cup, { ...factsOfTurn(view), passed: yesOr(view.phase === 'responding') });
}

/** @param {View} view @returns {boolean} Whether a round is over, and the next has not begun. */
const isResting = (view) =>
  view.phase === 'between_rounds' || (view.phase === 'to_roll' && view.standing === null && view.next_starter !== null);

/** @param {View} view @returns {boolean} Whether the dice of a round lie open, its verdict said. */
export const isSettled = (view) => isResting(view) || view.phase === 'buying' || view.phase === 'finished';
