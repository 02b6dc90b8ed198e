/**
 * QR codes, drawn in the browser: of links that are secrets, and that no server is to draw. Bytes at the lowest level of
 * correction, since screens are clean. Source: ISO/IEC 18004:2015.
 */

const VERSION_MAX = 15;
/** By version: the bytes that correct a block, and how many blocks there are (table 9, level L). */
const BLOCKS = [
  ...[
    [7, 1],
    [10, 1],
    [15, 1],
    [20, 1],
    [26, 1],
    [18, 2],
    [20, 2],
    [24, 2],
    [30, 2],
    [18, 4],
  ],
  ...[
    [20, 4],
    [24, 4],
    [26, 4],
    [30, 4],
    [22, 6],
  ],
];
/** The level is L, which is written 01. */
const LEVEL = 1;
const QUIET = 4;
const BYTES = 4;
/** What fills a code that has room. */
const PADS = [0xec, 0x11];

/** @typedef {(boolean | null)[][]} Grid Rows of modules, dark or not; null for those that data may take. */

/** @type {((x: number, y: number) => boolean)[]} Which modules each mask turns over (table 10). */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** @param {number} version */
const sizeOf = (version) => 17 + 4 * version;

/** @param {number} version @returns {number[]} Where small squares stand, in both directions (annex E). */
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, place) => sizeOf(version) - 7 - place * step).reverse()];
}

/** @param {number} version @returns {number} How many bytes a code holds, with those that correct them. */
function bytesIn(version) {
  const count = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const aligned = count === 0 ? 0 : (25 * count - 10) * count - 55;
  return Math.floor(((16 * version + 128) * version + 64 - aligned - (version >= 7 ? 36 : 0)) / 8);
}

// ---- correction: a Reed-Solomon code over 256 elements, by x^8 + x^4 + x^3 + x^2 + 1 (clause 7.5) ----

/** @param {number} one @param {number} other */
function times(one, other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product >> 7 ? 0x11d : 0);
    if ((other >> bit) & 1) product ^= one;
  }
  return product;
}

/** @param {number} degree @returns {number[]} What bytes are divided by, without its leading 1. */
function divisor(degree) {
  const found = [...new Array(degree - 1).fill(0), 1];
  for (let round = 0, root = 1; round < degree; round += 1, root = times(root, 2)) {
    for (let at = 0; at < degree; at += 1) found[at] = times(found[at], root) ^ (found[at + 1] ?? 0);
  }
  return found;
}

/** @param {number[]} block @param {number[]} by @returns {number[]} The bytes that correct a block. */
function correction(block, by) {
  const rest = new Array(by.length).fill(0);
  for (const byte of block) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    for (const [at, coefficient] of by.entries()) rest[at] ^= times(coefficient, factor);
  }
  return rest;
}

/** @param {Uint8Array} text @param {number} version @returns {number[]} The bytes of a code, as they are laid out. */
function codewords(text, version) {
  const [correcting, blocks] = BLOCKS[version - 1];
  const capacity = bytesIn(version) - correcting * blocks;
  const head = [
    [BYTES, 4],
    [text.length, version < 10 ? 8 : 16],
  ];
  const bits = [...head, ...[...text].map((byte) => [byte, 8])].flatMap(([value, length]) => bitsOf(value, length));
  bits.push(...new Array(Math.min(4, capacity * 8 - bits.length)).fill(0));
  while (bits.length % 8 > 0) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2),
  );
  for (let at = 0; data.length < capacity; at += 1) data.push(PADS[at % 2]);
  return interleaved(data, correcting, blocks);
}

/** @param {number} value @param {number} length @returns {number[]} The highest first. */
const bitsOf = (value, length) => Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1);

/** @param {number[]} data @param {number} correcting @param {number} count */
function interleaved(data, correcting, count) {
  const short = Math.floor(data.length / count);
  const long = data.length % count;
  const by = divisor(correcting);
  const starts = Array.from({ length: count + 1 }, (_, at) => at * short + Math.max(0, at - (count - long)));
  const blocks = Array.from({ length: count }, (_, at) => data.slice(starts[at], starts[at + 1]));
  const rests = blocks.map((block) => correction(block, by));
  const across = (/** @type {number[][]} */ rows, /** @type {number} */ length) =>
    Array.from({ length }, (_, at) => rows.flatMap((row) => (at < row.length ? [row[at]] : []))).flat();
  return [...across(blocks, short + 1), ...across(rests, correcting)];
}

// ---- what is drawn ----

/** @param {number} version @returns {Grid} With all that stands in every code of its size; what says the mask is light. */
function frame(version) {
  const size = sizeOf(version);
  /** @type {Grid} */
  const grid = Array.from({ length: size }, () => new Array(size).fill(null));
  for (let at = 0; at < size; at += 1) {
    grid[6][at] = at % 2 === 0;
    grid[at][6] = at % 2 === 0;
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ])
    square(grid, x, y, 4, (far) => far !== 2 && far !== 4);
  const places = alignments(version);
  for (const x of places) {
    for (const y of places) if (!isCorner(x, y, size)) square(grid, x, y, 2, (far) => far !== 1);
  }
  numbered(grid, version);
  written(grid, 0);
  return grid;
}

