/** Pages of a tournament: times as they are where the reader is, and what is new without loading the page again. */
import { become, readAgain, tellLost, tellTimes, whenBack } from '../client/again.js';
import { brought } from '../client/api.js';

const FRESH_MS = 5_000;
/** While a page hears what moves, the rest of it is read again as seldom as this, and at most as often as that. */
const RARE_MS = 60_000;
const SOON_MS = 1_000;

let every = FRESH_MS;
/** What this page has been told of by its stream: what is read and is older than that is of no use. */
let told = 0;
let readAt = 0;
/** Whether the last look came to nothing, and how often somebody or the line came back: what was asked before that is of no use. */
let lost = false;
let back = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {number} ms */
function readIn(ms) {
  clearTimeout(timer);
  timer = setTimeout(follow, ms);
}

/** @param {ParentNode} within @returns {number} Of which version standings are that move with the tournament. */
const versionOf = (within) => Number(within.querySelector('.live')?.getAttribute('data-version') ?? Number.NaN);

/** @param {ParentNode} fresh @param {ParentNode} here @returns {boolean} Whether it is of before what this page shows, or has been told of. */
const isOld = (fresh, here) => versionOf(fresh) < Math.max(told, versionOf(here) || 0);

/** Whoever looks elsewhere needs no news. */
async function follow() {
  readAt = Date.now();
  const asked = back;
  const here = document.querySelector('.event');
  const asks = !document.hidden && here !== null;
  const fresh = asks ? ((await readAgain())?.querySelector('.event') ?? null) : null;
  if (asked !== back) return;
  if (asks) lost = fresh === null;
  tellLost(lost);
  const late = fresh !== null && here !== null && isOld(fresh, here);
  if (here !== null && fresh !== null && !late) {
    tellTimes(fresh);
    become(here, fresh);
    here.setAttribute('data-follow', fresh.getAttribute('data-follow') ?? 'no');
  }
  // What did not come is asked for again before long, whoever tells of news.
  const next = lost ? FRESH_MS : every;
  if (here?.getAttribute('data-follow') === 'yes') readIn(late ? SOON_MS : next);
}

/** @param {boolean} live */
function onLive(live) {
  every = live ? RARE_MS : FRESH_MS;
  readIn(lost ? SOON_MS : every);
}

/** @param {number} version */
function onNews(version) {
  told = Math.max(told, version);
  readIn(Math.max(0, readAt + SOON_MS - Date.now()));
}

/** Who comes back reads what is so now, and waits for nothing that was asked before. */
function onBack() {
  if (document.querySelector('.event[data-follow="yes"]') === null) return;
  back += 1;
  readIn(0);
}

async function zoom() {
  const { followZoom } = await brought(() => import('../watch/zoom.js'));
  followZoom();
}

async function ranks() {
  const { followRanks } = await brought(() => import('../watch/ranks.js'));
  await followRanks({ onLive, onNews });
}

tellTimes(document);
if (document.querySelector('.event[data-follow="yes"]') !== null) readIn(FRESH_MS);
whenBack(onBack);
if (document.querySelector('.drawn') !== null) void zoom();
if (document.querySelector('.live[data-stream]') !== null) void ranks();
