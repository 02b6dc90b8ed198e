/**
 * The public form of each command that a seat signs, held against the first line it led to (CUP/1 section 4.14.3).
 *
 * Members that are the same in both say what everybody reads; the others are the command's alone, and layer 3 judges
 * them.
 */
import { canonical } from '../canonical.js';

/** @typedef {{lines: string[], same: string[], own: Record<string, (value: any) => boolean>,
 *   says: Record<string, string>}} Form The types of its first line, the members it has as well with the same values,
 *   those that are the command's alone, and what the line says besides. */

const HASH = /^[0-9a-f]{64}$/;
/** @type {(value: any) => boolean} */
const isCustody = (value) => value === 'client' || value === 'server';
/** @type {(value: any) => boolean} */
const areFaces = (value) => Array.isArray(value) && value.every((face) => typeof face === 'number');
/** @type {(value: any) => boolean} */
const isHash = (value) => typeof value === 'string' && HASH.test(value);

export const JOIN = 'join';
export const ARRANGED = 'game.arranged';
const OPENED = 'game.round_opened';

/** @param {string[]} lines @param {string[]} same @param {Form['own']} own @param {Form['says']} says @returns {Form} */
const form = (lines, same = [], own = {}, says = {}) => ({ lines, same, own, says });

/** @type {Map<string, Form>} By the type of the command. */
const FORMS = new Map([
  [JOIN, form(['seat.joined'], ['key'], { custody: isCustody })],
  ['leave', form(['seat.left'], [], {}, { reason: 'left' })],
  ['rekey', form(['seat.keyed'], ['key'], {}, { by: 'seat' })],
  ['commit_seed', form(['seed.committed'], ['deal', 'commit'])],
  ['open_seed', form(['seed.opened'], ['deal', 'seed'])],
  ['bid', form(['game.bid', 'game.cocked_called'], ['quantity', 'face'])],
  ['call', form(['game.called'], ['shape'], { faces: areFaces })],
  ['declare', form(['game.declared'], ['special', 'to'])],
  ['choose_first', form(['game.first_chosen'], ['who'])],
  ['arrange', form([ARRANGED], ['cup', 'outside', 'taken', 'roll_inside', 'roll_outside'], { sealed: isHash })],
  ['challenge', form(['game.challenged'])],
  ['spot_on', form(['game.spot_on_called'])],
  ['pass', form(['game.passed'])],
  ['accept', form(['game.accepted'])],
  ['catch', form(['game.caught'])],
  ['count', form(['game.count_asked'])],
  ['demand_bills', form(['game.bills_demanded'])],
  ['stop', form(['game.chase_stopped'])],
  ['look', form(['game.looked'])],
  ['show_cocked', form(['game.cocked_shown'])],
  ['buy_back', form(['game.bought_back'])],
  ['drop_out', form(['game.dropped_out'])],
  ['resign', form(['game.forfeited'])],
  ['roll', form([OPENED, 'cup.rolled'])],
]);
/** The types of a game that only the seat they name can have asked for. A round is opened by the table as well. */
export const OF_A_SEAT = new Set(
  [...FORMS.values()].flatMap(({ lines }) => lines).filter((line) => line.startsWith('game.') && line !== OPENED),
);

/**
 * @param {string} kind
 * @param {Record<string, any>} data
 * @param {Record<string, any>} command
 * @returns {boolean} Whether a line of this type says what the command asks for, member by member, none left out.
 */
export function fits(kind, data, command) {
  const found = FORMS.get(command.type);
  if (found === undefined || !found.lines.includes(kind)) return false;
  const same = command.type === JOIN && Object.hasOwn(data, 'name') ? [...found.same, 'name'] : found.same;
  const wanted = ['type', ...same, ...Object.keys(found.own)];
  if (Object.keys(command).length !== wanted.length || !wanted.every((name) => Object.hasOwn(command, name)))
    return false;
  return (
    Object.entries(found.says).every(([name, said]) => data[name] === said) &&
    same.every((name) => Object.hasOwn(data, name) && isSame(data[name], command[name])) &&
    Object.entries(found.own).every(([name, isLawful]) => isLawful(command[name]))
  );
}

/** @param {any} one @param {any} other */
function isSame(one, other) {
  return one === other || canonical([one]) === canonical([other]);
}
