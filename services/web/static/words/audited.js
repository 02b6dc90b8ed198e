/** The findings of an audit in this browser, in plain words: what was proved, what was not, and who brought chance. */

/** @typedef {import('../auditor/verdict.js').Verdict} Verdict */
/** @typedef {{mark: 'yes' | 'no' | 'open', text: string}} Finding `open` is what the audit cannot say. */

const RULES = 3;
/** What a record proves whose seeds were all drawn by the server. */
const ALONE =
  'Nothing was changed afterwards. No seat brought a seed of its own, so that nobody chose the dice is the server’s word.';

/** @param {number} number @param {string} one @param {string} many */
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;
/** @param {number[]} seats */
const seatsOf = (seats) => `${seats.length === 1 ? 'seat' : 'seats'} ${seats.join(', ')}`;

/** @param {Verdict} verdict @returns {{mark: Finding['mark'], title: string, text: string}} */
export function headline({ status, code, line, message, layers, anchored, seeds }) {
  if (status === 'FAULT') {
    const where = line === 0 ? 'The file as a whole' : `Line ${line}`;
    return { mark: 'no', title: `At fault: ${code}`, text: `${where}: ${message}.` };
  }
  if (status === 'INCOMPLETE') {
    return { mark: 'open', title: 'Not complete yet', text: 'What is there holds. What is still missing, nobody can say.' };
  }
  if (!anchored) {
    const text = 'The record holds in itself. Without a policy, a server could have written all of it afterwards.';
    return { mark: 'open', title: 'Consistent, not anchored', text };
  }
  const isRuled = layers.includes(RULES);
  const alone = (seeds?.own ?? []).length === 0;
  const rules = isRuled ? ' The rules were kept.' : ' The rules of the game were not looked at.';
  const text = (alone ? ALONE : 'Nobody chose a die, and nothing was changed afterwards.') + rules;
  return { mark: 'yes', title: isRuled ? 'Fair' : alone ? 'Nothing was changed' : 'The dice are fair', text };
}

/** @param {Verdict} verdict By the policy of then, which this browser does not know. @returns {ReturnType<typeof headline>} */
export function earlierHeadline(verdict) {
  const { mark, title, text } = headline(verdict);
  const parts = [
    'This match was logged under an earlier policy of the house, which this browser does not know.',
    `Under that policy: ${title}. ${text}`,
    'Whether that policy was the house’s then, only somebody who kept it can say.',
  ];
  return { mark: mark === 'no' ? 'no' : 'open', title: mark === 'no' ? title : 'Under an earlier policy', text: parts.join(' ') };
}

/**
 * @param {Verdict} verdict
 * @param {boolean} judged Whether a policy was given.
 * @param {boolean} [earlier] Whether it is one that this browser does not know.
 * @returns {Finding[]}
 */
export function findings(verdict, judged, earlier = false) {
  if (verdict.status === 'FAULT') return [{ mark: 'open', text: 'What stands behind that was not looked at.' }];
  const deals = Object.values(verdict.deals ?? {});
  const dice = deals.reduce((sum, { values }) => sum + values.length, 0);
  return [
    { mark: 'yes', text: 'Every line carries the hash of the line before it: no event was changed, added or left out.' },
    { mark: 'yes', text: `The dice of ${counted(deals.length, 'deal', 'deals')} were fixed before any seed was known.` },
    { mark: 'yes', text: 'Every seed is the one its seat had committed to, and all of them went into the dice.' },
    { mark: 'yes', text: `${counted(dice, 'die', 'dice')} worked out anew, each the only one possible.` },
    logged(verdict, judged, earlier),
    replayed(verdict),
  ];
}

/** @param {Verdict} verdict @param {boolean} judged @param {boolean} earlier @returns {Finding} */
function logged({ anchored, status }, judged, earlier) {
  if (!judged) {
    return { mark: 'open', text: 'No policy was given, so nobody’s signature was judged: not the log’s, and no witness’s.' };
  }
  if (!anchored) return { mark: 'open', text: 'The log has not vouched for any line of the record yet.' };
  const what = status === 'OK' ? 'the whole record' : 'every deal before its seeds opened, not yet the end';
  if (earlier) return { mark: 'open', text: `A log that the earlier policy believes vouches for ${what}.` };
  return { mark: 'yes', text: `A log that the policy believes vouches for ${what}.` };
}

/** @param {Verdict} verdict @returns {Finding} */
function replayed({ layers, rules, status }) {
  if (!layers.includes(RULES)) {
    const why = rules ?? 'the command line does that: truecup audit FILE --policy POLICY';
    return { mark: 'open', text: `Whether the rules of the game were kept was not looked at: ${why}.` };
  }
  const done = status === 'OK' ? 'came to the same result' : 'holds as far as it goes';
  return { mark: 'yes', text: `The match was played again under its rules, and ${done}.` };
}

/** @param {Verdict} verdict @returns {Finding | null} Which seats drew their own seeds. */
export function entropy({ seeds }) {
  if (seeds === null) return null;
  if (seeds.own.length === 0 && seeds.server.length === 0) return { mark: 'open', text: 'No seat took part in a deal yet.' };
  if (seeds.own.length === 0) {
    return { mark: 'open', text: 'No seat drew its own seeds: one has to trust the server that it drew them at random.' };
  }
  const drawn = seeds.server.length === 0 ? '' : ` For ${seatsOf(seeds.server)} the server drew.`;
  if (seeds.unseeded.length > 0) {
    const deals = `${seeds.unseeded.length === 1 ? 'deal' : 'deals'} ${seeds.unseeded.join(', ')}`;
    const text = `Own seeds: ${seatsOf(seeds.own)}, but nobody’s in ${deals}: there one has to trust the server.${drawn}`;
    return { mark: 'open', text };
  }
  return { mark: 'yes', text: `Own seeds: ${seatsOf(seeds.own)}. One honest seed is enough for dice nobody chose.${drawn}` };
}
