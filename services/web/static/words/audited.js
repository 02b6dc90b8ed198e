/** The findings of an audit in this browser, in plain words: what was proved, what was not, and who brought chance. */

/** @typedef {import('../auditor/verdict.js').Verdict} Verdict */
/** @typedef {{mark: 'yes' | 'no' | 'open', text: string}} Finding `open` is what the audit cannot say. */

const RULES = 3;
/** What a record proves whose seeds were all drawn by the server. */
const ALONE =
  'Nothing was changed afterwards. No seat brought a seed of its own, so that nobody chose the dice is the server’s word.';

const MANY = ['are said to have withheld their seeds', 'those seeds'];
const OWNED =
  'Nobody chose a die, if seats drew their own seeds as the record says, and nothing was changed afterwards.';
const NAMED_MAX = 3;

/** @param {number} number @param {string} one @param {string} many */
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;
/** @param {number[]} seats */
const seatsOf = (seats) => `${seats.length === 1 ? 'seat' : 'seats'} ${seats.join(', ')}`;

/** @param {Verdict} verdict @returns {{mark: Finding['mark'], title: string, text: string}} */
export function headline(verdict) {
  const { status, code, line, message, layers, anchored, seeds } = verdict;
  if (status === 'FAULT') {
    const where =
      line === 0 ? 'The file as a whole' : `Line ${line}${code === 'E_ACCESS' ? ' of the access record' : ''}`;
    return { mark: 'no', title: `At fault: ${code}`, text: `${where}: ${message}.` };
  }
  if (status === 'INCOMPLETE') return { mark: 'open', title: 'Not complete yet', text: lacking(verdict) };
  if (!anchored) {
    const text = 'The record holds in itself. Without a policy, a server could have written all of it afterwards.';
    return { mark: 'open', title: 'Consistent, not anchored', text: text + besides(verdict) };
  }
  const isRuled = layers.includes(RULES);
  const alone = (seeds?.own ?? []).length === 0;
  const rules = isRuled ? ' The rules were kept.' : ' The rules of the game were not looked at.';
  const text = (alone ? ALONE : OWNED) + rules + besides(verdict);
  return { mark: 'yes', title: isRuled ? 'Fair' : alone ? 'Nothing was changed' : 'The dice are fair', text };
}

/** @param {Verdict} verdict @returns {string} Why an audit without a fault cannot say that all is fair. */
function lacking(verdict) {
  const { rules, record, seen } = verdict;
  if (isUnjudged(verdict)) return `What is there holds, but ${rules}.${besides(verdict)}`;
  if (record !== 'OK') return `What is there holds. What is still missing, nobody can say.${besides(verdict)}`;
  if (seen === null) return 'The record holds. Who saw which hidden dice nobody can say: no access record was given.';
  return `The record holds, but what says who saw which hidden dice is not complete.${besides(verdict)}`;
}

/** @param {Verdict} verdict Whether the rules were asked for, and nobody here knows them. */
const isUnjudged = ({ rules, layers }) => rules !== null && !layers.includes(RULES);

/** @param {Verdict} verdict @returns {string} To whom hidden dice went that has no seat; nothing if to nobody. */
function besides({ seen }) {
  const who = [...new Set((seen?.noticed ?? []).map(({ viewer }) => viewer))];
  const more = who.length > NAMED_MAX ? ` and ${who.length - NAMED_MAX} more` : '';
  return who.length === 0
    ? ''
    : ` Hidden dice were served to ${who.slice(0, NAMED_MAX).join(', ')}${more}, who have no seat.`;
}

/** @param {Verdict} verdict By the policy of then, which this browser does not know. @returns {ReturnType<typeof headline>} */
export function earlierHeadline(verdict) {
  const { mark, title, text } = headline(verdict);
  const parts = [
    'This match was logged under an earlier policy of the house, which this browser does not know.',
    `Under that policy: ${title}. ${text}`,
    'Whether that policy was the house’s then, only somebody who kept it can say.',
  ];
  return {
    mark: mark === 'no' ? 'no' : 'open',
    title: mark === 'no' ? title : 'Under an earlier policy',
    text: parts.join(' '),
  };
}

/**
 * @param {Verdict} verdict
 * @param {boolean} judged Whether a policy was given.
 * @param {boolean} [earlier] Whether it is one that this browser does not know.
 * @returns {Finding[]}
 */
export function findings(verdict, judged, earlier = false) {
  if (verdict.record === null) return [{ mark: 'open', text: 'What stands behind that was not looked at.' }];
  const deals = Object.values(verdict.deals ?? {});
  const dice = deals.reduce((sum, { values }) => sum + values.length, 0);
  return [
    {
      mark: 'yes',
      text: 'Every line carries the hash of the line before it: no event was changed, added or left out.',
    },
    {
      mark: 'yes',
      text: `The dice of ${counted(deals.length, 'deal', 'deals')} were fixed before any seed was known.`,
    },
    { mark: 'yes', text: `${counted(verdict.voids?.length ?? 0, 'deal', 'deals')} voided.` },
    ...(verdict.voids ?? []).map(voided),
    { mark: 'yes', text: 'Every seed is the one its seat had committed to, and all of them went into the dice.' },
    { mark: 'yes', text: `${counted(dice, 'die', 'dice')} worked out anew, each the only one possible.` },
    logged(verdict, judged, earlier),
    replayed(verdict),
    ...reused(verdict),
    disclosed(verdict),
  ];
}

