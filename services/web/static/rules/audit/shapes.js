/**
 * The members of every event, exactly: nothing more, nothing less, each of its kind.
 * A shape is a question about a JSON value. The chain and the dice are seen to before; here it is the game's events.
 */

/** @typedef {((value: any) => boolean) & {members?: Record<string, Shape>}} Shape `members` are those of an object. */

/** @type {Shape} */
export const whole = (value) => Number.isInteger(value);
/** @type {Shape} */
export const text = (value) => typeof value === 'string';
/** @type {Shape} */
export const truth = (value) => typeof value === 'boolean';
/** @type {Shape} */
export const object = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** @param {...unknown} values @returns {Shape} */
export const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
/** @param {number} least @param {number} most @returns {Shape} */
export const within = (least, most) => (value) => whole(value) && value >= least && value <= most;
/** @param {Shape} shape @returns {Shape} */
export const maybe = (shape) =>
  Object.assign((/** @type {any} */ value) => value === null || shape(value), { members: shape.members });
/** @param {Shape} shape @returns {Shape} */
export const list = (shape) => (value) => Array.isArray(value) && value.every(shape);
/** @param {...Shape} shapes @returns {Shape} */
const row =
  (...shapes) =>
  (value) =>
    Array.isArray(value) && value.length === shapes.length && shapes.every((shape, at) => shape(value[at]));

/** @param {...Shape} shapes @returns {Shape} */
const either =
  (...shapes) =>
  (value) =>
    shapes.some((shape) => shape(value));

/** @param {Record<string, Shape>} shapes @returns {Shape} */
export const members = (shapes) =>
  Object.assign(
    (/** @type {any} */ value) =>
      object(value) &&
      Object.keys(value).length === Object.keys(shapes).length &&
      Object.entries(shapes).every(([name, shape]) => Object.hasOwn(value, name) && shape(value[name])),
    { members: shapes },
  );

/** @param {Record<string, Shape>} shapes @param {Record<string, Shape>} more That may be there. @returns {Shape} */
const withSome = (shapes, more) => (value) => {
  const there = Object.entries(more).filter(([name]) => object(value) && Object.hasOwn(value, name));
  return members({ ...shapes, ...Object.fromEntries(there) })(value);
};

/**
 * @param {any} value
 * @param {Shape} shape
 * @returns {boolean} Whether it has no member that the shape has not, and so on inwards; what is no object has none.
 */
export function namesKnown(value, { members: wanted }) {
  if (wanted === undefined || !object(value)) return true;
  const known = (/** @type {string} */ name) => Object.hasOwn(wanted, name) && namesKnown(value[name], wanted[name]);
  return Object.keys(value).every(known);
}

const seats = list(whole);
const nothing = members({});
const seat = members({ seat: whole });
/** @type {Shape} */
const account = (value) => whole(value) || text(value);
const address = row(whole, whole);
const logged = members({ deal: whole, index: whole, path: list(text), checkpoint: text });
const handled = { outside: list(whole), roll_inside: list(whole), roll_outside: list(whole) };
const choice = withSome({ roll: whole, ...handled }, { salt: text });
const handling = row(whole, text, members({ ...handled, inside: list(whole) }));
const verdicts = oneOf(
  ...['challenge', 'auto_challenge', 'spot_on', 'pass', 'count', 'catch', 'five_aces'],
  ...['social', 'reverse', 'impose', 'forfeit'],
);

const ends = oneOf('host', 'expired', 'unattended');
/** Why a host does something. */
const reason = oneOf('away', 'asked', 'conduct', 'trouble', 'break', 'other');

/** @type {Record<string, Shape>} */
const POWERS = {
  'game.kicked': members({ seat: whole, reason }),
  'game.paused': members({ reason, until: whole }),
  'game.resumed': members({ why: oneOf('host', 'limit') }),
  'game.time_given': members({ seat: whole, ms: whole, reason }),
  'game.handed_over': members({ to: whole }),
  'game.locked': nothing,
  'game.unlocked': nothing,
  'game.stood_in': members({ seat: whole, why: oneOf('host', 'seat', 'idle') }),
  'game.taken_back': members({ seat: whole, why: oneOf('host', 'seat') }),
};

