/** The form in which officials act: what an act will do is said before, and what it needs and why is asked for. */
import { serverClock } from '../client/api.js';
import { CATALOGUE, joinNames, say } from '../words/catalogue.js';
import { apart } from '../words/phrases.js';
import { askPlaces, placesIn } from './places.js';

/** @typedef {import('./places.js').Person} Person */
/** @typedef {Person & {status: string}} Entrant */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Part */
/**
 * @typedef {{key: string, type: string, name: string, does: string, asks: string[], path: string, method: string, who: string[],
 *   reason: string, sure: boolean}} Act
 */
/** @typedef {{act: Act, given: Record<string, any>, about: string, seats: number[]}} Asked What a button asks for. */

const MINUTE_MS = 60_000;
/** Rows that are wrong of which it is said at once. */
const ROWS_TOLD = 8;

/** @param {string | undefined} text @returns {string[]} */
const listed = (text) => (text ? text.split(' ') : []);

/** @param {ParentNode} root @returns {Map<string, Act>} What officials may ask for, by key. */
export function actsOf(root) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('#acts > li'));
  return new Map(
    [...rows].map(({ dataset, children: [name, does] }) => [
      dataset.key ?? '',
      {
        key: dataset.key ?? '',
        type: dataset.type ?? '',
        name: name.textContent ?? '',
        does: does.textContent ?? '',
        asks: listed(dataset.asks),
        path: dataset.path ?? '',
        method: dataset.method ?? '',
        who: listed(dataset.who),
        reason: dataset.reason ?? '',
        sure: dataset.sure !== undefined,
      },
    ]),
  );
}

/** @param {ParentNode} root @returns {Entrant[]} */
export function entrantsOf(root) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('#all [data-number]'));
  return [...rows].map(({ dataset: { number, name = '', status = '' } }) => ({ number: Number(number), name, status }));
}

/** @param {string} text @returns {number[][]} Tables, one a line, by the numbers of who sits there. */
const tablesIn = (text) =>
  text
    .split('\n')
    .map((line) => (line.match(/\d+/g) ?? []).map(Number))
    .filter((seats) => seats.length > 0);

/**
 * @param {string} text
 * @param {string} custody Who draws the seeds of their dice.
 * @returns {object[]} People, one a line; a club and a place among the seeds behind semicolons or tabs.
 */
const peopleIn = (text, custody) =>
  text
    .split('\n')
    .map((line) => line.split(/[;\t]/).map((cell) => cell.trim()))
    .filter(([name]) => name !== '')
    .map(([name, club, seed]) => ({
      name,
      ...(club ? { club } : {}),
      ...(seed ? { seed: placeIn(seed) } : {}),
      custody,
    }));

/** @param {string} cell @returns {number | string} What is no number stays as it was written: the house says what is wrong. */
const placeIn = (cell) => (/^\d+$/.test(cell) ? Number(cell) : cell);

/** The form, in a dialog that lies beside what is read again. */
export class ActForm {
  /** @param {HTMLDialogElement} dialog @param {(asked: Asked, body: object) => Promise<string>} send Says what stood in the way. */
  constructor(dialog, send) {
    this.dialog = dialog;
    this.send = send;
    this.form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
    /** @type {Asked | null} */
    this.asked = null;
    /** @type {Entrant[]} */
    this.entrants = [];
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.form.addEventListener('input', () => this.#arrange());
    dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  }

  /** @param {string} name @returns {Part} */
  #part(name) {
    return /** @type {Part} */ (this.form.elements.namedItem(name));
  }

