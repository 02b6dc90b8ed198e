/** The memory of this browser: tokens, seeds, receipts, the pinned policy, and how its owner likes to be called. */

const PREFIX = 'truecup.';
const HEADS_MAX = 40;
/** Receipts kept of one match, and matches whose receipts are kept: about half a megabyte together. */
const SIGNED_MAX = 64;
const MATCHES_MAX = 24;
/** What leads with a seat, with the host's powers, and with what its seeds are made from, to another device. */
const SEATED =
  /^#seat=(?<seat>[1-9]\d{0,2})&token=(?<token>truecup_seat_[\w-]{43})(?:&host=(?<host>truecup_host_[\w-]{43}))?(?:&seeds=(?<seeds>[0-9a-f]{64}))?$/;

/** @typedef {{key?: string, secret?: string}} KeptKey Something a seat signs with: the public key, as hex, unless it follows
 *   from the private one, which is kept elsewhere where no script can read it. */
/** @typedef {{seat: number, token: string, host?: string, seeds?: string}} Brought A seat that a link brings. */

/** What a browser that is full, or private, would not keep: known for as long as the page is open. @type {Map<string, string>} */
const held = new Map();

/** @param {string} name @returns {any} */
function load(name) {
  try {
    return JSON.parse(held.get(name) ?? localStorage.getItem(PREFIX + name) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {string} name @param {unknown} value */
function store(name, value) {
  const text = JSON.stringify(value);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
    held.delete(name);
  } catch {
    held.set(name, text);
  }
}

/** @param {string} prefix @returns {string[]} What follows it in the names of all that is kept, or held. */
function namesBehind(prefix) {
  const names = new Set(held.keys());
  try {
    for (let place = 0; place < localStorage.length; place += 1) {
      names.add((localStorage.key(place) ?? '').replace(PREFIX, ''));
    }
  } catch {
    // A browser that lets nothing be looked at has kept nothing.
  }
  return [...names].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** @returns {boolean} Whether this browser keeps anything beyond this page. */
export function isLasting() {
  try {
    localStorage.setItem(`${PREFIX}lasts`, '');
    localStorage.removeItem(`${PREFIX}lasts`);
    return true;
  } catch {
    return false;
  }
}

/** How large its owner likes brackets. @param {number} zoom */
export const keepZoom = (zoom) => store('zoom', zoom);
export const keptZoom = () => Number(load('zoom')) || 1;

/**
 * @param {string} match
 * @returns {{host?: string, token?: string, seat?: number, words?: string, seeds?: string, invite?: string,
 *   called?: string, at?: number, keys?: KeptKey[], joined?: {key: string, name: string},
 *   asked?: string}} `seeds` is the key that seeds of
 *   the seat are made from; `called` is the name that the host gave the table, as this browser saw it last; `keys` are what
 *   the seat has been signed with here, or may come to be; `joined` is what it has signed of itself when it sat down, and
 *   `asked` a key that the host is to name.
 */
export const tokensOf = (match) => load(`match.${match}`) ?? {};

/**
 * Take the invitation to a private table, or a seat that comes from another device, out of the address of this page,
 * where people share and film it, and keep it.
 *
 * @param {string} match
 * @returns {{tokens: ReturnType<typeof tokensOf>, brought: Brought | null}} `brought` is a seat that was not kept, since
 *   this browser has another here: its owner is to choose.
 */
export function invitedTokens(match) {
  const invite = /^#invite=([\w-]{32})$/.exec(location.hash)?.[1];
  const seated = SEATED.exec(location.hash)?.groups;
  if (invite !== undefined) keepTokens(match, { invite });
  const known = tokensOf(match).token;
  const brought = seated === undefined ? null : /** @type {Brought} */ ({ ...seated, seat: Number(seated.seat) });
  const other = brought !== null && known !== undefined && known !== brought.token;
  if (brought !== null && !other) keepBrought(match, brought);
  if (invite !== undefined || seated !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
  }
  return { tokens: tokensOf(match), brought: other ? brought : null };
}

/**
 * Keep the seat that a link brings. Nothing else that this browser has here goes with it.
 *
 * @param {string} match
 * @param {Brought} brought
 */
export function keepBrought(match, { seat, token, host, seeds }) {
  const kept = tokensOf(match);
  const same = kept.token === token;
  keepTokens(match, {
    seat,
    token,
    host: kept.host ?? host,
    // Of one seat, the key it has been played with so far stays.
    seeds: same ? (kept.seeds ?? seeds) : seeds,
    words: same ? kept.words : undefined,
    keys: same ? kept.keys : undefined,
    joined: same ? kept.joined : undefined,
  });
}

/** @param {KeptKey} key @returns {KeptKey} What is kept of it. */
export const bareKey = ({ key, secret }) => (secret === undefined ? { key } : { key, secret });

/** Keep one more key for a seat. @param {string} match @param {KeptKey} key */
export const keepKey = (match, key) => keepTokens(match, { keys: [...(tokensOf(match).keys ?? []), bareKey(key)] });

/** @returns {KeptKey[]} Those of all seats of this browser, and of the entrants here. */
export const keptKeys = () => [
  ...namesBehind('match.').flatMap((match) => tokensOf(match).keys ?? []),
  ...namesBehind('event.').flatMap((tournament) => entryOf(tournament).keys ?? []),
];

/** @returns {Record<string, number>} Since when keys were seen that no seat here is signed with, in Unix milliseconds. */
export const namelessSince = () => load('nameless') ?? {};

/** @param {Record<string, number>} keys */
export const keepNameless = (keys) => store('nameless', keys);

/**
 * @typedef {{asked: string, body: Record<string, any>, key: string}} Order What was sent last for a seat here, and has no
 *   answer: what was asked for, what was sent of it, under which key of repetition.
 */

/** @param {string} match @returns {Order | null} */
export const unanswered = (match) => load(`order.${match}`);

/** @param {string} match @param {Order | null} order */
export const keepUnanswered = (match, order) => store(`order.${match}`, order);

/** @param {string} match @param {object} more */
export const keepTokens = (match, more) => store(`match.${match}`, { ...tokensOf(match), ...more, at: Date.now() });

/**
 * @typedef {{token?: string, number?: number, host?: string, seeds?: string, keys?: KeptKey[], asked?: string}} Entry
 *   `seeds` is the key that seeds for the lots are made from; `keys` are what the entrant has registered here, or may have,
 *   and `asked` the one of them that is to hold instead of one elsewhere.
 */

/** @param {string} tournament @returns {Entry} What this browser takes part with, and holds it with. */
export const entryOf = (tournament) => load(`event.${tournament}`) ?? {};

/** @param {string} tournament @param {Entry} entry */
export const keepEntry = (tournament, entry) => store(`event.${tournament}`, { ...entryOf(tournament), ...entry });

const ENTERED = /^#entrant=(?<token>truecup_entrant_[\w-]{43})(?:&seeds=(?<seeds>[0-9a-f]{64}))?$/;

/**
 * Take an entrant that comes from another device, or from a host, out of the address of this page, and keep it.
 *
 * @param {string} tournament
 * @returns {string | null} The token that was not kept, since this browser has another here: its owner is to choose.
 */
export function takeEntry(tournament) {
  const brought = ENTERED.exec(location.hash)?.groups;
  if (brought === undefined) return null;
  history.replaceState(null, '', location.pathname + location.search);
  const { token, seeds } = brought;
  const kept = entryOf(tournament);
  if (kept.token !== undefined && kept.token !== token) return token;
  // Whoever makes a link knows the key in it: the one that lots have been drawn with so far stays. Where there is none,
  // it gives its maker nothing that the token in it does not: with that one may give seeds, and play.
  keepEntry(tournament, { token, seeds: kept.seeds ?? seeds });
  return null;
}

/** Be another entrant here, and draw lots with a key that no link has named. @param {string} tournament @param {string} token */
export const changeEntry = (tournament, token) =>
  keepEntry(tournament, { token, number: undefined, seeds: undefined, keys: undefined, asked: undefined });

/** @param {string} tournament @returns {string} Where the card of the entrant here is on another device. */
export function cardOf(tournament) {
  const { token = '', seeds } = entryOf(tournament);
  return `/t/${tournament}/me#entrant=${token}${seeds === undefined ? '' : `&seeds=${seeds}`}`;
}

/** @param {string} match @returns {boolean} Whether this browser has kept what it has of a match, and not this page alone. */
export const isKept = (match) => !held.has(`match.${match}`);

/**
 * @param {string} match
 * @returns {string} What leads to the seat here on another device, behind the hash sign of the table's address.
 */
export function seatFragment(match) {
  const { token = '', seat = 0, host, seeds } = tokensOf(match);
  const more = Object.entries({ host, seeds }).filter(([, value]) => value !== undefined);
  return [['seat', seat], ['token', token], ...more].map(([name, value]) => `${name}=${value}`).join('&');
}

/**
 * @param {string} match
 * @returns {string} Where its table is; what no other page would know goes along behind the hash sign.
 */
export function tableOf(match) {
  const goesAlong = !isKept(match) && tokensOf(match).token !== undefined;
  return `/m/${match}${goesAlong ? `#${seatFragment(match)}` : ''}`;
}

/** @returns {string[]} The matches this browser holds a token of, those whose came last first. */
export function ownMatches() {
  // Of some there is but an invitation.
  const matches = namesBehind('match.').filter((match) => tokensOf(match).host ?? tokensOf(match).token);
  const at = (/** @type {string} */ match) => tokensOf(match).at ?? 0;
  return matches.sort((left, right) => at(right) - at(left));
}

/**
 * Forget the seat of this token. Another, which was taken since on another page of this browser, stays.
 *
 * @param {string} match @param {string | undefined} tried
 */
export function dropSeat(match, tried) {
  const { host, invite, at, token } = tokensOf(match);
  if (token !== undefined && token !== tried) return;
  store(`match.${match}`, (host ?? invite) ? { host, invite, at } : null);
}

/** Forget a table. @param {string} match */
export function dropTokens(match) {
  store(`match.${match}`, null);
  keepUnanswered(match, null);
}

/** @returns {string} */
export const ownName = () => load('name') ?? '';
/** @param {string} name */
export const keepName = (name) => store('name', name);

/** @param {string} keys @returns {boolean} Whether these keys do something in this browser. */
export function hasKeys(keys) {
  try {
    return !(held.get(keys) ?? localStorage.getItem(PREFIX + keys))?.includes('off');
  } catch {
    return true;
  }
}

/** @param {string} keys @param {boolean} wanted */
export const keepKeys = (keys, wanted) => store(keys, wanted ? 'on' : 'off');

/** @returns {boolean} Whether tables are to make no sound in this browser. */
export const isMuted = () => load('muted') === true;
/** @param {boolean} muted */
export const keepMuted = (muted) => store('muted', muted ? true : null);
/** @returns {boolean} Whether nobody's phrases are to be heard in this browser. */
export const isQuiet = () => load('quiet') === true;
/** @param {boolean} quiet */
export const keepQuiet = (quiet) => store('quiet', quiet ? true : null);
/** @returns {boolean} Whether its owner wants to be told of turns while looking elsewhere. */
export const wantsCalls = () => load('calls') === true;
/** @param {boolean} wanted */
export const keepCalls = (wanted) => store('calls', wanted ? true : null);

/**
 * Seeds lie under their own commitments, so two pages of one seat never overwrite each other's.
 *
 * @param {string} match
 * @param {number} deal
 * @returns {Map<string, string>} Seeds by commitment.
 */
export function seedsOf(match, deal) {
  const prefix = `seed.${match}.${deal}.`;
  return new Map(namesBehind(prefix).map((commit) => [commit, load(prefix + commit)]));
}

/** @param {string} match @param {number} deal @param {string} commit @param {string} seed */
export const keepSeed = (match, deal, commit, seed) => store(`seed.${match}.${deal}.${commit}`, seed);

/**
 * @param {string} text The policy as the server gives it now.
 * @returns {string} The policy as it was first seen here, or as its owner accepted it since.
 */
export function pinnedPolicy(text) {
  const first = load('policy');
  if (first === null) store('policy', text);
  return first ?? text;
}

/** @param {string} text The policy to believe from now on, since the owner of this browser says so. */
export const repinPolicy = (text) => store('policy', text);

/** @typedef {{seq: number, note: string, checked: boolean}} Receipt `checked` once the policy was asked about it. */

/** @param {string} match @returns {Receipt[]} In the order of their lines. */
export const receiptsOf = (match) => load(`signed.${match}`) ?? [];

/**
 * Each receipt vouches for all lines before its own, so the latest are the ones to keep.
 *
 * @param {string} match
 * @param {Receipt} receipt
 */
export function keepReceipt(match, receipt) {
  const others = receiptsOf(match).filter(({ seq }) => seq !== receipt.seq);
  const kept = [...others, receipt].sort((left, right) => left.seq - right.seq).slice(-SIGNED_MAX);
  store(`signed.${match}`, kept);
  const matches = [match, ...(load('signed') ?? []).filter((/** @type {string} */ other) => other !== match)];
  for (const old of matches.splice(MATCHES_MAX)) {
    store(`signed.${old}`, null);
    store(`receipts.${old}`, null);
  }
  store('signed', matches);
}

/** Tells of every answer this page was given to a command, as `answer` events. */
export const answers = new EventTarget();

/** Keep what the server signed before anything else is done with its answer. @param {any} answer */
export function keepAnswer(answer) {
  // What is said in a phrase is in no log, and nothing is kept of it.
  if (answer.head === undefined) return;
  if (typeof answer.receipt === 'string' && !receiptsOf(answer.match).some(({ seq }) => seq === answer.version - 1)) {
    keepReceipt(answer.match, { seq: answer.version - 1, note: answer.receipt, checked: false });
  }
  answers.dispatchEvent(new CustomEvent('answer', { detail: answer }));
}

/** The last (version, head) pairs the server has shown for a match. */
export class Heads {
  /** @param {string} match */
  constructor(match) {
    this.match = match;
    /** @type {Map<number, string>} */
    this.heads = new Map(load(`receipts.${match}`) ?? []);
  }

  /** @param {number} version @param {string} head @returns {boolean} False if another head was shown before. */
  agree(version, head) {
    const known = this.heads.get(version);
    if (known !== undefined) return known === head;
    this.heads.set(version, head);
    const kept = [...this.heads].sort((left, right) => left[0] - right[0]).slice(-HEADS_MAX);
    this.heads = new Map(kept);
    store(`receipts.${this.match}`, kept);
    return true;
  }
}

/** @param {string} season @returns {{host?: string}} What this browser holds a season with. */
export const seasonOf = (season) => load(`season.${season}`) ?? {};

/** @param {string} season @param {{host: string}} kept */
export const keepSeason = (season, kept) => store(`season.${season}`, kept);

/**
 * @typedef {{player?: string, token: string, renewal?: string}} Player `renewal` is the key of a request for another token
 *   that may have been answered without anybody hearing it.
 */

/** @returns {Player | null} The player that the owner of this browser is, if one is kept. */
export const keptPlayer = () => load('player');

/** @param {Player | null} player */
export const keepPlayer = (player) => store('player', player);
