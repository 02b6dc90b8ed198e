/** The story of a match, in words: the sentence for each event, as this viewer reads it. */

import { CATALOGUE, amountWords, gameName, inWords, joinNames, say, sentence } from './catalogue.js';
import { factsOf } from './facts.js';
import { Names } from './phrases.js';
import { finding } from './verdicts.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').PublicEvent} PublicEvent */
/** @typedef {import('../client/view.js').Verdict} Verdict */
/** @typedef {import('./catalogue.js').Facts} Facts */
/** @typedef {{event: PublicEvent, view: View}} Told */
/** @typedef {import('../client/view.js').Frame} Frame */

const PASSED_CUP = 255;
const STORY_MAX = 200;
/** What the table shows, and what only those care about who read the log; a terminal says it. */
const SHOWN = new Set([
  ...['cup.revealed', 'game.choices_revealed'],
  // The verdict on a reverse says so.
  'game.direction_turned',
  ...['deal.sealed', 'deal.closed', 'seed.committed', 'seed.opened', 'game.seed_custody', 'match.ended'],
]);
/** After these a roll belongs to what was told before it. */
const AGAIN = new Set(['game.arranged', 'cup.revealed', 'game.cocked_shown']);

/**
 * @param {PublicEvent} event
 * @param {View} view The view after it.
 * @param {Told | null} [before] The event before, with the view after it.
 * @param {boolean} [opened] Whether it is told to whoever opened the match, whom no view names.
 * @returns {string} A sentence, or nothing to tell.
 */
export function told(event, view, before = null, opened = false) {
  const message = CATALOGUE.events[event.type];
  if (message === undefined || isShown(event, view, before?.event.type ?? '')) return '';
  const facts = factsOfEvent(event, view, new Names(view, before?.view));
  const text = say(message, { ...facts, 'host.person': hostPerson(view, opened) });
  return text === '' ? '' : `${sentence(text)}.`;
}

/** What has been told so far, each event once, whatever is sent again. */
export class Story {
  /** The newest last. @type {{version: number, text: string, kind: string}[]} */
  entries = [];
  /** The last event, and the table after it. @type {Told | null} */
  previous = null;
  /** The claims of the round, from the first to the one that stands. @type {import('../client/view.js').Claim[]} */
  thread = [];

  /**
   * @param {Frame} frame
   * @param {boolean} [opened] Whether whoever reads it opened the match.
   * @returns {string} The sentence for it, or nothing to tell.
   */
  hear({ version, event, view }, opened = false) {
    this.#follow(view);
    const text = told(event, view, this.previous, opened);
    this.previous = { event, view };
    if (text === '' || (this.entries.at(-1)?.version ?? 0) >= version) return '';
    const kind = event.type.replace('.', '-').replaceAll('_', '-');
    this.entries = [...this.entries, { version, text, kind }].slice(-STORY_MAX);
    return text;
  }

  /** @param {View} view */
  #follow({ standing }) {
    const last = this.thread.at(-1);
    if (standing === null) this.thread = [];
    else if (last?.seat !== standing.seat || last.words !== standing.words) this.thread = [...this.thread, standing];
  }
}

/**
 * Whether a host is spoken to: whoever opened the match, until the powers are handed to a seat.
 *
 * @param {View} view
 * @param {boolean} opened
 */
const hostPerson = ({ host, viewer }, opened) => ((host === null ? opened : host === viewer) ? 'you' : 'other');

/** @param {PublicEvent} event @param {View} view @param {string} before Whether the table shows what happened. */
function isShown(event, view, before) {
  if (event.type !== 'cup.rolled') return SHOWN.has(event.type);
  return event.cup !== PASSED_CUP || view.turn === null || AGAIN.has(before);
}

/** @param {PublicEvent} event @param {View} view @param {Names} names @returns {Facts} */
function factsOfEvent(event, view, names) {
  /** @type {Facts} */
  const facts = {
    ...factsOf({ ...event, turn: view.turn }, names),
    phase: view.phase,
    title: gameName(view.title),
  };
  if (event.type === 'game.judged') {
    facts.finding = finding(/** @type {PublicEvent & Verdict} */ (event), view);
  }
  if (event.type === 'game.end_asked') facts.reason ??= 'none';
  if (event.type === 'game.first_chosen') facts.same = event.who === event.seat ? 'yes' : 'no';
  if (event.type === 'game.arranged') facts.deeds = deeds(event, facts);
  if (event.type === 'cup.rolled') facts['cup.kind'] = event.cup === PASSED_CUP ? 'passed' : 'table';
  return facts;
}

/** @param {PublicEvent} event @param {Facts} facts @returns {string} What was done with the dice; nothing for nothing. */
function deeds(event, facts) {
  const thrown = event.roll_inside + event.roll_outside;
  const numbers = {
    outside: event.outside.length,
    // What is taken up and thrown again is told by the throw.
    taken: thrown > 0 ? 0 : event.taken.length,
    roll_inside: event.roll_inside,
    roll_outside: event.roll_outside,
  };
  const done = Object.entries(numbers)
    .filter(([, number]) => number > 0)
    .map(([name, number]) =>
      say(CATALOGUE.deeds[name], { ...facts, number: inWords(number), dice: amountWords(number, 'die') }),
    );
  return done.length === 0 ? '' : joinNames(done);
}