/** @type {Record<string, Shape>} */
const COURSE = {
  'match.created': members({ match: text, rules: object, policy: oneOf('all', 'shown') }),
  'seat.joined': withSome({ seat: whole, player: text }, { key: text, name: text }),
  'seat.keyed': members({ seat: whole, key: text, by: oneOf('seat', 'host') }),
  'seat.left': members({ seat: whole, reason: text }),
  'game.seed_custody': members({ seat: whole, by: oneOf('server', 'client') }),
  'game.started': members({ seats }),
  'game.continued': seat,
  'game.seat_ready': seat,
  'game.last_round': nothing,
  'game.stopped': members({ line: within(0, Number.MAX_SAFE_INTEGER) }),
  'deal.shared': members({ deal: within(0, 65_535), board: text, root: text, mix: text, head: text }),
  'game.released': members({ board: text, seq: within(0, Number.MAX_SAFE_INTEGER), head: text }),
  'game.end_asked': either(members({ why: ends }), members({ why: ends, reason })),
  'match.ended': members({ winner: maybe(whole) }),
  'deal.committed': members({ deal: whole, cups: list(row(whole, whole, whole, whole)), root: text }),
  'seed.committed': members({ deal: whole, seat: whole, commit: text }),
  'deal.sealed': members({ deal: whole, seats, beacon: maybe(members({ chain: text, round: whole })) }),
  'deal.logged': logged,
  'seed.opened': members({ deal: whole, seat: whole, seed: text }),
  'deal.fixed': logged,
  'deal.ready': members({
    deal: whole,
    mix: text,
    beacon: maybe(members({ chain: text, randomness: text, round: whole, signature: text })),
  }),
  'deal.voided': members({ deal: whole, reason: text, seats }),
  'deal.closed': withSome({ deal: whole, secret: maybe(text) }, { handled: list(handling) }),
};

/** @type {Record<string, Shape>} */
const PLAY = {
  'cup.rolled': members({ deal: whole, cup: whole, roll: whole, slots: list(whole), m: list(whole) }),
  'cup.revealed': members({
    deal: whole,
    cup: whole,
    roll: whole,
    com: list(text),
    path: list(text),
    keys: list(row(whole, text)),
    values: list(row(whole, whole)),
  }),
  'game.first_drawn': seat,
  'game.bout_set': members({ seats: row(whole, whole), order: seats, through: seats }),
  'game.round_opened': members({ round: whole, starter: whole }),
  'game.first_chosen': members({ seat: whole, who: whole }),
  'game.bid': members({ seat: whole, quantity: whole, face: whole }),
  'game.called': members({ seat: whole, shape: text, faces: list(whole), beats: truth }),
  'game.accepted': seat,
  'game.challenged': seat,
  'game.spot_on_called': seat,
  'game.passed': seat,
  'game.arranged': members({
    seat: whole,
    cup: whole,
    outside: list(address),
    taken: list(address),
    roll_inside: whole,
    roll_outside: whole,
    roll: maybe(whole),
    choice: maybe(text),
  }),
  'game.choices_revealed': members({ cup: whole, choices: list(choice) }),
  'game.timed_out': seat,
  'game.absent': members({ seat: whole, turns: whole }),
  'game.returned': seat,
  'game.forfeited': members({ seat: whole, reason: text }),
  'game.judged': members({
    kind: verdicts,
    claimant: maybe(whole),
    quantity: maybe(whole),
    face: maybe(whole),
    shape: maybe(text),
    faces: maybe(list(whole)),
    doubters: seats,
    holds: maybe(truth),
    count: maybe(whole),
    out_of_turn: truth,
    winners: seats,
    losers: seats,
  }),
  'game.posted': members({ unit: text, from: account, to: account, amount: whole }),
  'game.eliminated': seat,
  'game.round_closed': members({ next_starter: maybe(whole), flags: list(text) }),
  'game.won': seat,
  'game.lost': seat,
  'game.session_closed': nothing,
  'game.clock_set': members({ seat: whole, bank_ms: whole, due_at: maybe(whole) }),
};

/** @type {Record<string, Shape>} */
const INTERLUDES = {
  'game.declared': members({ seat: whole, special: oneOf('social', 'reverse', 'impose'), to: maybe(whole) }),
  'game.direction_turned': nothing,
  'game.caught': seat,
  'game.surrounded': seat,
  'game.count_asked': seat,
  'game.counted': members({ seat: whole, count: whole }),
  'game.bills_demanded': seat,
  'game.chase_begun': seat,
  'game.chase_stopped': seat,
  'game.looked': seat,
  'game.cocked_called': members({ seat: whole, quantity: whole, face: whole }),
  'game.cocked_shown': seat,
  'game.buying_opened': seat,
  'game.bought_back': seat,
  'game.dropped_out': seat,
  'game.slips_dealt': nothing,
  'game.slip_advanced': members({ odd: seats, position: maybe(whole) }),
  'game.stake_set': members({ basic: whole, effective: whole }),
};

/** @type {Map<string, Shape>} By the type of the event. */
export const SHAPES = new Map(Object.entries({ ...COURSE, ...POWERS, ...PLAY, ...INTERLUDES }));

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean} Whether two JSON values have the same canonical line.
 */
export function equal(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]))
  );
}
