/** Standings that stay true: each result moves the rows that it moves, and the page is not read again for it. */
import { read } from '../client/api.js';
import { LiveLine, itemsOf } from '../client/lines/line.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/**
 * @typedef {[number, number | null, string, (string | string[] | null)[]]} Row
 * @typedef {{tables: {stage: number, round: number, table: number, state: string}[], stage: number | null,
 *   round: number | null, rows: Row[] | null, shifts: [number, number, number][]}} Moved
 * @typedef {{version: number, changed: Moved | null, event: {type: string}}} Frame
 */

const AGAIN_MS = 3_000;
/** Where a hall has more who watch than one address may have streams, the rest ask ever more seldom. */
const AGAIN_MS_MAX = 96_000;
/** Lines of which standings show all that a page of them shows. */
const RESULTS = new Set(['result.recorded', 'result.ruled']);
const SIGNS = { 1: '  ½⅓¼⅕⅙⅐⅛⅑⅒', 2: '   ⅔ ⅖', 3: '    ¾⅗  ⅜', 5: '      ⅚ ⅝', 4: '     ⅘', 7: '        ⅞' };
const PLACES = 3;

/** @returns {HTMLElement | null} What the standings of this page are of, if they move with the tournament. */
const live = () => document.querySelector('.live[data-stream]');

/** @param {bigint} number @param {string} digits */
const small = (number, digits) => [...`${number}`].map((digit) => digits[Number(digit)]).join('');

/** @param {string} value A fraction, `14/3`. @returns {string} As people write it, `4⅔`. */
function written(value) {
  const minus = value.startsWith('-') ? '−' : '';
  const [over = 0n, under = 1n] = value.replace('-', '').split('/').map(BigInt);
  const [whole, rest] = [over / under, over % under];
  if (rest === 0n) return `${minus}${whole}`;
  const sign = SIGNS[/** @type {keyof typeof SIGNS} */ (Number(rest))]?.[Number(under)]?.trim();
  return `${minus}${whole || ''}${sign || `${small(rest, '⁰¹²³⁴⁵⁶⁷⁸⁹')}⁄${small(under, '₀₁₂₃₄₅₆₇₈₉')}`}`;
}

/** @param {string} value */
function numberOf(value) {
  const data = document.createElement('data');
  data.value = value;
  data.textContent = written(value);
  const [over = 0, under] = value.split('/').map(Number);
  if (under !== undefined) data.title = String(Number((over / under).toFixed(PLACES)));
  return data;
}

/** @param {string} name @param {string} text */
function spanOf(name, text) {
  const span = document.createElement('span');
  span.className = name;
  span.textContent = text;
  return span;
}

/** @param {string | string[] | null} value @returns {(Node | string)[]} */
function tieOf(value) {
  if (value === null) return [spanOf('muted', '–')];
  if (typeof value === 'string') return [numberOf(value)];
  return value.flatMap((each, at) => (at === 0 ? [numberOf(each)] : ['·', numberOf(each)]));
}

/** @param {HTMLTableSectionElement} body Whoever has no place stands last. */
const placeOf = (body) => Number(body.rows[0]?.cells[0]?.firstChild?.textContent) || Number.POSITIVE_INFINITY;
/** @param {HTMLTableSectionElement} body */
const numberIn = (body) => Number(body.id.slice(1));

/** @param {HTMLTableSectionElement} body @param {number | null} place */
function tellPlace(body, place) {
  body.rows[0]?.cells[0]?.replaceChildren(place === null ? '–' : String(place));
}

/** @param {HTMLTableElement} table @param {Moved} moved */
function tellRows(table, moved) {
  const rows = new Map((moved.rows ?? []).map((row) => [row[0], row]));
  for (const body of table.tBodies) {
    const [row, was] = [rows.get(numberIn(body)), placeOf(body)];
    const by = moved.shifts.find(([first, last]) => first <= was && was <= last)?.[2] ?? 0;
    if (row === undefined) {
      if (by !== 0) tellPlace(body, was + by);
      continue;
    }
    const cells = body.rows[0]?.cells;
    tellPlace(body, row[1]);
    cells?.[2]?.replaceChildren(numberOf(row[2]));
    for (const [at, tie] of row[3].entries()) cells?.[3 + at]?.replaceChildren(...tieOf(tie));
  }
}

