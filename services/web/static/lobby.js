/** The lobby: the lists stay fresh, and the form opens tables. */
import { Refusal, ask, matchPath, readJson } from './api.js';
import { refusalWords } from './controls.js';
import { keepName, keepTokens, ownName } from './keep.js';
import { html, render } from './vendor/libraries.js';
import { apart } from './words.js';

const FRESH_MS = 4_000;
const SHOWN_MAX = 24;
const SEATS_BEST = 6;
const BOTS_BEST = 3;

/** @param {any} row */
function stateOf(row) {
  if (row.phase === 'lobby') return 'open';
  if (row.phase === 'finished') return row.round > 0 ? 'ended' : 'closed';
  return 'live';
}

const LISTS = [
  { state: 'live', title: 'Being played', empty: 'No table is playing just now.' },
  { state: 'open', title: 'Waiting for players', empty: 'No table is waiting. Open one below.' },
  { state: 'ended', title: 'Finished', empty: 'Nothing has been finished yet.' },
];

/** @param {any[]} rows */
function lists(rows) {
  return LISTS.map(({ state, title, empty }) => {
    const found = rows.filter((row) => stateOf(row) === state).slice(0, SHOWN_MAX);
    return html`<section aria-labelledby="${state}-title">
      <h2 id="${state}-title">${title}</h2>
      <ul class="tables">
        ${found.length === 0 ? html`<li class="empty">${empty}</li>` : found.map((row) => ticket(row, state))}
      </ul>
    </section>`;
  });
}

