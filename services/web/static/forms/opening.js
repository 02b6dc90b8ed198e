/** The form that opens a table: which game, its house rules, who sits down. */
import { Alarm, Refusal, needed } from '../client/api.js';
import { keepName, ownName, tableOf } from '../client/keep.js';
import { CATALOGUE, say, sentence } from '../words/catalogue.js';
import { alarmWords, isTold, refusalWords } from '../words/phrases.js';
import {
  arrangeRules,
  choosable,
  clockOf,
  field,
  isFilledIn,
  nameGame,
  optionsOf,
  rulesChanged,
  rulesPart,
} from './house.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Part */

const WORDS = CATALOGUE.lobby.form;

/** @param {HTMLFormElement} form */
function rulesOf(form) {
  const seconds = (/** @type {string} */ name) => Math.round(Number(field(form, name).value) * 1000);
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
    clock: clockOf(form),
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
  const { openTable } = await needed(import('../signing/tables.js'));
  const match = await openTable({
    table: tableIn(form, practice),
    sits: name === '' ? undefined : { name, custody, signs: field(form, 'signs').checked },
    bots: botsIn(form, name !== '', now),
    starts: now,
  });
  if (name !== '') keepName(name);
  return match;
}

/** @param {HTMLFormElement} form @param {boolean} practice */
const tableIn = (form, practice) => ({
  rules: rulesOf(form),
  policy: field(form, 'policy').value,
  name: field(form, 'table_name').value.trim() || undefined,
  private: practice || field(form, 'private').checked,
  choices: {
    hints: practice || field(form, 'hints').checked,
    phrases: field(form, 'phrases').checked,
    delay_ms: practice ? 0 : Math.round(Number(field(form, 'delay').value) * 1000),
  },
});

/** @param {HTMLFormElement} form @param {boolean} sits Whether whoever opens the table does. @param {boolean} now */
function botsIn(form, sits, now) {
  const wanted = Math.max(Number(field(form, 'bots').value), now ? 1 : 0);
  const count = Math.min(wanted, Number(field(form, 'seats').value) - (sits ? 1 : 0));
  return count > 0 ? { count, level: field(form, 'level').value } : undefined;
}

/** @param {HTMLElement} error @param {string} text */
function show(error, text) {
  error.textContent = text;
  error.hidden = false;
  error.scrollIntoView({ block: 'nearest' });
}

/** Until the next page is there as well: a form that was sent is not sent again. */
let busy = false;
addEventListener('pageshow', () => (busy = false));

/** @param {HTMLFormElement} form @param {boolean} now @param {boolean} [practice] */
async function submit(form, now, practice = false) {
  const error = /** @type {HTMLElement} */ (form.querySelector('#create-error'));
  error.hidden = true;
  if (!isFilledIn(form)) return;
  if (busy) return;
  busy = true;
  try {
    location.assign(tableOf(await open(form, now, practice)));
  } catch (trouble) {
    busy = false;
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
  }
}

/** Show what counts, and no more bots than there are seats for. @param {HTMLFormElement} form */
function arrange(form) {
  arrangeRules(form);
  const own = field(form, 'name').value.trim() === '' ? 0 : 1;
  const bots = field(form, 'bots');
  bots.max = String(Number(field(form, 'seats').value) - own);
  bots.value = String(Math.min(Number(bots.value), Number(bots.max)));
}

/** @param {Part} part @returns {HTMLElement} What holds it with its label. */
const rowOf = (part) => /** @type {HTMLElement} */ (part.closest('.field'));

/** Offer what the chosen game takes: its seats, bots for them, and the deals it can be dealt by. @param {HTMLFormElement} form */
function turnTo(form) {
  const { seats = '', most = '', deals = '' } = rulesPart(form).dataset;
  const [low, high] = seats.split(' ').map(Number);
  nameGame(form);
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
    rulesChanged(form, changed);
    arrange(form);
  });
  choosable(form);
  turnTo(form);
  arrange(form);
  // Until now a press would have done nothing, or sent the form as an address.
  for (const button of document.querySelectorAll('[data-opens]')) button.removeAttribute('disabled');
}
