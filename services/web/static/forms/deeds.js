/** Moves made with one click: all that need nothing but to be chosen. */
import { isKnown } from '../table/coach.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { Names, amountWords } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{type: string} & Record<string, any>} Move */
/**
 * @typedef {object} Deed A button.
 * @property {string} label
 * @property {string} [kind]
 * @property {object} [body] The command; without one it is the type of the move alone.
 * @property {string} [form] The form it sends instead.
 * @property {boolean} [disabled]
 */

/** @param {string} type @param {import('../words/catalogue.js').Facts} [facts] @returns {string} What its button says. */
const label = (type, facts = {}) => say(CATALOGUE.moves[type].label ?? '', facts);

/** @type {Record<string, (move: Move, view: View, names: Names) => Deed[]>} */
const DEEDS = {
  roll: (_, view) => [{ label: label('roll', { standing: view.standing === null ? 'none' : 'some' }), kind: '' }],
  accept: (move) => [{ label: label('accept', { looks: move.looks ? 'yes' : 'no' }), kind: '' }],
  challenge: (move, view) => [
    { label: label('challenge', { of: move.of, cup: view.cup.length > 0 ? 'yes' : 'no' }), kind: 'doubt' },
  ],
  catch: () => [{ label: label('catch'), kind: 'exact' }],
  spot_on: () => [{ label: label('spot_on'), kind: 'exact' }],
  pass: () => [{ label: label('pass') }],
  count: () => [{ label: label('count'), kind: '' }],
  demand_bills: () => [{ label: label('demand_bills') }],
  stop: () => [{ label: label('stop') }],
  look: (_, view) => (isKnown(view) ? [] : [{ label: label('look'), kind: '' }]),
  show_cocked: (_, view) => (hasCocked(view) ? [{ label: label('show_cocked'), kind: '' }] : []),
  buy_back: (move) => [{ label: label('buy_back', { amount: amountWords(move.price, 'chip') }), kind: '' }],
  drop_out: () => [{ label: label('drop_out') }],
  continue: () => [{ label: label('continue'), kind: 'go-on' }],
  choose_first: (move, _, names) =>
    move.seats.map((/** @type {number} */ who) => ({
      label: label('choose_first', { who: names.of(who), 'who.person': names.person([who]) }),
      kind: names.viewer === who ? '' : undefined,
      body: { type: 'choose_first', who },
    })),
  declare: (move, _, names) => move.specials.flatMap((/** @type {string} */ name) => special(name, move, names)),
};
/** @param {View} view @returns {boolean} Whether the viewer can ask for the next round; also when nobody waits for them. */
function mayContinue({ continues, viewer, seats }) {
  const mine = seats.find(({ seat }) => seat === viewer);
  if (mine === undefined || !continues) return false;
  return !continues.by.includes(mine.seat) && !mine.out && !mine.stand_in;
}

/** @param {View} view @returns {boolean} Whether the viewer sees a die of the own cup lie cocked. */
const hasCocked = (view) => view.seats.some((seat) => seat.seat === view.viewer && seat.dice.some((one) => one.cocked));

/** @param {string} name @param {Move} move @param {Names} names @returns {Deed[]} */
function special(name, move, names) {
  if (name !== 'impose')
    return [{ label: label('declare', { special: name }), body: { type: 'declare', special: name } }];
  return move.targets.map((/** @type {number} */ to) => ({
    label: label('declare', { special: name, to: names.of(to) }),
    body: { type: 'declare', special: name, to },
  }));
}

/** @param {View} view @returns {Deed[]} */
export function deeds(view) {
  const names = new Names(view);
  /** @type {Move[]} */
  const open = [...view.moves, ...(mayContinue(view) ? [{ type: 'continue' }] : [])];
  return open.flatMap((move) =>
    (DEEDS[move.type]?.(move, view, names) ?? []).map((deed) => ({ body: { type: move.type }, ...deed })),
  );
}

/** @param {string} type @returns {string} What one types for a move; its price, if it has one, the table knows. */
export const typed = (type) => say(CATALOGUE.moves[type].typed, { price: '' }).split(',')[0];
