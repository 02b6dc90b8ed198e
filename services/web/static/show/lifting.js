/** The lift at a live table: which verdict is shown, and for how long. */

import { isSettled } from '../table/coach.js';
import { isVerdict, sceneOf } from './scenes.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Frame} Frame */

export class Lifting {
  /** The frames of an append from its verdict on. @type {Frame[]} */
  #heard = [];
  /** @type {import('./scenes.js').Scene | null} What is shown, as long as the dice lie. */
  scene = null;

  /** @param {Frame} frame One that is new to this page. */
  hear(frame) {
    if (isVerdict(frame)) this.#heard = [frame];
    else if (this.#heard.length > 0) this.#heard.push(frame);
    if (frame.more || this.#heard.length === 0) return;
    this.scene = sceneOf(this.#heard);
    this.#heard = [];
  }

  /** The next round does not wait for those who still look at the last. @param {View} view */
  see(view) {
    if (this.scene !== null && !isSettled(view)) this.scene = null;
  }
}
