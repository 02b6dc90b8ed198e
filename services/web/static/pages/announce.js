/** The form that announces a tournament: whoever sends it is its host from then on, in this browser. */
import { Refusal, askOnce } from '../client/api.js';
import { isLasting, keepEntry, seasonOf } from '../client/keep.js';
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
  takeUp,
} from '../forms/house.js';
import { sentence } from '../words/catalogue.js';
import { isTold, refusalWords } from '../words/phrases.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Part */
/** @typedef {Record<string, any>} Rules */

const form = /** @type {HTMLFormElement} */ (document.querySelector('#announce'));
const error = /** @type {HTMLElement} */ (form.querySelector('#announce-error'));
const send = /** @type {HTMLButtonElement} */ (form.querySelector('[type="submit"]'));
/** The season that it is announced for, where a link of that one leads here, and the token of its host. */
const season = new URLSearchParams(location.search).get('season');
const host = season === null ? null : (seasonOf(season).host ?? null);
const OF_STAGE = /^stages\.\d+\.(?:inner\.)?/;

/** @returns {{name: string, rules: Rules}} What is played, with the members of the rules that it fills. */
function chosenPreset() {
  const radio = /** @type {HTMLInputElement} */ (form.querySelector('[name="preset"]:checked'));
  return { name: radio.value, rules: JSON.parse(radio.dataset.rules ?? '{}') };
}

/** @param {Part} part */
function valueIn(part) {
  if (part instanceof HTMLInputElement && part.type === 'checkbox') return part.checked;
  if (part.dataset.rule !== 'number') return part.value;
  return part.value === '' ? null : Number(part.value) * Number(part.dataset.unit);
}

/** @param {Part} part @returns {boolean} Whether it is as the house has it unless somebody says otherwise. */
function isUsual(part) {
  if (part instanceof HTMLSelectElement) return part.selectedIndex === 0;
  return part.type === 'checkbox' ? part.checked === part.defaultChecked : part.value === part.defaultValue;
}

/** @param {Element} part @returns {boolean} Whether only stages of another format have it than those that are chosen. */
function isOfOther(part) {
  const format = part.closest('[data-format]')?.getAttribute('data-format') ?? null;
  const stages = /** @type {Rules[]} */ (chosenPreset().rules.stages);
  return format !== null && !stages.some((stage) => stage.format === format);
}

/** @returns {{rules: Rules, stage: Rules}} What was said otherwise, and what of it is said of the stages. */
function changed() {
  const [rules, stage] = [/** @type {Rules} */ ({}), /** @type {Rules} */ ({})];
  for (const part of /** @type {NodeListOf<Part>} */ (form.querySelectorAll('[data-rule]'))) {
    if (isUsual(part) || isOfOther(part)) continue;
    const [place, name] = part.name.split('.');
    if (place === 'stage') stage[name] = valueIn(part);
    else rules[place] = { ...rules[place], [name]: valueIn(part) };
  }
  return { rules, stage };
}

/** Rounds are those of the first stage, in groups of each; every stage has matches that long, and as many at a table. @param {Rules[]} stages @param {Rules} said */
function stagesWith(stages, { rounds, ...more }) {
  return stages.map((stage, at) => {
    if (at > 0 || rounds === undefined) return { ...stage, ...more };
    if (stage.bouts !== undefined) return { ...stage, ...more, bouts: rounds };
    return stage.inner === undefined
      ? { ...stage, ...more, rounds }
      : { ...stage, ...more, inner: { ...stage.inner, rounds } };
  });
}

