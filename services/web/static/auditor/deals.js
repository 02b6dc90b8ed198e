/** The dice that follow from a deal's keys: a shown die, and from its secret all of them (CUP/1 section 4.1). */
import { concat, hex, same, unhex } from '../bytes.js';
import { address, comMessage, dieMessage, keyMessage, leafMessage, sampled } from './formulas.js';
import { rootOf } from './merkle.js';

/** @typedef {import('./formulas.js').Cup} Cup */
/** @typedef {import('./hashing.js').Hashing} Hashing */
/** @typedef {(message: Uint8Array) => Promise<Uint8Array>} Mac */
/**
 * A deal as far as the record has come. `rolled` has the moduli by slot of each roll of a cup, `values` the modulus and
 * the value of every die that is proved, `shown` the key and the commitment of every die that was shown, as hex, by its
 * place (see `placeOf`), and `tree` hashes what has the root above it.
 *
 * @typedef {{number: number, cups: Cup[], ctx: Uint8Array, root: Uint8Array, stage: string,
 *   commits: Map<number, string>, beacon: import('./beacons.js').Round | null, seeds: Map<number, Uint8Array>,
 *   mix: Uint8Array | null, rolled: Map<number, Map<number, number>[]>, values: Map<number, [number, number]>,
 *   shown: Map<number, [string, string]>, tree: Hashing, shared: boolean}} Deal `shared` says that it is that of a
 *   board; it has no cups where the record of that is not there.
 */

/** @param {Deal} deal @returns {boolean} Whether it is that of a board whose record is not there. */
export const isUnknown = ({ cups }) => cups.length === 0;

const SLOTS_AT_ONCE = 1024;
/** That every byte of so many blocks is refused happens once in 2**2000 dice. */
const BLOCKS_MAX = 64;
const NO_VALUE = -1;

/** @param {number} cup @param {number} roll @param {number} slot @returns {number} Ascending like the three. */
export const placeOf = (cup, roll, slot) => (cup * 65_536 + roll) * 256 + slot;
/** @param {number} place */
export const cupRollSlot = (place) => [Math.floor(place / 2 ** 24), Math.floor(place / 256) % 65_536, place % 256];

/**
 * @param {Mac} mac Keyed with the key of the address.
 * @param {Uint8Array} mix
 * @param {Uint8Array} at
 * @param {number} m
 * @returns {Promise<number>} The value there, below m.
 */
export async function dieValue(mac, mix, at, m) {
  for (let block = 0; block < BLOCKS_MAX; block += 1) {
    const found = sampled(await mac(dieMessage(mix, at, m, block)), m);
    if (found !== undefined) return found;
  }
  return NO_VALUE;
}

/**
 * Check that the secret rebuilds the root, which fixes every key, and work out every die that was rolled.
 *
 * @param {Hashing} hashing
 * @param {Deal} deal
 * @param {string} secret As hex.
 * @returns {Promise<boolean>} Whether it does.
 */
export async function rebuilds(hashing, deal, secret) {
  const mac = await hashing.keyed(unhex(secret));
  const leaves = [];
  for (const rolls of portions(deal.cups)) {
    const made = await Promise.all(rolls.map(([cup, roll, width]) => leafHash(hashing, mac, deal, cup, roll, width)));
    leaves.push(...made);
  }
  if (!same(await rootOf(hashing, leaves), deal.root)) return false;
  const left = [...unproved(deal)];
  for (let at = 0; at < left.length; at += SLOTS_AT_ONCE) {
    const some = left.slice(at, at + SLOTS_AT_ONCE);
    await Promise.all(some.map(([place, m]) => prove(hashing, mac, deal, place, m)));
  }
  return true;
}

/** @param {Cup[]} cups Every roll as cup, number and width, some at a time, so that no deal fills the memory. */
function* portions(cups) {
  let [rolls, slots] = [/** @type {[number, number, number][]} */ ([]), 0];
  for (const [cup, , count, width] of cups) {
    for (let roll = 0; roll < count; roll += 1) {
      rolls.push([cup, roll, width]);
      slots += width;
      if (slots >= SLOTS_AT_ONCE) {
        yield rolls;
        [rolls, slots] = [[], 0];
      }
    }
  }
  if (rolls.length > 0) yield rolls;
}

/** @param {Hashing} hashing @param {Mac} mac @param {Deal} deal @param {number} cup @param {number} roll
 *  @param {number} width */
async function leafHash({ keyed, sha256 }, mac, { ctx, shown }, cup, roll, width) {
  const coms = Array.from({ length: width }, async (_, slot) => {
    const at = address(cup, roll, slot);
    const key = await mac(keyMessage(ctx, at));
    // What the key of a shown die commits to was worked out when it was shown.
    const [known, com] = shown.get(placeOf(cup, roll, slot)) ?? [];
    if (com !== undefined && known === hex(key)) return unhex(com);
    return (await keyed(key))(comMessage(ctx, at));
  });
  return sha256(leafMessage(concat(...(await Promise.all(coms)))));
}

/**
 * @param {Deal} deal
 * @returns {Generator<[place: number, m: number]>} Every die that was rolled and not shown, with its modulus.
 */
function* unproved({ rolled, values }) {
  for (const [cup, rolls] of rolled) {
    for (const [roll, moduli] of rolls.entries()) {
      for (const [slot, m] of moduli) {
        const place = placeOf(cup, roll, slot);
        if (!values.has(place)) yield [place, m];
      }
    }
  }
}

/** @param {Hashing} hashing @param {Mac} mac @param {Deal} deal @param {number} place @param {number} m */
async function prove({ keyed }, mac, { ctx, mix, values }, place, m) {
  const [cup, roll, slot] = cupRollSlot(place);
  const at = address(cup, roll, slot);
  const own = await keyed(await mac(keyMessage(ctx, at)));
  values.set(place, [m, await dieValue(own, /** @type {Uint8Array} */ (mix), at, m)]);
}
