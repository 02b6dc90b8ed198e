/** The shapes of hands: how many dice of how many faces each shape calls for, in the order in which it names them. */

/** @typedef {{dice: number, faces: number}} Row So many dice each of so many faces, which are named high to low. */

/** @type {Record<string, [dice: number, faces: number][]>} */
const PATTERNS = {
  single: [[1, 1]],
  pair: [[2, 1]],
  two_pair: [[2, 2]],
  three_pair: [[2, 3]],
  three: [[3, 1]],
  full_house: [
    [3, 1],
    [2, 1],
  ],
  two_triplets: [[3, 2]],
  four: [[4, 1]],
  four_and_pair: [
    [4, 1],
    [2, 1],
  ],
  five: [[5, 1]],
  six: [[6, 1]],
};
/** Straights name no face: where they begin, from the lowest face, and how long they are. */
const STRAIGHTS = /** @type {Record<string, [from: number, dice: number]>} */ ({
  low_straight: [0, 5],
  high_straight: [1, 5],
  straight: [0, 6],
});

/**
 * @param {string} shape
 * @param {number} named How many faces it names.
 * @returns {Row[]} Its rows; faces that stand beside the shape itself are a row of single dice.
 */
export function rowsOf(shape, named) {
  if (shape === 'score') return Array.from({ length: named }, () => ({ dice: 1, faces: 1 }));
  const rows = (PATTERNS[shape] ?? []).map(([dice, faces]) => ({ dice, faces }));
  const beside = named - rows.reduce((sum, row) => sum + row.faces, 0);
  return beside > 0 ? [...rows, { dice: 1, faces: beside }] : rows;
}

/** @template T @param {Row[]} rows @param {T[]} faces @returns {T[][]} The faces of each row. */
export function byRow(rows, faces) {
  let end = 0;
  return rows.map((row) => {
    end += row.faces;
    return faces.slice(end - row.faces, end);
  });
}

/**
 * @param {string} shape
 * @param {number[]} faces The faces it names.
 * @param {[first: number, count: number]} kind What a die shows.
 * @returns {number[]} The dice a hand names, to be drawn.
 */
export function laidOut(shape, faces, [first]) {
  const straight = STRAIGHTS[shape];
  if (straight !== undefined) return Array.from({ length: straight[1] }, (_, place) => first + straight[0] + place);
  const rows = rowsOf(shape, faces.length);
  return byRow(rows, faces).flatMap((row, place) =>
    row.flatMap((face) => Array.from({ length: rows[place].dice }, () => face)),
  );
}

/**
 * Choose among the hands that may be called: the lowest that changes as little as can be.
 *
 * @param {number[][]} hands The faces of each hand of a shape, lowest first.
 * @param {Row[]} rows
 * @param {number[]} current The faces chosen so far.
 * @param {number} at The row a person touches.
 * @param {(faces: number[]) => boolean} wanted What that row has to be.
 * @returns {number[] | undefined}
 */
export function nearest(hands, rows, current, at, wanted) {
  const now = byRow(rows, current);
  const likeness = (/** @type {number[]} */ hand) =>
    byRow(rows, hand).reduce((sum, row, place) => {
      const alike = row.filter((face) => now[place]?.includes(face)).length;
      return sum + alike * (place < at ? 100 : place === at ? 10 : 1);
    }, 0);
  const fitting = hands.filter((hand) => wanted(byRow(rows, hand)[at]));
  const most = Math.max(...fitting.map(likeness));
  return fitting.find((hand) => likeness(hand) === most);
}
