/** What of an analysis is seen: with whose eyes, up to which line, and whether what comes is hidden. */

/** @typedef {import('./asking.js').Analysis} Analysis */
/** @typedef {import('./asking.js').Told} Told */
/** @typedef {import('./asking.js').PerSeat} PerSeat */

export class Sight {
  /** @type {Map<number, number>} */
  #ends;

  /**
   * @param {Analysis} analysis
   * @param {{version: number, eyes: string, quiet: boolean}} from
   */
  constructor(analysis, { version, eyes, quiet }) {
    this.analysis = analysis;
    this.version = version;
    this.quiet = quiet;
    /** `public`, `all`, or the number of a seat. */
    this.view = eyes === 'spectator' || eyes === 'own' ? 'public' : eyes;
    this.#ends = new Map(analysis.events.map((event) => [event.round, event.version]));
    const come = analysis.events.filter((event) => event.version <= version);
    /** What was done last. @type {Told | undefined} */
    this.event = come.at(-1);
  }

  /** @param {number} round @returns {boolean} Whether the cups of a round have been lifted by now, or it is no matter. */
  isOver(round) {
    return !this.quiet || this.version > (this.#ends.get(round) ?? 0);
  }

  /** @param {Told} event @returns {boolean} Whether one sees what only its seat knew then. */
  knows(event) {
    return !this.quiet || this.view === 'all' || this.view === String(event.seat) || this.isOver(event.round);
  }

  /** @returns {{version: number, worths: PerSeat}[]} What each seat had, event by event, as far as it may be seen. */
  worths() {
    return this.analysis.events.flatMap(({ version, round, equity }) => {
      // What ends a round is worth what the cups showed.
      const ahead = version > this.version || (version === this.#ends.get(round) && !this.isOver(round));
      const worths = equity === undefined || (this.quiet && ahead) ? null : this.#seen(equity);
      return worths === null ? [] : [{ version, worths }];
    });
  }

  /** @param {NonNullable<Told['equity']>} equity @returns {PerSeat | null} */
  #seen({ public: everybody, seat, all }) {
    if (this.view === 'public') return everybody;
    if (this.view === 'all') return typeof all === 'string' ? null : all;
    return this.view in seat ? { [this.view]: seat[this.view] } : null;
  }
}
