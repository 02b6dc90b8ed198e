/** Pages of a tournament: times as they are where the reader is, and what is new without loading the page again. */
import { become, readAgain, tellTimes } from '../client/again.js';

const FRESH_MS = 5_000;

/** Whoever looks elsewhere needs no news. */
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
