/** Pages of a tournament: times as they are where the reader is, and what is new without loading the page again. */

const FRESH_MS = 5_000;
/** A reader who looks elsewhere needs no news. */
const WAYS = { dateStyle: 'medium', timeStyle: 'short' };

/** @param {ParentNode} within Where times are told. */
function tellTimes(within) {
  const format = new Intl.DateTimeFormat(
    document.documentElement.lang,
    /** @type {Intl.DateTimeFormatOptions} */ (WAYS),
  );
  for (const time of within.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
}

/** @returns {Promise<Document | null>} This page as it is now; null while it cannot be had. */
async function readAgain() {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    // What is read so is parsed and run by nobody, so it needs no trusted type.
    request.responseType = 'document';
    request.open('GET', location.href.split('#')[0] ?? location.href);
    request.timeout = 4 * FRESH_MS;
    request.onloadend = () => done(request.status === 200 ? request.responseXML : null);
    request.send();
  });
}

/**
 * Make an element as another is, and touch nothing that is as it was: what has the focus keeps it.
 * @param {Element} old
 * @param {Element} fresh
 */
function become(old, fresh) {
  const [one, other] = [[...old.childNodes], [...fresh.childNodes]];
  const alike = one.length === other.length && one.every((node, at) => isOfKind(node, other[at]));
  if (!alike) {
    old.replaceChildren(...other.map((node) => document.importNode(node, true)));
    return;
  }
  one.forEach((node, at) => {
    const next = other[at];
    if (next === undefined || node.isEqualNode(next)) return;
    if (node instanceof Element && next instanceof Element && node.cloneNode().isEqualNode(like(node, next))) {
      become(node, next);
    } else {
      node.parentNode?.replaceChild(document.importNode(next, true), node);
    }
  });
}

/**
 * @param {Element} node
 * @param {Element} next
 * @returns {Node} The other without what is in it, as open as this one: whoever has opened it wants it so.
 */
function like(node, next) {
  const bare = /** @type {Element} */ (next.cloneNode());
  bare.toggleAttribute('open', node.hasAttribute('open'));
  return bare;
}

/**
 * @param {Node} node
 * @param {Node | undefined} other
 */
const isOfKind = (node, other) => other !== undefined && node.nodeName === other.nodeName;

async function follow() {
  const here = document.querySelector('.event');
  const fresh = document.hidden || here === null ? null : ((await readAgain())?.querySelector('.event') ?? null);
  if (here !== null && fresh !== null) {
    tellTimes(fresh);
    become(here, fresh);
    here.setAttribute('data-follow', fresh.getAttribute('data-follow') ?? 'no');
  }
  if (here?.getAttribute('data-follow') === 'yes') setTimeout(follow, FRESH_MS);
}

tellTimes(document);
if (document.querySelector('.event[data-follow="yes"]') !== null) setTimeout(follow, FRESH_MS);