/** @param {string} game */
const gameTitle = (game) =>
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-game="${CSS.escape(game)}"]`))?.dataset.title ?? game;

/** @param {any} row @param {string} state */
function ticket(row, state) {
  const names = row.seats.map((/** @type {any} */ seat) => apart(seat.name)).join(', ');
  const winner = row.seats.find((/** @type {any} */ seat) => seat.seat === row.winner);
  const won = winner === undefined ? '' : ` · ${apart(winner.name)} won`;
  const doors =
    state === 'ended'
      ? html`<a href="/m/${row.match}/replay">Replay</a> <a href="/m/${row.match}/audit">Audit</a>`
      : html`<a href="/m/${row.match}">${state === 'open' ? 'Take a seat' : 'Watch'}</a>`;
  return html`<li class="ticket">
    <h3><a href="/m/${row.match}">${row.title}</a></h3>
    <p class="game-name">${gameTitle(row.game)}</p>
    <p class="who">${names || 'Nobody yet'}</p>
    <p class="facts">
      ${row.seats.length} of ${row.seats_max}
      seats${row.round > 0 ? ` · round ${row.round}` : ''}${won}
    </p>
    <p class="doors">${doors}</p>
  </li>`;
}

/** @param {HTMLElement} place */
async function refresh(place) {
  try {
    const rows = await readJson('/api/v1/matches');
    if (!place.dataset.live) place.replaceChildren();
    place.dataset.live = 'yes';
    render(lists(rows), place);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
  }
}

/** @param {HTMLFormElement} form @param {string} name @returns {any} */
const field = (form, name) => form.elements.namedItem(name);

/** @param {HTMLFormElement} form */
function fieldsetOf(form) {
  return /** @type {HTMLFieldSetElement} */ (
    form.querySelector(`[data-game="${CSS.escape(field(form, 'game').value)}"]`)
  );
}

/** @param {HTMLElement} part @returns {any} */
function valueOf(part) {
  const input = /** @type {HTMLInputElement} */ (part);
  if (input.dataset.option === 'switch') return input.checked;
  if (input.dataset.option === 'number') return input.value === '' ? null : Number(input.value);
  return input.dataset.option === 'text' ? JSON.parse(input.value) : input.value;
}

/** @param {HTMLFieldSetElement} fieldset @returns {Record<string, any>} */
function optionsOf(fieldset) {
  const parts = /** @type {HTMLInputElement[]} */ ([...fieldset.querySelectorAll('[data-option]')]);
  const objects = new Set(parts.flatMap((part) => (part.name.includes('.') ? [part.name.split('.')[0]] : [])));
  const plain = parts.filter((part) => !part.name.includes('.') && !objects.has(part.name));
  const options = Object.fromEntries(plain.map((part) => [part.name, valueOf(part)]));
  for (const name of objects) {
    const members = parts.filter((part) => part.name.startsWith(`${name}.`));
    const on = parts.some((part) => part.name === name && part.checked);
    options[name] = on
      ? Object.fromEntries(members.map((part) => [part.name.slice(name.length + 1), valueOf(part)]))
      : null;
  }
  return options;
}

/** @param {HTMLFormElement} form */
function rulesOf(form) {
  const seconds = (/** @type {string} */ name) => Math.round(Number(field(form, name).value) * 1000);
  const clock = {
    bank_ms: seconds('bank'),
    increment_ms: seconds('increment'),
    on_timeout: field(form, 'on_timeout').value,
  };
  return {
    game: field(form, 'game').value,
    options: optionsOf(fieldsetOf(form)),
    seats: Number(field(form, 'seats').value),
    deal_per: field(form, 'deal_per').value,
    pause_ms: seconds('pause'),
    clock: field(form, 'clock').checked ? clock : null,
  };
}

/** @param {HTMLFormElement} form @param {boolean} now Start at once. @returns {Promise<string>} The match. */
async function open(form, now) {
  const opened = await ask('POST', '/api/v1/matches', { body: { rules: rulesOf(form) } });
  keepTokens(opened.match, { host: opened.token });
  const name = field(form, 'name').value.trim() || (now ? 'Guest' : '');
  if (name !== '') {
    const custody = field(form, 'own_seeds').checked ? 'client' : 'server';
    const seated = await ask('POST', matchPath(opened.match, '/seats'), { body: { name, custody } });
    keepName(name);
    keepTokens(opened.match, { token: seated.token, seat: seated.seat });
  }
  const wanted = Math.max(Number(field(form, 'bots').value), now ? 1 : 0);
  const count = Math.min(wanted, Number(field(form, 'seats').value) - (name === '' ? 0 : 1));
  if (count > 0) await ask('POST', matchPath(opened.match, '/bots'), { token: opened.token, body: { count } });
  if (now) await ask('POST', matchPath(opened.match, '/start'), { token: opened.token });
  return opened.match;
}

let busy = false;

/** @param {HTMLFormElement} form @param {boolean} now */
async function submit(form, now) {
  const error = /** @type {HTMLElement} */ (form.querySelector('#create-error'));
  error.hidden = true;
  const wrong = /** @type {HTMLInputElement | undefined} */ (
    [...form.elements].find((part) => !(/** @type {any} */ (part).checkValidity?.() ?? true))
  );
  if (wrong !== undefined) {
    wrong.closest('details')?.setAttribute('open', '');
    wrong.reportValidity();
    return;
  }
  if (busy) return;
  busy = true;
  try {
    location.assign(`/m/${await open(form, now)}`);
  } catch (trouble) {
    if (!(trouble instanceof Refusal) && !(trouble instanceof SyntaxError)) throw trouble;
    error.textContent =
      trouble instanceof Refusal
        ? [refusalWords(trouble), trouble.facts.why].filter(Boolean).join(' ')
        : 'An option is not a JSON value.';
    error.hidden = false;
    error.scrollIntoView({ block: 'nearest' });
  } finally {
    busy = false;
  }
}

/** Show the fields of the chosen game, and those whose switch is on. @param {HTMLFormElement} form */
function arrange(form) {
  const chosen = fieldsetOf(form);
  for (const one of /** @type {NodeListOf<HTMLFieldSetElement>} */ (form.querySelectorAll('[data-game]'))) {
    one.hidden = one !== chosen;
    one.disabled = one !== chosen;
  }
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('[data-needs]'))) {
    const around = part.closest('[data-game]') ?? form;
    const [name, wanted] = (part.dataset.needs ?? '').split('=');
    const needed = /** @type {HTMLInputElement | HTMLSelectElement} */ (
      around.querySelector(`[name="${CSS.escape(name)}"]`)
    );
    if (wanted !== undefined) part.hidden = needed.value !== wanted;
    else part.hidden = needed instanceof HTMLSelectElement ? needed.value === 'none' : !needed.checked;
  }
  const [low, high] = (chosen.dataset.seats ?? '2 10').split(' ');
  Object.assign(field(form, 'seats'), { min: low, max: high });
  field(form, 'bots').max = high;
}

/** Another game: as many seats as it is best with, and bots for most of them. @param {HTMLFormElement} form */
function seat(form) {
  const [low, high] = (fieldsetOf(form).dataset.best ?? '2 10').split(' ').map(Number);
  const seats = Math.max(low, Math.min(SEATS_BEST, high));
  field(form, 'seats').value = String(seats);
  field(form, 'bots').value = String(Math.min(BOTS_BEST, seats - 1));
}

/** @param {HTMLFormElement} form @param {HTMLSelectElement} select */
function preset(form, select) {
  const parts = /** @type {HTMLInputElement[]} */ ([...fieldsetOf(form).querySelectorAll('[data-option]')]);
  const values = JSON.parse(select.value);
  for (const part of parts) {
    const value = values[part.name];
    if (part.dataset.option === 'switch') part.checked = value ?? part.defaultChecked;
    else if (value !== undefined) part.value = String(value);
    else if (part instanceof HTMLSelectElement)
      part.value = [...part.options].find((one) => one.defaultSelected)?.value ?? part.value;
    else part.value = part.defaultValue;
  }
}

const form = /** @type {HTMLFormElement} */ (document.querySelector('#create-form'));
const place = /** @type {HTMLElement} */ (document.querySelector('#tables'));
field(form, 'name').value = ownName();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit(form, false);
});
for (const now of document.querySelectorAll('[data-now]')) {
  now.addEventListener('click', () => void submit(form, true));
}
form.addEventListener('change', (event) => {
  const changed = /** @type {HTMLElement} */ (event.target);
  if (changed.hasAttribute('data-preset')) preset(form, /** @type {HTMLSelectElement} */ (changed));
  if (/** @type {HTMLInputElement} */ (changed).name === 'game') seat(form);
  arrange(form);
});
arrange(form);
setInterval(() => {
  if (!document.hidden) void refresh(place);
}, FRESH_MS);
void refresh(place);
