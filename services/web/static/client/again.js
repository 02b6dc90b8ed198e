/** A page read again: what is new comes in, and what is as it was is not touched. */

/** @type {Intl.DateTimeFormatOptions} */
const WAYS = { dateStyle: 'medium', timeStyle: 'short' };
const PATIENCE_MS = 15_000;

/** @param {ParentNode} within Where times are told as they are where the reader is. */
export function tellTimes(within) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, WAYS);
  for (const time of within.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
}

/** @returns {Promise<Document | null>} This page as it is now; null while it cannot be had. */
export async function readAgain() {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    // What is read so is run by nobody, so it needs no trusted type.
    request.responseType = 'document';
    request.open('GET', location.href.split('#')[0] ?? location.href);
    request.timeout = PATIENCE_MS;
    request.onloadend = () => done(request.status === 200 ? request.responseXML : null);
    request.send();
  });
}

/** Hear when somebody looks at this page again, or the device says that its line is gone or there. @param {() => void} act */
export function whenBack(act) {
  document.addEventListener('visibilitychange', () => document.hidden || act());
  for (const hint of ['offline', 'online']) addEventListener(hint, act);
}

/** Say that this page is as it was, for as long as it cannot be read again. @param {boolean} isLost */
export function tellLost(isLost) {
  const note = /** @type {HTMLElement | null} */ (document.querySelector('[data-lost]'));
  if (note?.hidden === isLost) note.hidden = !isLost;
}

/**
 * Make an element as another is: what has the focus keeps it, and what was opened stays open.
 * @param {Element} old
 * @param {Element} fresh
 */
export function become(old, fresh) {
  const [one, other] = [[...old.childNodes], [...fresh.childNodes]];
  const alike = one.length === other.length && one.every((node, at) => node.nodeName === other[at]?.nodeName);
  if (!alike) {
    old.replaceChildren(...other.map((node) => document.importNode(node, true)));
    return;
  }
  one.forEach((node, at) => {
    const next = other[at];
    if (next === undefined || node.isEqualNode(next)) return;
    if (node instanceof Element && next instanceof Element && node.cloneNode().isEqualNode(asOpen(next, node))) {
      become(node, next);
    } else {
      node.parentNode?.replaceChild(document.importNode(next, true), node);
    }
  });
}

/**
 * @param {Element} one
 * @param {Element} as
 * @returns {Node} The first without what is in it, and as open as the other.
 */
function asOpen(one, as) {
  const bare = /** @type {Element} */ (one.cloneNode());
  bare.toggleAttribute('open', as.hasAttribute('open'));
  return bare;
}
