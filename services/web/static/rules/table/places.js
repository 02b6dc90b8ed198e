/**
 * The places of dice, and what handling does to them. A die is an address: the roll of its cup and the slot in it. After
 * a sealed choice (CUP/1 section 4.12) not even the address of a hidden die is public; who holds the secret of the deal
 * works it out again, since the public counts leave few choices and one of them alone has the sealed hash.
 *
 * The holder's numbering: the hidden dice first, those kept before those rolled anew, then the dice everybody sees.
 */
import { compared } from '../ladders.js';
import { Refused } from '../refused.js';

/** @typedef {[roll: number, slot: number]} Address */
/** @typedef {{at: Address | null, value: number | null}} Die Its value once everybody has seen it, from 0. */
/** @typedef {{roll: number, roll_inside: number[], roll_outside: number[], outside: number[]}} Choice */
/**
 * @typedef {object} Place The dice of one cup in this round.
 * @property {number} cup
 * @property {number} size How many dice the cup can hold; the slot of this number is the blind one.
 * @property {Die[]} inside Those that not everybody sees.
 * @property {Die[]} outside
 * @property {number[]} knowers The seats that may know the dice inside.
 * @property {Address[]} laid As they first lay there.
 * @property {any[]} handled The `game.arranged` since, oldest first, as their members.
 * @property {any} rolling The one of them whose roll is still to come.
 */
/** @typedef {{inside: Address[], outside: Address[], choices: Choice[]}} Handful Where dice come from. */

/** @param {Address | null} one @param {Address | null} other */
const same = (one, other) =>
  one === null || other === null ? one === other : one[0] === other[0] && one[1] === other[1];

/** @param {(Address | null)[]} among @param {Address | null} at */
const has = (among, at) => among.some((each) => same(each, at));

/** @param {Address | null} at @returns {Die} */
const hiddenDie = (at) => ({ at, value: null });

/** @param {number} cup @param {number} size @returns {Place} */
export const emptyPlace = (cup, size) => ({
  cup,
  size,
  inside: [],
  outside: [],
  knowers: [],
  laid: [],
  handled: [],
  rolling: null,
});

/** @param {Place} place */
export const diceOf = (place) => [...place.inside, ...place.outside];

// ---- what everybody remembers ----

/** @param {number} roll @param {number[]} slots @param {number} size @returns {Address[]} */
const addresses = (roll, slots, size) => slots.filter((slot) => slot < size).map((slot) => [roll, slot]);

/** @param {Place} place @param {any} rolled @param {number[]} knowers @returns {Place} After all its dice were rolled. */
export function laidAfter({ cup, size }, rolled, knowers) {
  const laid = addresses(rolled.roll, rolled.slots, size);
  return { ...emptyPlace(cup, size), inside: laid.map(hiddenDie), knowers, laid };
}

/** @param {Place} place @param {any} rolled @returns {Place} After the dice its holder chose were rolled anew. */
export function rolledAfter(place, rolled) {
  const fresh = addresses(rolled.roll, rolled.slots, place.size).map(hiddenDie);
  return { ...place, inside: [...place.inside, ...fresh], rolling: null };
}

/** @param {Place} place @param {any} arranged @returns {Place} After its holder began to handle it. */
export function arrangedAfter(place, arranged) {
  const rolled = arranged.roll_inside + arranged.roll_outside;
  const back = place.outside.filter((die) => has(arranged.taken, die.at)).map((die) => hiddenDie(die.at));
  let inside = [...place.inside, ...back];
  if (arranged.choice !== null) {
    // Which of them stay is sealed, unless none does. Those about to be shown keep their addresses.
    const kept = Math.max(0, inside.length - arranged.outside.length - rolled);
    inside = [...Array.from({ length: kept }, () => hiddenDie(null)), ...arranged.outside.map(hiddenDie)];
  } else if (rolled) {
    inside = inside.filter((die) => die.at !== null && has(arranged.outside, die.at));
  }
  return {
    ...place,
    inside,
    outside: place.outside.filter((die) => !has(arranged.taken, die.at)),
    knowers: arranged.taken.length || rolled ? [arranged.seat] : place.knowers,
    handled: [...place.handled, arranged],
    rolling: rolled ? arranged : null,
  };
}

/** @param {Place} place @param {any} revealed @returns {Place} After some of its dice were shown to all. */
export function shownAfter(place, revealed) {
  const inside = [...place.inside];
  /** @type {Die[]} */
  const shown = [];
  for (const [slot, value] of revealed.values.filter((/** @type {number[]} */ [slot]) => slot < place.size)) {
    /** @type {Address} */
    const at = [revealed.roll, slot];
    const known = inside.findIndex((die) => same(die.at, at));
    const found = known < 0 ? inside.findIndex((die) => die.at === null) : known;
    if (found >= 0) {
      inside.splice(found, 1);
      shown.push({ at, value });
    }
  }
  return { ...place, inside, outside: [...place.outside, ...shown] };
}

// ---- what those who hold the secret can tell ----

