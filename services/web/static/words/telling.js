/** The story of a match, in words. The server sends events; every client tells them in its own language. */

import { Names, amountWords, claimWords, inWords, listed, sentence } from './phrases.js';
import { finding } from './verdicts.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').PublicEvent} PublicEvent */
/** @typedef {PublicEvent & import('../client/view.js').Verdict} Judged */
/** @typedef {(event: PublicEvent, names: Names, view: View, before: string) => string} Telling */

/** @param {PublicEvent} event Of a claim. */
const claimOf = ({ quantity, face, shape, faces }) => claimWords({ quantity, face, shape, faces });

/** Of somebody who does something and nothing more. @param {string} they @param {string} you @returns {Telling} */
const act = (they, you) => (event, names) => names.does(event.seat, they, you);

/** @type {Record<string, Telling>} */
const TELLINGS = {
  // ---- the table and its deals
  'match.created': () => 'the table was opened',
  'seat.joined': act('sits down', 'sit down'),
  'seat.left': (event, names) =>
    event.reason === 'withheld'
      ? `${names.does(event.seat, 'is', 'are')} barred for withholding a seed`
      : names.does(event.seat, 'leaves', 'leave'),
  'game.started': () => 'the match begins',
  'deal.committed': (event) => `deal ${event.deal + 1}: the server has fixed every die`,
  'deal.logged': () => 'all seeds are fixed, and the log has them',
  'deal.ready': () => 'all seeds are open: the dice are what they are',
  'deal.fixed': () => 'all seeds are open, and the log has them; the public beacon has not spoken yet',
  'deal.voided': (event, names) =>
    event.seats.length === 0
      ? 'the deal is void: it was too late for its beacon'
      : `the deal is void, for ${listed(event.seats.map((/** @type {number} */ s) => names.of(s)))} did not open a seed`,

  // ---- rounds
  'game.first_drawn': (event, names, view) =>
    view.phase === 'choosing'
      ? `the draw: ${names.does(event.seat, 'says', 'say')} who opens`
      : `the draw: ${names.does(event.seat, 'opens', 'open')}`,
  'game.bout_set': (event, names) =>
    `${listed(event.seats.map((/** @type {number} */ seat) => names.of(seat)))} play each other`,
  'game.first_chosen': (event, names) =>
    event.who === event.seat
      ? names.does(event.seat, 'opens the first round', 'open the first round')
      : `${names.does(event.seat, 'lets', 'let')} ${names.of(event.who)} open the first round`,
  'game.round_opened': (event, names) => `round ${event.round}: ${names.does(event.starter, 'opens', 'open')}`,
  'game.round_closed': (event) => (event.flags.includes('palifico') ? 'the next round is a palifico' : ''),
  'game.slips_dealt': () => 'everybody has a new slip of numbers',
  'game.slip_advanced': (event) =>
    event.position === null ? 'the slip is finished' : `number ${event.position} of the slip is next`,
  'game.stake_set': (event) => `the next round is played for ${inWords(event.effective)} each`,

  // ---- dice
  'cup.rolled': (event, names, view, before) =>
    event.cup === 255 && view.turn !== null && !AGAIN.has(before) ? names.does(view.turn, 'rolls', 'roll') : '',
  'game.accepted': (event, names, view) =>
    view.phase === 'to_roll'
      ? names.does(event.seat, 'believes it unseen', 'believe it unseen')
      : names.does(event.seat, 'believes it, and looks', 'believe it, and look'),
  'game.arranged': arranged,
  'game.looked': act('looks at the dice', 'look at your dice'),
  'game.cocked_shown': act('shows a cocked die and throws anew', 'show a cocked die and throw anew'),
  'game.cocked_called': (event, names) =>
    `${names.does(event.seat, 'claims', 'claim')} ${claimOf(event)} with a die lying cocked`,
  'game.chase_begun': (event, names) => `five aces! ${names.does(event.seat, 'has', 'have')} them`,
  'game.chase_stopped': act('gives up the chase', 'give up the chase'),

  // ---- claims and doubts
  'game.bid': (event, names) => `${names.does(event.seat, 'bids', 'bid')} ${claimOf(event)}`,
  'game.called': (event, names) => `${names.does(event.seat, 'calls', 'call')} ${claimOf(event)}`,
  'game.declared': declared,
  'game.challenged': act('challenges', 'challenge'),
  'game.surrounded': (event, names) => `everybody doubts ${names.of(event.seat)}`,
  'game.spot_on_called': act('says spot on', 'say spot on'),
  'game.passed': act('passes: all dice differ', 'pass: all dice differ'),
  'game.caught': act('says that this is too low', 'say that this is too low'),
  'game.count_asked': act('has it counted', 'have it counted'),
  'game.counted': (event, names) =>
    `${names.does(event.seat, 'has', 'have')} ${event.count === 0 ? 'none' : inWords(event.count)}`,
  'game.bills_demanded': act('asks to see every number', 'ask to see every number'),
  'game.judged': judged,

  // ---- what it costs
  'game.posted': posted,
  'game.eliminated': act('is out', 'are out'),
  'game.buying_opened': act('may buy back in', 'may buy back in'),
  'game.bought_back': act('buys back in', 'buy back in'),
  'game.dropped_out': act('drops out', 'drop out'),
  'game.timed_out': act('runs out of time', 'run out of time'),
  'game.absent': (event, names) =>
    `${names.does(event.seat, 'is', 'are')} marked absent: the table has played ${
      event.turns === 1 ? 'this turn' : `${inWords(event.turns)} turns in a row`
    }`,
  'game.returned': act('is back', 'are back'),
  'game.forfeited': (event, names) =>
    event.reason === 'absent'
      ? names.does(event.seat, 'stayed away and is out of the match', 'stayed away and are out of the match')
      : names.does(event.seat, 'is out of the match', 'are out of the match'),
  'game.end_asked': (event) => ENDINGS[event.why] ?? 'the match is to end',
  'game.won': act('wins the match', 'win the match'),
  'game.lost': act('loses the match', 'lose the match'),
  'game.session_closed': () => 'the match ends here, and nobody has won it',
};
/** Why a match ends. @type {Record<string, string>} */
const ENDINGS = {
  host: 'the host ends the match: it is over as soon as no round is under way',
  expired: 'nobody came or went for so long that this table closes',
  unattended: 'bots play here for nobody: the match is over as soon as no round is under way',
};
/** After these a roll belongs to what was told before it. */
const AGAIN = new Set(['game.arranged', 'cup.revealed', 'game.cocked_shown']);

