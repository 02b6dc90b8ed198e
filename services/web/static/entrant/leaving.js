/**
 * Giving up a match on leaving its tournament. Where a seat signs nobody else can do so, the house and its officials
 * neither (CUP/1 sections 4.14.5 and 4.25): the card signs it, or the clock of the seat takes it out.
 */
import { Alarm, Refusal, matchPath, readJson } from '../client/api.js';
import { HeldLines } from '../signing/held_lines.js';
import { Signer } from '../signing/signer.js';

/** @typedef {import('./own.js').Own} Own */

/** Dice come about, and boards are closed, in less. */
const TRIES_MAX = 30;
const AGAIN_MS = 2_000;

/** @param {Own} own The card as it was before. */
export async function giveUp({ card: { table }, token }) {
  if (table?.state !== 'started' || token === null) return;
  const [{ match, seat }, path] = [table, matchPath(table.match)];
  const signer = new Signer({ match, seat, token }, new HeldLines(match, token));
  for (let left = TRIES_MAX; left > 0; left -= 1) {
    try {
      const view = await readJson(path, { token });
      // Whoever does not sign is given up for.
      if (!view.seats.find((/** @type {{seat: number}} */ one) => one.seat === seat)?.key) return;
      await signer.order({ type: 'resign' }, view);
      return;
    } catch (trouble) {
      if (trouble instanceof Alarm) return; // nothing is signed over lines that do not hold: the clock is left
      if (!(trouble instanceof Refusal)) throw trouble;
      if (trouble.code !== 'wrong_phase') return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
