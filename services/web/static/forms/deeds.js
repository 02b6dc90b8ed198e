/** Moves made with one click: all that need nothing but to be chosen. */
import { isKnown } from '../table/coach.js';
import { html, nothing } from '../vendor/libraries.js';
import { Names, amountWords, sentence } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {{type: string} & Record<string, any>} Move */
/** @typedef {{label: string, kind?: string, body?: object}} Deed A button; without a body the command is its type alone. */

/** @type {Record<string, (move: Move, view: View, names: Names) => Deed[]>} */
const DEEDS = {
  roll: (_, view) => [{ label: view.standing === null ? 'Roll the cup' : 'Roll the cup, blind', kind: '' }],
  accept: (move) => [{ label: move.looks ? 'Believe it, and look' : 'Believe it', kind: '' }],
  challenge: (move, view) => [
    {
      label: move.of === 'pass' ? 'Doubt the pass' : view.cup.length > 0 ? 'Liar! Lift the cup' : 'Liar!',
      kind: 'doubt',
    },
  ],
  catch: () => [{ label: 'Too low!', kind: 'exact' }],
  spot_on: () => [{ label: 'Spot on', kind: 'exact' }],
  pass: () => [{ label: 'Pass: all mine differ' }],
  count: () => [{ label: 'Have it counted', kind: '' }],
  demand_bills: () => [{ label: 'See every number' }],
  stop: () => [{ label: 'Give up the chase' }],
  look: (_, view) => (isKnown(view) ? [] : [{ label: 'Look at your dice', kind: '' }]),
  show_cocked: (_, view) => (hasCocked(view) ? [{ label: 'A die lies cocked: throw anew', kind: '' }] : []),
  buy_back: (move) => [{ label: `Buy back in for ${amountWords(move.price, 'chip')}`, kind: '' }],
  drop_out: () => [{ label: 'Drop out' }],
  choose_first: (move, _, names) =>
    move.seats.map((/** @type {number} */ who) => ({
      label: sentence(names.does(who, 'opens', 'open')),
      kind: names.viewer === who ? '' : undefined,
      body: { type: 'choose_first', who },
    })),
  declare: (move, _, names) => move.specials.flatMap((/** @type {string} */ name) => special(name, move, names)),
};
/** @param {View} view @returns {boolean} Whether the viewer sees a die of the own cup lie cocked. */
const hasCocked = (view) => view.seats.some((seat) => seat.seat === view.viewer && seat.dice.some((one) => one.cocked));

/** What is shown, and what comes of it. @type {Record<string, string>} */
const SPECIALS = { social: 'Social 3-1: all drink', reverse: 'Reverse 3-2: turn round' };

/** @param {string} name @param {Move} move @param {Names} names @returns {Deed[]} */
function special(name, move, names) {
  if (name !== 'impose') return [{ label: SPECIALS[name] ?? name, body: { type: 'declare', special: name } }];
  return move.targets.map((/** @type {number} */ to) => ({
    label: `Impose 4-1: ${names.of(to)} drinks`,
    body: { type: 'declare', special: name, to },
  }));
}

/**
 * @param {View} view
 * @param {boolean} busy
 * @param {(body: object) => void} send
 */
export function deeds(view, busy, send) {
  const names = new Names(view);
  const made = view.moves.flatMap((/** @type {Move} */ move) =>
    (DEEDS[move.type]?.(move, view, names) ?? []).map((deed) => ({ body: { type: move.type }, ...deed })),
  );
  if (made.length === 0) return nothing;
  return html`<div class="others">
    ${made.map(
      (/** @type {Deed} */ { label, kind = 'plain-button', body }) =>
        html`<button
          type="button"
          class="button ${kind}"
          ?disabled=${busy}
          @click=${() => send(/** @type {object} */ (body))}
        >
          ${label}
        </button>`,
    )}
  </div>`;
}
