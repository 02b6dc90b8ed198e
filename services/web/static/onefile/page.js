/**
 * The page that is one file: its own record is audited at a press, and keys step through what happened. Everything can be
 * read without it.
 */
import { verdictOf } from '../auditor/verdict.js';

const STEPS = { n: 1, p: -1, j: 1, k: -1 };

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @returns {Uint8Array<ArrayBuffer>} The record as it lies in the page. */
function record() {
  const text = atob(element('record').textContent.trim());
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

async function audit() {
  const [found, why, words] = [element('found'), element('why'), element('words').dataset];
  found.textContent = words.auditing ?? '';
  why.textContent = '';
  const verdict = await verdictOf(record(), null);
  found.dataset.status = verdict.status;
  const told = verdict.status === 'FAULT' ? words.fault : verdict.status === 'OK' ? words.ok : words.incomplete;
  found.textContent = (told ?? '').replace('{code}', `${verdict.code}`).replace('{line}', `${verdict.line}`);
  // An auditor speaks English; what it comes to stands above in the language of the page.
  why.textContent = verdict.message;
}

function save() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([record()], { type: 'application/x-cup' }));
  link.download = element('record').dataset.name ?? 'match.cup';
  link.click();
}

/** @param {Element[]} steps @returns {number} The place of the one that has the focus; -1 if none has. */
function placeIn(steps) {
  const here = document.activeElement?.closest('li');
  return here ? steps.indexOf(here) : -1;
}

/** @param {Element[]} steps @param {number} by */
function step(steps, by) {
  const next = steps[Math.min(steps.length - 1, Math.max(0, placeIn(steps) + by))];
  if (!(next instanceof HTMLElement)) return;
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: 'center' });
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const every = [...element('events').querySelectorAll('li')];
  if (event.key in STEPS) step(every, STEPS[/** @type {keyof typeof STEPS} */ (event.key)]);
  if (event.key === 'm' || event.key === 'M') {
    const here = placeIn(every);
    const ahead = event.key === 'm';
    const moments = every.filter((one, at) => one.hasAttribute('data-moment') && (ahead ? at > here : at < here));
    const next = ahead ? moments[0] : moments.at(-1);
    if (next) step(every, every.indexOf(next) - here);
  }
  if (event.key === 'a') audit();
}

for (const hidden of document.querySelectorAll('[data-scripted]')) hidden.removeAttribute('hidden');
element('audit').addEventListener('click', audit);
element('save').addEventListener('click', save);
document.addEventListener('keydown', pressed);
