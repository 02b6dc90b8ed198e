/**
 * The lift of the cups, drawn over the table: cups rise one after the other, dice that count slide to the middle, and a
 * number climbs. Everything moves by transform and opacity alone, so the browser lays nothing out while it plays.
 */

import { die } from '../table/dice.js';
import { kindOf } from '../table/faces.js';
import { LitElement, classMap, html, nothing, svg } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { speaker } from './sound.js';

/** @typedef {import('./scenes.js').Scene} Scene */
/** @typedef {import('./scenes.js').Lifted} Lifted */

/** When the first cup rises, how long all of them may take, and each at most; then the verdict, the loss, the end. */
const BEGIN_MS = 200;
const CUPS_MS = 1_400;
const CUP_MS = 420;
const LAND_MS = 560;
const NEXT_DIE_MS = 50;
const LOSS_MS = 250;
const HOLD_MS = 950;
/** How long the list stands that those read who ask for less motion. */
const READ_MS = 6_000;
/** As wide as the stage is at most, in CSS pixels. */
const STAGE_MAX = 416;
/** How near to the edge of the window who loses may be named, in CSS pixels. */
const EDGE = 6;
const SLIDE = 'cubic-bezier(0.3, 0.7, 0.3, 1)';

const leather = svg`<path class="leather" d="M2 42 6 7c.5-4 4-6 24-6s23.5 2 24 6l4 35z"></path>
  <path class="brim" d="M1 42.5c0-3.5 2-4.5 4-4.5h50c2 0 4 1 4 4.5z"></path>`;
const bill = svg`<rect class="bill" x="1" y="5" width="58" height="38" rx="2"></rect>`;

/** @param {[number, number]} faces What hides them: a cup, or the back of a bill. */
const shell = (faces) => html`<span class="shell" aria-hidden="true">
  <svg viewBox="0 0 60 44" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    ${kindOf(faces) === 'digits' ? bill : leather}
  </svg>
</span>`;

/** @param {Scene} scene @returns {number} Milliseconds from one cup to the next. */
const stepOf = ({ cups }) => Math.min(CUP_MS, CUPS_MS / cups.length);

/** @param {Scene} scene @returns {number[]} When the number climbs to one, to two, and so on. */
function climbing(scene) {
  const step = stepOf(scene);
  return scene.cups.flatMap(({ adds }, at) =>
    Array.from({ length: adds }, (_, nth) => BEGIN_MS + at * step + Math.min(nth * NEXT_DIE_MS, step) + LAND_MS - 120),
  );
}

class TcLift extends LitElement {
  static properties = {
    scene: { attribute: false },
    speed: { type: Number },
    on: { type: Boolean, reflect: true },
    shaken: { attribute: false },
    shaking: { state: true },
  };

  #skip = () => this.#end();
  #key = (/** @type {KeyboardEvent} */ event) => this.#pressed(event);
  /** @type {Animation[]} */
  #moving = [];
  /** @type {Promise<void>} */
  #begun = Promise.resolve();
  #frame = 0;

