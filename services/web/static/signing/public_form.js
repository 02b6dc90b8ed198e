/** What a seat asks for, in the form in which everybody may read it: this is what it signs (CUP/1 section 4.14.3). */
import { nameMessage, positionsMessage } from '../auditor/signing/messages.js';
import { hex, unhex } from '../bytes.js';
import { hmac, sha256 } from '../vendor/noble.js';

/** @typedef {Record<string, any> & {type: string}} Command */
/** @typedef {import('./hand.js').Hand} Hand */

/** By the type of a command, what it says besides, and what stands there if nothing is said. */
const MEMBERS = new Map(
  Object.entries({
    leave: {},
    rekey: { key: '' },
    commit_seed: { deal: 0, commit: '' },
    open_seed: { deal: 0, seed: '' },
    bid: { quantity: 0, face: 0 },
    call: { shape: '', faces: [] },
    declare: { special: '', to: null },
    choose_first: { who: 0 },
    ...Object.fromEntries(['challenge', 'spot_on', 'pass', 'accept', 'catch', 'count', 'demand_bills'].map(bare)),
    ...Object.fromEntries(['stop', 'look', 'show_cocked', 'buy_back', 'drop_out', 'resign', 'roll'].map(bare)),
  }),
);

/** @param {string} type @returns {[string, object]} */
function bare(type) {
  return [type, {}];
}

/** @param {{type: string}} body @returns {boolean} Whether a seat with a key signs it. */
export const isSigned = ({ type }) => type === 'arrange' || MEMBERS.has(type);

/** @param {Command} body @returns {Command} Anything but a handling of dice. */
export function publicForm(body) {
  const members = Object.entries(MEMBERS.get(body.type) ?? {});
  return {
    type: body.type,
    ...Object.fromEntries(members.map(([name, silent]) => [name, body[name] ?? silent])),
  };
}

/**
 * @param {Command} body Positions of dice, in the four placements.
 * @param {Hand} hand Where those dice come from.
 * @param {string} salt 32 fresh bytes, as hex, for the positions are nobody else's business.
 * @returns {Command}
 */
export function handlingForm(body, { cup, inside, outside: seen }, salt) {
  const { outside, inside: hidden, roll_inside, roll_outside } = body;
  const dice = [...inside, ...seen];
  const shows = outside.filter((/** @type {number} */ position) => position < inside.length);
  const moved = [...hidden, ...roll_inside, ...roll_outside];
  const taken = [...new Set(moved)].filter((position) => position >= inside.length).sort((one, other) => one - other);
  const sealed = hmac(sha256, unhex(salt), positionsMessage({ inside: hidden, outside, roll_inside, roll_outside }));
  return {
    type: 'arrange',
    cup,
    outside: shows.map((/** @type {number} */ position) => dice[position]).sort(byPlace),
    taken: taken.map((position) => dice[position]),
    roll_inside: roll_inside.length,
    roll_outside: roll_outside.length,
    sealed: hex(sealed),
  };
}

/** @param {[number, number]} one @param {[number, number]} other */
const byPlace = (one, other) => one[0] - other[0] || one[1] - other[1];

/** @param {string} name In its normal form. @param {string} salt 32 bytes, as hex. @returns {string} What fixes it. */
export const nameCommitment = (name, salt) => hex(sha256(nameMessage(salt, name)));

/** @returns {string} 32 fresh bytes, as hex. */
export const freshSalt = () => hex(crypto.getRandomValues(new Uint8Array(32)));
