/** Pages of seasons and players: what whoever has the token does there, which this browser keeps. */
import { Refusal, ask, askOnce, freshKey } from '../client/api.js';
import { keepName, keepPlayer, keepSeason, keptPlayer, seasonOf } from '../client/keep.js';
import { refusalWords } from '../words/phrases.js';

/** @param {string} id @returns {HTMLElement | null} */
const part = (id) => document.querySelector(`#${id}`);

/** @param {FormData} said @param {string} name */
const text = (said, name) => String(said.get(name) ?? '').trim();

/**
 * Do what a form is for whenever it is sent, and say below it why that did not come about.
 *
 * @param {string} id
 * @param {(said: FormData) => Promise<unknown>} deed
 */
function does(id, deed) {
  const form = /** @type {HTMLFormElement | null} */ (part(id));
  if (form === null) return;
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type="submit"]'));
  const error = /** @type {HTMLElement} */ (form.querySelector('.error'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    error.hidden = true;
    if (!form.reportValidity()) return;
    button.disabled = true;
    try {
      await deed(new FormData(form));
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      const { why } = trouble.facts;
      error.textContent = [refusalWords(trouble), typeof why === 'string' ? `(${why})` : ''].join(' ').trim();
      error.hidden = false;
      button.disabled = false;
    }
  });
  addEventListener('pageshow', () => (button.disabled = false));
  button.disabled = false;
}

/** Show a token that is kept, for other devices, and the part of the page that is for whoever has it. @param {HTMLElement} own @param {string} token */
function open(own, token) {
  /** @type {HTMLElement} */ (own.querySelector('#kept')).textContent = token;
  own.hidden = false;
}

// ---- a season that begins -----------------------------------------------------------------------

/** @param {FormData} said @returns {object} The rules object: without a league it holds ratings only. */
function leagueIn(said) {
  const points = text(said, 'points');
  if (points === 'none') return {};
  const places = points === 'places' ? { places: text(said, 'places').match(/[^\s,;]+/g) ?? [] } : {};
  const best = text(said, 'best') === '' ? {} : { best: Number(said.get('best')) };
  return { league: { points, ...places, ...best, up: Number(said.get('up')), down: Number(said.get('down')) } };
}

async function begin(/** @type {FormData} */ said) {
  const body = { title: text(said, 'title'), game: text(said, 'game'), rules: leagueIn(said) };
  const { season, token } = await askOnce('POST', '/api/v1/seasons', { body });
  keepSeason(season, { host: token });
  location.assign(`/seasons/${season}`);
}

/** Show the fields that count, as the form stands. @param {HTMLFormElement} form */
function arrange(form) {
  const { value } = /** @type {HTMLSelectElement} */ (form.elements.namedItem('points'));
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('[data-for]'))) {
    const counts = (field.dataset.for ?? '').split(' ').includes(value);
    field.hidden = !counts;
    for (const input of field.querySelectorAll('input')) input.disabled = !counts;
  }
}

// ---- a season that is held ----------------------------------------------------------------------

/** @param {HTMLElement} held */
function holdSeason(held) {
  const season = held.dataset.season ?? '';
  const { host } = seasonOf(season);
  if (host !== undefined) open(held, host);
  does('end', async () => {
    await ask('POST', `/api/v1/seasons/${season}/close`, { token: seasonOf(season).host ?? null });
    location.reload();
  });
  does('brought', async (said) => {
    keepSeason(season, { host: text(said, 'token') });
    location.reload();
  });
}

// ---- players ------------------------------------------------------------------------------------

async function become(/** @type {FormData} */ said) {
  const name = text(said, 'name');
  const { player, token } = await askOnce('POST', '/api/v1/players', { body: { name } });
  keepPlayer({ player, token });
  keepName(name);
  location.assign(`/players/${player}`);
}

/** Say that this browser keeps a player already, and where that one is. @param {HTMLElement} told */
function tellKnown(told) {
  const kept = keptPlayer();
  if (kept?.player === undefined) return;
  /** @type {HTMLAnchorElement} */ (told.querySelector('a')).href = `/players/${kept.player}`;
  told.hidden = false;
}

/** @param {HTMLElement} own */
function beOneself(own) {
  const player = own.dataset.player ?? '';
  const path = `/api/v1/players/${player}`;
  const kept = keptPlayer();
  if (kept?.player === player) open(own, kept.token);
  does('renew', async () => {
    const { token, renewal = freshKey() } = keptPlayer() ?? { token: '' };
    // Kept before it is asked for: where the answer is lost, the same request brings the same token again.
    keepPlayer({ player, token, renewal });
    const renewed = await ask('POST', `${path}/token`, { token, key: renewal });
    keepPlayer({ player, token: renewed.token });
    location.reload();
  });
  does('erase', async () => {
    await ask('DELETE', `${path}/name`, { token: keptPlayer()?.token ?? null });
    keepName('');
    location.reload();
  });
  does('brought', async (said) => {
    keepPlayer({ player, token: text(said, 'token') });
    location.reload();
  });
}

const starts = /** @type {HTMLFormElement | null} */ (part('begin'));
if (starts !== null) {
  arrange(starts);
  starts.addEventListener('change', () => arrange(starts));
}
does('begin', begin);
does('become', become);
for (const [id, opens] of /** @type {[string, (part: HTMLElement) => void][]} */ ([
  ['known', tellKnown],
  ['held', holdSeason],
  ['own', beOneself],
])) {
  const found = part(id);
  if (found !== null) opens(found);
}
const bring = part('bring');
if (bring !== null) bring.hidden = false;
