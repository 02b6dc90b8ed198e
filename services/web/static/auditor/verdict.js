/** All three layers together, and what they come to (CUP/1 section 4.10). */
import { judge, servedBesides } from '../rules/audit/access_audit.js';
import { UNRULY } from '../rules/audit/foul.js';
import { lineAgainst, namesHeld, namesIn } from '../rules/audit/names.js';
import { replay } from '../rules/audit/replay.js';
import { audit } from './audit.js';
import { CODES } from './faults.js';
import { chosen } from './hashing.js';
import { NONE } from './policies.js';
import { isOfCommand } from './records.js';
import { boardNamedIn, sharedDeal, sharesDice } from './shared.js';

/** @typedef {import('./audit.js').Line} Line */
/** @typedef {import('./audit.js').Report} Report */
/** @typedef {import('./policies.js').Policy} Policy */
/** @typedef {import('./shared.js').Shared} Shared */
/** @typedef {import('../rules/audit/access_audit.js').Disclosure} Disclosure */
/** @typedef {import('../client/receipts.js').Comparison} Comparison */
/** @typedef {import('../signing/refusals.js').RefusalComparison} RefusalComparison */
/** @typedef {import('../rules/audit/replay.js').Moment} Moment */
/** @typedef {{own: number[], server: number[], reused: number[], withheld: number[], unseeded: number[],
 *   signed: number[], drawn: number[]}} Seeds Of the deals that were played: the seats that drew theirs, those for which the
 *   server did, the numbers of the deals in which it did for all, of the first the seats that signed each seed they opened,
 *   and the numbers of the deals in which the server did for one that no bot of the house has. Of all deals: the seats that
 *   gave one seed twice, and those that are named for a void. */
/** @typedef {{deal: number, logged: boolean, seats: number[]}} Voided A deal that was thrown away: whether the log had it
 *   by then, and the seats that are named for it. */
/**
 * What an audit found. `status` is the worst of the record, its access record and the receipts, `record` what the record
 * comes to by itself. `line` is one of the access record where the code is E_ACCESS. `rules` is what layer 3 found, in a
 * sentence; `seen` who was served which hidden dice; `policy` what deals publish when they end; `witnessed` whether the
 * policy asks for witnesses; `keyless` the seats of a match that have no key, where layer 2 was asked for. Signatures of a
 * public beacon are not checked here.
 *
 * @typedef {Report & {layers: number[], keyless: number[] | null, rules: string | null, seeds: Seeds | null, voids: Voided[] | null,
 *   record: 'OK' | 'INCOMPLETE' | null, seen: Disclosure | null, receipts: Comparison | null, policy: string | null,
 *   refusals: RefusalComparison | null,
 *   witnessed: boolean | null, beacons: 'unchecked' | null, shared: 'checked' | 'unchecked' | null,
 *   names: import('../rules/audit/names.js').NamesFound | null}} Verdict
 */
/** @typedef {{access?: Uint8Array | null, receipts?: string[], board?: Uint8Array | null, names?: Uint8Array | null}}
 *   Beside What may be given along with a record: its access record, receipts as the notes they are, the record of the board
 *   whose dice it shares, and a file of names. */

const NOTHING = {
  ...{ rules: null, seeds: null, voids: null, record: null, seen: null, receipts: null },
  ...{ policy: null, witnessed: null, beacons: null, shared: null, keyless: null, refusals: null, names: null },
};
const BOT = 'bot/';
const NO_ACCESS = 'no access record was given, so who saw which hidden dice was not judged';

/**
 * @param {Uint8Array} record
 * @param {Policy | null} policy
 * @param {{layers?: number[], hashing?: import('./hashing.js').Hashing, beside?: Beside}} [how] With layer 3, a match
 *   that is anchored is not fair before its access record is there.
 * @returns {Promise<Verdict>}
 */
export async function verdictOf(record, policy, { layers = [1, 2, 3], hashing, beside = {} } = {}) {
  const lower = layers.filter((layer) => layer < 3);
  const shared = await sharedOf(record, beside.board ?? null, policy, hashing);
  const { report, lines } = await audit(record, policy, { layers: lower, hashing, shared: shared?.dice });
  if (report.status === 'FAULT') return { ...report, layers: lower, ...NOTHING };
  const told = {
    ...report,
    layers: lower,
    ...NOTHING,
    ...tellsOf(lines, lower),
    keyless: keylessOf(lines, lower, report.seats ?? {}),
    shared: sharing(lines, shared),
    witnessed: policy && policy.quorum !== NONE,
  };
  const moments = lower.includes(2) && beside.receipts?.some(isOfCommand) ? new Map() : null;
  const { verdict, upto } = layers.includes(3) ? ruled(told, lines, shared, moments) : { verdict: told, upto: 0 };
  if (verdict.status === 'FAULT') return verdict;
  const how = { policy, hashing: hashing ?? (await chosen()) };
  const seen = beside.access ? await judge(beside.access, lines, upto, how) : null;
  const receipts = beside.receipts?.length ? await compared(record, beside.receipts, how) : null;
  const refusals = moments === null ? null : await held(lines, moments, beside.receipts ?? [], policy);
  const names = beside.names ? await namesHeld(lines, namesIn(beside.names), how.hashing) : null;
  return whole({ ...verdict, record: verdict.status, seen, receipts, refusals, names }, policy !== null);
}

