/** The middle of the table: the claim that stands, the cup that is passed on, what the dice said, and who is to act. */

import { serverClock } from '../client/api.js';
import { html, nothing, repeat } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { Names, claimWords, inWords, joinNames, minutes, sentence } from '../words/phrases.js';
import { claimed, finding } from '../words/verdicts.js';
import { closesIn, warning } from './absence.js';
import { cupWords, isSettled, whoActs, whoIsAwaited } from './coach.js';
import { hand, isPictured, ownDice, pictured } from './dice.js';
import { kindOf, mark } from './faces.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Deal} Deal */

const STAGES = ['committed', 'sealed', 'logged', 'fixed', 'ready'];

const WORDS = CATALOGUE.felt;
const THREAD_MAX = 4;
const BEACON_LATE_MS = 15_000;

/** @param {View} view @param {boolean} running @param {import('../client/view.js').Claim[]} [thread] */
export function middle(view, running, thread = []) {
  return html`${pauseNote(view, running)} ${scene(view, running, thread)} ${running ? soonActs(view) : nothing}`;
}

/** @param {View} view @param {boolean} running Who holds the table up, why, and for how long at most. */
function pauseNote({ paused }, running) {
  if (paused === null) return nothing;
  const rest = Math.max(0, paused.until - serverClock.now());
  return html`<p class="paused">
    <strong>${sentence(say(CATALOGUE.paused.title, { reason: paused.reason }))}</strong>
    ${running ? html`<span class="small">${say(CATALOGUE.paused.rest, { time: minutes(rest) })}</span>` : nothing}
  </p>`;
}

/** What the table does by itself, before it does. @param {View} view */
function soonActs(view) {
  const text = warning(view);
  return text === '' ? nothing : html`<p class="small warning">${text}</p>`;
}

/** @param {View} view @param {boolean} running @param {import('../client/view.js').Claim[]} thread */
function scene(view, running, thread) {
  const names = new Names(view);
  if (view.phase === 'lobby') return lobby(view, running);
  if (view.phase === 'finished') return finished(view, names);
  if (view.phase === 'dealing' && view.deal !== null) return dealing(view.deal, names);
  if (isSettled(view)) return settled(view, names, running);
  return claiming(view, names, running, thread);
}

/** @param {View} view @param {boolean} running */
function lobby(view, running) {
  const free = view.rules.seats - view.seats.length;
  const closes = running ? closesIn(view) : '';
  return html`<p class="caption">${whoIsAwaited(view)}</p>
    <p class="big">${say(WORDS.taken, { taken: String(view.seats.length), seats: String(view.rules.seats) })}</p>
    <p class="small">${free > 0 && view.seats.length > 1 ? WORDS['may start'] : ''}</p>
    ${closes === '' ? nothing : html`<p class="small">${closes}</p>`}`;
}

/** @param {View} view @param {Names} names */
function finished(view, names) {
  return html`<p class="caption">${say(WORDS.rounds, { round: String(view.round) })}</p>
    <p class="big">${outcome(view, names)}</p>
    ${view.last === null ? nothing : html`<p class="small">${sentence(finding(view.last, view))}.</p>`}
    ${theCup(view, '')}`;
}

/** @param {View} view @param {Names} names @returns {string} Of matches with a winner, with a loser, or with neither. */
function outcome(view, names) {
  const told = (/** @type {string} */ how, /** @type {number[]} */ [seat] = []) =>
    sentence(say(WORDS.ended, { how, ...(seat === undefined ? {} : about(seat, names)) }));
  if (view.winner !== null) return told('won', [view.winner]);
  if (view.round === 0) return told('closed');
  if (view.open_ended) return told('session');
  return view.closed || view.out.length === 0 ? told('nobody') : told('lost', view.out);
}

/** @param {number} seat @param {Names} names @returns {import('../words/catalogue.js').Facts} */
const about = (seat, names) => ({ seat: names.of(seat), 'seat.person': names.person([seat]) });

