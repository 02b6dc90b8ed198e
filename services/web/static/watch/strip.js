/** A strip along the foot of a picture: who plays, what they have claimed, what the dice said. */
import { isSettled } from '../table/coach.js';
import { counting, hand, pictured } from '../table/dice.js';
import { classMap, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { called } from '../words/phrases.js';
import { finding } from '../words/verdicts.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Seat} Seat */

/** @param {View} view @param {string} told What has happened last, in a sentence. */
export function strip(view, told) {
  const last = isSettled(view) || view.phase === 'finished' ? view.last : null;
  const counts = counting(view.seats, last, view.flags);
  return html`<div class="strip">
    <p class="telling">${last === null ? told : `${sentence(finding(last, view))}.`}</p>
    ${view.cup.length === 0 ? nothing : hand(view.cup, say(CATALOGUE.watch.cup, {}), { faces: view.faces })}
    <ol class="players" aria-label=${say(CATALOGUE.watch.players, {})}>
      ${view.seats.map((seat) => player(seat, view, counts))}
    </ol>
  </div>`;
}

/** @param {Seat} seat @param {View} view @param {(die: import('../client/view.js').Die) => boolean} counts */
function player(seat, view, counts) {
  const classes = { player: true, turn: view.turn === seat.seat, out: seat.out, won: view.winner === seat.seat };
  const claims = !isSettled(view) && view.standing?.seat === seat.seat;
  return html`<li class=${classMap(classes)}>
    <p class="name"><bdi class="text">${called(seat)}</bdi></p>
    ${hand(seat.dice, called(seat), { counts, faces: view.faces })}
    ${claims ? html`<p class="claim" role="img" aria-label=${view.standing?.words ?? ''}>${pictured(/** @type {any} */ (view.standing), view.faces)}</p>` : nothing}
  </li>`;
}