/**
 * @param {Uint8Array} record
 * @param {Uint8Array | null} board
 * @param {Policy | null} policy
 * @param {import('./hashing.js').Hashing} [hashing]
 * @returns {Promise<Shared | null>} What the record of its board says; null where it has none, or that is at fault. The
 *   laws of the board itself are not replayed here.
 */
async function sharedOf(record, board, policy, hashing) {
  const named = boardNamedIn(record);
  if (named === null || board === null) return null;
  const { report, lines } = await audit(board, policy, { hashing });
  if (report.status === 'FAULT' || lines[0].kind !== 'board.created' || lines[0].data.board !== named) return null;
  return sharedDeal(lines, report);
}

/** @param {Verdict} verdict @param {Line[]} lines @param {Shared | null} shared @param {Map<number, Moment> | null} moments
 *  @returns {{verdict: Verdict, upto: number}} */
function ruled(verdict, lines, shared, moments) {
  const ruling = replay(lines, shared, moments);
  return { verdict: withRuling(verdict, lines, ruling), upto: ruling.upto };
}

/** @param {Uint8Array} record @param {string[]} receipts
 *  @param {{policy: Policy | null, hashing: import('./hashing.js').Hashing}} how @returns {Promise<Comparison>} */
async function compared(record, receipts, { policy, hashing }) {
  // Signatures of receipts are checked by the library that plays; whoever gives none need not load it.
  const { contradicted } = await import('../client/receipts.js');
  return contradicted(record, receipts, policy, hashing);
}

/** @param {Line[]} lines @param {Map<number, Moment>} moments @param {string[]} notes @param {Policy | null} policy
 *  @returns {Promise<RefusalComparison>} */
async function held(lines, moments, notes, policy) {
  const { heldRefusals } = await import('../signing/refusals.js');
  return heldRefusals(lines, moments, notes, policy);
}

/** @param {Verdict} verdict What the server signed that speaks against the record, in the order of the lines. */
function againstIt({ receipts, refusals }) {
  const found = [
    ...(receipts?.contradicted ?? []).map((each) => ({ ...each, note: 'receipt' })),
    ...(refusals?.contradicted ?? []).map((each) => ({ ...each, note: 'refusal' })),
  ];
  return found.sort((one, other) => one.line - other.line)[0];
}

/**
 * @param {Verdict} verdict On a record without fault, with what lies beside it.
 * @param {boolean} judged Whether a policy says whom to believe.
 * @returns {Verdict} One status, the worst of all.
 */
function whole(verdict, judged) {
  const { seen, layers, anchored, names } = verdict;
  const against = againstIt(verdict);
  if (judged && against) {
    const message = `${against.why} (${against.note} ${against.number})`;
    return { ...verdict, status: 'FAULT', code: 'E_RECEIPT', line: against.line, message };
  }
  if (seen?.status === 'FAULT') {
    const message = `its access record is at fault: ${seen.message}`;
    return { ...verdict, status: 'FAULT', code: 'E_ACCESS', line: seen.line, message };
  }
  const line = names === null ? null : lineAgainst(names);
  if (line !== null) {
    const message = 'a name is told that the record does not commit to';
    return { ...verdict, status: 'FAULT', code: 'E_NAMES', line, message };
  }
  const lacks = [
    ...(seen === null && anchored && layers.includes(3) ? [`but ${NO_ACCESS}`] : []),
    ...(seen?.status === 'INCOMPLETE' ? [`but ${seen.message}`] : []),
    ...(against ? ['but receipts speak against it, and without a policy nobody can say whose they are'] : []),
  ];
  const besides = lacks.length === 0 && seen !== null ? [servedBesides(seen.noticed)] : [];
  const message = [verdict.message, ...lacks, ...besides].filter(Boolean).join('; ');
  return { ...verdict, status: lacks.length > 0 ? 'INCOMPLETE' : verdict.status, message };
}

/** @param {Verdict} verdict @param {Line[]} lines @param {import('../rules/audit/replay.js').ReplayResult} ruling @returns {Verdict} */
function withRuling(verdict, lines, { judged, line, upto, why, code = UNRULY }) {
  if (!judged) return { ...verdict, status: 'INCOMPLETE', message: `${why}; ${verdict.message}`, rules: why };
  const layers = [...verdict.layers, 3];
  if (line !== null) {
    const fault = {
      status: /** @type {const} */ ('FAULT'),
      code,
      line,
      message: `${CODES[code]}: ${why}`,
    };
    return { ...fault, layers, anchored: null, head: null, deals: null, seats: null, misdated: null, ...NOTHING };
  }
  if (verdict.status === 'OK' && upto < lines.length) {
    const message = `${verdict.message}; but the rules could be replayed only up to line ${upto}: ${why}`;
    return { ...verdict, status: 'INCOMPLETE', layers, message, rules: why };
  }
  return { ...verdict, layers, rules: why };
}

