/** The invitation to a table: a code to scan, a link to copy, and whatever else a device shares links with. */
import { tokensOf } from '../client/keep.js';
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE } from '../words/catalogue.js';

const WORDS = CATALOGUE.beside;

/** Names that mean the machine of whoever opens them. */
const OWN = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The address others open, which the server knows where this page is at the house's own machine; that of a private table
 * ends with the invitation, which browsers tell no server.
 *
 * @param {string} match
 */
function linkTo(match) {
  const { invite } = tokensOf(match);
  return addressOf() + (invite === undefined ? '' : `#invite=${invite}`);
}

/** @returns {string} The address of this table, as others open it. */
export const addressOf = () =>
  /** @type {HTMLElement | null} */ (document.querySelector('tc-table'))?.dataset.address ??
  location.origin + location.pathname;

/** @param {Event} event */
async function copy(event) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  const field = /** @type {HTMLInputElement} */ (document.querySelector('#link'));
  button.textContent = (await copied(field.value)) ? WORDS.copied : WORDS.selected;
  field.select();
}

/** @param {string} text @returns {Promise<boolean>} Whether the clipboard has it now. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without a secure context there is no clipboard, but what is selected can be copied.
    return selectedAndCopied(text);
  }
}

/** @param {string} text */
function selectedAndCopied(text) {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return done;
}

/** @param {string} url */
async function share(url) {
  try {
    await navigator.share({ title: document.title, url });
  } catch {
    // Whoever has closed the list of apps has thought better of it.
  }
}

/** @param {string} match */
export function invitation(match) {
  const url = linkTo(match);
  const isPrivate = tokensOf(match).invite !== undefined;
  // The server draws the code, and never learns the invitation.
  return html`<div class="invitation">
    ${isPrivate || OWN.test(new URL(url).hostname) ? nothing : scan(match)}
    <div class="row">
      <div class="field">
        <label for="link">${isPrivate ? WORDS.invitation : WORDS.link}</label>
        <input id="link" type="text" readonly .value=${url} />
      </div>
      <button class="button plain-button" type="button" @click=${copy}>
        ${isPrivate ? WORDS.copy_invitation : WORDS.copy}
      </button>
      ${
        navigator.share === undefined
          ? nothing
          : html`<button class="button plain-button" type="button" @click=${() => share(url)}>${WORDS.share}</button>`
      }
    </div>
  </div>`;
}

/** @param {string} match */
function scan(match) {
  return html`<figure class="scan">
    <img src="/m/${match}/qr.svg" width="148" height="148" alt=${WORDS.code} />
    <figcaption>${WORDS.scan}</figcaption>
  </figure>`;
}
