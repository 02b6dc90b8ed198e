/** The console of officials: what the page offers is asked for with their token, and what came of it is read again. */
import { become, readAgain, tellLost, tellTimes } from '../client/again.js';
import { Refusal, ask, readJson } from '../client/api.js';
import { entryOf, isLasting, keepEntry } from '../client/keep.js';
import { ActForm, actsOf, entrantsOf, missing, ownTable, rowsWrong } from '../holding/acts.js';
import { choiceOf } from '../holding/brought.js';
import { showCases } from '../holding/cases.js';
import {
  consoleLink,
  forHosts,
  handOver,
  handOverAll,
  officeOf,
  roleOf,
  takeAsked,
  takeOffice,
} from '../holding/office.js';
import { showPreview } from '../holding/preview.js';
import { showTroubles } from '../holding/troubles.js';
import { render } from '../vendor/libraries.js';
import { sentence } from '../words/catalogue.js';
import { refusalWords } from '../words/phrases.js';

/** @typedef {import('../holding/acts.js').Asked} Asked */

const FRESH_MS = 4_000;
/** How often is looked whether a round that was closed has left something that stands out. */
const CASES_MS = 60_000;
/** How often is looked for what waits for officials. */
const TROUBLES_MS = 8_000;
const root = /** @type {HTMLElement} */ (document.querySelector('#console'));
const form = /** @type {HTMLFormElement} */ (root.querySelector('.hosting'));
const fault = /** @type {HTMLElement} */ (root.querySelector('#fault'));
const links = /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll('#console-link, #unkept-link'));
const tournament = root.dataset.tournament ?? '';
const path = `/api/v1/tournaments/${tournament}`;
const acts = actsOf(root);
const asking = new ActForm(/** @type {HTMLDialogElement} */ (root.querySelector('#act')), send);
/** What officials have said beside lines, by its hash. @type {Map<string, string>} */
const notes = new Map();

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (root.querySelector(id));

function showWhoHosts() {
  const token = officeOf(tournament);
  root.dataset.role = roleOf(token) ?? 'none';
  root.toggleAttribute('data-hosts', token !== null);
  for (const link of links) link.value = token === null ? '' : consoleLink(tournament, token);
  // The next page would know nothing of these powers: there is time to take the link along while they are here.
  part('#unkept').hidden = token === null || isLasting();
}

async function readNotes() {
  for (const { note, text } of await readJson(`${path}/notes`, { token: officeOf(tournament) })) notes.set(note, text);
}

/** Without them, the console says all else. @param {ParentNode} within Where texts are shown that lines name by a hash, as far as this browser may read them. */
async function tellNotes(within) {
  const places = [.../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll('[data-note]'))];
  if (places.some(({ dataset }) => !notes.has(dataset.note ?? ''))) await attempt(readNotes);
  for (const place of places) place.textContent = notes.get(place.dataset.note ?? '') ?? '';
}

/** @param {ParentNode} within Who asks for what, to be found again on a page that was read again. */
const buttons = (within) => [.../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll('[data-act]'))];

/** How often the page was read, or something was asked that makes what was read before old; and how much is being asked. */
let reading = 0;
let asked = 0;

/** What cannot be read stays as it is, and says so. */
async function renew() {
  reading += 1;
  const own = reading;
  const [here, fresh] = [root.querySelector('.event'), (await readAgain())?.querySelector('.event') ?? null];
  if (own === reading) tellLost(fresh === null);
  if (here === null || fresh === null) return;
  tellTimes(fresh);
  await tellNotes(fresh);
  if (own !== reading) return;
  const focus = /** @type {HTMLElement | null} */ (document.activeElement);
  const opened = [...here.querySelectorAll('details[open]')].map(({ id }) => id);
  become(here, fresh);
  for (const id of opened) here.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '');
  if (focus?.dataset.act === undefined || focus.isConnected) return;
  const { act, with: given } = focus.dataset;
  buttons(here)
    .find(({ dataset }) => dataset.act === act && dataset.with === given)
    ?.focus();
}

async function follow() {
  if (!document.hidden && asked === 0) await attempt(renew);
  setTimeout(follow, FRESH_MS);
}

/** @param {() => Promise<unknown>} deed @returns {Promise<string>} What stood in its way, or nothing. */
async function attempt(deed) {
  try {
    await deed();
    return '';
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    return [refusalWords(trouble), ...rowsWrong(trouble)].join(' ');
  }
}

/** @param {Asked} asked @param {Record<string, any>} body @returns {Promise<string>} */
async function send({ act, given }, body) {
  reading += 1;
  asked += 1;
  const trouble = await attempt(async () => {
    const token = officeOf(tournament);
    const { rest, lines, ...said } = body;
    const isList = act.type === 'enter_list';
    const address = `${path}${act.path}${given.rest === undefined ? '' : `/${given.rest}`}`;
    const what = isList
      ? { lines }
      : act.method === 'DELETE'
        ? {}
        : { body: lines === undefined ? said : { ...said, lines } };
    const answer = await ask(act.method, address, { token, ...what });
    // What was erased is to be read nowhere any more.
    if (act.key === 'erase') notes.clear();
    if (isList) handOverAll(part('#brought'), tournament, answer.entered, lines);
    if (answer.token) handOver(part('#brought'), tournament, answer, body.name ?? '');
  });
  asked -= 1;
  await attempt(renew);
  await tellTroubles();
  return trouble;
}

