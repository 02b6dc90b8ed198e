/** What was said in the own appeals and of them: texts lie beside lines, which name them by a hash. */
import { Refusal, readJson } from '../client/api.js';

/** @typedef {import('./own.js').Card} Card */

export class SaidTexts {
  /** By hash; empty where a text was erased. @type {Map<string, string>} */
  #texts = new Map();

  /** @param {string} path The address of the tournament in the interface. @param {() => string | undefined} token Of the entrant. */
  constructor(path, token) {
    this.path = path;
    this.token = token;
  }

  /** @param {string | null} note @returns {string} */
  of(note) {
    return this.#texts.get(note ?? '') ?? '';
  }

  /** @param {Card} card @returns {Promise<boolean>} Whether there is something else to show. */
  async read({ appeals }) {
    const named = appeals.flatMap(({ note, answer }) => [note, answer]).filter((note) => note !== null);
    if (named.every((note) => this.#texts.has(note))) return false;
    try {
      const found = await readJson(`${this.path}/notes`, { token: this.token() });
      this.#texts = new Map(named.map((note) => [note, '']));
      for (const { note, text } of found) this.#texts.set(note, text);
      return true;
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      return false; // the next look asks again
    }
  }
}
