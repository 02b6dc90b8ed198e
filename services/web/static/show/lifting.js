/** The show of a live table: which verdict is lifted and which cups shake, and what is heard of it. */

import { isSettled } from '../table/coach.js';
import { Caller } from './attention.js';
import { isVerdict, sceneOf } from './scenes.js';
import { speaker } from './sound.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Frame} Frame */

const DOUBTS = new Set(['game.challenged', 'game.spot_on_called', 'game.caught', 'game.surrounded']);
const BUZZ_MS = 60;
const PASSED_CUP = 255;

export class Lifting {
  /** The frames of an append from its verdict on. @type {Frame[]} */
  #heard = [];
  /** @type {(number | null)[]} The cups that one append rolls. */
  #rolled = [];
  #caller = new Caller();
  /** @type {import('./scenes.js').Scene | null} What is shown, as long as the dice lie. */
  scene = null;
  /** @type {(number | null)[]} The seats whose cups shake, null for the cup that is passed on. */
  shaken = [];

  /** @param {Frame} frame One that is new to this page. */
  hear(frame) {
    const { event, more } = frame;
    if (DOUBTS.has(event.type)) speaker.play('doubt');
    if (event.type === 'cup.rolled') this.#rolled.push(event.cup === PASSED_CUP ? null : event.cup);
    if (isVerdict(frame)) this.#heard = [frame];
    else if (this.#heard.length > 0) this.#heard.push(frame);
    if (more) return;
    if (this.#rolled.length > 0) this.#shake();
    if (this.#heard.length === 0) return;
    this.scene = sceneOf(this.#heard);
    this.#heard = [];
  }

  #shake() {
    this.shaken = this.#rolled;
    this.#rolled = [];
    speaker.play('shake');
  }

  /** The next round does not wait for those who still look at the last. @param {View} view */
  see(view) {
    if (this.scene !== null && !isSettled(view)) this.scene = null;
    if (!this.#caller.see(view)) return;
    speaker.play('turn');
    speaker.buzz(BUZZ_MS);
  }
}
