/** The console of a host: what the page offers is asked for with the host's token, and what came of it is read again. */
import { become, readAgain, tellTimes } from '../client/again.js';
import { Refusal, ask } from '../client/api.js';
import { entryOf, keepEntry } from '../client/keep.js';
import { refusalWords } from '../words/phrases.js';

const FRESH_MS = 4_000;
const root = /** @type {HTMLElement} */ (document.querySelector('#console'));
const form = /** @type {HTMLFormElement} */ (root.querySelector('.hosting'));
const fault = /** @type {HTMLElement} */ (root.querySelector('.error'));
const tournament = root.dataset.tournament ?? '';

const showWhoHosts = () => root.toggleAttribute('data-hosts', entryOf(tournament).host !== undefined);

async function renew() {
  const [here, fresh] = [root.querySelector('.event'), (await readAgain())?.querySelector('.event') ?? null];
  if (here === null || fresh === null) return;
  tellTimes(fresh);
  become(here, fresh);
}

async function follow() {
  if (!document.hidden) await renew();
  setTimeout(follow, FRESH_MS);
}

/** @param {HTMLButtonElement} button */
async function act(button) {
  const { sure, path = '/commands', ask: body = '' } = button.dataset;
  if (sure !== undefined && !confirm(sure)) return;
  button.disabled = true;
  fault.textContent = '';
  try {
    const token = entryOf(tournament).host ?? null;
    await ask('POST', `/api/v1/tournaments/${tournament}${path}`, { token, body: JSON.parse(body) });
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    fault.textContent = refusalWords(trouble);
  }
  button.disabled = false;
  await renew();
}

root.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (button?.dataset.ask !== undefined) act(button);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  keepEntry(tournament, { host: String(new FormData(form).get('token')).trim() });
  form.reset();
  showWhoHosts();
});
tellTimes(root);
showWhoHosts();
setTimeout(follow, FRESH_MS);