/** @param {number} x @param {number} y @param {number} size */
const isCorner = (x, y, size) => [x, y].every((at) => at === 6 || at === size - 7) && (x === 6 || y === 6);

/** @param {Grid} grid @param {number} x @param {number} y @param {number} radius @param {(far: number) => boolean} dark */
function square(grid, x, y, radius, dark) {
  for (let down = -radius; down <= radius; down += 1) {
    for (let right = -radius; right <= radius; right += 1) {
      if (grid[y + down]?.[x + right] !== undefined) {
        grid[y + down][x + right] = dark(Math.max(Math.abs(down), Math.abs(right)));
      }
    }
  }
}

/** @param {number} value @param {number} by @param {number} length @returns {number} With what corrects it behind it. */
function corrected(value, by, length) {
  let rest = value;
  for (let round = 0; round < length; round += 1) rest = (rest << 1) ^ ((rest >> (length - 1)) & 1 ? by : 0);
  return (value << length) | rest;
}

/** Large codes say their version, twice (clause 7.10). @param {Grid} grid @param {number} version */
function numbered(grid, version) {
  if (version < 7) return;
  for (const [at, bit] of bitsOf(corrected(version, 0x1f25, 12), 18)
    .reverse()
    .entries()) {
    const [near, far] = [Math.floor(at / 3), grid.length - 11 + (at % 3)];
    grid[near][far] = bit === 1;
    grid[far][near] = bit === 1;
  }
}

/** All codes say their level and mask, twice (clause 7.9). @param {Grid} grid @param {number} mask */
function written(grid, mask) {
  const size = grid.length;
  const bits = bitsOf(corrected((LEVEL << 3) | mask, 0x537, 10) ^ 0x5412, 15).reverse();
  for (const [at, bit] of bits.entries()) {
    const down = at < 6 ? at : at < 8 ? at + 1 : size - 15 + at;
    const left = at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at;
    grid[down][8] = bit === 1;
    grid[8][left] = bit === 1;
  }
  grid[size - 8][8] = true;
}

/** @param {number} size @returns {Generator<[x: number, y: number]>} Where data stands, in its order (clause 7.7.3). */
function* path(size) {
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const up = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = up ? size - 1 - step : step;
      yield [right, y];
      yield [right - 1, y];
    }
  }
}

/** @param {Grid} base @param {number[]} bytes @param {number} mask @returns {boolean[][]} */
function filled(base, bytes, mask) {
  const grid = base.map((row) => [...row]);
  const bits = bytes.flatMap((byte) => bitsOf(byte, 8));
  let next = 0;
  for (const [x, y] of path(base.length)) {
    if (base[y][x] !== null) continue;
    grid[y][x] = (bits[next] === 1) !== MASKS[mask](x, y);
    next += 1;
  }
  written(grid, mask);
  return /** @type {boolean[][]} */ (grid);
}

/** @param {boolean[][]} grid @returns {number} How badly a code reads, by its runs and its balance (clause 7.8.3). */
function penalty(grid) {
  const columns = grid.map((_, x) => grid.map((row) => row[x]));
  const lines = [...grid, ...columns].map((line) => line.map(Number).join(''));
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).map((run) => run.length - 2);
  const finders = lines.flatMap((line) => line.match(/(?=10111010000|00001011101)/g) ?? []).length * 40;
  let blocks = 0;
  for (let y = 1; y < grid.length; y += 1) {
    for (let x = 1; x < grid.length; x += 1) {
      const [one, two, three] = [grid[y][x - 1], grid[y - 1][x], grid[y - 1][x - 1]];
      if ([one, two, three].every((other) => other === grid[y][x])) blocks += 3;
    }
  }
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2;
  return runs.reduce((sum, run) => sum + run, 0) + finders + blocks + Math.floor(Math.abs(dark - 0.5) * 20) * 10;
}

/** @param {string} text @returns {boolean[][]} Rows of modules, dark or light; throws for a text that is too long. */
function codeOf(text) {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= VERSION_MAX; version += 1) {
    const [correcting, blocks] = BLOCKS[version - 1];
    if (bytes.length + (version < 10 ? 2 : 3) <= bytesIn(version) - correcting * blocks) {
      const [base, data] = [frame(version), codewords(bytes, version)];
      const grids = MASKS.map((_, mask) => filled(base, data, mask));
      return grids.reduce((best, grid) => (penalty(grid) < penalty(best) ? grid : best));
    }
  }
  throw new RangeError('this is too long for a code');
}

/** @param {string} text @returns {{size: number, path: string}} What a picture of the code draws, with a quiet edge. */
export function drawingOf(text) {
  const grid = codeOf(text);
  const dark = grid.flatMap((row, y) => row.flatMap((is, x) => (is ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])));
  return { size: grid.length + 2 * QUIET, path: dark.join('') };
}