/**
 * @param {PublicEvent} event
 * @param {View} view The view after it.
 * @param {string} [before] The type of the event before.
 * @returns {string} A sentence, or nothing to tell.
 */
export function told(event, view, before = '') {
  const telling = TELLINGS[event.type];
  const text = telling === undefined ? '' : telling(event, new Names(view), view, before);
  return text === '' ? '' : `${sentence(text)}.`;
}

/** @type {Telling} */
function arranged(event, names) {
  const you = event.seat === names.viewer;
  const dice = (/** @type {number} */ number) => amountWords(number, 'die');
  const back = event.taken.length > 0 && event.roll_inside + event.roll_outside === 0;
  const deeds = [
    event.outside.length > 0 ? `${you ? 'show' : 'shows'} ${dice(event.outside.length)}` : '',
    back ? `${you ? 'hide' : 'hides'} ${dice(event.taken.length)}` : '',
    event.roll_inside > 0 ? `${you ? 'roll' : 'rolls'} ${inWords(event.roll_inside)} again` : '',
    event.roll_outside > 0 ? `${you ? 'roll' : 'rolls'} ${inWords(event.roll_outside)} in the open` : '',
  ].filter(Boolean);
  return `${names.of(event.seat)} ${deeds.length === 0 ? (you ? 'keep all' : 'keeps all') : listed(deeds)}`;
}

/** @type {Telling} */
function declared(event, names) {
  const to = event.to === null ? '' : ` to ${names.of(event.to)}`;
  return `${names.does(event.seat, 'shows', 'show')} ${event.special === 'impose' ? 'an' : 'a'} ${event.special}${to}`;
}

/** @type {Telling} */
function judged(event, names) {
  const lost = event.losers.length === 0 || DRINKS.has(event.kind);
  return `${finding(/** @type {Judged} */ (event), names)}${lost ? '' : `; ${names.all(event.losers, 'loses', 'lose')}`}`;
}
/** Verdicts of which the postings tell all that there is. */
const DRINKS = new Set(['social', 'reverse', 'impose']);

/** What it is to part with a unit. */
const LOSSES = /** @type {Record<string, [string, string]>} */ ({ die: ['loses', 'lose'], token: ['gives', 'give'] });
/** Units of which other events tell. */
const TOLD_ELSEWHERE = new Set(['loss', 'buy_back']);

/** @type {Telling} */
function posted(event, names) {
  const { from, to, amount, unit } = event;
  if (TOLD_ELSEWHERE.has(unit) || (from === 'bank' && unit !== 'unit')) return '';
  const what = amountWords(amount, unit);
  const seated = typeof to === 'number';
  if (typeof from === 'number') {
    const [they, you] = LOSSES[unit] ?? ['pays', 'pay'];
    const whom = to === 'box' || to === 'bank' ? '' : ` to ${seated ? names.of(to) : `the ${to}`}`;
    return `${names.does(from, they, you)} ${what}${whom}`;
  }
  if (!seated) return '';
  if (unit === 'win') return names.does(to, 'wins the round', 'win the round');
  if (unit === 'glass') return names.does(to, 'finishes the glass', 'finish your glass');
  if (unit === 'die') return `${names.does(to, 'gets', 'get')} ${what} back`;
  return `${names.does(to, 'takes', 'take')} ${what}${from === 'bar' ? '' : ` from the ${from}`}`;
}
