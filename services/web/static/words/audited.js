/**
 * The findings of an audit in this browser, in sentences: what was proved, what was not, and who brought chance.
 *
 * The sentences stand in the catalogue; here is which of them a verdict comes to, as `services/audit/findings.py` chooses
 * them for terminals and for the pages of the house.
 */

import { CATALOGUE, countNoun, joinNames, say } from './catalogue.js';
import { numbered, ownSeeds, seatFacts, signatures } from './signed.js';

/** @typedef {import('../auditor/verdict.js').Verdict} Verdict */
/** @typedef {import('../auditor/verdict.js').Voided} Voided */
/** @typedef {import('./catalogue.js').Facts} Facts */
/** @typedef {'yes' | 'no' | 'open' | 'note'} Mark Proved, at fault, not proved, or no fault and worth knowing. */
/** @typedef {{mark: Mark, text: string}} Finding */
/** @typedef {{mark: Mark, title: string, text: string}} Headline */

const DICE = 2;
const RULES = 3;
const NAMED_MAX = 3;
const ACCESS = 'E_ACCESS';
const WORDS = CATALOGUE.audit;

/** @param {Mark} mark @param {string} key @param {Facts} [facts] @returns {Finding} */
const finding = (mark, key, facts = {}) => ({ mark, text: say(WORDS.findings[key], facts) });

// ---- the headline ---------------------------------------------------------------------------------

/** @param {Verdict} verdict @returns {Headline} */
export function headline(verdict) {
  const facts = factsOf(verdict);
  const { titles, texts } = WORDS;
  const { status, layers, anchored, seeds } = verdict;
  if (status === 'FAULT') return { mark: 'no', title: say(titles.fault, facts), text: say(texts.fault, facts) };
  if (status === 'INCOMPLETE') {
    return { mark: 'open', title: say(titles.incomplete, {}), text: say(texts[gapOf(verdict)], facts) };
  }
  if (!anchored) return { mark: 'open', title: say(titles.unanchored, {}), text: say(texts.unanchored, facts) };
  const [isRuled, text] = [layers.includes(RULES), chanceOf(verdict)];
  const [fair, kept] = isRuled ? ['fair', 'kept'] : ['dice', 'unchanged'];
  const ruled = say(WORDS.ruled, { ruled: isRuled ? 'yes' : 'no' });
  const deals = numbered('deals', seeds?.unseeded ?? []);
  // The log's key is the server's own: what only that vouches for can be written anew (CUP/1 section 1, A4).
  if (verdict.witnessed === false) {
    return {
      mark: 'open',
      title: say(titles.unwitnessed, {}),
      text: say(texts.unwitnessed, { ...facts, ruled, deals }),
    };
  }
  const title = say(titles[text === 'owned' ? fair : kept], {});
  return { mark: 'yes', title, text: say(texts[text], { ...facts, ruled, deals }) };
}

/** @param {Verdict} verdict By the policy of then, which this browser does not know. @returns {Headline} */
export function earlierHeadline(verdict) {
  const { mark, title, text } = headline(verdict);
  return {
    mark: mark === 'no' ? 'no' : 'open',
    title: mark === 'no' ? title : say(WORDS.titles.earlier, {}),
    text: say(WORDS.texts.earlier, { title, text }),
  };
}

/** @param {Verdict} verdict @returns {Facts} The arguments of headlines. */
function factsOf(verdict) {
  const { code, line, seen } = verdict;
  const where = { line: String(line ?? 0), access: code === ACCESS ? 'yes' : 'no' };
  // What is wrong with an access record has a code of its own there.
  const inner = (code === ACCESS ? seen?.code : null) ?? code ?? '';
  return {
    ...where,
    code: code ?? '',
    where: say(WORDS.where, where),
    why: say(WORDS.faults[inner] ?? WORDS.faults.other, {}),
    besides: besides(verdict),
  };
}

/** @param {Verdict} verdict @returns {string} Who had a say in the dice: fair dice take a seat's own in every deal. */
function chanceOf({ layers, seeds }) {
  if (!layers.includes(DICE)) return 'unchanged';
  if (seeds === null || seeds.own.length === 0) return 'alone';
  return seeds.unseeded.length > 0 ? 'owned in part' : 'owned';
}

/** @param {Verdict} verdict @returns {string} Why an audit without a fault leaves something open. */
function gapOf(verdict) {
  const { record, seen, anchored, shared } = verdict;
  if (shared === 'unchecked') return 'boardless';
  if (isUnjudged(verdict)) return 'unjudged';
  if (record !== 'OK') return 'unfinished';
  if (seen?.status === 'INCOMPLETE') return 'served in part';
  return seen === null && anchored ? 'unserved' : 'receipts';
}

