/** The drawers at a table: its rules, and how its dice came about, to be read without leaving the seat. */

import './shield.js';
import { CATALOGUE } from '../words/catalogue.js';

/**
 * A document comes as nodes, and no text has to be made into any: the pages' policy lets nobody do that.
 *
 * @param {string} address
 * @returns {Promise<Element | null>} The rulebook of a page of rules; nothing if the page did not come.
 */
function rulebookAt(address) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.onload = () => resolve(request.response?.querySelector('.rulebook') ?? null);
    request.onerror = () => resolve(null);
    request.send();
  });
}

/** @param {Element} rulebook @returns {HTMLDialogElement} */
function drawerOf(rulebook) {
  const drawer = document.createElement('dialog');
  drawer.className = 'drawer';
  drawer.setAttribute('aria-labelledby', 'drawer-title');
  const close = document.createElement('button');
  Object.assign(close, {
    type: 'button',
    className: 'button plain-button',
    textContent: CATALOGUE.teach.close,
  });
  close.addEventListener('click', () => drawer.close());
  const read = document.importNode(rulebook, true);
  const title = read.querySelector('h1');
  if (title !== null) title.id = 'drawer-title';
  // What leads away from here opens beside the seat.
  for (const link of read.querySelectorAll('a')) link.target = '_blank';
  drawer.append(close, read);
  // A click beside the drawer is one on what lies behind it.
  drawer.addEventListener('click', (event) => {
    if (event.target === drawer) drawer.close();
  });
  document.body.append(drawer);
  return drawer;
}

/** @type {HTMLDialogElement | null} */
let drawer = null;

/** @param {HTMLAnchorElement} link */
async function open(link) {
  if (drawer === null) {
    const rulebook = await rulebookAt(link.href);
    if (rulebook === null) return location.assign(link.href);
    drawer ??= drawerOf(rulebook);
  }
  if (!drawer.open) drawer.showModal();
}

for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[data-rules]'))) {
  link.addEventListener('click', (event) => {
    // Who asks for another tab gets the page.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void open(link);
  });
}