  constructor() {
    super();
    /** @type {Scene | null} */
    this.scene = null;
    this.speed = 1;
    this.on = false;
    /** @type {(number | null)[]} The places whose cups are rolled. */
    this.shaken = [];
    this.shaking = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    // Before the keys of the table: the first press ends the show, and the next one means the table.
    document.addEventListener('keydown', this.#key, { capture: true });
    addEventListener('resize', this.#skip);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#key, { capture: true });
    removeEventListener('resize', this.#skip);
    this.#still();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('scene')) {
      this.#still();
      this.shaking = false;
      this.on = this.scene !== null;
    }
    if (changed.has('shaken')) this.shaking = this.shaken.length > 0 && !isCalm();
    if (this.on) this.shaking = false;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const begins = (changed.has('scene') && this.scene !== null) || (changed.has('shaken') && this.shaking);
    if (!begins) return;
    cancelAnimationFrame(this.#frame);
    this.#begun = new Promise((resolve) => {
      this.#frame = requestAnimationFrame(() => resolve(this.#begin()));
    });
  }

  /** Before the next frame is painted the rest of the page stands where it stays, and places can be measured. */
  #begin() {
    const { scene } = this;
    if (!this.isConnected) return;
    if (this.shaking) this.#shake();
    if (scene === null || !this.on) return;
    this.ring.addEventListener('pointerdown', this.#skip);
    this.#stand();
    if (isCalm()) this.#until(READ_MS);
    else this.#play(scene);
    for (const each of this.#moving) each.playbackRate = this.speed;
  }

  async getUpdateComplete() {
    const done = await super.getUpdateComplete();
    await this.#begun;
    return done;
  }

  get ring() {
    return /** @type {Element} */ (this.closest('.ring'));
  }

  #still() {
    for (const each of this.#moving) each.cancel();
    this.#moving = [];
  }

  /** The show is over; what has left the table stays away until there is another scene, or none. */
  #end() {
    if (this.on) speaker.hush();
    this.on = false;
  }

  /** Keys of a control that has the focus are its own. @param {KeyboardEvent} event */
  #pressed(event) {
    const busy = event.target instanceof Element && event.target.closest('a, button, input, select, summary, textarea');
    if (!this.on || event.key !== ' ' || busy) return;
    event.preventDefault();
    this.#end();
  }

