/** The form that opens a table: which game, its house rules, who sits down. */
import { Alarm, Refusal, ask, matchPath, needed } from '../client/api.js';
import { dropTokens, keepName, keepTokens, ownName, tableOf } from '../client/keep.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { alarmWords, isTold, refusalWords } from '../words/phrases.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Part */

const WORDS = CATALOGUE.lobby.form;

/** @param {HTMLFormElement} form @param {string} name */
const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {HTMLElement} around @param {string} name */
const named = (around, name) => /** @type {Part} */ (around.querySelector(`[name="${CSS.escape(name)}"]`));

/** @param {HTMLFormElement} form @returns {HTMLFieldSetElement} The house rules of the chosen game. */
function rulesPart(form) {
  const game = CSS.escape(field(form, 'game').value);
  return /** @type {HTMLFieldSetElement} */ (form.querySelector(`[data-game="${game}"]`));
}

/** @param {HTMLElement} around @returns {Part[]} */
const parts = (around) => [.../** @type {NodeListOf<Part>} */ (around.querySelectorAll('[data-option]'))];

/** @param {Part} part @returns {part is HTMLInputElement & {type: 'checkbox'}} */
const isSwitch = (part) => part.type === 'checkbox';

/** @param {Part} part */
function valueIn(part) {
  if (isSwitch(part)) return part.checked;
  if (part.dataset.option !== 'number') return part.value;
  return part.value === '' ? null : Number(part.value);
}

/** @param {Part} part @returns {boolean} Whether it is as the game usually has it. */
function isUsual(part) {
  if (part instanceof HTMLSelectElement) return part.selectedIndex === usualIndex(part);
  return isSwitch(part) ? part.checked === part.defaultChecked : part.value === part.defaultValue;
}

/** @param {HTMLSelectElement} select */
const usualIndex = (select) =>
  Math.max(
    0,
    [...select.options].findIndex((one) => one.defaultSelected),
  );

/** @param {Element} part @returns {boolean} Whether it counts, as the other fields stand. */
function counts(part) {
  const needed = part.closest('[data-needs]');
  return needed === null || isMet(needed, /** @type {HTMLElement} */ (part.closest('fieldset')));
}

/** @param {Element} part @param {HTMLElement} around */
function isMet(part, around) {
  const needs = Object.entries(JSON.parse(/** @type {HTMLElement} */ (part).dataset.needs ?? '{}'));
  return needs.every(([name, values]) => values.includes(valueIn(named(around, name))));
}

/** What does not count is left to the house. @param {HTMLFieldSetElement} fieldset @returns {Record<string, unknown>} */
function optionsOf(fieldset) {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const part of parts(fieldset).filter(counts)) {
    const [name, member] = part.name.split('.');
    const isObject = fieldset.querySelector(`[name^="${CSS.escape(name)}."]`) !== null;
    if (member !== undefined) options[name] = { .../** @type {object} */ (options[name]), [member]: valueIn(part) };
    else if (isObject) options[name] = valueIn(part) ? {} : null;
    else options[name] = valueIn(part);
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
  const idle = {
    turn_ms: seconds('turn'),
    turns: Number(field(form, 'turns').value),
    // biome-ignore lint/suspicious/noThenProperty: it is the name in the rules object, and nobody waits for it.
    then: field(form, 'then').value,
  };
  return {
    game: field(form, 'game').value,
    options: optionsOf(rulesPart(form)),
    seats: Number(field(form, 'seats').value),
    deal_per: field(form, 'deal_per').value,
    pause_ms: seconds('pause'),
    clock: field(form, 'clock').checked ? clock : null,
    beacon: field(form, 'beacon')?.checked ? field(form, 'beacon').value : null,
    idle: field(form, 'idle').checked ? idle : null,
    start: field(form, 'full').checked ? 'full' : null,
    host: field(form, 'powers').checked ? {} : null,
  };
}

async function distrusted() {
  const { distrust } = await needed(import('../client/trust.js'));
  return distrust();
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} now Start at once.
 * @param {boolean} practice At a table of one's own, with hints.
 * @returns {Promise<string>} The match.
 */
async function open(form, now, practice) {
  const name = field(form, 'name').value.trim() || (now ? WORDS.guest : '');
  const custody = field(form, 'own_seeds').checked ? 'client' : 'server';
  const doubt = name !== '' && custody === 'client' ? await distrusted() : null;
  if (doubt !== null) throw doubt;
  const called = field(form, 'table_name').value.trim() || undefined;
  const opened = await ask('POST', '/api/v1/matches', {
    body: {
      rules: rulesOf(form),
      policy: field(form, 'policy').value,
      name: called,
      private: practice || field(form, 'private').checked,
      choices: {
        hints: practice || field(form, 'hints').checked,
        phrases: field(form, 'phrases').checked,
        delay_ms: practice ? 0 : Math.round(Number(field(form, 'delay').value) * 1000),
      },
    },
  });
  keepTokens(opened.match, { host: opened.token, invite: opened.invite });
  try {
    await seat(form, opened, { name, custody, now });
  } catch (trouble) {
    await giveUp(opened);
    throw trouble;
  }
  return opened.match;
}

