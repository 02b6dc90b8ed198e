/** The table itself: seats around a felt, and what stands on it. The replay draws the same. */

import { serverClock } from '../client/api.js';
import { classMap, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { levelName, levelOf } from '../words/levels.js';
import { amountWords, called, claimWords, minutes } from '../words/phrases.js';
import { awayMark, hourglass, standing } from './absence.js';
import { isSettled } from './coach.js';
import { counting, hand, pictured } from './dice.js';
import { cup, mark, seal } from './faces.js';
import { middle } from './felt.js';
import { held } from './ledger.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */
/** @typedef {import('../client/view.js').Die} Die */

const WORDS = CATALOGUE.board;
const KEYS = CATALOGUE.keys;
const HURRY_MS = 10_000;
/** So many seats a narrow screen shows beside each other; more are scrolled, by keyboard as well. */
const STRIP_MAX = 4;

/**
 * @param {View} view
 * @param {{counting?: boolean, thread?: import('../client/view.js').Claim[], over?: unknown, said?: (seat: Seat, view: View) => unknown}} [how] `counting`: whether
 *   clocks run down while one looks: who looks back has no dice in hand beside the table; `thread`: the claims of the round so far; `over`: what is drawn over it; `said`: what hangs at a seat.
 */
export function board(view, { counting: running = true, thread = [], over = nothing, said = () => nothing } = {}) {
  const shown = isSettled(view) ? view.last : null;
  const counts = counting(view.seats, shown, view.flags);
  return html`<div class="ring" data-n=${view.seats.length}>
    <div class="felt"><div class="stage" data-stage></div>${middle(view, running, thread)}</div>
    <ol class="seats" aria-label=${WORDS.seats} tabindex=${view.seats.length > STRIP_MAX ? '0' : nothing}>
      ${fromViewer(view).map((seat) => seatCard(seat, view, counts, running, said(seat, view)))}
    </ol>
    ${over}
  </div>`;
}

/** The viewer sits at the near side, the others in turn. @param {View} view @returns {Seat[]} */
function fromViewer(view) {
  const first = Math.max(
    0,
    view.seats.findIndex((seat) => seat.seat === view.viewer),
  );
  return [...view.seats.slice(first), ...view.seats.slice(0, first)];
}

/** @param {Seat} seat @param {View} view @param {(die: Die) => boolean} counts @param {boolean} running @param {unknown} said */
function seatCard(seat, view, counts, running, said) {
  const you = seat.seat === view.viewer;
  const turn = view.turn === seat.seat;
  const classes = { seat: true, turn, you, out: seat.out, won: view.winner === seat.seat };
  return html`<li class=${classMap(classes)} aria-current=${turn ? 'true' : nothing} data-seat=${seat.seat}>
    <p class="name">
      ${mark(seat.seat)}<bdi class="text" title=${called(seat)}>${called(seat)}</bdi>
      ${you ? html`<span class="tag own">${WORDS.you}</span>` : nothing}
      ${seat.bot ? botTag(seat) : nothing} ${signs(seat, view)}
      ${standing(seat, view)} ${turn && view.cup.length > 0 ? html`<span class="has-cup" title=${WORDS['has cup']}>${cup}</span>` : nothing}
    </p>
    ${running && isInHand(seat, view) ? nothing : hand(seat.dice, say(WORDS.whose, { name: called(seat) }), { counts, faces: view.faces })}
    ${lostOf(seat, view)} ${seat.out ? html`<p class="state">${WORDS.out}</p>` : nothing} ${awayMark(seat, view)}
    ${view.waiting.includes(seat.seat) ? html`<p class="state">${WORDS.waits}</p>` : nothing} ${saying(seat, view)}
    ${seat.counted === null ? nothing : html`<p class="counted">${say(WORDS.counted, { count: String(seat.counted) })}</p>`}
    ${clockOf(seat, view, running)} ${ledgerOf(seat)} ${said}
  </li>`;
}

/** @param {Seat} seat One that the house plays: its level, and on asking what that goes by. */
function botTag({ player }) {
  const level = levelOf(player);
  return html`<span class="tag" title=${levelName(level)}>${say(WORDS.bot, { level: level.slice(1) })}</span>`;
}

/** Whether what a seat does is signed, where any seat signs. @param {Seat} seat @param {View} view */
function signs(seat, { seats, viewer }) {
  if (!seats.some(({ key }) => key)) return nothing;
  const said = !seat.key ? KEYS.house : seat.seat === viewer ? KEYS.yours : KEYS.other;
  return html`<span class="signs ${seat.key ? '' : 'house'}" role="img" aria-label=${said} title=${said}>${seal}</span>`;
}

/** Dice that a seat has lost lie upside down beside those it has. @param {Seat} seat @param {View} view */
function lostOf(seat, view) {
  const begun = Number(view.rules.options.dice_per_player ?? 0);
  const lost = seat.balances.die === undefined || seat.out ? 0 : begun - seat.balances.die;
  if (lost <= 0) return nothing;
  return html`<span class="lost" role="img" aria-label=${say(CATALOGUE.screen.lost, { dice: amountWords(lost, 'die') })}>
    ${Array.from({ length: lost }, () => html`<i></i>`)}
  </span>`;
}

/** One's own dice are drawn once: large, at one's own place, until all are lifted. @param {Seat} seat @param {View} view */
const isInHand = (seat, view) => seat.seat === view.viewer && !isSettled(view);

/** What a seat has said that still stands. @param {Seat} seat @param {View} view */
function saying(seat, view) {
  if (isSettled(view)) return nothing;
  if (view.standing?.seat === seat.seat) {
    return html`<p class="claim">
      <span class="sr">${say(WORDS.claims, { claim: claimWords(view.standing) })}</span>
      <span class="picture" aria-hidden="true">${pictured(view.standing, view.faces)}</span>
    </p>`;
  }
  if (view.pass_by === seat.seat) return html`<p class="claim">${WORDS.passes}</p>`;
  return view.doubters.includes(seat.seat) ? html`<p class="claim doubting">${WORDS.doubts}</p>` : nothing;
}

/** @param {Seat} seat @param {View} view @param {boolean} running */
function clockOf(seat, view, running) {
  if (seat.out) return nothing;
  if (seat.bank_ms === null) return running ? hourglass(seat, view) : nothing;
  const runs = running && view.turn === seat.seat && view.due_at !== null;
  const left = runs ? view.due_at - serverClock.now() : seat.bank_ms;
  return html`<p class="clock ${runs && left < HURRY_MS ? 'hurry' : ''}">
    <span class="sr">${WORDS.left}</span> ${minutes(left)}
  </p>`;
}

/** @param {Seat} seat */
function ledgerOf(seat) {
  const told = held(seat.balances);
  return told.length === 0 ? nothing : html`<p class="ledger">${told.map((text) => html`<span>${text}</span>`)}</p>`;
}
