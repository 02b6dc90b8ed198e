/** A screen that stays on while a seed of one's own may be asked for: a phone that sleeps would withhold it. */
export class Awake {
  /** @type {Promise<{release: () => Promise<void>} | null> | null} */
  #held = null;

  /** @param {boolean} wanted */
  async keep(wanted) {
    if (!wanted) {
      const held = this.#held;
      this.#held = null;
      await (await held)?.release();
    } else if (this.#held === null && !document.hidden) {
      // Not every browser can, and none has to.
      this.#held = navigator.wakeLock?.request('screen').catch(() => null) ?? Promise.resolve(null);
      document.addEventListener('visibilitychange', () => (this.#held = null), { once: true });
      await this.#held;
    }
  }
}