/** @param {number} ahead @returns {string} */
function reached(ahead) {
  if (ahead <= 0) return 'done';
  return ahead === 1 ? 'now' : '';
}

/** @param {Deal} deal @returns {string} What a deal waits for when no seat keeps it waiting. */
function awaited(deal) {
  const told = (/** @type {string} */ what, facts = {}) => say(WORDS.awaited, { what, ...facts });
  if (deal.stage !== 'fixed') return told('log');
  const { beacon, beacon_at: at } = deal;
  if (beacon === null || at === null) return told('beacon');
  const time = new Date(at).toLocaleTimeString(document.documentElement.lang);
  const late = serverClock.now() > at + BEACON_LATE_MS;
  return told(late ? 'late' : 'due', { round: String(beacon.round), time });
}

/** @param {Deal} deal @param {Names} names */
function dealing(deal, names) {
  const { stage, waiting_for: waiting } = deal;
  const at = STAGES.indexOf(stage);
  const seats = joinNames(waiting.map((seat) => names.of(seat)));
  const who = waiting.length === 0 ? awaited(deal) : seats;
  const { heard, ...always } = WORDS.steps;
  const steps = [...Object.values(always), ...(deal.beacon === null ? [] : [heard])];
  return html`<p class="caption">${say(WORDS.deal, { deal: String(deal.number + 1) })}</p>
    <p class="big">${WORDS.dealing}</p>
    <ol class="steps">
      ${steps.map((step, place) => html`<li class=${reached(place - at)}>${step}</li>`)}
    </ol>
    <p class="small">${say(WORDS.waits, { who })}</p>`;
}

/** @param {View} view @param {Names} names @param {boolean} running */
function settled(view, names, running) {
  const { last } = view;
  const next = whoActs(view) === '' ? soon(view, running) : html`<p class="turn-line">${whoActs(view)}</p>`;
  if (last === null)
    return html`<p class="caption">${say(WORDS.round, { round: String(view.round + 1) })}</p>
      <p class="big">${WORDS.cups}</p>
      ${next}`;
  const asked =
    last.claimant === null || claimed(last) === ''
      ? ''
      : sentence(say(WORDS.claim, { ...made(last.claimant, names), claim: claimed(last) }));
  return html`<p class="caption">${say(WORDS.round, { round: String(view.round) })}</p>
    ${asked === '' ? nothing : large(last, asked, view.faces, last.claimant)} ${theCup(view, WORDS.cup)}
    <p class="verdict-line ${last.holds ? 'holds' : 'falls'}">${sentence(finding(last, view))}.</p>
    ${next} ${facts(view)}`;
}

/** @param {View} view @param {boolean} running */
function soon(view, running) {
  if (!running) return nothing;
  const left = view.due_at === null ? 0 : view.due_at - serverClock.now();
  return html`<p class="small">
    ${say(WORDS.next, { left: String(Math.max(0, Math.ceil(left / 1000))) })}
  </p>`;
}

/** The last claims before the one that stands. @param {import('../client/view.js').Claim[]} claims @param {View} view @param {Names} names */
function ledThere(claims, view, names) {
  if (claims.length === 0) return nothing;
  return html`<ol class="thread" aria-label=${CATALOGUE.screen.thread}>
    ${claims.slice(-THREAD_MAX).map(
      (claim) =>
        html`<li data-of=${claim.seat}>
          ${mark(claim.seat)}<span class="sr">${names.of(claim.seat)}: ${claimWords(claim)}</span
          ><span class="picture" aria-hidden="true">${pictured(claim, view.faces)}</span>
        </li>`,
    )}
  </ol>`;
}

/**
 * @param {import('../words/phrases.js').Claim} claim
 * @param {string} words
 * @param {[number, number]} faces
 * @param {number | null} seat Who made it.
 */
const large = (claim, words, faces, seat) =>
  repeat(
    [claim],
    () => words,
    () =>
      html`<p class="standing" role="img" aria-label=${words} data-of=${seat ?? nothing}>${pictured(claim, faces)}</p>`,
  );