/** @param {Verdict} verdict Whether the rules were asked for, and nobody here knows them. */
const isUnjudged = ({ rules, layers }) => rules !== null && !layers.includes(RULES);

/** @param {Verdict} verdict @returns {string} To whom hidden dice went that has no seat; nothing if to nobody. */
function besides({ seen }) {
  const viewers = [...new Set((seen?.noticed ?? []).map(({ viewer }) => viewer))];
  if (viewers.length === 0) return '';
  const [named, more] = [viewers.slice(0, NAMED_MAX), Math.max(0, viewers.length - NAMED_MAX)];
  return say(WORDS.besides, { viewers: more > 0 ? named.join(', ') : joinNames(named), more: String(more) });
}

// ---- what was looked at ---------------------------------------------------------------------------

/**
 * @param {Verdict} verdict
 * @param {boolean} judged Whether a policy was given.
 * @param {boolean} [earlier] Whether it is one that this browser does not know.
 * @returns {Finding[]}
 */
export function findings(verdict, judged, earlier = false) {
  if (verdict.record === null) return [finding('open', 'behind')];
  return [
    finding('yes', 'chain'),
    ...logFindings(verdict, judged, earlier),
    ...diceFindings(verdict),
    ...signatures(verdict),
    ...rulesFindings(verdict),
    ...receiptFindings(verdict, judged),
    ...noteFindings(verdict),
    ...accessFindings(verdict),
    ...nameFindings(verdict),
    finding('open', 'talk'),
  ];
}

/** @param {Verdict} verdict @param {boolean} judged @param {boolean} earlier @returns {Finding[]} */
function logFindings({ anchored, witnessed, record, misdated }, judged, earlier) {
  if (!judged) return [finding('open', 'log none')];
  if (!anchored) return [finding('open', 'log unproved')];
  const dated = { lines: countNoun(misdated?.length ?? 0, 'line'), line: String(misdated?.[0]) };
  const shown = [
    ...(witnessed === false ? [finding('open', 'another history')] : []),
    ...(misdated ? [finding('note', 'misdated', dated)] : []),
  ];
  if (earlier) return [finding('open', 'log earlier'), ...shown];
  if (record !== 'OK') return [finding('yes', 'log deals'), finding('open', 'another end'), ...shown];
  return [finding('yes', witnessed ? 'log witnessed' : 'log whole'), ...shown];
}

/** @param {Verdict} verdict @returns {Finding[]} */
function diceFindings({ layers, deals, voids, seeds, policy, beacons }) {
  const isAsked = layers.includes(DICE);
  const found = Object.values(deals ?? {});
  const dice = found.reduce((sum, { values }) => sum + values.length, 0);
  const fixed = { deals: countNoun(found.length, 'deal'), voided: String(voids?.length ?? 0) };
  const { own = [], unseeded = [], reused = [], drawn = [] } = seeds ?? {};
  const taken = { count: countNoun(drawn.length, 'deal'), deals: numbered('deals', drawn) };
  const proved = () => [
    finding('yes', 'dice fixed', fixed),
    finding('yes', 'seeds'),
    finding('yes', 'dice', { dice: String(dice) }),
    ...(voids ?? []).map(voidFinding),
  ];
  return [
    ...(isAsked ? proved() : [finding('open', 'dice unasked')]),
    ...(beacons === null ? [] : [finding('open', 'beacon unchecked')]),
    ...(policy === 'shown' ? [finding('open', 'kept secret')] : isAsked ? [finding('yes', 'published')] : []),
    ...(unseeded.length > 0 && own.length > 0
      ? [finding('open', 'unseeded', { deals: numbered('deals', unseeded) })]
      : []),
    ...(drawn.length > 0 && isAsked ? [finding('note', 'drawn', taken)] : []),
    ...(reused.length > 0 ? [finding('note', 'reused', { seats: numbered('seats', reused) })] : []),
  ];
}

/**
 * What an audit may say of a deal that was thrown away (CUP/1 section 4.8). The record cannot show what the server was
 * sent and did not write, so never that nobody had seen a die of it.
 *
 * @param {Voided} deal
 * @returns {Finding}
 */
function voidFinding({ deal, logged, seats }) {
  if (!logged) return finding('note', 'void early', { deal: String(deal) });
  return finding('note', 'void late', { deal: String(deal), ...seatFacts(seats) });
}

/** @param {Verdict} verdict @returns {Finding[]} */
function rulesFindings(verdict) {
  const { layers, record, shared } = verdict;
  if (isUnjudged(verdict)) return [finding('open', shared === null ? 'rules unknown' : 'rules board')];
  if (!layers.includes(RULES)) return [finding('open', 'rules unasked')];
  if (record === 'OK') return [finding('yes', 'rules kept')];
  return [finding('yes', 'rules so far'), finding('open', 'rules end')];
}