/** @param {Line[]} lines @param {Shared | null} shared @returns {'checked' | 'unchecked' | null} Whether dice of a board were
 *   held against it, if there are any. */
function sharing(lines, shared) {
  if (!sharesDice(lines)) return null;
  return shared === null ? 'unchecked' : 'checked';
}

/** @param {Line[]} lines @param {number[]} layers What the lines say of the match: who drew seeds, what was voided. */
function tellsOf(lines, layers) {
  const hasBeacon = layers.includes(2) && lines.some(({ kind, data }) => kind === 'deal.ready' && data.beacon !== null);
  const beacons = hasBeacon ? /** @type {const} */ ('unchecked') : null;
  return { seeds: seedsOf(lines), voids: voidsOf(lines), policy: lines[0].data.policy ?? '', beacons };
}

/** @param {Line[]} lines @param {number[]} layers @param {object} keyed The seats that have or had keys.
 *  @returns {number[] | null} The seats of a match that somebody took, and none of those. */
function keylessOf(lines, layers, keyed) {
  if (!layers.includes(2) || lines[0].kind !== 'match.created') return null;
  const taken = new Set(lines.filter(({ kind }) => kind === 'seat.joined').map(({ data }) => data.seat));
  return ascending(taken).filter((seat) => !Object.hasOwn(keyed, seat));
}

/** @param {Line[]} lines @returns {Seeds} A deal that was voided has no dice: what was brought to it says nothing. */
function seedsOf(lines) {
  const [custody, bots, own, server] = [new Set(), new Set(), new Set(), new Set()];
  const [unseeded, drawn] = [new Set(), new Set()];
  /** @type {Map<number, number[]>} */
  const sealed = new Map();
  for (const { kind, data } of lines) {
    takeCustody(kind, data, custody, bots);
    if (kind === 'deal.sealed') sealed.set(data.deal, data.seats);
    if (kind === 'deal.ready') {
      const seats = sealed.get(data.deal) ?? [];
      for (const seat of seats) (custody.has(seat) ? server : own).add(seat);
      if (seats.every((seat) => custody.has(seat))) unseeded.add(data.deal);
      if (seats.some((seat) => custody.has(seat) && !bots.has(seat))) drawn.add(data.deal);
    }
  }
  const withheld = new Set(voidsOf(lines).flatMap(({ seats }) => seats));
  const opened = lines.filter(({ kind }) => kind === 'seed.opened');
  const unsigned = opened.filter((line) => line.signed === undefined).map(({ data }) => data.seat);
  const given = new Set(opened.map(({ data }) => data.seat));
  const signed = ascending(own).filter((seat) => given.has(seat) && !unsigned.includes(seat));
  const drawers = { own: ascending(own), server: ascending(server), unseeded: ascending(unseeded), signed };
  return { ...drawers, drawn: ascending(drawn), reused: ascending(reusedBy(lines)), withheld: ascending(withheld) };
}

/**
 * @param {string} kind @param {Record<string, any>} data The next line.
 * @param {Set<number>} custody The seats whose seeds the server draws.
 * @param {Set<number>} bots Those that bots of the house have.
 */
function takeCustody(kind, { seat, by, player }, custody, bots) {
  if (kind === 'game.seed_custody') by === 'client' ? custody.delete(seat) : custody.add(seat);
  if (kind !== 'seat.joined' || typeof player !== 'string') return;
  // A seat that is taken anew is another's: its seeds are its own until a line says otherwise.
  custody.delete(seat);
  player.startsWith(BOT) ? bots.add(seat) : bots.delete(seat);
}

/** @param {Line[]} lines @returns {Set<number>} The seats that gave in two deals what is one seed. */
function reusedBy(lines) {
  const [given, twice] = [new Set(), new Set()];
  for (const { data } of lines.filter(({ kind }) => kind === 'seed.opened')) {
    const seed = `${data.seat} ${data.seed}`;
    if (given.has(seed)) twice.add(data.seat);
    given.add(seed);
  }
  return twice;
}

/** @param {Line[]} lines @returns {Voided[]} */
function voidsOf(lines) {
  const logged = new Set(lines.filter(({ kind }) => kind === 'deal.logged').map(({ data }) => data.deal));
  const voided = lines.filter(({ kind }) => kind === 'deal.voided');
  return voided.map(({ data: { deal, seats } }) => ({ deal, logged: logged.has(deal), seats }));
}

/** @param {Set<number>} numbers */
const ascending = (numbers) => [...numbers].sort((one, other) => one - other);
