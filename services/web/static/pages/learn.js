/** The first lesson, and a practice table behind it. */

import { Refusal, needed } from '../client/api.js';
import { ownName, tableOf } from '../client/keep.js';
import { percent } from '../forms/hints.js';
import { die } from '../table/dice.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, countWords, faceName, facesName, inWords, joinNames, say, sentence } from '../words/catalogue.js';
import { refusalWords } from '../words/phrases.js';

/** @typedef {{who: string, quantity: number, face: number}} Said */
/**
 * What may be answered: a bid, a number, or something that has a name.
 *
 * @typedef {{name: string, right?: boolean, quantity?: number, face?: number, number?: number}} Choice
 */
/** @typedef {{name: string, said: Said[], choices?: Choice[], lifted?: boolean, lost?: string}} Step */
/** @typedef {[number, string, (string | number)?]} Figure Parts of a million, and what vouches for them. */
/**
 * One round with fixed dice, with every number that is told of it, as the house has worked it out.
 *
 * @typedef {{hands: Record<string, number[]>, learner: string, steps: Step[], numbers: Record<string, number>,
 *   figures: Record<string, Figure>}} Lesson
 */

const MILLION = 1_000_000;

const WORDS = CATALOGUE.teach.learn;

/** @param {string} who */
const nameOf = (who) => WORDS.names[who];

/** @param {Lesson} lesson @returns {import('../words/catalogue.js').Facts} All that is told of it, in words. */
function factsOf({ steps, numbers, figures }) {
  const said = steps[steps.length - 2].said;
  const last = said[said.length - 1];
  const [opened, own, third] = said;
  /** @type {Record<string, string>} */
  const facts = {
    face: faceName(last.face),
    faces: facesName(last.face),
    'opened.faces': facesName(opened.face),
    'opened.words': inWords(opened.quantity),
    'own.words': inWords(own.quantity),
    'last.words': inWords(last.quantity),
    opened: claimOf(opened),
    own: claimOf(own),
    third: claimOf(third),
    last: claimOf(last),
  };
  for (const [name, number] of Object.entries(numbers)) {
    facts[name] = String(number);
    facts[`${name}.words`] = inWords(number);
  }
  for (const [name, [ppm]] of Object.entries(figures)) facts[name] = percent(ppm / MILLION);
  // What a sentence begins with.
  for (const [name, text] of Object.entries(facts)) facts[`${name}.first`] = sentence(text);
  return facts;
}

/** @param {{quantity: number, face: number}} claim */
const claimOf = ({ quantity, face }) => countWords(quantity, face);

class TcLearn extends LitElement {
  static properties = {
    game: {},
    lesson: { type: Object },
    at: { state: true },
    answer: { state: true },
    busy: { state: true },
  };

  constructor() {
    super();
    this.game = '';
    /** @type {Lesson} */
    this.lesson = { hands: {}, learner: '', steps: [], numbers: {}, figures: {} };
    this.at = 0;
    /** What the last answer led to, in words. */
    this.answer = '';
    this.busy = false;
  }

  /** What the server wrote gives way. */
  createRenderRoot() {
    this.replaceChildren();
    return this;
  }

  /** Whoever comes back from the table by the browser's own way finds this page as it was left. */
  #shown = () => (this.busy = false);