/** The sentences on refusals and kept commands, in their order: what they tell of, of a command or not. A command has no
 *  time; what is contradicted is told as a fault.
 *  @type {[string, 'yes' | 'note', string, boolean[]][]} */
const NOTES = [
  ['kept stands', 'yes', 'stands', [true]],
  ['refused lawful', 'yes', 'lawful', [false]],
  ['refused overtaken', 'note', 'overtaken', [false]],
  ['refused heard', 'note', 'heard', [false]],
  ['kept silent', 'note', 'silent', [true]],
  ['notes strange', 'note', 'strange', [true]],
  ['notes later', 'note', 'later', [true, false]],
];

/** @param {Verdict} verdict @returns {Finding[]} */
function noteFindings({ refusals }) {
  if (refusals === null) return [];
  return NOTES.flatMap(([name, mark, wanted, which]) => {
    const told = refusals.notes.filter(({ what, at }) => what === wanted && which.includes(at === null));
    return told.length === 0 ? [] : [finding(mark, name, { count: String(told.length) })];
  });
}

/** @param {Verdict} verdict @param {boolean} judged @returns {Finding[]} */
function receiptFindings({ receipts }, judged) {
  if (receipts === null) return [];
  const { borne_out: agreeing, strange, later } = receipts;
  const number = (/** @type {number} */ receipt) => ({ receipts: countNoun(receipt, 'receipt') });
  return [
    // Without a policy nobody's signature is judged, so a receipt is nobody's word.
    ...(judged ? [] : [finding('note', 'receipts unjudged')]),
    ...(judged && agreeing > 0 ? [finding('yes', 'receipts borne out', number(agreeing))] : []),
    ...(strange.length > 0 ? [finding('note', 'receipts strange', number(strange.length))] : []),
    ...(later > 0 ? [finding('note', 'receipts later', number(later))] : []),
  ];
}

/** @param {Verdict} verdict @returns {Finding[]} What became of the names that were given along with the record. */
function nameFindings({ names }) {
  if (names === null) return [];
  const { swapped, strange } = names;
  const where = (/** @type {number} */ line) => say(WORDS.where, { line: String(line), access: 'no' });
  return [
    ...swapped.map((line) => finding('no', 'names swapped', { where: where(line) })),
    ...(strange > 0 ? [finding('no', 'names strange', { names: String(strange) })] : []),
    ...ofSeats('yes', 'names checked', names.checked),
    ...ofSeats('open', 'names open', names.open),
    ...ofSeats('note', 'names erased', names.erased),
    finding('open', 'names bots'),
  ];
}

/** @param {Mark} mark @param {string} key @param {number[]} seats @returns {Finding[]} Nothing of no seats. */
function ofSeats(mark, key, seats) {
  const numbers = [...new Set(seats)].sort((one, other) => one - other);
  return numbers.length === 0 ? [] : [finding(mark, key, seatFacts(numbers))];
}

/** @param {Verdict} verdict @returns {Finding[]} Who saw which hidden dice, by the word of whoever wrote the access record. */
function accessFindings(verdict) {
  const { seen, rules, layers } = verdict;
  if (seen === null) return [finding('open', rules === null ? 'access unasked' : 'access none')];
  const { where, why } = factsOf(verdict);
  const { noticed } = seen;
  const are = { ruled: layers.includes(RULES) ? 'yes' : 'no', noticed: noticed.length > 0 ? 'yes' : 'no' };
  const found = {
    FAULT: () => finding('no', 'access fault', { where, why }),
    INCOMPLETE: () => finding('open', 'access in part', are),
    OK: () => finding('yes', 'access kept', are),
  };
  const more = noticed.length - NAMED_MAX;
  return [
    found[seen.status](),
    ...noticed
      .slice(0, NAMED_MAX)
      .map(({ viewer, line }) => finding('note', 'access noticed', { viewer, line: String(line) })),
    ...(more > 0 ? [finding('note', 'access more', { lines: countNoun(more, 'line') })] : []),
    finding('open', 'access silent'),
  ];
}

/** @param {Verdict} verdict @returns {Finding | null} Which seats drew their own seeds, as the record says. */
export function entropy({ seeds, shared = null, layers = [DICE] }) {
  if (seeds === null || !layers.includes(DICE)) return null;
  const { own, server, unseeded } = seeds;
  const words = WORDS.seeds;
  if (shared !== null) return { mark: shared === 'checked' ? 'yes' : 'open', text: say(words[`board ${shared}`], {}) };
  if (own.length === 0) return { mark: 'open', text: say(server.length === 0 ? words.nobody : words.server, {}) };
  return { mark: unseeded.length > 0 ? 'open' : 'yes', text: ownSeeds(seeds) };
}
