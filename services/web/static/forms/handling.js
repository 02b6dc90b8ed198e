/**
 * One's own dice, or those of the cup one holds, and the one form for all that may be done with them: every die is kept
 * or rolled, under the cup or in sight of all.
 */
import { die, dieName, hand } from '../table/dice.js';
import { LitElement, classMap, html, live, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { inWords, joinNames, sentence } from '../words/phrases.js';
import { waysOf } from './ways.js';

/** @typedef {import('./deeds.js').Move} Move */
/** @typedef {import('../words/catalogue.js').Message} Message */
/** @typedef {{rolls: boolean, out: boolean}} Plan What is to become of a die. */

const WORDS = CATALOGUE.form.plan;

/** Says `chosen` whenever its buttons have to say something else. */
class TcDice extends LitElement {
  static properties = {
    move: { attribute: false },
    dice: { attribute: false },
    faces: { attribute: false },
    whose: {},
    proof: {},
    wild: { type: Boolean },
    bound: { type: Boolean },
    busy: { type: Boolean },
    plans: { state: true },
  };

  constructor() {
    super();
    /** Nothing where dice may only be looked at. @type {Move | undefined} */
    this.move = undefined;
    /** @type {import('./ways.js').Ways | undefined} */
    this.ways = undefined;
    /** @type {import('../table/dice.js').Die[]} */
    this.dice = [];
    /** @type {[number, number]} */
    this.faces = [1, 6];
    this.whose = CATALOGUE.form.whose.own;
    this.proof = '';
    /** Whether ones count as any face. */
    this.wild = false;
    /** Whether a die has to be shown before anything may be claimed. */
    this.bound = false;
    this.busy = false;
    /** @type {Plan[]} */
    this.plans = [];
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('move')) this.ways = this.move && waysOf(this.move);
    if (changed.has('move') || changed.has('dice')) this.plans = this.dice.map((one) => this.#begun(one));
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const other = ['move', 'dice', 'plans', 'bound'].some((one) => changed.has(one));
    if (other) this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
  }

  /** @param {string} placement */
  #may(placement) {
    return this.move?.placements.includes(placement) ?? false;
  }

  get #rolls() {
    return this.#may('roll_inside') || this.#may('roll_outside');
  }

  /** Whether what is not shown has to be rolled. */
  get #whole() {
    return this.move?.whole === true;
  }

  /**
   * Dice that everybody sees stay as they are; hidden ones are rolled unless one says otherwise.
   *
   * @param {import('../table/dice.js').Die} one @returns {Plan}
   */
  #begun(one) {
    const rollsAll = this.#rolls && !this.dice.some((other) => !other.shown);
    return { rolls: this.#rolls && (!one.shown || rollsAll), out: one.shown && !rollsAll };
  }

  render() {
    const { dice, move } = this;
    if (dice.length === 0) return nothing;
    const tapped = move !== undefined && this.#chooses(move);
    return html`<div class="own-dice ${tapped ? 'tapped' : ''}">
        ${tapped ? this.#form() : hand(dice, this.whose, { faces: this.faces })} ${mark(this.proof)}
        ${this.wild ? html`<span class="tag wild">${CATALOGUE.screen.wild}</span>` : nothing}
      </div>
      ${
        move !== undefined && this.#rolls && this.deeds.length === 0 ? html`<p class="hint">${WORDS.all}</p>` : nothing
      }`;
  }

  /** @param {Move} move @returns {boolean} Whether there is anything to say of single dice. */
  #chooses(move) {
    if (!move.whole) return true;
    return this.#may('outside') && (this.bound || !this.ways?.showsOne);
  }

  #form() {
    return html`<fieldset class="plans">
      <legend>
        ${this.#hint()}
      </legend>
      ${this.dice.map((one, position) => this.#die(one, position))}
    </fieldset>`;
  }

  #hint() {
    const { pushes, showsOne, follows } = this.ways ?? {};
    if (pushes) return WORDS.hints.pushes;
    if (showsOne) return WORDS.hints.showsOne;
    return follows ? WORDS.hints.follows : this.#rolls ? WORDS.hints.rolls : WORDS.hints.shows;
  }

  /** @param {import('../table/dice.js').Die} one @param {number} position */
  #die(one, position) {
    const { rolls, out } = this.plans[position];
    const kept = !rolls && (this.#rolls || out !== one.shown);
    const fixed = one.shown && (this.#whole || !(this.#rolls || this.#may('inside')));
    return html`<div class=${classMap({ planned: true, rolls, out: this.#lies(position), beside: one.shown })}>
      <label class="face"
        ><input
          type="checkbox"
          .checked=${live(kept && !fixed)}
          ?disabled=${fixed}
          @change=${() => this.#tap(position)}
          aria-label=${say(WORDS.die, { verb: this.#verb(), place: String(position + 1), die: dieName(one) })}
        />${die(one.face, { ...one, faces: this.faces })}</label
      >
      ${this.#side(position)}
    </div>`;
  }

  #verb() {
    if (this.#whole || !this.#rolls) return 'show';
    return 'keep';
  }

  /** Where a die ends, for those who may choose, in a word that is a button. @param {number} position */
  #side(position) {
    const { rolls } = this.plans[position];
    const says = say(rolls ? WORDS.rolled : WORDS.kept, { seen: this.#lies(position) ? 'yes' : 'no' });
    if (this.#whole || !this.#rolls || !this.#may('outside')) return nothing;
    if (rolls && this.ways?.follows) return nothing;
    if (!this.#turns(position)) return html`<span class="lies">${says}</span>`;
    return html`<button
      type="button"
      class="lies"
      aria-label=${say(WORDS.change, { place: String(position + 1), says })}
      @click=${() => this.#plan(position, { out: !this.plans[position].out })}
    >
      ${says}
    </button>`;
  }

  /** @param {number} position @returns {boolean} Whether one may choose on which side a die ends. */
  #turns(position) {
    const { rolls } = this.plans[position];
    if (rolls) return this.#may('roll_outside') && !this.ways?.follows;
    return this.dice[position].shown ? this.#may('inside') : this.#may('outside');
  }

  /** @param {number} position @returns {boolean} Whether everybody will see the die. */
  #lies(position) {
    const { rolls, out } = this.plans[position];
    if (!rolls || !this.ways?.follows) return out;
    return this.plans.some((plan) => !plan.rolls && !plan.out);
  }

  /** @param {number} position */
  #tap(position) {
    const { rolls, out } = this.plans[position];
    if (!this.#rolls) return this.#show(position, !out);
    if (this.#whole) return this.#show(position, rolls);
    return this.#plan(position, { rolls: !rolls, out: rolls && this.dice[position].shown });
  }

  /** @param {number} position @param {boolean} out */
  #show(position, out) {
    const alone = this.ways?.showsOne;
    this.plans = this.plans.map((plan, place) => {
      if (place === position) return { rolls: this.#rolls && !out, out };
      return alone && !this.dice[place].shown ? { rolls: this.#rolls, out: false } : plan;
    });
  }

  /** @param {number} position @param {Partial<Plan>} change */
  #plan(position, change) {
    this.plans = this.plans.map((plan, place) => (place === position ? { ...plan, ...change } : plan));
  }

  /** @param {(plan: Plan, one: import('../table/dice.js').Die, place: number) => boolean} is @returns {number[]} */
  #where(is) {
    return this.plans.flatMap((plan, place) => (is(plan, this.dice[place], place) ? [place] : []));
  }

  /** The command's body; dice that stay as they are, are not in it. @param {boolean} rolling */
  body(rolling) {
    return {
      type: 'arrange',
      outside: this.#where((plan, one) => !plan.rolls && plan.out && !one.shown),
      inside: this.#where((plan, one) => !plan.rolls && !plan.out && one.shown),
      roll_inside: rolling ? this.#where((plan, _, place) => plan.rolls && !this.#lies(place)) : [],
      roll_outside: rolling ? this.#where((plan, _, place) => plan.rolls && this.#lies(place)) : [],
    };
  }

  /** @returns {import('./deeds.js').Deed[]} What may be done with the dice as they are planned, for the bar below. */
  get deeds() {
    if (this.dice.length === 0 || this.move === undefined) return [];
    const body = this.body(true);
    const rolled = body.roll_inside.length + body.roll_outside.length;
    const shows = body.outside.length > 0;
    if (!shows && body.inside.length === 0 && rolled === 0) return [];
    const stuck = this.ways?.pushes && (!shows || rolled === 0);
    const onlyShows = this.ways?.showsOne && shows && rolled > 0;
    const label = stuck ? WORDS.push : this.#words(body);
    const whole = { label, kind: onlyShows || !this.bound ? 'plain-button' : '', disabled: stuck, body };
    return onlyShows ? [{ label: WORDS.show_it, kind: '', body: this.body(false) }, whole] : [whole];
  }

  /** @param {ReturnType<TcDice['body']>} body */
  #words(body) {
    const rolled = body.roll_inside.length + body.roll_outside.length;
    const all = rolled === this.dice.length;
    const mixed = this.#may('roll_outside');
    const told = (/** @type {Message} */ deed, /** @type {number[]} */ places, where = '') => {
      const facts = { count: String(places.length), 'count.words': inWords(places.length), where };
      return places.length === 0 ? [] : [say(deed, { ...facts, all: all && places.length === rolled ? 'yes' : 'no' })];
    };
    const deeds = joinNames([
      ...told(WORDS.show, body.outside),
      ...told(WORDS.hide, body.inside),
      ...told(WORDS.roll, body.roll_inside, mixed ? 'cup' : 'again'),
      ...told(WORDS.roll, body.roll_outside, 'sight'),
    ]);
    return this.ways?.pushes ? say(WORDS.pushed, { deeds }) : sentence(deeds);
  }
}

/** @param {string} proof */
function mark(proof) {
  const words = CATALOGUE.form.proof;
  if (proof === 'checking') return html`<span class="proof">${words.checking}</span>`;
  if (proof !== 'verified' && proof !== 'kept') return nothing;
  return html`<span
    class="proof yes"
    title=${words.how}
    >${words.verified}${proof === 'kept' ? html` <small>${words.kept}</small>` : nothing}</span
  >`;
}

customElements.define('tc-dice', TcDice);
