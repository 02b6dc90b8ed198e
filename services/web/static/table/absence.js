/** Absent seats, for whom a table waits: until when, and what happens then; on the seats, on the felt, and spoken. */
import { serverClock } from '../client/api.js';
import { html, nothing } from '../vendor/libraries.js';
import { Names, minutes, sentence } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

const HURRY_MS = 30_000;
/** A turn is told to be running out in its last third, and at the earliest in its last minute. */
const LAST_MS = 60_000;
const SECONDS_MAX = 45;

/** @param {View} view @returns {number | null} Milliseconds until the table acts for the seat in turn; null without an end. */
const left = (view) => (view.turn === null || view.due_at === null ? null : view.due_at - serverClock.now());

/** What runs for a seat without a clock of its own. @param {Seat} seat @param {View} view */
export function hourglass(seat, view) {
  const ms = view.turn === seat.seat && !seat.bot ? left(view) : null;
  if (ms === null) return nothing;
  return html`<p class="clock ${ms < HURRY_MS ? 'hurry' : ''}" title="then the table acts for this seat">
    ${minutes(ms)} to act<span class="sr">, then the table does</span>
  </p>`;
}

/** @param {Seat} seat @param {View} view */
export function awayMark(seat, view) {
  if (!seat.absent || seat.out || view.phase === 'finished' || !view.rules.idle) return nothing;
  const turns = `${seat.absent} of ${view.rules.idle.turns} turns`;
  return html`<p class="state away" title="out after ${view.rules.idle.turns} turns in a row">away, ${turns}</p>`;
}

/** @param {View} view @returns {string} When a table that nobody comes to closes, in words. */
export function closesIn(view) {
  if (view.due_at === null) return '';
  const rest = Math.max(1, Math.round((view.due_at - serverClock.now()) / 60_000));
  return `closes in ${rest} min if nobody comes or goes`;
}

/** @param {View} view What everybody has to know of a match that is about to end. */
export function endingNote(view) {
  const ends = view.ending && view.phase !== 'finished';
  return html`<p class="note ending" role="status" ?hidden=${!ends}>
    ${ends ? 'This table ends when the round is over, and nobody wins.' : ''}
  </p>`;
}

/** Says once a turn that it runs out. */
export class Reminder {
  #told = '';

  /** @param {View} view @returns {string} A sentence, or nothing to say now. */
  tell(view) {
    const ms = left(view);
    const turn = `${view.turn} ${view.due_at}`;
    if (ms === null || view.turn === null || ms > lastOf(view.rules) || this.#told === turn) return '';
    this.#told = turn;
    const seconds = Math.max(0, Math.ceil(ms / 1000));
    const rest = seconds > SECONDS_MAX ? 'a minute' : `${seconds} seconds`;
    return `${sentence(new Names(view).does(view.turn, 'has', 'have'))} ${rest} left, then the table acts.`;
  }
}

/** @param {import('../client/view.js').Rules} rules */
function lastOf({ clock, idle }) {
  return Math.min(LAST_MS, (clock?.bank_ms ?? idle?.turn_ms ?? 0) / 3);
}
