/** The public JSON interface, as any client sees it. */
import { keepAnswer } from './keep.js';
import { houseSocket } from './socket.js';

/** Too much was asked for at once. */
const BUSY = 429;

/** A request was answered with a no, or not at all. */
export class Refusal extends Error {
  /** @param {{code: string, status: number, title?: string, detail?: string} & Record<string, any>} problem */
  constructor(problem) {
    super(problem.detail ?? problem.title ?? problem.code);
    this.code = problem.code;
    this.status = problem.status;
    this.facts = problem;
  }

  /** Whether nobody has judged what was asked: no answer came, or the house is in trouble. */
  get isUnjudged() {
    return this.status === 0 || this.status >= 500;
  }

  /** Whether it may be another answer in a while: who is only told to wait has not been judged either. */
  get comesToPass() {
    return this.isUnjudged || this.status === BUSY;
  }
}

/** The server says something that cannot be so. */
export class Alarm extends Error {
  /** @param {string} kind The key of the sentence that says what. @param {Record<string, string>} [facts] Its arguments. */
  constructor(kind, facts = {}) {
    super(kind);
    this.kind = kind;
    this.facts = facts;
  }
}

/** Who is asked: a house over the network, but on a page that has its answers in it. */
export const network = {
  ask: (/** @type {string} */ path, /** @type {RequestInit} */ request) => fetch(path, request),
};

/** What a command is posted to; over the page's socket, where it has one, it is the same request. */
const COMMANDS = /^\/api\/v1\/matches\/([^/]+)\/commands$/;
const TRIES_MAX = 4;
/** How long an answer may take until it is asked for again: a line may be gone without a word. */
const ANSWER_MS = 15_000;
/** How long what is read may take until it begins, and from then on until all of it is there: a line may be slow. */
const [SILENCE_MS, COMING_MS] = [45_000, 180_000];
const WAIT_MS = 400;
/** No answer, or that of somebody who stands before a house that is away for a moment. */
const PASSING = new Set([0, 502, 503, 504]);
/** When a part of a page is asked for again that did not come, and how often. */
const PART_MS = 2_000;
const PART_TRIES = 300;

/** What the server's clock says, as far as its responses tell: to the second, which is enough for a countdown. */
class ServerClock {
  #ahead = 0;
  /** By how many milliseconds what this page shows is late, so that clocks run as they were seen to run then. */
  late = 0;

  /** @param {Response} response */
  hear(response) {
    const told = Date.parse(response.headers.get('date') ?? '');
    if (Number.isFinite(told)) this.#ahead = Math.abs(told + 500 - Date.now()) > 1500 ? told + 500 - Date.now() : 0;
  }

  /** @returns {number} Unix milliseconds. */
  now() {
    return Date.now() + this.#ahead - this.late;
  }
}

export const serverClock = new ServerClock();

/** @param {string} match @param {string} [rest] */
export const matchPath = (match, rest = '') => `/api/v1/matches/${encodeURIComponent(match)}${rest}`;

/** @returns {string} 128 random bits, to tell a repeat from another request. */
export function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * @param {string} path
 * @param {{token?: string | null, accept?: string, signal?: AbortSignal}} [how]
 * @returns {Promise<Response>} One that is there as a whole, or with a signal one that comes until that is given.
 */
export async function read(path, { token = null, accept = 'application/json', signal } = {}) {
  const request = { headers: headers({ Accept: accept }, token), cache: /** @type {const} */ ('no-store') };
  if (signal !== undefined) return answered(path, { ...request, signal });
  const patience = new AbortController();
  /** @param {number} ms */
  const giveUpIn = (ms) => setTimeout(() => patience.abort(new DOMException('', 'TimeoutError')), ms);
  let timer = giveUpIn(SILENCE_MS);
  try {
    const response = await answered(path, { ...request, signal: patience.signal });
    clearTimeout(timer);
    timer = giveUpIn(COMING_MS);
    return await whole(response);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} path @param {{token?: string | null}} [how] */
export async function readJson(path, how) {
  return jsonOf(await read(path, how));
}

/**
 * Ask for something to happen. When no answer comes, it is repeated with the same key, so it happens once.
 *
 * @param {string} method
 * @param {string} path
 * @param {{token?: string | null, body?: object, lines?: object[], key?: string}} [what] `lines` where a list is sent, and
 *   `key` where another device may ask for the very same.
 */
export async function ask(method, path, { token = null, body, lines, key = freshKey() } = {}) {
  const fixed = {
    'Idempotency-Key': key,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(lines === undefined ? {} : { 'Content-Type': 'application/x-ndjson' }),
  };
  const request = {
    method,
    headers: headers(fixed, token),
    body: body === undefined ? lines?.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(body),
  };
  for (let left = TRIES_MAX - 1; ; left -= 1) {
    try {
      const said = left === TRIES_MAX - 1 ? await overSocket(path, token, key, request.body) : null;
      const answer = said ?? (await jsonInTime(path, request));
      keepAnswer(answer);
      return answer;
    } catch (trouble) {
      const again = trouble instanceof Refusal && PASSING.has(trouble.status) && left > 0;
      if (!again) throw trouble;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * (TRIES_MAX - left)));
    }
  }
}

