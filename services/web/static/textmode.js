/** Typed commands: `5x3`, `liar`, `spot on`, `pass`, `push 1 3`. */

const WORDS = /** @type {Record<string, string>} */ ({
  liar: 'challenge',
  challenge: 'challenge',
  doubt: 'challenge',
  dudo: 'challenge',
  bluff: 'challenge',
  'spot on': 'spot_on',
  spot: 'spot_on',
  exact: 'spot_on',
  exactly: 'spot_on',
  calza: 'spot_on',
  pass: 'pass',
});
const FACES = ['one', 'two', 'three', 'four', 'five', 'six'];

/**
 * @param {string} text
 * @param {{type: string, positions?: number[]}[]} moves What the view allows.
 * @returns {object} The command's body.
 * @throws {SyntaxError} With a sentence that says what would do.
 */
export function parsed(text, moves) {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const word = WORDS[typed];
  if (word !== undefined) return { type: word };
  if (typed.startsWith('push')) return pushed(typed.slice(4), moves);
  return bid(typed);
}

/** @param {string} typed */
function bid(typed) {
  const [, quantity, face] = typed.match(/^(?:bid )?(\d{1,3}) ?[x×*, ]? ?(\d|[a-z]+)$/) ?? [];
  const found = face === undefined ? 0 : faceOf(face);
  if (found === 0) throw new SyntaxError('Type a bid such as 5x3, or liar, spot on, pass, push 1 3.');
  return { type: 'bid', quantity: Number(quantity), face: found };
}

/** @param {string} text @returns {number} 1 to 6, or 0. */
function faceOf(text) {
  if (/^[1-6]$/.test(text)) return Number(text);
  const singular = text === 'sixes' ? 'six' : text.replace(/s$/, '');
  return singular === 'ace' ? 1 : FACES.indexOf(singular) + 1;
}

/** @param {string} typed @param {{type: string, positions?: number[]}[]} moves */
function pushed(typed, moves) {
  const shown = (typed.match(/\d+/g) ?? []).map((digits) => Number(digits) - 1);
  if (shown.length === 0) throw new SyntaxError('Say which dice to push, counted from the left: push 1 3.');
  return push(shown, moves);
}

/**
 * @param {number[]} shown Positions of the dice to show.
 * @param {{type: string, positions?: number[]}[]} moves
 */
export function push(shown, moves) {
  const positions = moves.find((move) => move.type === 'arrange')?.positions ?? shown;
  return { type: 'arrange', outside: shown, roll_inside: positions.filter((position) => !shown.includes(position)) };
}
