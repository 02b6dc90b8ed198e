/** Dice that are shown: rolled, fixed before the seeds were known, and of the values that follow (CUP/1 4.5 to 4.7). */
import { concat, hex, unhex } from '../bytes.js';
import { dieValue, isUnknown, placeOf } from './deals.js';
import { Fault } from './faults.js';
import { address, comMessage, leafOf } from './formulas.js';
import { includes } from './merkle.js';

/** @typedef {import('./formulas.js').Cup} Cup */
/** @typedef {{deal: number, cup: number, roll: number, com: string[], path: string[], keys: [number, string][],
 *   values: [number, number][]}} Opening */

const KEY_BYTES = 32;

/**
 * @param {import('./hashing.js').Hashing} hashing
 * @param {import('./faults.js').Debts} debts
 * @param {import('./deals.js').Deal} deal Ready: it takes in the dice that are shown.
 * @param {Opening} shown
 */
export function checkOpening(hashing, debts, deal, shown) {
  const moduli = deal.rolled.get(shown.cup)?.[shown.roll];
  const slots = new Set(shown.keys.map(([slot]) => slot));
  if (moduli === undefined) throw new Fault('E_SLOT', 'dice are shown of a roll that was not made');
  if (slots.size === 0) throw new Fault('E_SLOT', 'no dice are shown');
  if (slots.size < shown.keys.length) throw new Fault('E_SLOT', 'a die is shown twice');
  if (![...slots].every((slot) => moduli.has(slot))) throw new Fault('E_SLOT', 'dice are shown that were not rolled');
  // What fixed the dice of a board is in its record.
  if (isUnknown(deal)) return;
  checkPath(debts, deal, shown);
  checkDice(hashing, debts, deal, shown, moduli);
}

/** @param {import('./faults.js').Debts} debts @param {import('./deals.js').Deal} deal @param {Opening} shown */
function checkPath(debts, { cups, root, tree }, { cup, roll, com, path }) {
  const width = cups.find(([id]) => id === cup)?.[3];
  // Nothing but this keeps a server from fixing fewer dice, or more, than it says a cup has.
  if (com.length !== width) throw new Fault('E_PATH', 'there are not as many commitments as the cup has dice');
  const [index, size] = leafOf(cups, cup, roll);
  const leads = includes(tree, { root, size }, index, concat(...com.map(unhex)), path.map(unhex));
  debts.owe(leads, 'E_PATH', 'the commitments do not lead to the root of the deal');
}

/** @param {import('./hashing.js').Hashing} hashing @param {import('./faults.js').Debts} debts
 *  @param {import('./deals.js').Deal} deal @param {Opening} shown @param {Map<number, number>} moduli */
function checkDice({ keyed }, debts, deal, { cup, roll, com, keys, values }, moduli) {
  // HMAC pads short keys with zeros, so a key and the same key with zeros behind it commit to the same.
  if (keys.some(([, key]) => key.length !== 2 * KEY_BYTES)) throw new Fault('E_KEY', 'a key has 32 bytes');
  const macs = keys.map(([, key]) => keyed(unhex(key)));
  for (const [place, [slot, key]] of keys.entries()) {
    const fits = macs[place].then((mac) => mac(comMessage(deal.ctx, address(cup, roll, slot))));
    debts.owe(
      fits.then((made) => hex(made) === com[slot]),
      'E_KEY',
      `the key of slot ${slot} is not the one committed`,
    );
    deal.shown.set(placeOf(cup, roll, slot), [key, com[slot]]);
  }
  const named = values.length === keys.length && values.every(([slot], place) => slot === keys[place][0]);
  if (!named) throw new Fault('E_VALUE', 'the values are not those of the dice that are shown');
  for (const [place, [slot, value]] of values.entries()) {
    const m = /** @type {number} */ (moduli.get(slot));
    const mix = /** @type {Uint8Array} */ (deal.mix);
    const found = macs[place].then((mac) => dieValue(mac, mix, address(cup, roll, slot), m));
    debts.owe(
      found.then((one) => one === value),
      'E_VALUE',
      'a value does not follow from its key',
    );
    deal.values.set(placeOf(cup, roll, slot), [m, value]);
  }
}