/**
 * What an audit may say of a deal that was thrown away (CUP/1 section 4.8). The record cannot show what the server was
 * sent and did not write, so never that nobody had seen a die of it.
 *
 * @param {import('../auditor/verdict.js').Voided} deal
 * @returns {Finding}
 */
function voided({ deal, logged, seats }) {
  if (!logged) return { mark: 'open', text: `Deal ${deal} was voided before the log had it.` };
  const [their, those] = seats.length === 1 ? ['is said to have withheld its seed', 'that seed'] : MANY;
  const known = `whoever had the secret of the deal and ${those} could know the dice that were thrown away`;
  return { mark: 'open', text: `Deal ${deal} was voided after the log had it; ${seatsOf(seats)} ${their}; ${known}.` };
}

/** @param {Verdict} verdict @returns {Finding[]} */
function reused({ seeds }) {
  const seats = seeds?.reused ?? [];
  const text = `One seed was given in two deals by ${seatsOf(seats)}: whoever saw it once knew it the second time.`;
  return seats.length === 0 ? [] : [{ mark: 'open', text }];
}

/** @param {Verdict} verdict @returns {Finding} Who saw which hidden dice, by the word of whoever wrote the access record. */
function disclosed(verdict) {
  const { seen } = verdict;
  const open = (/** @type {string} */ text) => ({ mark: /** @type {const} */ ('open'), text });
  if (seen === null) return open('Who saw which hidden dice was not looked at: no access record was given.');
  if (seen.status === 'FAULT') return { mark: 'no', text: `The access record does not hold: ${seen.message}.` };
  if (seen.status === 'INCOMPLETE') return open(`Who saw which hidden dice: ${seen.message}.`);
  if (seen.noticed.length > 0) return open(`On record,${besides(verdict).replace(' Hidden', ' hidden')}`);
  const text = 'On record, each seat was served the hidden dice that the rules let it know, and nobody any others. ';
  return { mark: 'yes', text: `${text}A leak that was not written down leaves no trace.` };
}

/** @param {Verdict} verdict @param {boolean} judged @param {boolean} earlier @returns {Finding} */
function logged({ anchored, record }, judged, earlier) {
  if (!judged) {
    return {
      mark: 'open',
      text: 'No policy was given, so nobody’s signature was judged: not the log’s, and no witness’s.',
    };
  }
  if (!anchored) return { mark: 'open', text: 'The log has not vouched for any line of the record yet.' };
  const what = record === 'OK' ? 'the whole record' : 'every deal before its seeds opened, not yet the end';
  if (earlier) return { mark: 'open', text: `A log that the earlier policy believes vouches for ${what}.` };
  return { mark: 'yes', text: `A log that the policy believes vouches for ${what}.` };
}

/** @param {Verdict} verdict @returns {Finding} */
function replayed({ layers, rules, record }) {
  if (!layers.includes(RULES)) {
    const why = rules ?? 'the command line does that: truecup audit FILE --policy POLICY';
    return { mark: 'open', text: `Whether the rules of the game were kept was not looked at: ${why}.` };
  }
  const done = record === 'OK' ? 'came to the same result' : 'holds as far as it goes';
  return { mark: 'yes', text: `The match was played again under its rules, and ${done}.` };
}

/** @param {Verdict} verdict @returns {Finding | null} Which seats drew their own seeds. */
export function entropy({ seeds }) {
  if (seeds === null) return null;
  if (seeds.own.length === 0 && seeds.server.length === 0)
    return { mark: 'open', text: 'No seat took part in a deal yet.' };
  if (seeds.own.length === 0) {
    return {
      mark: 'open',
      text: 'No seat drew its own seeds: one has to trust the server that it drew them at random.',
    };
  }
  const drawn = seeds.server.length === 0 ? '' : ` For ${seatsOf(seeds.server)} the server drew.`;
  if (seeds.unseeded.length > 0) {
    const deals = `${seeds.unseeded.length === 1 ? 'deal' : 'deals'} ${seeds.unseeded.join(', ')}`;
    const own = `The record says that ${seatsOf(seeds.own)} drew their own seeds`;
    const text = `${own}, but nobody did in ${deals}: there one has to trust the server.${drawn}`;
    return { mark: 'open', text };
  }
  const own = `The record says that ${seatsOf(seeds.own)} drew ${seeds.own.length === 1 ? 'its own seed' : 'their own seeds'}`;
  return { mark: 'yes', text: `${own}. One honest seed is enough for dice nobody chose.${drawn}` };
}
