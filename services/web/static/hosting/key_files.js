/** What takes a key from device to device: a file with the private one, and a link that asks for the public one. */
import { html } from '../vendor/libraries.js';
import { CATALOGUE } from '../words/catalogue.js';

const KEYS = CATALOGUE.keys;
const SECRET = /^[0-9a-f]{64}$/;

/** @param {string} secret @param {string} name What the file is called, without its ending. */
function putAway(secret, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${secret}\n`], { type: 'text/plain' }));
  link.download = `${name}.key`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * How a key is put away, or why it cannot be.
 *
 * @param {string | undefined} secret The private key, where a script can read it.
 * @param {string} name What the file is called, without its ending.
 * @param {string} bound What is said of a key that the browser does not give away.
 */
export const backup = (secret, name, bound) =>
  secret === undefined
    ? html`<p class="hint">${bound}</p>`
    : html`<p class="hint">${KEYS.loose}</p>
        <button type="button" class="link" @click=${() => putAway(secret, name)}>${KEYS.download}</button>`;

/**
 * @param {boolean} busy
 * @param {(secret: string) => unknown} bringBack What is done with the key in the file; with nothing, if there is none in it.
 */
export const restoring = (busy, bringBack) => html`<div class="field">
  <label for="key-file">${KEYS.restore}</label>
  <input id="key-file" type="file" ?disabled=${busy} @change=${(/** @type {Event} */ event) => void read(event, bringBack)} />
</div>`;

/** @param {Event} event @param {(secret: string) => unknown} bringBack */
async function read(event, bringBack) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const [file] = field.files ?? [];
  if (file === undefined) return;
  const text = (await file.text()).trim();
  field.value = '';
  bringBack(SECRET.test(text) ? text : '');
}

/** A link to be copied. @param {string} id @param {string} label @param {string} url */
export const linkField = (id, label, url) => html`<div class="field">
  <label for=${id}>${label}</label>
  <input
    id=${id}
    type="text"
    readonly
    .value=${url}
    @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()}
  />
</div>`;
