/** The lobby: the lists stay fresh, and the form opens tables. */
import { Refusal, ask, matchPath, readJson } from '../client/api.js';
import { dropTokens, tokensOf } from '../client/keep.js';
import { opens } from '../forms/opening.js';
import { companyAt, mostWatched, onFront, waitingIn } from '../table/tickets.js';
import { OwnTables, ownTables } from '../table/yours.js';
import { html, nothing, render, repeat } from '../vendor/libraries.js';
import '../watch/glance.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { apart, called, moment, titleOf } from '../words/phrases.js';

/** @typedef {import('../client/view.js').LobbyRow} Row */

const FRESH_MS = 4_000;
const OWN_MS = 10_000;
/** How many tables of a kind are listed; there may be more. */
const LIMIT = 24;

/** @type {('open' | 'live' | 'ended')[]} */
const LISTS = ['open', 'live', 'ended'];
const WORDS = CATALOGUE.lobby;
/** The game whose tables are listed; of one that there is not, all are. */
const asked = new URLSearchParams(location.search).get('game') ?? '';
const only = document.querySelector(`[data-game="${CSS.escape(asked)}"]`) === null ? null : asked;

/** By what a row is known again. @param {Row} row */
const matchOf = (row) => row.match;

/** @param {Row[]} rows */
function lists(rows) {
  return LISTS.map((state) => {
    const { title, empty } = WORDS[state];
    const { shown: found, all } = onFront(rows, state);
    return html`<section aria-labelledby="${state}-title">
      <h2 id="${state}-title">${title}</h2>
      <ul class="tables">
        ${found.length === 0 ? html`<li class="empty">${empty}</li>` : repeat(found, matchOf, (row) => ticket(row, state))}
      </ul>
      ${all < LIMIT && all === found.length ? nothing : html`<p><a href="/tables/${state}${only === null ? '' : `?game=${only}`}">${WORDS.all}</a></p>`}
    </section>`;
  });
}

/** Once the table that is shown is over, look at another. @param {Row[]} live */
function glanceAt(live) {
  const glance = /** @type {any} */ (document.querySelector('tc-glance'));
  const best = mostWatched(live);
  if (glance === null || best === undefined || live.some((row) => row.match === glance.match)) return;
  glance.show(best.match, titleIn(best), best.version);
}

/** @param {Row[]} rows Where one sits with people at once. */
function people(rows) {
  const row = waitingIn(onFront(rows, 'open').shown);
  const { waits, nobody, open } = WORDS.ways;
  if (row === undefined) return html`<p>${nobody}</p> <a class="button" href="#create">${open}</a>`;
  const facts = { title: titleIn(row), game: gameOf(row), taken: `${row.seats.length}`, seats: `${row.seats_max}` };
  return html`<p>${say(waits, facts)}</p> <a class="button" href="/m/${row.match}">${WORDS.sit}</a>`;
}

/** @param {Row} row @returns {string} What people call its game, as the form has it. */
function gameOf(row) {
  const part = /** @type {HTMLElement | null} */ (document.querySelector(`[data-game="${CSS.escape(row.game)}"]`));
  return part?.dataset.title ?? row.game;
}

/** @param {Row} row @returns {string} What the table is called, or whose it is. */
const titleIn = ({ name, seats }) => name ?? titleOf(seats);

/** @param {Row} row @param {string} state */
function ticket(row, state) {
  const names = row.seats.map((seat) => apart(called(seat))).join(', ');
  const winner = row.seats.find((seat) => seat.seat === row.winner);
  const won = winner === undefined ? '' : ` · ${say(WORDS.won, { winner: apart(called(winner)) })}`;
  const entry = state === 'open' ? entryTo(row) : '';
  const round = row.round > 0 ? ` · ${say(WORDS.round, { round: String(row.round) })}` : '';
  const doors =
    state === 'ended'
      ? html`<a href="/m/${row.match}/replay">${WORDS.replay}</a> <a href="/m/${row.match}/audit">${WORDS.audit}</a>`
      : html`<a href="/m/${row.match}">${state === 'open' && !row.locked ? WORDS.sit : WORDS.watch}</a> ${closing(row, state)}`;
  return html`<li class="ticket">
    <h3><a href="/m/${row.match}">${titleIn(row)}</a></h3>
    <p class="who">${names || WORDS.nobody}</p>
    <p class="facts">${gameOf(row)}</p>
    <p class="facts">${companyAt(row)}</p>
    <p class="facts">
      ${say(WORDS.seats, { taken: String(row.seats.length), seats: String(row.seats_max) })}${entry}${round}${won}
    </p>
    ${row.deals_drawn ? html`<p class="facts">${say(WORDS.drawn, { drawn: String(row.deals_drawn) })}</p>` : nothing}
    <p class="doors">${doors}</p>
  </li>`;
}

/** @param {Row} row @returns {string} Who may sit down, or when it starts; nothing where its host starts it. */
function entryTo({ locked, start, starts_at: at }) {
  if (locked) return ` · ${WORDS.locked}`;
  if (at) return ` · ${say(WORDS.starts, { time: moment(at) })}`;
  return start ? ` · ${WORDS.full}` : '';
}

/** Who hosts a table that nobody has started can close it. @param {Row} row @param {string} state */
function closing(row, state) {
  const { host } = tokensOf(row.match);
  if (state !== 'open' || host === undefined) return nothing;
  const close = async () => {
    try {
      await ask('POST', matchPath(row.match, '/commands'), { token: host, body: { type: 'close_session' } });
      dropTokens(row.match);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
    }
    await refresh(place);
  };
  return html`<button class="link danger" type="button" @click=${close}>${WORDS.close}</button>`;
}

/** How often the list was asked for, and which of these answers is shown: none that was asked for before it follows. */
let asks = 0;
let shown = 0;

/** @param {HTMLElement} place */
async function refresh(place) {
  asks += 1;
  const own = asks;
  try {
    const rows = await readJson(`/api/v1/matches?limit=${LIMIT}${only === null ? '' : `&game=${only}`}`);
    if (own < shown) return;
    shown = own;
    if (!place.dataset.live) place.replaceChildren();
    place.dataset.live = 'yes';
    render(lists(rows), place);
    if (!door.dataset.live) door.replaceChildren();
    door.dataset.live = 'yes';
    render(people(rows), door);
    glanceAt(onFront(rows, 'live').shown);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
  }
}

/** @param {HTMLElement} around @param {OwnTables} own */
async function remind(around, own) {
  const views = await own.read();
  around.hidden = views.length === 0;
  render(ownTables(views), around);
}

const yours = /** @type {HTMLElement} */ (document.querySelector('#yours'));
const own = new OwnTables();
const door = /** @type {HTMLElement} */ (document.querySelector('#people'));
const place = /** @type {HTMLElement} */ (document.querySelector('#tables'));
opens(/** @type {HTMLFormElement} */ (document.querySelector('#create-form')));
setInterval(() => {
  if (!document.hidden) void refresh(place);
}, FRESH_MS);
void refresh(place);
setInterval(() => {
  if (!document.hidden) void remind(yours, own);
}, OWN_MS);
void remind(yours, own);