/** @param {HTMLElement} button @returns {Asked} */
function askedBy(button) {
  const { act: key = '', with: given = '{}', about = '', rest } = button.dataset;
  const seats = /** @type {HTMLElement | null} */ (button.closest('[data-seats]'))?.dataset.seats ?? '';
  const act = acts.get(key);
  if (act === undefined) throw new Error(`nobody knows ${key}`);
  return {
    act,
    given: { ...JSON.parse(given), ...(rest === undefined ? {} : { rest }) },
    about,
    seats: seats.split(' ').filter(Boolean).map(Number),
  };
}

/** @returns {string} The tables that officials have set for the next round, one a line. */
const fixedTables = () =>
  [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('#fixed [data-seats]'))]
    .map(({ dataset }) => dataset.seats)
    .join('\n');

/** @param {HTMLButtonElement} button */
async function press(button) {
  fault.textContent = '';
  const asked = askedBy(button);
  // Whoever plays here holds no trial over the own table.
  if (asked.seats.includes(entryOf(tournament).number ?? 0)) {
    fault.textContent = `${sentence(ownTable())}.`;
    return;
  }
  if (missing(asked).length > 0 || asked.act.sure) {
    asking.open(asked, entrantsOf(root), fixedTables());
    return;
  }
  button.disabled = true;
  fault.textContent = await send(
    asked,
    asked.act.path === '/commands' ? { type: asked.act.type, ...asked.given } : asked.given,
  );
  button.disabled = false;
}

/** Whoever came by a link knows the own token, and not which number it is. */
async function knowOwnNumber() {
  const { token, number } = entryOf(tournament);
  if (token === undefined || number !== undefined) return;
  const { card } = await readJson(`${path}/me`, { token });
  keepEntry(tournament, { number: card.number });
}

/** The powers that the owner of this browser is asked about. @type {string | null} */
let brought = null;

/** Let the owner of this browser choose between the powers here and those that a link brings. @param {string} token */
function askWhich(token) {
  const place = part('#brought');
  brought = token;
  const keep = () => {
    brought = null;
    place.hidden = true;
  };
  const take = async () => {
    // Powers are not given away for some that nobody has.
    fault.textContent = await attempt(async () => {
      await readJson(`${path}/notes`, { token });
      if (brought !== token) return;
      keepEntry(tournament, { host: token });
      showWhoHosts();
      place.hidden = true;
    });
  };
  render(choiceOf('official', { keep, take }), place);
  place.hidden = false;
  place.querySelector('button')?.focus();
}

/** Ask a host about the key that a link asks for. */
function askForKey() {
  const [asked, act] = [takeAsked(), acts.get('name_key')];
  if (asked === null || act === undefined) return;
  if (roleOf(officeOf(tournament)) !== 'host') {
    fault.textContent = forHosts();
    return;
  }
  const people = entrantsOf(root);
  const name = people.find(({ number }) => number === asked.number)?.name ?? '';
  asking.open({ act, given: asked, about: `${asked.number} ${name} · ${asked.key.slice(0, 16)}…`, seats: [] }, people);
}

/** Take what the address of this page brings: powers, or a key that a host is asked to name. */
function takeLink() {
  const office = takeOffice(tournament);
  if (office !== null) askWhich(office);
  showWhoHosts();
  askForKey();
}

/** What a screening has found, where this browser may read it; what stands in the way is said where somebody asked. */
async function followCases() {
  const token = officeOf(tournament);
  const tell = async (/** @type {() => Promise<unknown>} */ deed) => {
    fault.textContent = await attempt(deed);
  };
  if (token !== null && !document.hidden)
    await attempt(() => showCases(part('#cases'), tournament, token, () => entrantsOf(root), tell));
  setTimeout(followCases, CASES_MS);
}

async function tellTroubles() {
  const token = officeOf(tournament);
  if (token !== null) await attempt(() => showTroubles(part('#troubles'), tournament, token, entrantsOf(root)));
}

async function followTroubles() {
  if (!document.hidden) await tellTroubles();
  setTimeout(followTroubles, TROUBLES_MS);
}

async function preview() {
  const change = (/** @type {string} */ tables) => {
    const act = acts.get('fix_tables');
    if (act !== undefined) asking.open({ act, given: {}, about: '', seats: [] }, entrantsOf(root), tables);
  };
  fault.textContent = await attempt(() => showPreview(part('#preview'), tournament, officeOf(tournament), change));
}

root.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (button?.dataset.act !== undefined) void press(button);
  if (button?.dataset.preview !== undefined) void preview();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  keepEntry(tournament, { host: String(new FormData(form).get('token')).trim() });
  form.reset();
  showWhoHosts();
});
for (const link of links) link.addEventListener('focus', () => link.select());
tellTimes(root);
takeLink();
// A link to this very page that is opened in its place reads nothing again.
addEventListener('hashchange', takeLink);
void attempt(() => tellNotes(root));
void attempt(knowOwnNumber);
void followCases();
void followTroubles();
setTimeout(follow, FRESH_MS);