/** Tell who hears it of each place that is shared. @param {HTMLTableElement} table @param {string} words */
function tellShared(table, words) {
  /** @type {Map<number, number>} */
  const many = new Map();
  for (const body of table.tBodies) many.set(placeOf(body), (many.get(placeOf(body)) ?? 0) + 1);
  for (const body of table.tBodies) {
    const [place, cell] = [placeOf(body), body.rows[0]?.cells[0]];
    const shared = Number.isFinite(place) && (many.get(place) ?? 0) > 1;
    if (shared === (cell?.querySelector('.sr') !== null)) continue;
    if (shared) cell?.append(spanOf('sr', ` ${words}`));
    else cell?.querySelector('.sr')?.remove();
  }
}

/** Put the rows in order; what has the focus keeps it. @param {HTMLTableElement} table */
function sort(table) {
  const focus = document.activeElement;
  const order = [...table.tBodies].sort((one, other) => {
    const [first, second] = [placeOf(one), placeOf(other)];
    return first === second ? numberIn(one) - numberIn(other) : first - second;
  });
  /** @type {Element | null} */
  let next = table.tBodies[0] ?? null;
  for (const body of order) {
    if (next === body) next = body.nextElementSibling;
    else table.insertBefore(body, next);
  }
  if (focus instanceof HTMLElement && focus !== document.activeElement) focus.focus({ preventScroll: true });
}

/** Say how many tables of the round have no result yet. @param {Moved} moved */
function tellMissing(moved) {
  const note = /** @type {HTMLElement | null} */ (document.querySelector('[data-missing]'));
  const missing = new Set((note?.dataset.missing ?? '').split(' ').filter(Boolean));
  for (const { stage, round, table, state } of moved.tables) {
    if (stage !== moved.stage || round !== moved.round) continue;
    if (state === 'over' || state === 'gone') missing.delete(String(table));
    else missing.add(String(table));
  }
  if (note === null) return;
  note.dataset.missing = [...missing].join(' ');
  note.hidden = missing.size === 0;
  note.textContent = say(CATALOGUE.watch.results_missing ?? '', { missing: String(missing.size) });
}

/** @param {HTMLElement} of @param {Frame} frame @returns {boolean} Whether the page shows all of it now. */
function show(of, { version, changed, event }) {
  const table = /** @type {HTMLTableElement | null} */ (document.querySelector('table.standings'));
  const here = changed?.stage === Number(of.dataset.stage) && changed.round === Number(of.dataset.round);
  const follows = here && Number(of.dataset.version) === version - 1;
  if (table === null || changed === null || changed.rows === null || !follows) return false;
  tellRows(table, changed);
  tellShared(table, of.dataset.shared ?? '');
  sort(table);
  tellMissing(changed);
  of.dataset.version = String(version);
  return of.dataset.rows === 'all' && RESULTS.has(event.type);
}

/**
 * Follow the tournament, for as long as there are standings here that move with it.
 * @param {{onLive: (live: boolean) => void, onNews: (version: number) => void}} ears Told whether lines come, and of
 *   versions that the page has to be read again for.
 */
export async function followRanks({ onLive, onNews }) {
  // Whoever looks elsewhere takes nobody's place.
  const line = new LiveLine(() => document.hidden);
  let again = AGAIN_MS;
  for (let ended = false; !ended; ) {
    while (document.hidden) await line.sleep(null);
    const of = live();
    if (of === null) break;
    try {
      await line.listen(async (signal, feed) => {
        const path = `${of.dataset.stream}?after=${of.dataset.version}`;
        const answer = await read(path, { accept: 'application/x-ndjson', signal });
        onLive(true);
        again = AGAIN_MS;
        for await (const item of itemsOf(answer, feed)) {
          const here = live();
          if (item.version !== undefined && here !== null && item.version > Number(here.dataset.version)) {
            if (!show(here, item)) onNews(item.version);
          }
          ended ||= item.ended !== undefined;
        }
      });
    } catch {
      // Whoever cannot follow reads the page again and again, until there is a place, or a line.
    }
    onLive(false);
    await line.sleep(ended ? 0 : again);
    again = Math.min(AGAIN_MS_MAX, 2 * again);
  }
  line.end();
}
