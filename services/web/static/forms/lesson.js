/** The first lesson: one round with fixed dice against two players who do as they are told. Nothing of it leaves the page. */

/** @typedef {{who: string, quantity: number, face: number}} Said */
/**
 * What may be answered: a bid, or something that has a name.
 *
 * @typedef {{name: string, quantity?: number, face?: number, right?: boolean}} Choice
 */
/**
 * A step: what has been claimed by then, what may be answered, and whether all dice lie open.
 *
 * @typedef {{name: string, said: Said[], choices?: Choice[], lifted?: boolean, lost?: string}} Step
 */

/** The player who learns sits between the others. */
export const LEARNER = 'you';

/** The dice of each, in the order of their turns. @type {Record<string, number[]>} */
export const HANDS = { ann: [4, 5, 5, 3, 1], [LEARNER]: [1, 4, 4, 2, 6], ben: [2, 3, 3, 6, 6] };

const OPENED = [{ who: 'ann', quantity: 3, face: 5 }];
const RAISED = [
  ...OPENED,
  { who: LEARNER, quantity: 4, face: 4 },
  { who: 'ben', quantity: 5, face: 4 },
  { who: 'ann', quantity: 6, face: 4 },
];

/** @type {Step[]} */
export const STEPS = [
  { name: 'dice', said: [] },
  { name: 'wild', said: [], choices: [{ name: 'two' }, { name: 'three', right: true }] },
  { name: 'claim', said: OPENED },
  {
    name: 'raise',
    said: OPENED,
    choices: [
      { name: 'lower', quantity: 3, face: 4 },
      { name: 'fewer', quantity: 2, face: 6 },
      { name: 'more', quantity: 4, face: 4, right: true },
    ],
  },
  { name: 'others', said: RAISED },
  {
    name: 'doubt',
    said: RAISED,
    choices: [
      { name: 'higher', quantity: 7, face: 4 },
      { name: 'liar', right: true },
    ],
  },
  { name: 'lift', said: RAISED, lifted: true },
  { name: 'loses', said: RAISED, lifted: true, lost: 'ann' },
  { name: 'end', said: [] },
];
