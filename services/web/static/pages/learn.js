/** The first lesson, and a practice table behind it. */

import { Refusal, ask, matchPath, needed } from '../client/api.js';
import { keepTokens, ownName, tableOf } from '../client/keep.js';
import { HANDS, LEARNER, STEPS } from '../forms/lesson.js';
import { die } from '../table/dice.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, countWords, faceName, joinNames, say, sentence } from '../words/catalogue.js';
import { refusalWords } from '../words/phrases.js';

/** @typedef {import('../forms/lesson.js').Choice} Choice */
/** @typedef {import('../forms/lesson.js').Step} Step */

const WORDS = CATALOGUE.teach.learn;

/** @param {string} who */
const nameOf = (who) => WORDS.names[who];

class TcLearn extends LitElement {
  static properties = { game: {}, at: { state: true }, answer: { state: true }, busy: { state: true } };

  constructor() {
    super();
    this.game = '';
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

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    // The first step is there with the page; after that, what is new is read out and the keyboard goes on from it.
    if (changed.get('at') === undefined) return;
    /** @type {HTMLElement} */ (this.querySelector('h2')).focus({ preventScroll: true });
    // Dice and words together: on a small screen the heading alone would push the dice away.
    this.scrollIntoView({ block: 'start' });
  }

  render() {
    const step = STEPS[this.at];
    return html`<ol class="hands" aria-label=${WORDS.table}>
        ${Object.keys(HANDS).map((who) => place(who, step))}
      </ol>
      <section class="sheet lesson" aria-labelledby="lesson-title">
        <p class="eyebrow">${say(WORDS.step, { step: String(this.at + 1), steps: String(STEPS.length) })}</p>
        <h2 id="lesson-title" tabindex="-1">${WORDS.titles[step.name]}</h2>
        <p>${WORDS.texts[step.name]}</p>
        <p class="answer" role="status">${this.answer}</p>
        <p class="row">${this.#doors(step)}</p>
      </section>`;
  }

  /** @param {Step} step */
  #doors(step) {
    if (step === STEPS[STEPS.length - 1]) {
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
    const told = WORDS.answers[step.name][choice.name];
    if (choice.right) this.at += 1;
    this.answer = told;
  }

  async #practise() {
    this.busy = true;
    try {
      location.assign(tableOf(await openTable(this.game)));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.answer = refusalWords(refusal);
      this.busy = false;
    }
  }
}

/** @param {Choice} choice */
function labelOf({ name, quantity, face }) {
  if (quantity === undefined || face === undefined) return WORDS.choices[name];
  return say(WORDS.bid, { claim: countWords(quantity, face) });
}

/** A player with what lies before them. @param {string} who @param {Step} step */
function place(who, step) {
  const own = who === LEARNER;
  const open = own || step.lifted === true;
  const claims = step.said.filter((one) => one.who === who);
  const claim = claims[claims.length - 1];
  const standing = claim !== undefined && claim === step.said[step.said.length - 1];
  const dice = step.lost === who ? HANDS[who].slice(1) : HANDS[who];
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

/** A table of one's own, with hints and two bots. @param {string} game @returns {Promise<string>} The match. */
async function openTable(game) {
  const { distrust } = await needed(import('../client/trust.js'));
  const custody = (await distrust()) === null ? 'client' : 'server';
  const rules = { game, seats: Object.keys(HANDS).length };
  const body = { rules, private: true, choices: { hints: true } };
  const { match, token, invite } = await ask('POST', '/api/v1/matches', { body });
  keepTokens(match, { host: token, invite });
  const name = ownName() || WORDS.guest;
  const seated = await ask('POST', matchPath(match, '/seats'), { body: { name, custody, invite } });
  keepTokens(match, { token: seated.token, seat: seated.seat });
  await ask('POST', matchPath(match, '/bots'), { token, body: { count: rules.seats - 1 } });
  await ask('POST', matchPath(match, '/start'), { token });
  return match;
}

customElements.define('tc-learn', TcLearn);