/**
 * Sit down at a table that was just opened, with the bots that are wanted.
 *
 * @param {HTMLFormElement} form
 * @param {{match: string, token: string, invite?: string}} opened
 * @param {{name: string, custody: string, now: boolean}} how
 */
async function seat(form, { match, token, invite }, { name, custody, now }) {
  if (name !== '') {
    const seated = await ask('POST', matchPath(match, '/seats'), { body: { name, custody, invite } });
    keepName(name);
    keepTokens(match, { token: seated.token, seat: seated.seat });
  }
  const wanted = Math.max(Number(field(form, 'bots').value), now ? 1 : 0);
  const count = Math.min(wanted, Number(field(form, 'seats').value) - (name === '' ? 0 : 1));
  if (count > 0) await ask('POST', matchPath(match, '/bots'), { token, body: { count } });
  if (now) await begin(match, token);
}

/** Start the match, unless it has started by itself since its last seat was taken. @param {string} match @param {string} token */
async function begin(match, token) {
  try {
    await ask('POST', matchPath(match, '/start'), { token });
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.code === 'already_started')) throw refusal;
  }
}

/**
 * Close a table again that did not come about as it was asked for, such as where nobody can be called so: another one is
 * opened when the form is mended, and this one would wait for players in vain.
 *
 * @param {{match: string, token: string}} opened
 */
async function giveUp({ match, token }) {
  dropTokens(match);
  try {
    await ask('POST', matchPath(match, '/commands'), { token, body: { type: 'close_session' } });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
  }
}

/** @param {HTMLElement} error @param {string} text */
function show(error, text) {
  error.textContent = text;
  error.hidden = false;
  error.scrollIntoView({ block: 'nearest' });
}

let busy = false;

/** @param {HTMLFormElement} form @param {boolean} now @param {boolean} [practice] */
async function submit(form, now, practice = false) {
  const error = /** @type {HTMLElement} */ (form.querySelector('#create-error'));
  error.hidden = true;
  const wrong = /** @type {HTMLInputElement | undefined} */ (
    [...form.elements].find(
      (part) => 'checkValidity' in part && !(/** @type {HTMLInputElement} */ (part).checkValidity()),
    )
  );
  if (wrong !== undefined) {
    wrong.closest('details')?.setAttribute('open', '');
    wrong.reportValidity();
    return;
  }
  if (busy) return;
  busy = true;
  try {
    location.assign(tableOf(await open(form, now, practice)));
  } catch (trouble) {
    if (trouble instanceof Alarm) return show(error, `${alarmWords(trouble)} ${WORDS.elsewhere}`);
    if (!(trouble instanceof Refusal)) throw trouble;
    const { why } = trouble.facts;
    const about = rulesPart(form).querySelector(`[name="${CSS.escape(trouble.facts.option ?? '')}"]`);
    const label = /** @type {Part | null} */ (about)?.labels?.[0]?.textContent.trim() ?? '';
    show(
      error,
      [label && `${label}:`, refusalWords(trouble), why && isTold(trouble) && `${sentence(why)}.`]
        .filter(Boolean)
        .join(' '),
    );
  } finally {
    busy = false;
  }
}

/** Say how far the house rules are from the usual ones. @param {HTMLFieldSetElement} chosen */
function tellChanged(chosen) {
  const changed = parts(chosen).filter((part) => counts(part) && !isUsual(part)).length;
  const told = /** @type {HTMLElement} */ (chosen.querySelector('[data-changed]'));
  told.textContent = say(WORDS.changed, { changed: String(changed) });
}

/** Show the fields of the chosen game, and of them those that count. @param {HTMLFormElement} form */
function arrange(form) {
  const chosen = rulesPart(form);
  for (const one of /** @type {NodeListOf<HTMLFieldSetElement>} */ (form.querySelectorAll('[data-game]'))) {
    one.hidden = one !== chosen;
    one.disabled = one !== chosen;
  }
  for (const one of chosen.querySelectorAll('option')) one.disabled = !isMet(one, chosen);
  for (const select of chosen.querySelectorAll('select')) {
    if (select.selectedOptions[0]?.disabled) select.selectedIndex = usualIndex(select);
  }
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('.field[data-needs]'))) {
    part.hidden = !isMet(part, part.closest('fieldset') ?? form);
  }
  tellChanged(chosen);
  const own = field(form, 'name').value.trim() === '' ? 0 : 1;
  const bots = field(form, 'bots');
  bots.max = String(Number(field(form, 'seats').value) - own);
  bots.value = String(Math.min(Number(bots.value), Number(bots.max)));
}