/** @param {View} view @param {Names} names @param {boolean} running @param {import('../client/view.js').Claim[]} thread */
function claiming(view, names, running, thread) {
  const { standing } = view;
  const turn = html`<p class="turn-line">${whoActs(view)}</p>`;
  if (standing === null)
    return html`${caption(view)}
    ${view.cup.length > 0 ? theCup(view, cupWords(view), running) : html`<p class="big">${chased(view, names)}</p>`} ${turn}
    ${facts(view)}`;
  const words = sentence(claimWords(standing));
  const said = isPictured(standing, view.faces) && standing.quantity === null ? `${words} · ` : '';
  const passed = view.pass_by === null ? [] : [say(WORDS.passes, about(view.pass_by, names))];
  const doubts = view.doubters.length === 0 ? [] : [say(WORDS.doubts, doubting(view.doubters, names))];
  const claims = `${said}${say(WORDS.made, made(standing.seat, names))}`;
  const told = [claims, ...passed, ...doubts].map(sentence).join(' · ');
  return html`${caption(view)} ${ledThere(thread.slice(0, -1), view, names)}
    ${large(standing, say(WORDS.standing, { claim: claimWords(standing) }), view.faces, standing.seat)}
    <p class="small made">${mark(standing.seat)} ${told}</p>
    ${theCup(view, cupWords(view), running)} ${turn} ${facts(view)}`;
}

/** @param {number} seat @param {Names} names @returns {import('../words/catalogue.js').Facts} Of whoever made a claim. */
const made = (seat, names) => ({
  claimant: names.of(seat),
  'claimant.person': names.person([seat]),
  'claimant.whose': names.whose(seat),
});

/** @param {number[]} seats @param {Names} names @returns {import('../words/catalogue.js').Facts} */
const doubting = (seats, names) => ({ seats: names.all(seats), 'seats.person': names.person(seats) });

/** @param {View} view @param {Names} names */
function chased(view, names) {
  const holder = view.seats.find((seat) => seat.seat !== view.turn && !seat.out);
  const whose = holder === undefined ? { seat: '', 'seat.person': 'none' } : about(holder.seat, names);
  return sentence(say(WORDS.open, { phase: view.phase, ...whose }));
}

/** The cup that is passed on, with who has it; who looks back has none in hand. @param {View} view @param {string} words */
function theCup(view, words, running = true) {
  if (view.cup.length === 0) return nothing;
  const isInHand = running && !isSettled(view) && ownDice(view) === view.cup;
  return html`<div class="passed-cup">
    ${isInHand ? nothing : hand(view.cup, WORDS.cup, { faces: view.faces })}
    ${words === '' || isSettled(view) ? nothing : html`<p class="small">${words}</p>`}
  </div>`;
}

/** @param {View} view */
function caption(view) {
  const matters = (/** @type {string} */ flag) => flag !== 'plain_ones' || view.rules.options.wild !== undefined;
  const flags = view.flags.filter(matters).map((flag) => WORDS.flags[flag] ?? flag);
  const slip = view.slip === null ? [] : [say(WORDS.slip, { slip: String(view.slip) })];
  const back = view.direction === -1 ? [WORDS.back] : [];
  return html`<p class="caption">${[say(WORDS.round, { round: String(view.round) }), ...slip, ...flags, ...back].join(' · ')}</p>`;
}

/** @param {View} view */
function facts(view) {
  const what = kindOf(view.faces);
  const dice =
    view.dice_in_play > 0 && view.cup.length === 0
      ? [say(WORDS['in play'], { what, dice: String(view.dice_in_play) })]
      : [];
  const pot = view.pot > 0 ? [say(WORDS.pot, { pot: String(view.pot) })] : [];
  const stakes = view.stakes === null ? [] : [say(WORDS.stakes, { amount: inWords(view.stakes[1]) })];
  return html`<p class="small">${[...dice, ...pot, ...stakes].join(' · ')}</p>`;
}
