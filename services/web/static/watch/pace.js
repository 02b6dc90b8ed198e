/** Frames that come all at once, shown one after the other, as far apart as they happened. */

/** @typedef {import('../client/view.js').Frame} Frame */

const APART_MS = 4_000;
/** So many that wait are shown faster, or a caster would fall behind for ever. */
const MANY = 80;

export class Pace {
  /** @type {Frame[]} */
  #waiting = [];
  #at = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {(frame: Frame) => void} show */
  constructor(show) {
    this.show = show;
  }

  /** @param {Frame} frame */
  take(frame) {
    this.#waiting.push(frame);
    if (this.#timer === undefined) this.#go();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#timer = undefined;
  }

  #go() {
    const [frame] = this.#waiting;
    if (frame === undefined) {
      this.#timer = undefined;
      return;
    }
    const apart = this.#at === 0 ? 0 : Math.min(APART_MS, Math.max(0, frame.at - this.#at));
    this.#timer = setTimeout(
      () => {
        this.#waiting.shift();
        this.#at = frame.at;
        this.show(frame);
        this.#go();
      },
      this.#waiting.length > MANY ? apart / 4 : apart,
    );
  }
}