/** @param {Part} part @returns {HTMLElement} What holds it with its label. */
const rowOf = (part) => /** @type {HTMLElement} */ (part.closest('.field'));

/** Offer what the chosen game takes: its seats, bots for them, and the deals it can be dealt by. @param {HTMLFormElement} form */
function turnTo(form) {
  const { title = '', seats = '', most = '', deals = '' } = rulesPart(form).dataset;
  const [low, high] = seats.split(' ').map(Number);
  /** @type {HTMLElement} */ (form.querySelector('#chosen')).textContent = title;
  /** @type {HTMLElement} */ (form.querySelector('#range')).textContent = say(WORDS.range, {
    low: String(low),
    high: String(high),
  });
  Object.assign(field(form, 'seats'), { min: low, max: high, value: most });
  rowOf(field(form, 'seats')).hidden = low === high;
  field(form, 'bots').value = String(Math.min(Number(field(form, 'bots').defaultValue), Number(most) - 1));
  const per = /** @type {HTMLSelectElement} */ (form.elements.namedItem('deal_per'));
  for (const one of per.options) one.disabled = !deals.split(' ').includes(one.value);
  if (per.selectedOptions[0].disabled) per.value = deals.split(' ')[0];
  rowOf(per).hidden = !deals.includes(' ');
}

/** @param {HTMLFormElement} form @param {HTMLSelectElement} select */
function preset(form, select) {
  const values = JSON.parse(select.value);
  for (const part of parts(rulesPart(form))) {
    const value = values[part.name];
    if (isSwitch(part)) part.checked = value ?? part.defaultChecked;
    else if (part.name in values) part.value = String(value ?? '');
    else if (part instanceof HTMLSelectElement) part.selectedIndex = usualIndex(part);
    else part.value = part.defaultValue;
  }
}

/** @param {string} text @returns {string} Its letters and digits, without accents, to be looked for. */
const plain = (text) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Leave the games that bear these letters in their names, titles or lines; all of them for none. @param {HTMLElement} games */
function find(games) {
  const wanted = plain(/** @type {HTMLInputElement} */ (games.querySelector('#find')).value);
  let count = 0;
  for (const family of games.querySelectorAll('details')) {
    const picks = /** @type {HTMLElement[]} */ ([...family.querySelectorAll('.pick')]);
    for (const pick of picks) pick.hidden = !plain(pick.textContent).includes(wanted);
    const found = picks.filter((pick) => !pick.hidden).length;
    count += found;
    family.hidden = found === 0;
    if (wanted !== '' && found > 0) family.open = true;
  }
  const told = /** @type {HTMLElement} */ (games.querySelector('#found'));
  told.textContent = wanted === '' ? '' : say(WORDS.found, { games: String(count) });
}

/** What is typed finds games, and Enter takes the first of them. @param {HTMLElement} games */
function findable(games) {
  const typed = /** @type {HTMLInputElement} */ (games.querySelector('#find'));
  typed.addEventListener('input', () => find(games));
  typed.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    /** @type {HTMLElement | null} */ (games.querySelector('.pick:not([hidden])'))?.click();
  });
}

/** Choose the game that a link asks for; one that nobody knows is no choice. @param {HTMLElement} games @param {string} name */
function choose(games, name) {
  const pick = /** @type {HTMLInputElement | null} */ (
    games.querySelector(`[name="game"][value="${CSS.escape(name)}"]`)
  );
  if (pick === null) return;
  pick.checked = true;
  pick.closest('details')?.setAttribute('open', '');
}

/** Bring the form to life. @param {HTMLFormElement} form */
export function opens(form) {
  field(form, 'name').value = ownName();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(form, false);
  });
  for (const button of document.querySelectorAll('[data-now]')) {
    button.addEventListener('click', () => void submit(form, true, button.hasAttribute('data-practice')));
  }
  form.addEventListener('change', (event) => {
    const changed = /** @type {Part} */ (event.target);
    if (changed.name === 'game') turnTo(form);
    const known = /** @type {HTMLSelectElement | null} */ (rulesPart(form).querySelector('[data-preset]'));
    if (known !== null && changed === known) preset(form, known);
    else if (known !== null && changed.hasAttribute('data-option')) known.value = '';
    arrange(form);
  });
  const games = /** @type {HTMLElement} */ (form.querySelector('.games'));
  findable(games);
  choose(games, new URLSearchParams(location.search).get('game') ?? '');
  turnTo(form);
  arrange(form);
  // Until now a press would have done nothing, or sent the form as an address.
  for (const button of document.querySelectorAll('[data-opens]')) button.removeAttribute('disabled');
}