  connectedCallback() {
    super.connectedCallback();
    addEventListener('pageshow', this.#shown);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('pageshow', this.#shown);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    // The first step is there with the page; after that, what is new is read out and the keyboard goes on from it.
    if (changed.get('at') === undefined) return;
    /** @type {HTMLElement} */ (this.querySelector('h2')).focus({ preventScroll: true });
    // Dice and words together: on a small screen the heading alone would push the dice away.
    this.scrollIntoView({ block: 'start' });
  }

  render() {
    const { hands, steps } = this.lesson;
    const step = steps[this.at];
    return html`<ol class="hands" aria-label=${WORDS.table}>
        ${Object.keys(hands).map((who) => place(who, step, this.lesson))}
      </ol>
      <section class="sheet lesson" aria-labelledby="lesson-title">
        <p class="eyebrow">${say(WORDS.step, { step: String(this.at + 1), steps: String(steps.length) })}</p>
        <h2 id="lesson-title" tabindex="-1">${WORDS.titles[step.name]}</h2>
        <p>${say(WORDS.texts[step.name], factsOf(this.lesson))}</p>
        <p class="answer" role="status">${this.answer}</p>
        <p class="row">${this.#doors(step)}</p>
      </section>`;
  }

  /** @param {Step} step */
  #doors(step) {
    if (step === this.lesson.steps[this.lesson.steps.length - 1]) {
      return html`<button class="button" type="button" ?disabled=${this.busy} @click=${() => this.#practise()}>
          ${CATALOGUE.teach.hints.practice}
        </button>
        <a class="button plain-button" href="/rules/${this.game}">${WORDS.rules}</a>
        <button class="button plain-button" type="button" @click=${() => this.#go(0)}>${WORDS.again}</button>`;
    }
    if (step.choices === undefined) {
      return html`<button class="button" type="button" @click=${() => this.#go(this.at + 1)}>${WORDS.next}</button>`;
    }
    return step.choices.map(
      (choice) =>
        html`<button class="button plain-button" type="button" @click=${() => this.#choose(step, choice)}>
          ${labelOf(choice)}
        </button>`,
    );
  }

  /** @param {number} at */
  #go(at) {
    this.answer = '';
    this.at = at;
  }

  /** @param {Step} step @param {Choice} choice */
  #choose(step, choice) {
    const told = say(WORDS.answers[step.name][choice.name], factsOf(this.lesson));
    if (choice.right) this.at += 1;
    this.answer = told;
  }

  async #practise() {
    this.busy = true;
    try {
      location.assign(tableOf(await practise(this.game, Object.keys(this.lesson.hands).length)));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.answer = refusalWords(refusal);
      this.busy = false;
    }
  }
}

/** @param {Choice} choice */
function labelOf({ name, quantity, face, number }) {
  if (number !== undefined) return sentence(inWords(number));
  if (quantity === undefined || face === undefined) return WORDS.choices[name];
  return say(WORDS.bid, { claim: countWords(quantity, face) });
}

/** A player with what lies before them. @param {string} who @param {Step} step @param {Lesson} lesson */
function place(who, step, { hands, learner }) {
  const own = who === learner;
  const open = own || step.lifted === true;
  const claims = step.said.filter((one) => one.who === who);
  const claim = claims[claims.length - 1];
  const standing = claim !== undefined && claim === step.said[step.said.length - 1];
  const dice = step.lost === who ? hands[who].slice(1) : hands[who];
  const told = open ? joinNames(dice.map(faceName)) : say(WORDS.hidden, { number: String(dice.length) });
  return html`<li class=${standing && !step.lifted ? 'standing-one' : ''}>
    <strong>${nameOf(who)}</strong>
    <span class="hand" role="img" aria-label=${told}>
      ${dice.map((face) => die(open ? face : null, { counts: step.lifted === true && counts(face, step) }))}
    </span>
    <span class="said">${claim === undefined ? nothing : sentence(countWords(claim.quantity, claim.face))}</span>
  </li>`;
}

/** @param {number} face @param {Step} step @returns {boolean} Whether a die counts for the claim that was doubted. */
const counts = (face, { said }) => face === 1 || face === said[said.length - 1]?.face;

/** A table of one's own, with hints and bots. @param {string} game @param {number} seats @returns {Promise<string>} The match. */
async function practise(game, seats) {
  const { distrust } = await needed(import('../client/trust.js'));
  const custody = (await distrust()) === null ? 'client' : 'server';
  const { openTable } = await needed(import('../signing/tables.js'));
  return openTable({
    table: { rules: { game, seats }, private: true, choices: { hints: true } },
    sits: { name: ownName() || WORDS.guest, custody, signs: true },
    bots: { count: seats - 1 },
    starts: true,
  });
}

customElements.define('tc-learn', TcLearn);