/** @returns {number[]} When each round is paired, in Unix milliseconds. */
const timesOf = () =>
  [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[name="time.times"]'))]
    .filter(({ value }) => value !== '')
    .map(({ value }) => Date.parse(value));

/** @returns {Rules} The rules object, as far as it is not that of the preset. */
function rulesOf() {
  const { rules, stage } = changed();
  const { stages, match: usual } = chosenPreset().rules;
  // Where nobody plays without a clock, there is one unless another is chosen.
  const clock = clockOf(form) ?? usual.clock ?? null;
  const match = { game: field(form, 'game').value, options: optionsOf(rulesPart(form)) };
  rules.match = clock === null ? match : { ...match, clock };
  if (Object.keys(stage).length > 0) rules.stages = stagesWith(stages, stage);
  if (rules.time?.start === 'times') rules.time.times = timesOf();
  const [amounts, unit] = [field(form, 'prizes.amounts').value.trim(), field(form, 'prizes.unit').value.trim()];
  if (amounts !== '' || unit !== '') rules.prizes = { unit, amounts: amounts.match(/\d+/g)?.map(Number) ?? [] };
  const beacon = /** @type {HTMLInputElement | null} */ (form.elements.namedItem('lots.beacon'));
  if (beacon?.checked) rules.lots = { ...rules.lots, beacon: beacon.value };
  if (host !== null) Object.assign(rules, { season, rated: field(form, 'season').checked });
  return rules;
}

/** @param {string} option @returns {Part | null} The field that an option of the rules comes from. */
function fieldOf(option) {
  const path = option.replace(OF_STAGE, 'stage.').split('.');
  const inMatch = path[0] === 'match' ? path.slice(1) : path;
  for (let length = inMatch.length; length > 0; length -= 1) {
    const name = CSS.escape(inMatch.slice(0, length).join('.'));
    const found = [.../** @type {NodeListOf<Part>} */ (form.querySelectorAll(`[name="${name}"]`))];
    const part = found.find((one) => one.matches(':enabled') && one.type !== 'radio');
    if (part !== undefined) return part;
  }
  return form.querySelector(`[name="${path[0] === 'match' ? 'game' : 'preset'}"]:checked`);
}

/** Say at a field what is wrong with it. @param {Part} part @param {string} text */
function tellAt(part, text) {
  for (let around = part.closest('details'); around; around = around.parentElement?.closest('details') ?? null) {
    around.open = true;
  }
  const told = document.createElement('p');
  told.classList.add('error', 'wrong');
  told.id = 'wrong';
  told.textContent = text;
  (part.closest('.field') ?? part.closest('fieldset'))?.append(told);
  part.setAttribute('aria-invalid', 'true');
  part.setAttribute('aria-describedby', told.id);
  part.focus();
  part.scrollIntoView({ block: 'center' });
}

function forgetTrouble() {
  error.hidden = true;
  form.querySelector('.wrong')?.remove();
  for (const part of form.querySelectorAll('[aria-invalid]')) {
    part.removeAttribute('aria-invalid');
    part.removeAttribute('aria-describedby');
  }
}

/** @param {Refusal} trouble */
function tell(trouble) {
  const { why, option } = trouble.facts;
  const text = [refusalWords(trouble), why && isTold(trouble) && `${sentence(why)}.`].filter(Boolean).join(' ');
  const part = trouble.code === 'bad_name' ? field(form, 'title') : option === undefined ? null : fieldOf(option);
  if (part !== null) return tellAt(part, text);
  error.textContent = text;
  error.hidden = false;
}

async function announce() {
  forgetTrouble();
  if (!isFilledIn(form)) return;
  send.disabled = true;
  try {
    const body = {
      preset: chosenPreset().name,
      rules: rulesOf(),
      title: field(form, 'title').value.trim(),
      private: field(form, 'private').checked,
    };
    const { tournament, token } = await askOnce('POST', '/api/v1/tournaments', { body, token: host });
    keepEntry(tournament, { host: token });
    // What this browser does not keep goes along, as on a link to the console.
    location.assign(`/t/${tournament}/host${isLasting() ? '' : `#official=${token}`}`);
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    tell(trouble);
    send.disabled = false;
  }
}

/** Say for which season it counts, or that nobody here can announce anything for it. */
function tellSeason() {
  if (season === null) return;
  const told = /** @type {HTMLElement} */ (form.querySelector(host === null ? '#no-season' : '#of-season'));
  /** @type {HTMLAnchorElement} */ (told.querySelector('a[data-season]')).href =
    `/seasons/${encodeURIComponent(season)}`;
  told.removeAttribute('disabled');
  told.hidden = false;
}

function arrangeFormats() {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('[data-format]'))) {
    part.hidden = isOfOther(part);
  }
}

/** Take up how the chosen game is played there, where it is the game of what is played. */
function followPreset() {
  arrangeFormats();
  const { match } = chosenPreset().rules;
  if (field(form, 'game').value === match.game) takeUp(form, match.options);
}

form.addEventListener('change', ({ target }) => {
  const part = /** @type {Part} */ (target);
  if (part.name === 'preset') followPreset();
  if (part.name === 'game') nameGame(form);
  rulesChanged(form, part);
  arrangeRules(form);
});
form.querySelector('[data-more]')?.addEventListener('click', (event) => {
  const more = /** @type {HTMLElement} */ (event.currentTarget);
  const first = /** @type {HTMLInputElement} */ (form.querySelector('[name="time.times"]'));
  const next = /** @type {HTMLInputElement} */ (first.cloneNode());
  next.removeAttribute('id');
  next.setAttribute('aria-label', first.labels?.[0]?.textContent ?? '');
  more.before(next);
  next.focus();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void announce();
});
choosable(form);
tellSeason();
nameGame(form);
arrangeFormats();
arrangeRules(form);
// It is sent once; who comes back to it may send another.
addEventListener('pageshow', () => (send.disabled = false));
send.disabled = false;
