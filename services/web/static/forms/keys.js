/** Single keys at the table: they press the buttons that are there, never while something is typed, and can be put off. */
import { hasKeys, keepKeys } from '../client/keep.js';
import { html } from '../vendor/libraries.js';
import { CATALOGUE } from '../words/catalogue.js';

const STORED = 'keys';
/** Keys of faces that are no digit. @type {Record<string, number>} */
const COURT = { 0: 10, j: 11, q: 12, k: 13, a: 14 };
/** The button each key presses. @type {Record<string, string>} */
const BUTTONS = {
  Enter: '.bar [type="submit"]',
  l: '.bar .doubt',
  s: '.bar .exact',
  t: '[data-fold]',
  ' ': '.bar .go-on',
};
/** The quantity, as the stepper counts it. @type {Record<string, string>} */
const STEPS = {
  '+': '.stepper button:last-child',
  '=': '.stepper button:last-child',
  '-': '.stepper button:first-child',
};
/** In the order of the list that `?` shows. */
const LISTED = ['1 – 6', '+  −', 'Enter', 'L', 'S', 'T', '␣', 'Esc', '?'];

/** @returns {boolean} */
const isOn = () => hasKeys(STORED);

/** @param {EventTarget | null} target @param {string} key @returns {boolean} Whether the key belongs to what has the focus. */
function isTaken(target, key) {
  if (!(target instanceof HTMLElement)) return false;
  const dialog = target.closest('dialog');
  if (dialog !== null) return dialog.open; // one that is closed keeps the focus until the page is drawn again
  if (key === 'Enter' || key === ' ') return target.closest('a, button, input, select, textarea, summary') !== null;
  return target.matches('select, textarea, input:not([type="radio"], [type="checkbox"])') || target.isContentEditable;
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} controls
 * @returns {HTMLElement | null} What the key presses; nothing where it means nothing here.
 */
export function pressedBy(event, controls) {
  const { key } = event;
  if (!isOn() || event.ctrlKey || event.altKey || event.metaKey || isTaken(event.target, key)) return null;
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (event.repeat && name in BUTTONS) return null; // a key that is held was pressed once
  const one = (/** @type {string} */ selector) => /** @type {HTMLElement | null} */ (controls.querySelector(selector));
  if (name === '?') return one('[data-keys]');
  const selector = BUTTONS[name] ?? STEPS[name];
  if (selector !== undefined) return one(selector);
  const faces = [Number(name), COURT[name]].filter((face) => Number.isInteger(face));
  return faces.map((face) => one(`.bid .face input[value="${face}"]`)).find((face) => face !== null) ?? null;
}

/** @returns {unknown} The list of keys, and the switch that puts them off. */
export function keyList() {
  const { keys } = CATALOGUE.screen;
  const turn = (/** @type {Event & {target: HTMLInputElement}} */ event) => keepKeys(STORED, event.target.checked);
  return html`<dialog class="sheet keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${keys.title}</h2>
    <dl>
      ${LISTED.map((key) => html`<div><dt><kbd>${keys.named[key] ?? key}</kbd></dt><dd>${keys[key]}</dd></div>`)}
    </dl>
    <p class="field switch">
      <label><input type="checkbox" .checked=${isOn()} @change=${turn} /> ${keys.on}</label>
    </p>
    <form method="dialog"><button class="button">${keys.close}</button></form>
  </dialog>`;
}
