/**
 * Rights to know dice: which the rules let seats know, and since when, in a match that the referee has replayed.
 *
 * A line of an access record names all dice of a roll, whichever of them still lie there, since which of its dice a holder
 * rolled again is sealed (CUP/1 section 4.12); so do rights.
 */
import { rulesOf } from '../games/all.js';
import { evolve, opened } from '../match/evolve.js';
import { placesOf } from '../table/state.js';

/** @typedef {{number: number, kind: string, data: any, at: number}} Line Numbered from 1. */
/** @typedef {import('../match/evolve.js').Match} Match */
/** @typedef {import('../table/places.js').Place} Place */
/** @typedef {{viewer: string, deal: number, cup: number, roll: number, slots: number[], version: number}} Served */
/**
 * @typedef {object} Rights By roll, or by viewer and roll, as `rollOf` and `keyOf` write them.
 * @property {Map<string, Served>} allowed The lines that have to be on record.
 * @property {Map<string, number[]>} rolled All dice of each roll that some seat, or nobody, may know while others may not.
 * @property {Map<string, number>} open From which version on everybody knows all dice of a roll.
 */

/** @param {{deal: number, cup: number, roll: number}} where @returns {string} */
export const rollOf = ({ deal, cup, roll }) => `${deal} ${cup} ${roll}`;
/** @param {Served} served @returns {string} What stands at most once in an access record. */
export const keyOf = (served) => `${served.viewer} ${rollOf(served)}`;

/** @param {Line[]} lines The first of a match, which follow from its rules. @returns {Rights} */
export function rightsOf(lines) {
  /** @type {Rights} */
  const rights = { allowed: new Map(), rolled: new Map(), open: new Map() };
  /** @type {Map<string, Set<number>>} */
  const shown = new Map();
  /** @type {Match | null} */
  let match = null;
  for (const { number, kind, data, at } of lines) {
    const before = match?.table?.places;
    match = match === null ? first(data, at) : evolve(match, { type: kind, data }, at);
    if (match.table?.places !== before || kind === 'game.stood_in') lie(rights, match, number);
    if (kind === 'cup.revealed') show(rights, shown, data, number);
    if (kind === 'deal.closed' && data.secret !== null) publish(rights, data.deal, number);
  }
  return rights;
}

/** @param {any} created @param {number} at */
function first(created, at) {
  const rules = /** @type {import('../table/state.js').Rules} */ (rulesOf(created.rules, created.policy));
  return opened(created, rules, at);
}

/** @param {Rights} rights @param {Match} match @param {number} version Where the dice lie now, and who may know them. */
function lie({ allowed, rolled }, { table, ceremony, seated }, version) {
  if (table === null || !ceremony?.mix) return;
  for (const place of placesOf(table)) {
    for (const [roll, slots] of rollsOf(place)) {
      const where = { deal: ceremony.deal, cup: place.cup, roll };
      if (!rolled.has(rollOf(where))) rolled.set(rollOf(where), slots);
      for (const viewer of place.knowers.flatMap((seat) => viewersOf(seat, seated[seat].standIn))) {
        const served = { viewer, ...where, slots, version };
        if (!allowed.has(keyOf(served))) allowed.set(keyOf(served), served);
      }
    }
  }
}

/** @param {number} seat @param {boolean} standIn @returns {string[]} Who is served what a seat may know. */
const viewersOf = (seat, standIn) => (standIn ? [`seat/${seat}`, `stand_in/${seat}`] : [`seat/${seat}`]);

/** @param {Place} place @returns {[number, number[]][]} The rolls its hidden dice may have come from, as the public knows. */
function rollsOf({ laid, handled, rolling, inside }) {
  /** @type {Map<number, number[]>} */
  const rolls = new Map();
  for (const [roll, slot] of laid) rolls.set(roll, [...(rolls.get(roll) ?? []), slot]);
  for (const arranged of handled) {
    const slots = Array.from({ length: arranged.roll_inside + arranged.roll_outside }, (_, slot) => slot);
    if (arranged.roll !== null && arranged !== rolling) rolls.set(arranged.roll, slots);
  }
  const unknown = inside.some(({ at }) => at === null);
  return [...rolls].filter(([roll]) => unknown || inside.some(({ at }) => at !== null && at[0] === roll));
}

/** @param {Rights} rights @param {Map<string, Set<number>>} shown @param {any} revealed @param {number} version */
function show({ rolled, open }, shown, revealed, version) {
  const roll = rollOf(revealed);
  const known = shown.get(roll) ?? new Set();
  for (const [slot] of revealed.values) known.add(slot);
  shown.set(roll, known);
  if (rolled.get(roll)?.every((slot) => known.has(slot)) && !open.has(roll)) open.set(roll, version);
}

/** @param {Rights} rights @param {number} deal @param {number} version The secret of the deal tells all its dice. */
function publish({ rolled, open }, deal, version) {
  for (const roll of rolled.keys()) if (roll.startsWith(`${deal} `) && !open.has(roll)) open.set(roll, version);
}
