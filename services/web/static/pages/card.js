/** The card of an entrant: what to do now, the next table with its seat, how one stands; and how one enters. */
import { become, readAgain, tellLost, tellTimes, whenBack } from '../client/again.js';
import { Alarm, Refusal, ask, askOnce, needed, readJson } from '../client/api.js';
import {
  cardOf,
  changeEntry,
  entryOf,
  keepEntry,
  keepName,
  keepPlayer,
  keepTokens,
  keptPlayer,
  ownName,
  takeEntry,
} from '../client/keep.js';
import { appealsOf, byesOf, waysOf } from '../entrant/asks.js';
import { Drawing, checkTrust, drawnWith } from '../entrant/drawing.js';
import { ladderOf } from '../entrant/ladder.js';
import { LiveCard } from '../entrant/live.js';
import { isKeptSeat, lacksKey, tableOf } from '../entrant/table.js';
import { html, nothing, render } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { alarmWords, refusalWords } from '../words/phrases.js';

/** @typedef {import('../entrant/own.js').Own} Own */
/** @typedef {import('../entrant/own.js').Card} Card */

/** What everybody sees of the tournament is read again as often, besides whenever the card is another. */
const FRESH_MS = 10_000;
const AGAIN_MS = 2_000;
const WORDS = CATALOGUE.card;
const root = /** @type {HTMLElement} */ (document.querySelector('#card'));
const tournament = root.dataset.tournament ?? '';
const page = `/t/${tournament}`;
const path = `/api/v1/tournaments/${tournament}`;
const PLAYERS = root.dataset.players === 'yes';
const drawing = new Drawing(tournament, (alarm) => {
  missed = alarmWords(alarm);
  if (!busy) draw();
});
/** What was said of the own appeals, once there is one. @type {import('../entrant/said.js').SaidTexts | null} */
let said = null;

/** @type {Own | null} */
let own = null;
/** The token that a link has brought for another entrant than the one here. */
let brought = takeEntry(tournament);
/** How its owner is asked which one to be here. */
let asked = () => html``;
/** Why the last deed did not come about, and why the last look did not. */
let error = '';
let missed = '';
/** Whether the line to what everybody sees is gone, and to what the own card says. */
const lost = { page: false, card: false };
let busy = false;
/** Whether a key was to be registered here. */
let hasAsked = false;
/** What is shown and done about the own key, once there is one. @type {import('../entrant/key_sheet.js').KeySheet | null} */
let sheet = null;

/** @param {string} key @param {Record<string, string>} [facts] */
const words = (key, facts = {}) => say(WORDS[key], facts);

/** Do what somebody asked for, and show what came of it. @param {() => Promise<unknown>} deed @returns {Promise<boolean>} Whether it came about. */
async function attempt(deed) {
  busy = true;
  error = '';
  draw();
  try {
    await deed();
    if (entryOf(tournament).token !== undefined)
      await show(await readJson(`${path}/me`, { token: entryOf(tournament).token }));
  } catch (trouble) {
    error = troubleWords(trouble);
  } finally {
    busy = false;
    draw();
  }
  return error === '';
}

/** @param {unknown} trouble @returns {string} */
function troubleWords(trouble) {
  if (trouble instanceof Alarm) return alarmWords(trouble);
  if (trouble instanceof Refusal) return refusalWords(trouble);
  throw trouble;
}

/** @param {Partial<typeof lost>} more */
function tellLine(more) {
  Object.assign(lost, more);
  tellLost(lost.page || lost.card);
}

/** A look came to nothing: the page says why, or that its line is gone. @param {unknown} trouble */
function miss(trouble) {
  const isLost = trouble instanceof Refusal && trouble.code === 'unreachable';
  tellLine({ card: isLost });
  missed = isLost ? '' : troubleWords(trouble);
}

