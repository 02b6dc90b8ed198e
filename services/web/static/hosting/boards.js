/**
 * Seeds for a duplicate board, whose dice several tables share (CUP/1 sections 4.7 and 4.23): whoever sits at one of them
 * fixes a seed and opens it once the log holds the sealed deal. It is made from the key of that seat, so that whichever
 * page of its owner is open gives it.
 */
import { Alarm, Refusal, readJson } from '../client/api.js';
import { Drawer, boardLines } from '../client/seeds.js';

/** @typedef {{stage: string, deal: number, drawer: number | null, awaits: 'commit' | 'open' | null}} OwnDraw */

const AGAIN_MS = 1_000;
/** So often a deal is looked at: it waits half a minute for seeds, as long for openings, and begins anew without whoever
 * withholds one. */
const LOOKS_MAX = 600;
const SETTLED = new Set(['ready', 'closed']);

export class BoardDrawer {
  /** @type {Set<string>} */
  #begun = new Set();

  /** @param {(alarm: Alarm) => void} onAlarm */
  constructor(onAlarm) {
    this.onAlarm = onAlarm;
  }

  /**
   * Give a board what it asks of whoever has this token, of an entrant or of a seat.
   *
   * @param {string} board @param {string} token @param {string} key That of the seat, as hex.
   */
  begin(board, token, key) {
    if (this.#begun.has(board)) return;
    this.#begun.add(board);
    void this.#draw(new Draw(board, token, key));
  }

  /** @param {Draw} draw */
  async #draw(draw) {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      try {
        if (await draw.look()) return;
      } catch (trouble) {
        if (trouble instanceof Alarm) this.onAlarm(trouble);
        else if (!(trouble instanceof Refusal)) throw trouble;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

class Draw {
  /** @param {string} board @param {string} token @param {string} key */
  constructor(board, token, key) {
    this.path = `/api/v1/boards/${board}`;
    this.token = token;
    this.drawer = new Drawer({ stream: `board/${board}`, path: this.path, lines: () => boardLines(board), key, token });
  }

  /** @returns {Promise<boolean>} Whether the deal waits for nothing of this owner any more. */
  async look() {
    const { stage, deal, drawer, awaits } = /** @type {OwnDraw} */ (
      await readJson(`${this.path}/me`, { token: this.token })
    );
    if (drawer === null || SETTLED.has(stage)) return true;
    if (awaits === 'commit') await this.drawer.commit(drawer, deal);
    // Where another device of this owner has fixed it from another key, that opens it.
    if (awaits === 'open') await this.drawer.open(drawer, deal);
    return false;
  }
}
