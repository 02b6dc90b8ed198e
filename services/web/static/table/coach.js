/** Advice in plain sentences: where a round stands, for the middle of the table and for whoever has to decide. */

import { Names, sentence } from '../words/phrases.js';
import { kindOf } from './faces.js';

/** @typedef {import('../client/view.js').View} View */

/** What each phase asks of the seat in turn. @type {Record<string, (view: View) => [they: string, you: string]>} */
const TURNS = {
  choosing: () => ['says who opens', 'say who opens'],
  to_roll: () => ['to roll the cup', 'roll the cup'],
  claiming: () => ['to open', 'open the round'],
  responding: (view) => ['to answer', view.standing === null ? 'answer' : 'raise it, or doubt it'],
  holding: (view) => ['to claim', view.standing === null ? 'make the first claim' : 'claim something higher'],
  called: () => ['may raise, or have it counted', 'raise, or have it counted'],
  chase: () => ['chases five aces', 'throw on for five aces, or give up'],
  buying: () => ['may buy back in', 'buy back in, or drop out'],
};

/** @param {View} view @returns {string} Whom a table waits for that has not begun. */
export const whoIsAwaited = ({ seats, rules }) =>
  `Waiting for ${seats.length < rules.seats ? 'players' : 'the host to start'}`;

/** @param {View} view @returns {string} Whose turn it is, and for what; nothing while everybody waits. */
export function whoActs(view) {
  if (view.turn === null || TURNS[view.phase] === undefined) return '';
  const [they, you] = TURNS[view.phase](view);
  const accepts = view.moves.some((move) => move.type === 'accept');
  if (view.turn === view.viewer) return `Your turn: ${accepts ? 'believe it, or doubt it' : you}`;
  return `${new Names(view).of(view.turn)} ${they}`;
}

/** @param {View} view @returns {string} What somebody reads who has nothing to do. */
export function waiting(view) {
  const mine = view.seats.find((seat) => seat.seat === view.viewer);
  if (mine?.out) return 'You are out. Stay and watch.';
  if (view.turn === null || view.phase === 'lobby' || view.phase === 'dealing' || view.phase === 'finished') return '';
  return `Waiting for ${new Names(view).of(view.turn)}.`;
}

/** @param {View} view @returns {string} What there is to decide, for those who play for the first time. */
export function coach(view) {
  const may = new Set(view.moves.map((move) => move.type));
  if (view.turn !== view.viewer) return outOfTurn(view, may);
  const advice = ADVICE.find(([is]) => is(may, view));
  return advice === undefined ? '' : advice[1](view);
}

/** @param {View} view @param {Set<string>} may */
function outOfTurn(view, may) {
  const doubt = may.has('challenge') ? ' You may doubt out of turn.' : '';
  return `${waiting(view)}${doubt}`.trim();
}

/** @param {View} view @returns {boolean} Whether the viewer has seen the dice of the own cup. */
export const isKnown = (view) => view.seats.some((seat) => seat.seat === view.viewer && seat.dice[0]?.face !== null);

/** What a standing claim says, for use in a sentence. @param {View} view */
const it = (view) => view.standing?.words ?? 'it';

/** The first that fits is said. @type {[(may: Set<string>, view: View) => boolean, (view: View) => string][]} */
const ADVICE = [
  [(may) => may.has('choose_first'), () => 'You threw the highest die: say who opens the first round.'],
  [(may) => may.has('buy_back'), () => 'That was your last life. Buy back in, or drop out.'],
  [(may) => may.has('stop'), () => 'Five aces lie on the other side. Throw on to match them, or give up.'],
  [(may) => may.has('count'), () => 'Everybody doubts you. Claim more, or have it counted.'],
  [
    (may, view) => may.has('roll') && view.standing !== null,
    (view) => `You believed ${it(view)}. Roll blind, look, and claim something higher, true or not.`,
  ],
  [(may) => may.has('roll'), () => 'Roll the cup. No other player sees what lies in it.'],
  [
    (may, view) => may.has('accept') && view.moves.some((move) => move.looks === false),
    (view) => `Believe ${it(view)} unseen, and roll to beat it; or lift the cup on a liar.`,
  ],
  [(may) => may.has('accept'), (view) => `Believe ${it(view)}, look, and pass on something higher; or lift the cup.`],
  [(may, view) => may.has('look') && !isKnown(view), () => 'Your dice lie unseen. Look at them, or claim without.'],
  [
    (may) => may.has('arrange') && !may.has('bid') && !may.has('call'),
    () => 'Show a die before you claim; you may roll the others.',
  ],
  [(may, view) => may.has('call') && view.standing === null, () => 'Name any hand: what you hold, or what you dare.'],
  [
    (may) => may.has('call') && may.has('challenge'),
    (view) => `Name a hand of your own above ${it(view)}, or call a liar a liar.`,
  ],
  [(may) => may.has('call'), (view) => `Name something above ${it(view)}: what lies there, or what you dare.`],
  [(may) => may.has('bid') && may.has('challenge'), () => 'Bid higher, or doubt the bid that stands.'],
  [
    (may, view) => may.has('bid') && kindOf(view.faces) === 'digits',
    () => 'How often does one digit stand on all bills together? Yours is here; the rest is nerve.',
  ],
  [
    (may) => may.has('bid'),
    () => 'How many dice of one face lie under all cups together? Yours are here; the rest is nerve.',
  ],
  [(may) => may.has('challenge'), () => 'Nothing beats this claim: doubt it.'],
  [() => true, () => ''],
];

/** @param {View} view @returns {string} Who has the cup that is passed on; nothing where there is none. */
export function cupWords(view) {
  if (view.cup.length === 0 || view.turn === null) return '';
  const names = new Names(view);
  const passed = view.phase === 'responding';
  return sentence(
    passed ? `the cup is passed to ${names.of(view.turn)}` : names.does(view.turn, 'has the cup', 'have the cup'),
  );
}

/** @param {View} view @returns {boolean} Whether a round is over, and the next has not begun. */
const isResting = (view) =>
  view.phase === 'between_rounds' || (view.phase === 'to_roll' && view.standing === null && view.next_starter !== null);

/** @param {View} view @returns {boolean} Whether the dice of a round lie open, its verdict said. */
export const isSettled = (view) => isResting(view) || view.phase === 'buying' || view.phase === 'finished';
