/** Who was taken out by the host is told so, with the reason and what there is to do now. */
import { html } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Frame} Frame */

export class Farewell {
  /** The seat that this browser has here, or had last. @type {number | null} */
  #seat = null;
  /** Why the host took it out; nothing if the host did not. */
  #reason = '';
  /** Whether that was heard in the seat: whoever sits there next is somebody else. */
  #heard = false;

  /** @param {number | undefined} seat A seat that was given up, before what happened to it is heard. */
  lose(seat) {
    this.#seat = seat ?? this.#seat;
  }

  /** @param {Frame} frame */
  hear({ event, view }) {
    if (view.viewer !== null) this.#seat = view.viewer;
    if (event.seat !== this.#seat) return;
    if (event.type === 'game.kicked') {
      this.#reason = event.reason;
      this.#heard = view.viewer !== null;
    } else if (event.type === 'seat.joined' && (view.viewer !== null || !this.#heard)) {
      this.#reason = '';
    }
  }

  /** @param {View} view */
  note(view) {
    const stage = this.#stage(view);
    const { taken_out: why, since } = CATALOGUE.own;
    return html`<p class="note" role="status" data-farewell ?hidden=${stage === ''}>
      ${stage === '' ? '' : `${sentence(say(why, { reason: this.#reason }))} ${sentence(say(since, { stage }))}`}
    </p>`;
  }

  /** @param {View} view @returns {string} Nothing for whom the host has not taken out. */
  #stage({ viewer, phase, seats, rules, locked }) {
    if (phase === 'finished') return '';
    const mine = seats.find(({ seat }) => seat === viewer);
    if (mine !== undefined) return mine.kicked ? (mine.out ? 'out' : 'soon') : '';
    if (this.#reason === '') return '';
    return phase === 'lobby' && !locked && seats.length < rules.seats ? 'open' : 'out';
  }
}
