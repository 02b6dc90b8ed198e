/** Keys that work wherever the focus is on a page, and the list of them that `?` shows. */
import { hasKeys, keepKeys } from '../client/keep.js';
import { html } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {{keys: string[], shown: string[], does: string, act: () => void}} Key */

const LETTERS = 'letters';
/** Where keys mean something of their own. */
const TYPED = 'input:not([type="range"]), select, textarea, dialog';
/** Where nothing means anything: a dialog that is closed keeps the focus until the page is drawn again. */
const CLOSED = 'dialog:not([open])';
/** What a key is pressed for, by the key: a button is pushed with space, a list is scrolled with arrows. */
const TAKEN = /** @type {Record<string, string>} */ ({
  ' ': 'button, a, summary',
  ...Object.fromEntries(
    ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'].map((key) => [key, '[tabindex="0"]']),
  ),
});

/** @returns {boolean} Whether keys of one letter do something; whoever speaks to a computer may not want them. */
const letters = () => hasKeys(LETTERS);

/** @param {Event} event */
function choose(event) {
  const { checked } = /** @type {HTMLInputElement} */ (event.target);
  keepKeys(LETTERS, checked);
}

/**
 * Listen to keys of the whole page.
 *
 * @param {Key[]} keys
 * @returns {() => void} Stops it.
 */
export function listen(keys) {
  const hear = (/** @type {KeyboardEvent} */ event) => {
    const found = keys.find((one) => one.keys.includes(event.key));
    const focus = event.target instanceof Element ? event.target : document.body;
    const target = focus.closest(CLOSED) === null ? focus : document.body;
    if (found === undefined || event.ctrlKey || event.metaKey || event.altKey || target.closest(TYPED) !== null) return;
    if (event.key in TAKEN && target.closest(TAKEN[event.key]) !== null) return;
    if (/^\p{L}$/u.test(event.key) && !letters()) return;
    event.preventDefault();
    found.act();
  };
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}

/** @param {Element} around Where the list stands. */
export function showKeys(around) {
  const list = /** @type {HTMLDialogElement | null} */ (around.querySelector('dialog.keys'));
  if (list !== null && !list.open) list.showModal();
}

/** @param {Key[]} keys */
export function listOfKeys(keys) {
  const words = CATALOGUE.watch;
  return html`<dialog class="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${say(words.keys, {})}</h2>
    <dl>
      ${keys.map(
        (one) =>
          html`<div><dt>${one.shown.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${say(words[one.does], {})}</dd></div>`,
      )}
    </dl>
    <p><label><input type="checkbox" ?checked=${letters()} @change=${choose} /> ${say(words.letters, {})}</label></p>
    <form method="dialog"><button class="button">${say(words.close, {})}</button></form>
  </dialog>`;
}