  /** Stand in the middle of the felt, wherever the page has that. */
  #stand() {
    const stage = this.querySelector('.stage');
    const felt = this.ring.querySelector('[data-stage], .felt')?.getBoundingClientRect();
    if (!(stage instanceof HTMLElement) || felt === undefined) return;
    const here = this.getBoundingClientRect();
    stage.style.left = `${felt.x + felt.width / 2 - here.x}px`;
    stage.style.top = `${felt.y + felt.height / 2 - here.y}px`;
    stage.style.width = `${Math.min(STAGE_MAX, felt.width * 0.9)}px`;
  }

  /** @param {number} ms */
  #until(ms) {
    const clock = this.animate([], ms);
    clock.onfinish = () => this.#end();
    this.#moving.push(clock);
  }

  /**
   * @param {Element | null | undefined} element
   * @param {Keyframe[]} frames
   * @param {number} delay
   * @param {number} duration
   * @param {FillMode} fill
   */
  #move(element, frames, delay, duration, fill = 'both') {
    if (element) this.#moving.push(element.animate(frames, { delay, duration, fill, easing: SLIDE }));
  }

  /** @param {Scene} scene */
  #play(scene) {
    const step = stepOf(scene);
    const spots = scene.cups.map(({ seat }) => this.#spot(seat));
    // Everything is measured before anything moves: to read a place behind a change would lay the page out again.
    const hands = spots.map((spot) => spot?.querySelector('.hand'));
    const [here, ...places] = [this, ...hands].map((one) => one?.getBoundingClientRect());
    const dice = hands.map((hand) => [...(hand?.querySelectorAll('.die') ?? [])]);
    const slots = [...this.querySelectorAll('.slots .die')];
    const from = dice.map((row) => row.map((one) => one.getBoundingClientRect()));
    const to = slots.map((one) => one.getBoundingClientRect());
    const losing = scene.losses.map(({ seat }) => this.#spot(seat)?.getBoundingClientRect());
    let slot = 0;
    for (const [at, cup] of scene.cups.entries()) {
      const rises = BEGIN_MS + at * step;
      this.#rise(this.querySelectorAll('.shell')[at], /** @type {DOMRect} */ (here), places[at], rises);
      const hidden = [hands[at], spots[at]?.querySelector('.counted')];
      for (const one of hidden) this.#move(one, [{ opacity: 0 }, { opacity: 1 }], rises, CUP_MS / 3, 'backwards');
      for (const [nth, place] of cup.sliding.entries()) {
        const lands = rises + Math.min(nth * NEXT_DIE_MS, step);
        this.#slide(slots[slot], from[at][place], to[slot], lands);
        this.#move(dice[at][place], [{ opacity: 1 }, { opacity: 0.25 }], lands + 160, 120, 'forwards');
        slot += 1;
      }
    }
    this.#climb(climbing(scene));
    const said = BEGIN_MS + (scene.cups.length - 1) * step + LAND_MS + 120;
    const risen = [{ opacity: 0, transform: 'translateY(0.5rem)' }, { opacity: 1 }];
    this.#move(this.querySelector('.why'), risen, said, 260);
    this.#lose(scene, /** @type {DOMRect} */ (here), losing, said + LOSS_MS);
    this.#until(said + LOSS_MS + HOLD_MS);
  }

  /** Dice are rolled under cups that shake, and then are lifted. */
  #shake() {
    this.#still();
    const here = this.getBoundingClientRect();
    const hands = this.shaken.map((seat) => this.#spot(seat)?.querySelector('.hand'));
    const places = hands.map((hand) => hand?.getBoundingClientRect());
    for (const [at, cup] of this.querySelectorAll('.shell').entries()) {
      const place = places[at];
      if (!(cup instanceof HTMLElement) || place === undefined) continue;
      cover(cup, here, place);
      this.#move(cup, SHAKEN, 0, SHAKE_MS);
      this.#move(
        cup,
        [
          { opacity: 1, transform: 'none' },
          { opacity: 0, transform: RISEN },
        ],
        SHAKE_MS,
        CUP_MS / 2,
      );
      this.#move(hands[at], [{ opacity: 0 }, { opacity: 1 }], SHAKE_MS, CUP_MS / 2, 'backwards');
    }
    const clock = this.animate([], SHAKE_MS + CUP_MS / 2);
    clock.onfinish = () => (this.shaking = false);
    this.#moving.push(clock);
  }

  /** @param {number | null} seat Where its dice lie; the felt for the cup that is passed on. */
  #spot(seat) {
    return this.ring.querySelector(seat === null ? '.passed-cup' : `[data-seat="${seat}"]`);
  }

  /** @param {Element | undefined} cup @param {DOMRect} here @param {DOMRect | undefined} hand @param {number} at */
  #rise(cup, here, hand, at) {
    if (!(cup instanceof HTMLElement) || hand === undefined) return;
    cover(cup, here, hand);
    speaker.play('cup', at / this.speed);
    this.#move(cup, [{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0, transform: RISEN }], at, CUP_MS);
  }

  /** @param {Element | undefined} slot @param {DOMRect | undefined} from @param {DOMRect} to @param {number} at */
  #slide(slot, from, to, at) {
    if (slot === undefined || from === undefined) return;
    const [x, y] = [from.x + from.width / 2 - to.x - to.width / 2, from.y + from.height / 2 - to.y - to.height / 2];
    const start = `translate(${x}px, ${y}px) scale(${from.width / to.width})`;
    speaker.play('die', (at + LAND_MS - 60) / this.speed);
    const frames = [{ opacity: 0, transform: start }, { opacity: 1, offset: 0.15, transform: start }, { opacity: 1 }];
    this.#move(slot, frames, at + 140, LAND_MS - 140);
  }

  /** @param {number[]} times */
  #climb(times) {
    const numbers = [...this.querySelectorAll('.climb b')];
    for (const [at, time] of times.entries()) {
      this.#move(numbers[at + 1], [{ opacity: 0 }, { opacity: 1 }], time, 60);
      this.#move(numbers[at], [{ opacity: 1 }, { opacity: 0 }], time, 60, 'forwards');
    }
  }

  /** @param {Scene} scene @param {DOMRect} here @param {(DOMRect | undefined)[]} spots @param {number} at */
  #lose({ losses }, here, spots, at) {
    const marks = this.querySelectorAll('.loss');
    for (const [nth, { seat, dice }] of losses.entries()) {
      const [mark, spot] = [marks[nth], spots[nth]];
      if (!(mark instanceof HTMLElement) || spot === undefined) continue;
      const half = mark.offsetWidth / 2 + EDGE;
      const middle = Math.min(innerWidth - half, Math.max(half, spot.x + spot.width / 2));
      mark.style.translate = `${middle - here.x}px ${spot.y - here.y + spot.height}px`;
      this.#move(
        mark,
        [
          { opacity: 0, transform: 'translate(-50%, -1.2rem)' },
          { opacity: 1, transform: LAID },
        ],
        at,
        260,
      );
      const lying = [...(this.#spot(seat)?.querySelectorAll('.hand .die') ?? [])];
      for (const gone of dice === 0 ? [] : lying.slice(-dice)) this.#move(gone, FALLEN, at + 120, 620, 'forwards');
    }
  }

  render() {
    const { scene } = this;
    if (this.shaking) return this.shaken.map(() => shell(PIPS));
    if (scene === null || !this.on) return nothing;
    const calm = isCalm();
    return html`<div class="stage ${calm ? 'calm' : ''}" aria-hidden="true">
        <p class="asked">${scene.asked}</p>
        ${calm ? listed(scene) : slots(scene)} ${calm ? total(scene) : climb(scene)}
        <p class="why">${scene.why}</p>
        <p class="hint">${say(CATALOGUE.show.skip, {})}</p>
      </div>
      ${calm ? nothing : scene.cups.map(() => shell(scene.faces))}
      ${calm ? nothing : scene.losses.map(({ text }) => html`<p class="loss" aria-hidden="true">${text}</p>`)}`;
  }
}

