/**
 * The page that is one file: a replay with its analysis, which opens without saying how the match ended, and the record,
 * which is audited at a press. Everything can be read without it.
 */
import { verdictOf } from '../auditor/verdict.js';
import '../pages/replay.js';
import { answer } from './house.js';
import { unpacked } from './packed.js';

/** @param {string} id @returns {HTMLElement} */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function audit() {
  const [found, why, words] = [element('found'), element('why'), element('words').dataset];
  found.textContent = words.auditing ?? '';
  why.textContent = '';
  const verdict = await verdictOf(await unpacked('record'), null);
  found.dataset.status = verdict.status;
  const told = verdict.status === 'FAULT' ? words.fault : verdict.status === 'OK' ? words.ok : words.incomplete;
  found.textContent = (told ?? '').replace('{code}', `${verdict.code}`).replace('{line}', `${verdict.line}`);
  // An auditor speaks English; what it comes to stands above in the language of the page.
  why.textContent = verdict.message;
}

async function save() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([await unpacked('record')], { type: 'application/x-cup' }));
  link.download = element('record').dataset.name ?? 'match.cup';
  link.click();
}

/** Close what tells everything at once, and look back line by line instead, wherever an address or a link leads. */
function look() {
  const text = /** @type {HTMLDetailsElement} */ (element('text'));
  text.open = false;
  text.dataset.ready = '';
  for (const line of text.querySelectorAll('li[id]')) line.removeAttribute('id');
  text.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) element('replay').scrollIntoView();
  });
  const replay = document.createElement('tc-replay');
  for (const name of ['match', 'over', 'alone']) replay.setAttribute(name, element('replay').dataset[name] ?? '');
  element('replay').append(replay);
}

answer();
look();
for (const hidden of document.querySelectorAll('[data-scripted]')) hidden.removeAttribute('hidden');
element('audit').addEventListener('click', audit);
element('save').addEventListener('click', save);
