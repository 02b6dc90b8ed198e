/** Absent seats, for whom a table waits: until when, and what happens then; on the seats, on the felt, and spoken. */
import { serverClock } from '../client/api.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, countNoun, inWords, say, sentence } from '../words/catalogue.js';
import { Names, minutes, moment } from '../words/phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

const WORDS = CATALOGUE.board;
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
  return html`<p class="clock ${ms < HURRY_MS ? 'hurry' : ''}" title=${WORDS.acts}>
    ${say(WORDS['to act'], { time: minutes(ms) })}<span class="sr">${WORDS.does}</span>
  </p>`;
}

/** @param {Seat} seat @param {View} view */
export function awayMark(seat, view) {
  if (!seat.absent || seat.out || view.phase === 'finished' || !view.rules.idle) return nothing;
  const facts = { absent: String(seat.absent), turns: String(view.rules.idle.turns) };
  return html`<p class="state away" title=${say(WORDS['away out'], facts)}>${say(WORDS.away, facts)}</p>`;
}

/** Who hosts, who is stood in for, and who is about to go. @param {Seat} seat @param {View} view */
export function standing(seat, view) {
  const marks = [
    ...(view.host === seat.seat ? ['host'] : []),
    ...(seat.stand_in ? ['stand_in'] : []),
    ...(seat.kicked && !seat.out ? ['kicked'] : []),
  ];
  return marks.map(
    (mark) => html`<span class="tag" title=${CATALOGUE.marks[mark].title}>${CATALOGUE.marks[mark].tag}</span>`,
  );
}

/** @param {View} view @returns {string} When a table starts by itself, or closes as nobody comes to it, in words. */
export function closesIn(view) {
  if (view.due_at === null) return '';
  if (view.rules.starts_at) return say(WORDS.starts, { time: moment(view.rules.starts_at) });
  const rest = Math.max(1, Math.round((view.due_at - serverClock.now()) / 60_000));
  return say(WORDS.closes, { minutes: String(rest) });
}

/** @param {View} view What everybody has to know of a match that is about to end. */
export function endingNote(view) {
  const ends = view.ending && view.phase !== 'finished';
  return html`<p class="note ending" role="status" ?hidden=${!ends}>
    ${ends ? WORDS.ending : ''}
  </p>`;
}

/** Says once a turn what happens when it has run out. */
export class Reminder {
  #told = '';

  /** @param {View} view @returns {string} A sentence, or nothing to say now. */
  tell(view) {
    const turn = `${view.turn} ${view.due_at}`;
    const text = this.#told === turn ? '' : warning(view);
    if (text !== '') this.#told = turn;
    return text;
  }
}

/** @param {View} view @returns {string} What the table does soon for the seat in turn, in words; nothing if it has time. */
export function warning(view) {
  const ms = left(view);
  const mine = view.seats.find(({ seat }) => seat === view.turn);
  if (ms === null || mine === undefined || ms > lastOf(view.rules)) return '';
  const names = new Names(view);
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const more = (view.rules.idle?.turns ?? 0) - mine.absent - 1;
  const text = say(CATALOGUE.idle.warning, {
    happens: outcome(view.rules, more),
    time: seconds > SECONDS_MAX ? CATALOGUE.idle.minute : countNoun(seconds, 'second'),
    seat: names.of(mine.seat),
    'seat.whose': names.whose(mine.seat),
    'seat.person': names.person([mine.seat]),
    more: String(more),
    'more.words': inWords(more),
  });
  return `${sentence(text)}.`;
}

/** @param {import('../client/view.js').Rules} rules @param {number} more How many more turns may be missed. */
function outcome({ clock, idle }, more) {
  if (clock?.on_timeout === 'forfeit') return 'out';
  if (!idle) return 'acts';
  const end = idle.then === 'stand_in' ? 'stand_in' : 'out';
  return more <= 0 ? end : `acts, then ${end}`;
}

/** @param {import('../client/view.js').Rules} rules */
function lastOf({ clock, idle }) {
  return Math.min(LAST_MS, (clock?.bank_ms ?? idle?.turn_ms ?? 0) / 3);
}