/**
 * @typedef {{body?: object, key: string}} Sent What was sent, and under which key of repetition.
 * @typedef {object} Memory What got no answer yet, by what was asked for.
 * @property {(asked: string) => Sent | undefined} get
 * @property {(asked: string, sent: Sent) => unknown} set
 * @property {(asked: string) => unknown} delete
 */

/** As long as the page is open. @type {Map<string, Sent>} */
const unanswered = new Map();

/**
 * Ask for what is to be there once: whoever asks for the very same again, because no answer came, asks for that one.
 *
 * @param {string} method
 * @param {string} path
 * @param {{token?: string | null, body?: object}} what
 * @param {{asked?: string, memory?: Memory}} [how] `asked` says what is the very same, where another body may be sent for
 *   it; `memory` keeps what was sent.
 */
export async function askOnce(method, path, what, how = {}) {
  const { asked = JSON.stringify([method, path, what]), memory = unanswered } = how;
  const sent = memory.get(asked) ?? { body: what.body, key: freshKey() };
  memory.set(asked, sent);
  try {
    const answer = await ask(method, path, { ...what, ...sent });
    memory.delete(asked);
    return answer;
  } catch (trouble) {
    // Who is only told to wait, say, does not know yet what came of the first time.
    if (trouble instanceof Refusal && !trouble.comesToPass) memory.delete(asked);
    throw trouble;
  }
}

/** @param {string} path @param {RequestInit} request */
async function jsonInTime(path, request) {
  const response = await answered(path, { ...request, signal: AbortSignal.timeout(ANSWER_MS) });
  return jsonOf(await whole(response));
}

/** @param {Response} response @returns {Promise<any>} What it says; whoever says something else is not the house. */
async function jsonOf(response) {
  try {
    return await response.json();
  } catch {
    throw unreachable();
  }
}

/**
 * @param {string} path @param {string | null} token @param {string} key @param {string | undefined} body
 * @returns {Promise<any>} The answer; null if no socket took it, or none came.
 */
async function overSocket(path, token, key, body) {
  const match = COMMANDS.exec(path)?.[1];
  if (match === undefined || token === null || body === undefined) return null;
  const said = await houseSocket.command(match, token, key, body);
  if (said !== null && said.status !== 200) throw refusalOf(said);
  return said;
}

/**
 * Wait for a part of a page that it can be seen and used without, and that comes behind it.
 *
 * @template T
 * @param {Promise<T>} part
 * @returns {Promise<T>}
 */
export async function needed(part) {
  try {
    return await part;
  } catch (trouble) {
    throw trouble instanceof TypeError ? unreachable() : trouble;
  }
}

/**
 * Have a part of a page that nobody asks for, and that comes behind it: where the line is gone, it is asked for again.
 *
 * @template T
 * @param {() => Promise<T>} part
 * @returns {Promise<T>} Rejected where it does not come for minutes.
 */
export async function brought(part) {
  for (let left = PART_TRIES; ; left -= 1) {
    try {
      return await needed(part());
    } catch (trouble) {
      if (!(trouble instanceof Refusal) || left === 0) throw trouble;
      await new Promise((resolve) => setTimeout(resolve, PART_MS));
    }
  }
}

/** Wait for all of an answer: one that ends in the middle is none. @param {Response} response */
async function whole(response) {
  const body = await response.blob().catch((trouble) => {
    throw trouble.name === 'TimeoutError' || trouble instanceof TypeError ? unreachable() : trouble;
  });
  const { status, statusText, headers } = response;
  return new Response(body.size === 0 ? null : body, { status, statusText, headers });
}

const unreachable = () => new Refusal({ code: 'unreachable', status: 0 });

/** @param {Record<string, any>} problem */
export const refusalOf = (problem) => new Refusal({ code: 'broken', ...problem, status: problem.status });

/** @param {string} path @param {RequestInit} request */
async function answered(path, request) {
  const response = await network.ask(path, { ...request, credentials: 'same-origin' }).catch((trouble) => {
    if (trouble.name === 'AbortError') throw trouble;
    throw unreachable();
  });
  serverClock.hear(response);
  if (response.ok) return response;
  const text = await (await whole(response)).text();
  throw new Refusal({ code: 'broken', ...problemOf(text), status: response.status });
}

/** @param {string} text */
function problemOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** @param {Record<string, string>} fixed @param {string | null} token */
const headers = (fixed, token) => (token ? { ...fixed, Authorization: `Bearer ${token}` } : fixed);