/** @param {SubmitEvent} event */
function enter(event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const [name, player, club] = ['name', 'player', 'club'].map((part) => String(form.get(part) ?? '').trim());
  const custody = form.get('own_seeds') === null ? 'server' : 'client';
  attempt(async () => {
    // Whoever does not believe the log will not open a seed, and loses the match for it.
    if (custody === 'client') await checkTrust();
    const who = PLAYERS ? { player: await playerToken(name, player) } : { name };
    const body = { ...who, ...(club === '' ? {} : { club }), custody };
    const { token, number, by } = await askOnce('POST', `${path}/entrants`, { body }).catch(forgetPlayer);
    if (PLAYERS) keepPlayer({ token: keptPlayer()?.token ?? '', player: by });
    if (name !== '') keepName(name);
    keepEntry(tournament, { token, number });
    live.look();
  });
}

/**
 * @param {string} name
 * @param {string} brought A token from elsewhere, or nothing.
 * @returns {Promise<string>} The token of the player whom this browser keeps, who is made one where there is none.
 */
async function playerToken(name, brought) {
  if (brought !== '') keepPlayer({ token: brought });
  else if (keptPlayer() === null) keepPlayer(await askOnce('POST', '/api/v1/players', { body: { name } }));
  return keptPlayer()?.token ?? '';
}

/** @param {unknown} trouble A token that does not count, or not any more, is not kept. @returns {never} */
function forgetPlayer(trouble) {
  if (PLAYERS && trouble instanceof Refusal && trouble.code === 'bad_token') keepPlayer(null);
  throw trouble;
}

/** @param {object} body */
const command = (body) =>
  attempt(() => ask('POST', `${path}/commands`, { token: entryOf(tournament).token ?? null, body }));

/** @param {Own} found */
const leave = (found) =>
  attempt(async () => {
    const { giveUp } = await needed(import('../entrant/leaving.js'));
    const token = entryOf(tournament).token ?? null;
    await ask('POST', `${path}/commands`, { token, body: { type: 'withdraw', reason: 'request' } });
    void giveUp(found);
  });

async function askWhich() {
  const { choiceOf } = await needed(import('../holding/brought.js'));
  asked = () =>
    html`<section class="sheet">${choiceOf('entrant', { keep: keepOwn, take: takeBrought, busy })}</section>`;
}

function keepOwn() {
  brought = null;
  draw();
}

/** Be whom the link is for, if it is for anybody: an entrant is not given away for one that nobody is. */
const takeBrought = () =>
  attempt(async () => {
    await readJson(`${path}/me`, { token: brought });
    changeEntry(tournament, brought ?? '');
    location.reload();
  });

/** @param {SubmitEvent} event */
function checkIn(event) {
  event.preventDefault();
  const draws = new FormData(/** @type {HTMLFormElement} */ (event.target)).get('draws') !== null;
  attempt(async () => {
    if (draws) {
      await checkTrust();
      (await drawnWith()).lotKey(tournament);
    }
    await ask('POST', `${path}/commands`, {
      token: entryOf(tournament).token ?? null,
      body: { type: 'check_in', draws },
    });
  });
}

/** Say that one is there, where nobody has yet, and go. */
function sitDown() {
  const found = own;
  if (found === null || found.card.table === null || found.ready === null) return;
  const { match, seat } = found.card.table;
  attempt(async () => {
    const { tableKey } = await drawnWith();
    const { token, ready } = await seatedAt(found);
    keepTokens(match, { seat, token, seeds: tableKey(tournament, match) });
    if (ready === false) await ask('POST', `/api/v1/matches/${match}/commands`, { token, body: { type: 'ready' } });
    location.assign(`/m/${match}`);
  });
}

/** @param {Own} found @returns {Promise<Own>} The same with the token of the seat, taken now if it was kept. */
async function seatedAt(found) {
  if (!isKeptSeat(found)) return found;
  const { takeSeat } = await needed(import('../entrant/keys.js'));
  return takeSeat(tournament, found);
}

/** @param {Own} found */
async function showKey(found) {
  if (found.key === null) return;
  try {
    const { KeySheet } = await needed(import('../entrant/key_sheet.js'));
    sheet ??= new KeySheet(tournament, () => !busy && draw());
    await sheet.see(found);
  } catch (trouble) {
    // The card says all else without it, and asks again when it is another.
    if (!(trouble instanceof Refusal)) throw trouble;
  }
}

