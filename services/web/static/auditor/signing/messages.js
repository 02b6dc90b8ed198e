/**
 * The bytes that a seat signs, and what it commits to beside them (CUP/1 sections 4.14.1 to 4.14.3).
 *
 * Each message holds the hash of the one its seat signed before, so one signature says all of them.
 */
import { concat, u32, u8, unhex, utf8 } from '../../bytes.js';
import { canonical } from '../canonical.js';

const [CMD, NAM, POS] = ['cmd', 'nam', 'pos'].map((label) => utf8(`CUP1.${label}`));
/** What tells the words of entrants on their keys from commands at a table (CUP/1 section 4.25). */
export const OF_ENTRANTS = utf8('CUP1.ent');
/** What stands for the message before, in a join. */
export const NOTHING_BEFORE = new Uint8Array(32);
/** The seat in the message of a join: none is given yet. */
export const NO_SEAT = 0;

/** @param {object} command In its public form, without the seat. @returns {Uint8Array} What is hashed into its message. */
export const commandText = (command) => utf8(canonical(command));

/**
 * @param {{match: Uint8Array, seat: number, n: number, version: number, head: Uint8Array, before: Uint8Array,
 *   said: Uint8Array, label?: Uint8Array}} of The id of the match; the seat, `NO_SEAT` in a join; which of its commands; how many lines its
 *   player had seen, the hash of the last of them, that of the message it signed before, and that of the command's text.
 * @returns {Uint8Array} 129 bytes.
 */
export const messageOf = ({ match, seat, n, version, head, before, said, label = CMD }) =>
  concat(label, match, u8(seat), u32(n), u32(version), head, before, said);

/** @param {string} salt 32 bytes, as hex. @param {string} name @returns {Uint8Array} What is hashed to commit to a name. */
export const nameMessage = (salt, name) => concat(NAM, unhex(salt), utf8(name));

/** @param {object} positions Of dice, in the four placements. @returns {Uint8Array} What is keyed with a salt. */
export const positionsMessage = (positions) => concat(POS, utf8(canonical(positions)));
