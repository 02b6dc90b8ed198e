/** What happened, in words. The server sends events; every client tells them in its own language. */

const NUMBERS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
const FACES = ['', 'one', 'two', 'three', 'four', 'five', 'six'];
const UNITS = /** @type {Record<string, [string, string]>} */ ({
  die: ['die', 'dice'],
  chip: ['chip', 'chips'],
  drink: ['drink', 'drinks'],
});

/** @param {number} number */
export const inWords = (number) => NUMBERS[number] ?? String(number);

/** @param {number} face */
export const faceName = (face) => FACES[face] ?? String(face);

/** @param {number} quantity @param {number} face @returns {string} Such as "five threes". */
export function claimWords(quantity, face) {
  if (quantity === 1) return `one ${faceName(face)}`;
  return `${inWords(quantity)} ${faceName(face)}${face === 6 ? 'es' : 's'}`;
}

/** @param {number} amount @param {string} unit */
export function amountWords(amount, unit) {
  const [one, many] = UNITS[unit] ?? [unit, `${unit}s`];
  return amount === 1 ? `a ${one}` : `${inWords(amount)} ${many}`;
}

/** @param {string[]} names */
export function listed(names) {
  return names.length < 2 ? (names[0] ?? 'nobody') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} name @returns {string} The name, kept from turning the direction of the words around it. */
export const apart = (name) => `\u2068${name}\u2069`;

/** @param {any[]} seats @returns {string} Whose table it is, as in the lobby: the first person's, or bot's. */
export function titleOf(seats) {
  const first = seats.find((seat) => !seat.bot) ?? seats[0];
  return first === undefined ? 'An empty table' : `${first.name}'s table`;
}

/** Names people at a table, for one viewer. */
export class Names {
  /** @param {any} view */
  constructor(view) {
    this.viewer = view.viewer;
    this.names = new Map(view.seats.map((/** @type {any} */ seat) => [seat.seat, apart(seat.name)]));
  }

  /** @param {number} seat */
  of(seat) {
    return seat === this.viewer ? 'you' : (this.names.get(seat) ?? `seat ${seat}`);
  }

  /** @param {number} seat @param {string} they What somebody else does. @param {string} you What you do. */
  does(seat, they, you) {
    return seat === this.viewer ? `you ${you}` : `${this.of(seat)} ${they}`;
  }

  /** @param {number} seat */
  whose(seat) {
    return seat === this.viewer ? 'your' : `${this.of(seat)}’s`;
  }
}

/** @typedef {(event: any, names: Names) => string} Telling */

/** @type {Record<string, Telling>} */
const TELLINGS = {
  'match.created': () => 'the table was opened',
  'seat.joined': (event, names) => names.does(event.seat, 'sits down', 'sit down'),
  'seat.left': (event, names) =>
    event.reason === 'withheld'
      ? `${names.does(event.seat, 'is', 'are')} barred for withholding a seed`
      : names.does(event.seat, 'leaves', 'leave'),
  'game.started': () => 'the match begins',
  'deal.committed': (event) => `deal ${event.deal + 1}: the server has fixed every die`,
  'deal.logged': () => 'all seeds are fixed, and the log has them',
  'deal.ready': () => 'all seeds are open: the dice are what they are',
  'deal.voided': (event, names) =>
    `the deal is void, for ${listed(event.seats.map((/** @type {number} */ s) => names.of(s)))} did not open a seed`,
  'game.first_drawn': (event, names) => `the draw: ${names.does(event.seat, 'opens', 'open')}`,
  'game.round_opened': (event, names) => `round ${event.round}: ${names.does(event.starter, 'opens', 'open')}`,
  'game.bid': (event, names) => `${names.does(event.seat, 'bids', 'bid')} ${claimWords(event.quantity, event.face)}`,
  'game.challenged': (event, names) => names.does(event.seat, 'challenges', 'challenge'),
  'game.spot_on_called': (event, names) => `${names.does(event.seat, 'says', 'say')} spot on`,
  'game.passed': (event, names) => `${names.does(event.seat, 'passes', 'pass')}: all dice differ`,
  'game.arranged': (event, names) =>
    `${names.does(event.seat, 'pushes', 'push')} ${amountWords(event.outside, 'die')} and ` +
    `${names.viewer === event.seat ? 'roll' : 'rolls'} ${inWords(event.roll_inside)} again`,
  'game.timed_out': (event, names) => names.does(event.seat, 'runs out of time', 'run out of time'),
  'game.forfeited': (event, names) => `${names.does(event.seat, 'is', 'are')} out of the match`,
  'game.judged': judged,
  'game.posted': posted,
  'game.eliminated': (event, names) => `${names.does(event.seat, 'is', 'are')} out`,
  'game.round_closed': (event) => (event.flags.includes('palifico') ? 'the next round is a palifico' : ''),
  'game.won': (event, names) => `${names.does(event.seat, 'wins', 'win')} the match`,
  'game.session_closed': () => 'the host ends the session',
};

/** @param {any} event @param {any} view The view after it. @returns {string} A sentence, or nothing to tell. */
export function told(event, view) {
  const telling = TELLINGS[event.type];
  const text = telling === undefined ? '' : telling(event, new Names(view));
  return text === '' ? '' : `${sentence(text)}.`;
}

/** @type {Telling} */
function judged(event, names) {
  const lost = event.losers.length === 0 ? '' : `; ${losers(event, names)}`;
  return `${finding(event, names)}${lost}`;
}

/** @param {any} event @param {Names} names */
function losers(event, names) {
  const told = listed(event.losers.map((/** @type {number} */ seat) => names.of(seat)));
  return `${told} ${event.losers.length > 1 || event.losers[0] === names.viewer ? 'lose' : 'loses'}`;
}

/** @param {any} event @param {Names} names @returns {string} What the dice said. */
export function finding(event, names) {
  if (event.kind === 'forfeit' || event.holds === null) return 'the round is settled without a count';
  if (event.kind === 'pass') {
    return event.holds
      ? `${names.whose(event.claimant)} dice all differ`
      : `${names.whose(event.claimant)} dice do not all differ`;
  }
  const there = `${event.count === 1 ? 'there is' : 'there are'} ${claimWords(event.count, event.face)}`;
  if (event.kind === 'spot_on') return event.holds ? `${there}, exactly` : `${there}, not ${inWords(event.quantity)}`;
  return `${there}: ${names.whose(event.claimant)} bid ${event.holds ? 'holds' : 'falls'}`;
}

/** @type {Telling} */
function posted(event, names) {
  const { from, to, amount, unit } = event;
  const what = amountWords(amount, unit);
  if (unit === 'die') {
    if (typeof from === 'number') return `${names.does(from, 'loses', 'lose')} ${what}`;
    return from === 'bank' ? '' : `${names.does(to, 'gets', 'get')} ${what} back`;
  }
  if (unit === 'drink') return typeof to === 'number' ? `${names.does(to, 'takes', 'take')} ${what}` : '';
  if (typeof from !== 'number')
    return from === 'bank' ? '' : `${names.does(to, 'takes', 'take')} ${what} from the ${from}`;
  return `${names.does(from, 'pays', 'pay')} ${what} to ${typeof to === 'number' ? names.of(to) : `the ${to}`}`;
}