/** @param {Place} place @param {import('../match/dealer.js').Dealer} dealer @returns {Handful} */
export function handful(place, dealer) {
  if (!place.inside.length) {
    return { inside: [], outside: place.outside.flatMap(({ at }) => (at === null ? [] : [at])), choices: [] };
  }
  /** @type {Handful} */
  let found = { inside: place.laid, outside: [], choices: [] };
  for (const arranged of place.handled) {
    found = handled(found, arranged, choiceOf(found, arranged, place, dealer));
  }
  return found;
}

/**
 * @param {Handful} before Where the dice of the place came from before.
 * @param {any} arranged
 * @param {Place} place
 * @param {import('../match/dealer.js').Dealer} dealer
 * @returns {Choice} What the seat chose; refused where nothing it may have chosen has the seal.
 */
export function choiceOf(before, arranged, place, dealer) {
  const candidates = candidatesFor(before, arranged);
  const found =
    arranged.choice === null
      ? candidates.next().value
      : dealer.unsealed(arranged.choice, place.cup, place.size, candidates);
  if (!found) throw new Refused('nothing that could be chosen has this seal');
  return found;
}

/** @param {number[]} among @param {number} count @returns {Generator<number[]>} */
function* combinations(among, count, from = 0) {
  if (count === 0) yield [];
  else {
    for (let at = from; at <= among.length - count; at += 1) {
      for (const rest of combinations(among, count - 1, at + 1)) yield [among[at], ...rest];
    }
  }
}

/** @param {number} one @param {number} other */
const ascending = (one, other) => one - other;

/** @param {Handful} before @param {any} arranged @returns {Generator<Choice>} All that its public part leaves. */
export function* candidatesFor(before, arranged) {
  const numbers = [...before.inside, ...before.outside];
  /** @param {Address} at */
  const numberOf = (at) => numbers.findIndex((each) => same(each, at));
  const outside = arranged.outside.map(numberOf).sort(ascending);
  const free = [...before.inside, ...arranged.taken].filter((at) => !has(arranged.outside, at)).map(numberOf);
  for (const rolled of combinations(free.sort(ascending), arranged.roll_inside + arranged.roll_outside)) {
    for (const inside of combinations(rolled, arranged.roll_inside)) {
      const outdoors = rolled.filter((position) => !inside.includes(position));
      yield { roll: arranged.roll ?? -1, roll_inside: inside, roll_outside: outdoors, outside };
    }
  }
}

/** @param {Handful} before @param {any} arranged @param {Choice} choice @returns {Handful} */
function handled(before, arranged, choice) {
  const numbers = [...before.inside, ...before.outside];
  const rolled = [...choice.roll_inside, ...choice.roll_outside].map((position) => numbers[position]);
  /** @type {Address[]} */
  const fresh = Array.from({ length: arranged.roll_inside + arranged.roll_outside }, (_, slot) => [choice.roll, slot]);
  const kept = before.inside.filter((at) => !has(rolled, at) && !has(arranged.outside, at));
  const hidden = before.outside.filter((at) => has(arranged.taken, at) && !has(rolled, at));
  const still = before.outside.filter((at) => !has(arranged.taken, at));
  return {
    inside: [...kept, ...hidden, ...fresh.slice(0, arranged.roll_inside)],
    outside: [...still, ...arranged.outside, ...fresh.slice(arranged.roll_inside)],
    choices: arranged.choice === null ? before.choices : [...before.choices, choice],
  };
}

/** @param {Address[]} inside @returns {[roll: number, slots: number[]][]} The slots of some dice, by roll. */
export function hiddenRolls(inside) {
  /** @type {Map<number, number[]>} */
  const rolls = new Map();
  for (const [roll, slot] of [...inside].sort(compared)) rolls.set(roll, [...(rolls.get(roll) ?? []), slot]);
  return [...rolls];
}

// ---- what a holder asks for ----

/** @typedef {{outside: number[], inside: number[], rollInside: number[], rollOutside: number[]}} Arrange Positions. */
/**
 * @typedef {object} Handled A handling as its law sees it: positions by where they come from and where they go.
 * @property {number} hidden How many dice lay inside.
 * @property {number[]} shows Inside, to be shown.
 * @property {number[]} hides Outside, to be hidden.
 * @property {number[]} rollsInside
 * @property {number[]} rollsOutside
 * @property {number} keepsInside Hidden afterwards without having been rolled.
 */

/** @param {Place} place @param {Arrange} arrange @returns {Handled} What it does; refused where positions are wrong. */
export function handledBy(place, { outside, inside, rollInside, rollOutside }) {
  const named = [...outside, ...inside, ...rollInside, ...rollOutside];
  const [hidden, total] = [place.inside.length, diceOf(place).length];
  if (new Set(named).size < named.length || named.some((position) => position < 0 || position >= total)) {
    throw new Refused('these are no positions of this place');
  }
  const gone = new Set([...outside, ...rollInside, ...rollOutside]);
  const hides = inside.filter((position) => position >= hidden).sort(ascending);
  const stay = place.inside.filter((_, position) => !gone.has(position));
  return {
    hidden,
    shows: outside.filter((position) => position < hidden).sort(ascending),
    hides,
    rollsInside: [...rollInside].sort(ascending),
    rollsOutside: [...rollOutside].sort(ascending),
    keepsInside: stay.length + hides.length,
  };
}