/** @param {Own} found A key is registered for all seats as soon as somebody has entered. */
async function keyed(found) {
  if (hasAsked || !lacksKey(found)) return;
  hasAsked = true;
  try {
    const { register } = await needed(import('../entrant/keys.js'));
    await register(tournament, found);
  } catch (trouble) {
    // Without a key one plays as well, and the page asks again when it is read again.
    if (!(trouble instanceof Refusal || trouble instanceof Alarm)) throw trouble;
  }
}

const naming = () => html`<div class="field"><label for="name">${words('name')}</label>
  <input id="name" name="name" type="text" maxlength="40" autocomplete="nickname" ?required=${!PLAYERS} .value=${ownName()}></div>`;

/** Where players enter, or what counts beyond this tournament is of players alone. */
function asPlayer() {
  const kept = keptPlayer();
  return html`<p class="hint">${words('as_player')}</p>
  ${kept === null ? naming() : nothing}
  <details><summary>${words('player_elsewhere')}</summary>
  <div class="field"><label for="player">${words('player_token')}</label>
  <input id="player" name="player" type="text" maxlength="60" pattern="truecup_player_[A-Za-z0-9_\\-]{43}" autocomplete="off"></div>
  ${kept === null ? nothing : html`<p>${words('player_kept')} <code class="address">${kept.token}</code></p>`}</details>`;
}

const entering = () => html`<form class="sheet" @submit=${enter}>
  <h2>${words('enter')}</h2>
  ${PLAYERS ? asPlayer() : naming()}
  <div class="field"><label for="club">${words('club')}</label><input id="club" name="club" type="text" maxlength="40" autocomplete="organization"></div>
  <div class="field switch"><label><input type="checkbox" name="own_seeds" checked> <span>${CATALOGUE.beside.seeds}</span></label><p class="hint">${words('seeds_hint')}</p></div>
  <button class="button" ?disabled=${busy}>${words('enter')}</button></form>`;

/** @param {Card} card */
function checkingIn({ may, status, draws }) {
  if (!may.includes('check_in')) return nothing;
  const here = status === 'here';
  return html`<form class="sheet now" @submit=${checkIn}>
    ${
      here
        ? html`<p>${words(draws ? 'draws' : 'draw_hint')}</p>${draws ? nothing : html`<input type="hidden" name="draws" value="yes">`}
    <button class="link" ?disabled=${busy}>${words(draws ? 'draws_not' : 'draw')}</button>`
        : html`<h2>${words('check_in_now')}</h2>
    <button class="button" ?disabled=${busy}>${words('check_in')}</button>
    <div class="field switch"><label><input type="checkbox" name="draws"> <span>${words('draw')}</span></label><p class="hint">${words('draw_hint')}</p></div>`
    }</form>`;
}

/** @param {Card} card */
const standing = ({ near, number }) => html`<section class="sheet"><h2>${words('standings')}</h2>
  <ol class="near">${near.map(
    (row) => html`<li aria-current=${row.number === number ? 'true' : nothing}>
    <span class="at">${row.place ?? '–'}</span> <bdi>${row.name}</bdi>${row.bot ? html` <span class="tag">${words('bot')}</span>` : nothing} <strong>${row.score.written}</strong></li>`,
  )}</ol>
  <p class="doors"><a href="${page}/standings#e${number}">${words('all_standings')}</a> <a href="${page}/entrants/${number}">${words('way')}</a></p></section>`;

/** @param {Card} card */
const placed = ({ place, prize, number }) =>
  place === null
    ? nothing
    : html`<section class="sheet now"><h2 class="large">${words('placed', { place: String(place) })}</h2>
    ${prize === null ? nothing : html`<p>${words('prize', { amount: `${prize.whole} ${prize.unit}` })}</p>`}
    <a class="button" href="${page}/entrants/${number}/certificate">${words('certificate')}</a></section>`;

