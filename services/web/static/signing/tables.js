/**
 * Opening a table, for whoever sits down at it at once. Several requests lead there: who asks for the same again, because
 * one of them got no answer, goes on with the table that is there.
 */
import { Refusal, ask, askOnce, freshKey, matchPath, needed } from '../client/api.js';
import { dropTokens, keepTokens, tokensOf } from '../client/keep.js';

/** @typedef {{match: string, token: string, invite?: string}} Opened */
/** @typedef {{asked: string, opened: Opened, key: string}} Begun `key` tells its repeats from others. */
/**
 * @typedef {object} Wanted
 * @property {object} table What is posted for it.
 * @property {{name: string, custody: string, signs: boolean}} [sits] Who sits down, if anybody does.
 * @property {{count: number, level?: string}} [bots]
 * @property {boolean} [starts] Whether it starts at once.
 */

/** What is open and not yet as it was asked for. @type {Begun | null} */
let begun = null;

/**
 * @param {Wanted} wanted
 * @returns {Promise<string>} The match, which is as it was asked for; its tokens are kept.
 */
export async function openTable(wanted) {
  const asked = JSON.stringify(wanted);
  if (begun !== null && begun.asked !== asked) await giveUp(begun);
  begun ??= { asked, opened: await open(wanted.table), key: freshKey() };
  const one = begun;
  try {
    await seat(one, wanted);
  } catch (trouble) {
    if (!(trouble instanceof Refusal && trouble.comesToPass)) await giveUp(one);
    throw trouble;
  }
  begun = null;
  return one.opened.match;
}

/** @param {object} table @returns {Promise<Opened>} */
async function open(table) {
  const opened = await askOnce('POST', '/api/v1/matches', { body: table });
  keepTokens(opened.match, { host: opened.token, invite: opened.invite });
  return opened;
}

/** Have whoever is wanted sit down, unless they do. @param {Begun} begun @param {Wanted} wanted */
async function seat({ opened: { match, token, invite }, key }, { sits, bots, starts = false }) {
  if (sits !== undefined && tokensOf(match).token === undefined) {
    const { sitDown } = await needed(import('./joining.js'));
    const seated = await sitDown(match, { ...sits, invite });
    keepTokens(match, { token: seated.token, seat: seated.seat });
  }
  if (bots !== undefined) await ask('POST', matchPath(match, '/bots'), { token, body: bots, key });
  if (starts) await start(match, token, `${key}.start`);
}

/**
 * Start the match, unless it has started by itself since its last seat was taken.
 *
 * @param {string} match
 * @param {string} token
 * @param {string} key
 */
async function start(match, token, key) {
  try {
    await ask('POST', matchPath(match, '/start'), { token, key });
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.code === 'already_started')) throw refusal;
  }
}

/**
 * Close a table again that did not come about as it was asked for, such as where nobody can be called so: another one is
 * opened when the form is mended, and this one would wait for players in vain. One that cannot be closed stays among the
 * tables of this browser.
 *
 * @param {Begun} one
 */
async function giveUp({ opened: { match, token } }) {
  begun = null;
  try {
    await ask('POST', matchPath(match, '/commands'), { token, body: { type: 'close_session' } });
    dropTokens(match);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
  }
}
