/** The card of an entrant: what to do now, the next table with its seat, how one stands; and how one enters. */
import { Refusal, ask, readJson } from '../client/api.js';
import { entryOf, keepEntry, keepName, keepTokens, ownName } from '../client/keep.js';
import { html, nothing, render } from '../vendor/libraries.js';
import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { apart, refusalWords } from '../words/phrases.js';

/** @typedef {{seat: number, number: number, name: string, met: number}} Opponent */
/**
 * @typedef {{stage: number, round: number, table: number, state: string, match: string, seat: number, seats: number,
 *   opens: boolean, place: number | null, opponents: Opponent[]}} Table
 */
/** @typedef {{number: number, name: string, place: number | null, score: {written: string}}} Row */
/**
 * @typedef {{card: {number: number, name: string, now: string, until: number | null, table: Table | null, near: Row[],
 *   place: number | null, prize: {unit: string, whole: number} | null, may: string[]}, token: string | null,
 *   ready: boolean | null}} Own
 */

const FRESH_MS = 4_000;
const WORDS = CATALOGUE.card;
const root = /** @type {HTMLElement} */ (document.querySelector('#card'));
const tournament = root.dataset.tournament ?? '';
const path = `/api/v1/tournaments/${tournament}`;

/** @type {Own | null} */
let own = null;
let error = '';
let busy = false;

/** @param {string} key @param {Record<string, string>} [facts] */
const words = (key, facts = {}) => say(WORDS[key], facts);

/** Do what somebody asked for, and show what came of it. @param {() => Promise<unknown>} deed */
async function attempt(deed) {
  busy = true;
  error = '';
  draw();
  try {
    await deed();
    await look();
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    error = refusalWords(trouble);
  }
  busy = false;
  draw();
}

/** @param {SubmitEvent} event */
function enter(event) {
  event.preventDefault();
  const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get('name')).trim();
  attempt(async () => {
    const { token, number } = await ask('POST', `${path}/entrants`, { body: { name } });
    keepName(name);
    keepEntry(tournament, { token, number });
  });
}

/** @param {object} body */
const command = (body) =>
  attempt(() => ask('POST', `${path}/commands`, { token: entryOf(tournament).token ?? null, body }));

/** Say that one is there, where nobody has yet, and go. @param {Table} table @param {Own} card */
function sitDown(table, card) {
  const { token } = card;
  if (token === null) return;
  attempt(async () => {
    keepTokens(table.match, { seat: table.seat, token });
    if (card.ready === false) {
      await ask('POST', `/api/v1/matches/${table.match}/commands`, { token, body: { type: 'ready' } });
    }
    location.assign(`/m/${table.match}`);
  });
}

const entering = () => html`<form class="sheet" @submit=${enter}>
  <h2>${words('enter')}</h2>
  <div class="field"><label for="name">${words('name')}</label>
  <input id="name" name="name" type="text" maxlength="40" autocomplete="nickname" required .value=${ownName()}></div>
  <button class="button" ?disabled=${busy}>${words('enter')}</button></form>`;

/** @param {Table} table @param {Own} card */
function atTable(table, card) {
  const goes = ['go_to_table', 'play'].includes(card.card.now);
  return html`<section class="sheet now"><p class="eyebrow">${words('round', { round: String(table.round) })}</p>
    <h2 class="large">${words('table', { table: String(table.table), seat: String(table.seat) })}</h2>
    ${table.opens ? html`<p>${words('opens')}</p>` : nothing}
    <p>${words('opponents', { who: joinNames(table.opponents.map(met)) })}</p>
    ${table.place === null ? nothing : html`<p>${words('placed', { place: String(table.place) })}</p>`}
    ${goes && card.token !== null ? html`<button class="button" ?disabled=${busy} @click=${() => sitDown(table, card)}>${words('sit')}</button>` : nothing}
  </section>`;
}

/** @param {Opponent} one */
const met = ({ name, met: times }) =>
  times === 0 ? apart(name) : words('met', { name: apart(name), times: String(times) });

/** @param {Own['card']} card */
const standing = ({ near, number }) => html`<section class="sheet"><h2>${words('standings')}</h2>
  <ol class="near">${near.map(
    (row) => html`<li aria-current=${row.number === number ? 'true' : nothing}>
    <span class="at">${row.place ?? '–'}</span> <bdi>${row.name}</bdi> <strong>${row.score.written}</strong></li>`,
  )}</ol></section>`;

/** @param {Own['card']} card */
function deeds({ may }) {
  return html`<p class="row">
    ${may.includes('check_in') ? html`<button class="button" ?disabled=${busy} @click=${() => command({ type: 'check_in' })}>${words('check_in')}</button>` : nothing}
    ${may.includes('return') ? html`<button class="button plain-button" ?disabled=${busy} @click=${() => command({ type: 'return', reason: 'request' })}>${words('return')}</button>` : nothing}
    ${may.includes('withdraw') ? html`<button class="link danger" ?disabled=${busy} @click=${leave}>${words('withdraw')}</button>` : nothing}
  </p>`;
}

function leave() {
  if (confirm(words('sure'))) command({ type: 'withdraw', reason: 'request' });
}

/** @param {Own} found */
const whole = (
  found,
) => html`<p class="lead"><bdi>${found.card.name}</bdi> · ${say(WORDS.now, { now: found.card.now })}</p>
  ${
    found.card.place === null
      ? nothing
      : html`<p class="lead">${words('placed', { place: String(found.card.place) })}
    ${found.card.prize === null ? nothing : words('prize', { amount: `${found.card.prize.whole} ${found.card.prize.unit}` })}</p>`
  }
  ${found.card.table === null ? nothing : atTable(found.card.table, found)}
  ${deeds(found.card)}
  ${found.card.near.length === 0 ? nothing : standing(found.card)}`;

function draw() {
  const known = entryOf(tournament).token !== undefined;
  render(
    html`<div role="status">${error === '' ? nothing : html`<p class="error">${error}</p>`}</div>
    ${own !== null ? whole(own) : known ? nothing : root.dataset.open === 'yes' ? entering() : html`<p>${words('closed')}</p>`}`,
    root,
  );
}

async function look() {
  const { token } = entryOf(tournament);
  if (token === undefined) return;
  own = await readJson(`${path}/me`, { token });
}

async function follow() {
  try {
    await look();
    if (!busy) draw();
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    error = refusalWords(trouble);
    draw();
  }
  setTimeout(follow, FRESH_MS);
}

root.replaceChildren();
draw();
follow();