/** @param {HTMLElement} cup @param {DOMRect} here @param {DOMRect} hand The dice that it is to stand over. */
function cover(cup, here, hand) {
  cup.style.translate = `${hand.x - here.x - 8}px ${hand.y - here.y - 14}px`;
  cup.style.width = `${hand.width + 16}px`;
  cup.style.height = `${hand.height + 19}px`;
}

const SHAKE_MS = 450;
const SHAKEN = [0, -9, 8, -7, 9, -6, 0].map((way) => ({
  opacity: 1,
  transform: `translate(${way / 3}px) rotate(${way}deg)`,
}));
/** @type {[number, number]} */
const PIPS = [1, 6];
const RISEN = 'translateY(-3.2rem) rotate(-14deg)';
const LAID = 'translate(-50%, -0.7rem)';
const FALLEN = [{ opacity: 1 }, { opacity: 0, transform: 'translateY(2.4rem) rotate(120deg)' }];

/** @returns {boolean} Whether somebody asks for less motion. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** @param {Lifted} cup @param {Scene} scene */
const slidingDice = ({ faces, sliding, wild }, scene) =>
  sliding.map(
    (place, nth) =>
      html`<span class=${classMap({ slot: true, wild: wild[nth] })}>${die(faces[place], { counts: scene.count !== null, faces: scene.faces })}</span>`,
  );

/** @param {Scene} scene */
const slots = (scene) => {
  const many = scene.cups.reduce((sum, { sliding }) => sum + sliding.length, 0);
  return html`<p class="slots ${many > 10 ? 'many' : ''}">${scene.cups.map((cup) => slidingDice(cup, scene))}</p>`;
};

/** @param {Scene} scene The number, once for each value it takes: they lie on one another, and one is seen. */
function climb({ count, aim }) {
  if (count === null) return nothing;
  const values = Array.from({ length: count + 1 }, (_, value) => value);
  return html`<p class="tally">
    <span class="climb">
      ${values.map((value) => html`<b class=${aim !== null && value >= aim ? 'met' : ''}>${value}</b>`)}
    </span>
    ${aimed(aim)}
  </p>`;
}

/** @param {Scene} scene */
const total = ({ count, aim }) => (count === null ? nothing : html`<p class="tally"><b>${count}</b> ${aimed(aim)}</p>`);

/** @param {number | null} aim */
const aimed = (aim) => (aim === null ? nothing : html`<i>${say(CATALOGUE.show.of, { aim: String(aim) })}</i>`);

/** @param {Scene} scene The same for those who ask for less motion: who had what of it. */
function listed(scene) {
  const telling = scene.cups.filter(({ adds, sliding }) => adds + sliding.length > 0);
  return html`<ol class="listed">
    ${telling.map((cup) => html`<li><bdi>${cup.name}</bdi> ${cup.faces.length > 0 ? slidingDice(cup, scene) : html`<b>${cup.adds}</b>`}</li>`)}
  </ol>`;
}

customElements.define('tc-lift', TcLift);