const elsewhere = () => html`<details class="sheet" id="elsewhere"><summary>${words('elsewhere')}</summary>
  <p>${words('elsewhere_hint')}</p>
  <p class="address"><a href="${cardOf(tournament)}" rel="nofollow">${location.origin}${cardOf(tournament)}</a></p></details>`;

/** @param {Own} found */
const whole = (
  found,
) => html`<p class="lead"><bdi>${found.card.name}</bdi> · ${say(WORDS.now, { now: found.card.now })}</p>
  ${sheet?.calls ?? nothing}
  ${placed(found.card)}
  ${checkingIn(found.card)}
  ${tableOf(found, page, busy, sitDown)}
  ${ladderOf(found.card, page, busy, command)}
  ${found.card.near.length === 0 ? nothing : standing(found.card)}
  ${byesOf(found.card, busy, command)}
  ${appealsOf(found.card, busy, command, (note) => said?.of(note) ?? '')}
  ${sheet?.shown ?? nothing}
  ${elsewhere()}
  ${waysOf(found.card, busy, command, () => leave(found))}`;

function draw() {
  const known = entryOf(tournament).token !== undefined;
  render(
    html`<div role="status">${[error, missed].filter(Boolean).map((text) => html`<p class="error">${text}</p>`)}</div>
    ${brought === null ? nothing : asked()}
    ${own !== null ? whole(own) : known ? nothing : root.dataset.open === 'yes' ? entering() : html`<p>${words('closed')}</p>`}`,
    root,
  );
}

/** @param {Own} found */
async function show(found) {
  const isFirst = own === null;
  const before = own?.card.version ?? 0;
  // A stream and an answer may overtake each other.
  if (found.card.version < before) return;
  own = found;
  missed = '';
  // The card is read while what draws for it comes behind.
  if (isFirst && !busy) draw();
  try {
    await drawing.see(own, entryOf(tournament).token);
    tellLine({ card: false });
  } catch (trouble) {
    miss(trouble);
    // Nothing new may be told until the seed is given, or missed.
    setTimeout(() => own === found && show(found), AGAIN_MS);
  }
  if (!busy) draw();
  if (own === found) {
    void keyed(found);
    void showKey(found);
  }
  if ((await readSaid(found.card)) && !busy) draw();
  if (own.card.version !== before) await renew();
}

/** @param {Card} card @returns {Promise<boolean>} Whether there is something else to show. */
async function readSaid(card) {
  if (card.appeals.length === 0) return false;
  try {
    const { SaidTexts } = await needed(import('../entrant/said.js'));
    said ??= new SaidTexts(path, () => entryOf(tournament).token);
    return await said.read(card);
  } catch (trouble) {
    // The card says all else without them, and the next look asks again.
    if (!(trouble instanceof Refusal)) throw trouble;
    return false;
  }
}

/** How often the page was read, and which of these looks it shows: what an earlier one finds later is of no use. */
let looks = 0;
let shown = 0;

/** What the tournament does next, and whether one may enter, is written on the server. */
async function renew() {
  looks += 1;
  const look = looks;
  const fresh = await readAgain();
  if (look < shown) return;
  shown = look;
  const [here, there] = [document.querySelector('#next'), fresh?.querySelector('#next') ?? null];
  tellLine({ page: there === null });
  if (here === null || there === null) return;
  tellTimes(there);
  become(here, there);
  root.dataset.open = /** @type {HTMLElement | null} */ (fresh?.querySelector('#card'))?.dataset.open;
  if (!busy && own === null) draw();
}

async function follow() {
  if (!document.hidden) await renew();
  setTimeout(follow, FRESH_MS);
}

tellTimes(document);
root.replaceChildren();
draw();
const live = new LiveCard(path, {
  token: () => entryOf(tournament).token,
  stays: () => own?.card.draws ?? false,
  onOwn: show,
  onTrouble: (trouble) => {
    miss(trouble);
    if (!busy) draw();
  },
});
if (brought !== null) void attempt(askWhich);
setTimeout(follow, FRESH_MS);
whenBack(() => void renew());
