/** Pairs that a screening for collusion has found, for officials: what stood out, and once one is opened, all of it. */
import { ask, readJson } from '../client/api.js';
import { html, nothing, render } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { apart } from '../words/phrases.js';

/** @typedef {{number: number, name: string}} Person */
/** @typedef {{value: string, chance: string, stands_out: boolean}} Measured */
/**
 * @typedef {{stage: number, round: number, table: number, match: string, line: number, fifth: number, still: number,
 *   challenged: boolean}} Decision
 */
/**
 * @typedef {{numbers: [number, number], tables: number, softness: Measured | null, company: Measured,
 *   decisions: Decision[], same_club: boolean, few: boolean, apart: string}} CaseFile
 */
/** @typedef {{case: string, round: number, opened: boolean}} Listed */
/** @typedef {{round: number | null, pairs: number, cases: Listed[]}} Cases */

const WORDS = CATALOGUE.holding.cases;
const FIFTH = 20;

/** @param {string} fraction */
function worth(fraction) {
  const [above, below = '1'] = fraction.split('/');
  return Number(above) / Number(below);
}

/** @param {number} value @returns {string} As people of the page's language write it, one digit behind the point. */
const decimal = (value) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });

/** @param {Measured} measured @returns {string} In how many times chance comes so far once. */
const onceIn = ({ chance }) => Math.floor(1 / worth(chance)).toLocaleString(document.documentElement.lang);

/** @param {CaseFile} file @param {string} one @param {string} other @returns {string[]} What stands out, and what else would explain it. */
function told({ softness, company, tables, same_club: club, few, apart: between }, one, other) {
  const soft = softness?.stands_out
    ? [say(WORDS.soft, { one, other, times: decimal(-worth(softness.value)), in: onceIn(softness) })]
    : [];
  const better = company.stands_out
    ? [say(WORDS.company, { one, other, points: decimal(worth(company.value)), in: onceIn(company) })]
    : [];
  const others = [say(WORDS.tables, { tables: String(tables) }), say(WORDS.apart, { apart: decimal(worth(between)) })];
  return [...soft, ...better, ...others, ...(club ? [WORDS.club] : []), ...(few ? [WORDS.few] : [])];
}

/** @param {Decision} decision */
function decided({ round, table, match, line, fifth, challenged }) {
  const words = say(WORDS.hand, {
    done: challenged ? 'challenged' : 'other',
    round: String(round),
    table: String(table),
    from: String(FIFTH * fifth),
    to: String(FIFTH * (fifth + 1)),
  });
  return html`<li><a href="/m/${match}/replay#v=${line + 1}">${words}</a></li>`;
}

/** @param {CaseFile} file @param {Person[]} entrants */
function opened(file, entrants) {
  const [one, other] = file.numbers.map((number) => {
    const name = entrants.find((each) => each.number === number)?.name;
    return name === undefined ? String(number) : apart(name);
  });
  return html`<h3>${say(WORDS.pair, { one, other })}</h3>
    <ul>${told(file, one, other).map((words) => html`<li>${words}</li>`)}</ul>
    <details><summary>${say(WORDS.hands, { one, other })}</summary><ol>${file.decisions.map(decided)}</ol></details>`;
}

/**
 * @param {HTMLElement} place
 * @param {string} tournament
 * @param {string} token
 * @param {() => Person[]} entrants
 * @param {(deed: () => Promise<unknown>) => Promise<unknown>} attempt Does what may be refused, and says why it was.
 */
export async function showCases(place, tournament, token, entrants, attempt) {
  const path = `/api/v1/tournaments/${tournament}`;
  /** @type {Cases} */
  const found = await readJson(`${path}/cases`, { token });
  place.hidden = found.round === null || found.pairs === 0;
  if (place.hidden) return;
  const files = await Promise.all(
    found.cases.map((each) => (each.opened ? readJson(`${path}/cases/${each.case}`, { token }) : { file: null })),
  );
  const facts = { round: String(found.round), pairs: String(found.pairs) };
  const look = (/** @type {string} */ name) =>
    attempt(async () => {
      await ask('POST', `${path}/commands`, { token, body: { type: 'open_case', case: name } });
      await showCases(place, tournament, token, entrants, attempt);
    });
  render(
    html`<h2>${WORDS.title}</h2>
      <p>${say(found.cases.length === 0 ? WORDS.none : WORDS.some, facts)}</p>
      ${found.cases.length === 0 ? nothing : html`<p class="note">${WORDS.why}</p>`}
      ${found.cases.map((each, at) =>
        files[at].file === null
          ? html`<p>${say(WORDS.closed, { round: String(each.round) })}
              <button class="button plain-button" type="button" @click=${() => look(each.case)}>${WORDS.open}</button>
              <span class="muted">${WORDS.seen}</span></p>`
          : opened(files[at].file, entrants()),
      )}`,
    place,
  );
}
