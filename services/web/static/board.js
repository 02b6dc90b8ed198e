/** The table itself: seats around a felt, and what stands on it. The replay draws the same. */
import { serverClock } from './api.js';
import { counting, die, hand } from './dice.js';
import { classMap, html, nothing, repeat } from './vendor/libraries.js';
import { Names, claimWords, finding, listed, sentence } from './words.js';

const STAGES = ['committed', 'sealed', 'logged', 'ready'];
const HURRY_MS = 10_000;

/**
 * @param {any} view
 * @param {{counting?: boolean}} [how] `counting`: whether clocks run down while one looks.
 */
export function board(view, { counting: running = true } = {}) {
  const names = new Names(view);
  const shown = view.phase === 'between_rounds' || view.phase === 'finished' ? view.last : null;
  const counts = counting(view.seats, shown, view.flags);
  return html`<div class="ring" data-n=${view.seats.length}>
    <div class="felt">${center(view, names, running)}</div>
    <ol class="seats" aria-label="Seats">
      ${fromViewer(view).map((seat) => seatCard(seat, view, counts, running))}
    </ol>
  </div>`;
}

/** The viewer sits at the near side, the others in turn. @param {any} view @returns {any[]} */
function fromViewer(view) {
  const first = Math.max(
    0,
    view.seats.findIndex((/** @type {any} */ seat) => seat.seat === view.viewer),
  );
  return [...view.seats.slice(first), ...view.seats.slice(0, first)];
}

/** @param {any} seat @param {any} view @param {(die: any) => boolean} counts @param {boolean} running */
function seatCard(seat, view, counts, running) {
  const you = seat.seat === view.viewer;
  const turn = view.turn === seat.seat;
  const claims = view.standing?.seat === seat.seat && view.phase !== 'between_rounds' && view.phase !== 'finished';
  const classes = { seat: true, turn, you, out: seat.out, won: view.winner === seat.seat };
  return html`<li class=${classMap(classes)} aria-current=${turn ? 'true' : nothing}>
    <p class="name">
      <bdi class="text" title=${seat.name}>${seat.name}</bdi>
      ${you ? html`<span class="tag own">you</span>` : nothing}
      ${seat.bot ? html`<span class="tag" title="house bot">bot</span>` : nothing}
    </p>
    ${hand(seat.dice, `${seat.name}’s`, counts)} ${seat.out ? html`<p class="state">out</p>` : nothing}
    ${
      claims
        ? html`<p class="claim">
            <span class="sr">bids</span> ${view.standing.quantity} × ${die(view.standing.face)}
            <span class="sr">${claimWords(view.standing.quantity, view.standing.face)}</span>
          </p>`
        : nothing
    }
    ${view.pass_by === seat.seat ? html`<p class="claim">passes</p>` : nothing} ${clockOf(seat, view, running)}
    ${ledgerOf(seat)}
  </li>`;
}

/** @param {any} seat @param {any} view @param {boolean} running */
function clockOf(seat, view, running) {
  if (seat.bank_ms === null || seat.out) return nothing;
  const runs = running && view.turn === seat.seat && view.due_at !== null;
  const left = runs ? view.due_at - serverClock.now() : seat.bank_ms;
  return html`<p class="clock ${runs && left < HURRY_MS ? 'hurry' : ''}">
    <span class="sr">time left</span> ${minutes(left)}
  </p>`;
}

/** @param {number} ms */
export function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** @param {any} seat */
function ledgerOf(seat) {
  const held = /** @type {[string, number][]} */ (Object.entries(seat.balances)).filter(([unit]) => unit !== 'die');
  if (held.length === 0) return nothing;
  return html`<p class="ledger">${held.map(([unit, amount]) => html`<span>${owed(amount, unit)}</span>`)}</p>`;
}

/** @param {number} amount @param {string} unit */
const owed = (amount, unit) => {
  const [sign, number] = [amount < 0 ? '−' : '', Math.abs(amount)];
  return number === 0 ? `no ${unit}s` : `${sign}${number} ${number === 1 ? unit : `${unit}s`}`;
};

/** @param {any} view @param {Names} names @param {boolean} running */
function center(view, names, running) {
  if (view.phase === 'lobby') return lobby(view);
  if (view.phase === 'finished') return finished(view, names);
  if (view.phase === 'dealing') return dealing(view, names);
  if (view.phase === 'between_rounds') return settled(view, names, running);
  return claiming(view, names);
}

