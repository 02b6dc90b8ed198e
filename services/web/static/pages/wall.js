/** A big screen: one slide after the other, read anew after each round of them; it stays when the line is lost. */
import { become, readAgain, tellLost, tellTimes } from '../client/again.js';

const SLIDE_MS = 10_000;
const FRESH_MS = 5_000;

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const hold = /** @type {HTMLButtonElement} */ (document.querySelector('.wall-hold'));
let at = 0;

/** @param {Element} within Where one slide is to be seen, and no other. */
function hideAllBut(within) {
  for (const [number, slide] of within.querySelectorAll('.slide').entries()) {
    slide.toggleAttribute('hidden', number !== at);
  }
}

/** Show a slide; of one that is gone by now, the first. */
function show() {
  if (at >= main.querySelectorAll('.slide').length) at = 0;
  hideAllBut(main);
}

function turn() {
  if (hold.getAttribute('aria-pressed') === 'true') return;
  at += 1;
  show();
}

/** What cannot be read stays as it is, and says so. */
async function renew() {
  const fresh = await readAgain();
  tellLost(fresh?.querySelector('.wall-main') == null);
  for (const part of ['main', '.wall-head', '.wall-due']) {
    const [here, there] = [document.querySelector(part), fresh?.querySelector(part) ?? null];
    if (here === null || there === null) continue;
    tellTimes(there);
    hideAllBut(there);
    become(here, there);
  }
  if (fresh !== null) show();
  setTimeout(renew, FRESH_MS);
}

hold.hidden = false;
hold.addEventListener('click', () => {
  hold.setAttribute('aria-pressed', String(hold.getAttribute('aria-pressed') !== 'true'));
});
tellTimes(document);
show();
setInterval(turn, SLIDE_MS);
setTimeout(renew, FRESH_MS);
