/** The games of a form with their house rules: which is chosen, which of its fields count, and what they come to. */
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Part */

const WORDS = CATALOGUE.lobby.form;

/** @param {HTMLFormElement} form @param {string} name */
export const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {HTMLElement} around @param {string} name */
const named = (around, name) => /** @type {Part} */ (around.querySelector(`[name="${CSS.escape(name)}"]`));

/** @param {HTMLFormElement} form @returns {HTMLFieldSetElement} The house rules of the chosen game. */
export function rulesPart(form) {
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
export function optionsOf(fieldset) {
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

/** @param {HTMLFormElement} form @returns {object | null} The clocks of a match, in milliseconds; none where it has none. */
export function clockOf(form) {
  const seconds = (/** @type {string} */ name) => Math.round(Number(field(form, name).value) * 1000);
  const clock = {
    bank_ms: seconds('bank'),
    increment_ms: seconds('increment'),
    on_timeout: field(form, 'on_timeout').value,
  };
  return field(form, 'clock').checked ? clock : null;
}

/** Say how far the house rules are from the usual ones. @param {HTMLFieldSetElement} chosen */
function tellChanged(chosen) {
  const changed = parts(chosen).filter((part) => counts(part) && !isUsual(part)).length;
  const told = /** @type {HTMLElement} */ (chosen.querySelector('[data-changed]'));
  told.textContent = say(WORDS.changed, { changed: String(changed) });
}

/** Show the fields of the chosen game, and of them those that count. @param {HTMLFormElement} form */
export function arrangeRules(form) {
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
}

/** Say which game is chosen. @param {HTMLFormElement} form */
export function nameGame(form) {
  const { title = '' } = rulesPart(form).dataset;
  /** @type {HTMLElement} */ (form.querySelector('#chosen')).textContent = title;
}

/** @param {HTMLFormElement} form @returns {boolean} Whether all that counts is filled in; if not, the first that is not is shown. */
export function isFilledIn(form) {
  const wrong = /** @type {HTMLInputElement | undefined} */ (
    [...form.elements].find(
      (part) => 'checkValidity' in part && !(/** @type {HTMLInputElement} */ (part).checkValidity()),
    )
  );
  if (wrong === undefined) return true;
  wrong.closest('details')?.setAttribute('open', '');
  wrong.reportValidity();
  return false;
}

/** Take up the values of known rules; what they do not name is as usual. @param {HTMLFormElement} form @param {Record<string, any>} values */
export function takeUp(form, values) {
  for (const part of parts(rulesPart(form))) {
    const value = values[part.name];
    if (isSwitch(part)) part.checked = value ?? part.defaultChecked;
    else if (part.name in values) part.value = String(value ?? '');
    else if (part instanceof HTMLSelectElement) part.selectedIndex = usualIndex(part);
    else part.value = part.defaultValue;
  }
}

/** What was changed may be known rules to take up, or make them one's own. @param {HTMLFormElement} form @param {Part} changed */
export function rulesChanged(form, changed) {
  const known = /** @type {HTMLSelectElement | null} */ (rulesPart(form).querySelector('[data-preset]'));
  if (known !== null && changed === known) takeUp(form, JSON.parse(known.value));
  else if (known !== null && changed.hasAttribute('data-option')) known.value = '';
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

/** What is typed finds games, and one that the address asks for is chosen. @param {HTMLFormElement} form */
export function choosable(form) {
  const games = /** @type {HTMLElement} */ (form.querySelector('.games'));
  findable(games);
  choose(games, new URLSearchParams(location.search).get('game') ?? '');
}