/** @param {any} view */
function lobby(view) {
  const free = view.rules.seats - view.seats.length;
  return html`<p class="caption">Waiting for ${free === 0 ? 'the host to start' : 'players'}</p>
    <p class="big">${view.seats.length} of ${view.rules.seats} seats taken</p>
    <p class="small">${free > 0 && view.seats.length > 1 ? 'the host may start at any time' : ''}</p>`;
}

/** @param {any} view @param {Names} names */
function finished(view, names) {
  const won = view.winner === null ? 'The session is over' : sentence(names.does(view.winner, 'wins', 'win'));
  return html`<p class="caption">After ${view.round} ${view.round === 1 ? 'round' : 'rounds'}</p>
    <p class="big">${won}</p>
    ${view.last === null ? nothing : html`<p class="small">${sentence(finding(view.last, names))}.</p>`}`;
}

/** @param {number} ahead @returns {string} */
function reached(ahead) {
  if (ahead <= 0) return 'done';
  return ahead === 1 ? 'now' : '';
}

/** @param {any} view @param {Names} names */
function dealing(view, names) {
  const { stage, waiting_for: waiting } = view.deal;
  const at = STAGES.indexOf(stage);
  const who = waiting.length === 0 ? 'the log' : listed(waiting.map((/** @type {number} */ seat) => names.of(seat)));
  const steps = ['Dice fixed', 'Seeds fixed', 'In the log', 'Seeds open'];
  return html`<p class="caption">Deal ${view.deal.number + 1}</p>
    <p class="big">Dealing</p>
    <ol class="steps">
      ${steps.map((step, place) => html`<li class=${reached(place - at)}>${step}</li>`)}
    </ol>
    <p class="small">Waiting for ${who}</p>`;
}

/** @param {any} view @param {Names} names @param {boolean} running */
function settled(view, names, running) {
  const left = view.due_at === null ? 0 : view.due_at - serverClock.now();
  const soon = left > 0 ? `The next round in ${Math.ceil(left / 1000)} s` : 'The next round comes';
  const next = running ? html`<p class="small">${soon}</p>` : nothing;
  if (view.last === null)
    return html`<p class="caption">Round ${view.round + 1}</p>
      <p class="big">Cups down</p>
      ${next}`;
  const { last } = view;
  const asked =
    last.quantity === null
      ? ''
      : `${sentence(names.whose(last.claimant))} bid: ${claimWords(last.quantity, last.face)}`;
  return html`<p class="caption">Round ${view.round}</p>
    ${last.quantity === null ? nothing : large(last, asked)}
    <p class="verdict-line ${last.holds ? 'holds' : 'falls'}">${sentence(finding(last, names))}.</p>
    ${next}`;
}

/** @param {{quantity: number, face: number}} claim @param {string} words */
const large = (claim, words) =>
  repeat(
    [claim],
    () => words,
    () =>
      html`<p class="standing" role="img" aria-label=${words}>
        <span>${claim.quantity}</span><i>×</i>${die(claim.face)}
      </p>`,
  );

/** @type {Record<string, string>} */
const FLAGS = { palifico: 'palifico', plain_ones: 'ones are plain' };

/** @param {any} view @param {Names} names */
function claiming(view, names) {
  const { standing } = view;
  const flags = view.flags.map((/** @type {string} */ flag) => FLAGS[flag] ?? flag);
  const pot = view.pot > 0 ? [`${view.pot} in the pot`] : [];
  const dice = view.dice_in_play > 0 ? [`${view.dice_in_play} dice in play`] : [];
  const caption = html`<p class="caption">${[`Round ${view.round}`, ...flags].join(' · ')}</p>`;
  const facts = html`<p class="small">${[...dice, ...pot].join(' · ')}</p>`;
  const turn = html`<p class="turn-line">${whoActs(view, names)}</p>`;
  if (standing === null)
    return html`${caption}
      <p class="big">No bid yet</p>
      ${turn} ${facts}`;
  const passed = view.pass_by === null ? [] : [names.does(view.pass_by, 'passes', 'pass')];
  const made = [`${sentence(names.whose(standing.seat))} bid`, ...passed].join(' · ');
  return html`${caption} ${large(standing, `Standing bid: ${claimWords(standing.quantity, standing.face)}`)}
    <p class="small">${made}</p>
    ${turn} ${facts}`;
}

/** @param {any} view @param {Names} names */
function whoActs(view, names) {
  if (view.turn === null) return '';
  return view.turn === view.viewer ? 'Your turn' : `${names.of(view.turn)} to act`;
}