  /** @param {string} selector @returns {HTMLElement} */
  #at(selector) {
    return /** @type {HTMLElement} */ (this.dialog.querySelector(selector));
  }

  /**
   * Ask for what is missing.
   *
   * @param {Asked} asked
   * @param {Entrant[]} entrants
   * @param {string} [tables] Tables to begin with.
   */
  open(asked, entrants, tables = '') {
    this.form.reset();
    this.asked = asked;
    this.entrants = entrants;
    const { act, about, seats } = asked;
    this.#at('#act-title').textContent = act.name;
    this.#at('#act-about').textContent = about;
    this.#at('#act-does').textContent = act.does;
    this.#at('#act-do').textContent = act.name;
    this.#at('#act-error').textContent = '';
    /** @type {HTMLButtonElement} */ (this.#at('#act-do')).disabled = false;
    const offered = seats.length > 0 ? entrants.filter(({ number }) => seats.includes(number)) : this.#offered(act);
    for (const name of ['number', 'other']) this.#offer(name, offered);
    askPlaces(this.#at('[data-asked="ranking"]'), offered);
    this.#part('reason').value = act.reason;
    this.#part('tables').value = tables;
    this.#arrange();
    this.dialog.showModal();
  }

  /** @param {Act} act */
  #offered = ({ who }) => this.entrants.filter(({ status }) => who.includes(status));

  /** @param {string} name @param {Entrant[]} entrants */
  #offer(name, entrants) {
    const select = /** @type {HTMLSelectElement} */ (this.#part(name));
    select.replaceChildren(
      ...entrants.map(({ number, name: called }) => new Option(`${number} ${called}`, String(number))),
    );
    if (name === 'other' && entrants.length > 1) select.selectedIndex = 1;
  }

  /** Show what is asked, and of that what counts. */
  #arrange() {
    const kind = this.#part('kind').value;
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll('[data-asked]'))) {
      const { asked = '', kind: of } = part.dataset;
      part.hidden = !this.#asks(asked) || (of !== undefined && of !== kind);
      for (const field of /** @type {NodeListOf<Part>} */ (part.querySelectorAll(':is(input,select,textarea)'))) {
        field.disabled = part.hidden;
      }
    }
    // What is said of an appeal is read by whoever filed it, and by officials: there is nothing to choose.
    const ofAppeal = this.asked?.act.type === 'decide';
    this.#at('[data-asked="text"] .switch').hidden = ofAppeal || this.#part('text').value === '';
    this.#at('[data-asked="text"] .hint').hidden = !ofAppeal;
    const named = new Map(this.entrants.map(({ number, name }) => [number, apart(name)]));
    const tables = tablesIn(this.#part('tables').value);
    const lines = tables.map((seats) => joinNames(seats.map((number) => named.get(number) ?? `#${number}`)));
    this.#at('#tables-read').textContent = lines.join('; ');
    const { ranking } = placesIn(this.#at('[data-asked="ranking"]'));
    this.#at('#places-read').textContent = ranking.map(told(named)).join('; ');
  }

  /** @param {string} name */
  #asks(name) {
    return this.asked !== null && missing(this.asked).includes(name);
  }

  /** @returns {Record<string, any>} */
  #body() {
    const { act, given } = /** @type {Asked} */ (this.asked);
    const body = { ...(act.path === '/commands' ? { type: act.type } : {}), ...given };
    for (const name of missing(/** @type {Asked} */ (this.asked))) {
      const part = this.#part(name);
      if (name === 'ranking') Object.assign(body, placesIn(this.#at('[data-asked="ranking"]')));
      else if (!part.disabled) Object.assign(body, this.#said(name, part.value.trim(), act));
    }
    return body;
  }

  /** @param {string} name @param {string} value @param {Act} act @returns {Record<string, any>} What a field comes to. */
  #said(name, value, act) {
    switch (name) {
      case 'number':
        return act.asks.includes('other')
          ? { numbers: [Number(value), Number(this.#part('other').value)] }
          : { number: Number(value) };
      case 'other':
        return {};
      case 'count':
      case 'table':
        return { [name]: Number(value) };
      case 'minutes':
        return act.key === 'extend'
          ? { until: Math.round(serverClock.now()) + Number(value) * MINUTE_MS }
          : { ms: Number(value) * MINUTE_MS };
      case 'tables':
        return { tables: tablesIn(value) };
      case 'list':
        return { lines: peopleIn(value, this.#custody()) };
      case 'lines':
        return { lines: (value.match(/\d+/g) ?? []).map(Number) };
      case 'own_seeds':
        return act.asks.includes('list') ? {} : { custody: this.#custody() };
      case 'club':
        return value === '' ? {} : { club: value };
      case 'seed':
        return value === '' ? {} : { seed: Number(value) };
      case 'text':
        return value === ''
          ? {}
          : { text: value, restricted: /** @type {HTMLInputElement} */ (this.#part('restricted')).checked };
      default:
        return { [name]: value };
    }
  }

  #custody() {
    return /** @type {HTMLInputElement} */ (this.#part('own_seeds')).checked ? 'client' : 'server';
  }

  async #submit() {
    const wrong = [...this.form.elements].find(
      (part) => 'checkValidity' in part && !(/** @type {Part} */ (part).checkValidity()),
    );
    if (wrong !== undefined) {
      /** @type {Part} */ (wrong).reportValidity();
      return;
    }
    const press = /** @type {HTMLButtonElement} */ (this.#at('#act-do'));
    press.disabled = true;
    const asked = /** @type {Asked} */ (this.asked);
    const trouble = await this.send(asked, this.#body());
    if (this.asked !== asked) return; // another form stands here by now
    press.disabled = false;
    this.#at('#act-error').textContent = trouble;
    if (trouble === '') this.dialog.close();
  }
}

/** @param {Map<number, string>} named @returns {(level: number[], at: number, all: number[][]) => string} A place with who has it. */
const told = (named) => (level, at, all) => {
  const place = all.slice(0, at).reduce((sum, { length }) => sum + length, 1);
  return `${place}. ${joinNames(level.map((number) => named.get(number) ?? `#${number}`))}`;
};

/** @param {Asked} asked @returns {string[]} What an act has still to be told. */
export const missing = ({ act, given }) => act.asks.filter((name) => !(name in given));

/** @param {import('../client/api.js').Refusal} trouble @returns {string[]} What is wrong with which rows of a list. */
export const rowsWrong = ({ facts }) =>
  (facts.rows ?? [])
    .slice(0, ROWS_TOLD)
    .map((/** @type {{row: number, code: string, why: string}} */ { row, code, why }) =>
      say(CATALOGUE.holding.row, { row: String(row), why: CATALOGUE.problems[code] ?? why }),
    );

/** @returns {string} What is said to whoever would rule on the own table. */
export const ownTable = () => CATALOGUE.problems.own_table;
