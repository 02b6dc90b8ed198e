/** Liar's poker: the games on serial numbers. */
import { members, oneOf, truth, within } from '../audit/shapes.js';
import { chips, digits } from './kinds.js';
import * as made from './rules.js';

const SEATS = [2, 12];
const starter = oneOf('final_bidder', 'letters');

const SALOMON = members({
  digit_order: digits,
  rebid: truth,
  stake: chips,
  n_plus_three: truth,
  sixes: truth,
  hero: truth,
  skunk: truth,
  progressive: truth,
  numbers: oneOf('bills', 'slips'),
  slip_length: within(1, 100),
  slip_plays: within(1, 100),
  final_double: truth,
  reveal: oneOf('counts', 'full'),
  single_use: truth,
  next_starter: starter,
});

/** @param {string} begins */
const starts = (begins) =>
  made.matchEnd({ nextStart: begins === 'final_bidder' ? 'claimant' : 'letters', first: 'letters' });

/** @param {any} options */
function salomon(options) {
  const { n_plus_three: nPlusThree, sixes, hero, skunk, progressive } = options;
  const slips = {
    kind: 'slips',
    length: options.slip_length,
    plays: options.slip_plays,
    finalDouble: options.final_double,
  };
  return made.rules({
    seats: SEATS,
    tokens: made.serials(options.single_use),
    claims: made.counting({ rank: options.digit_order }),
    doubt: made.doubt({ who: 'all', rebid: options.rebid }),
    reveal: made.reveal({ shows: options.reveal === 'full' ? 'all' : 'counts' }),
    settlers: [made.payEach(options.stake, { nPlusThree, sixes, hero, skunk, progressive })],
    match: starts(options.next_starter),
    interludes: options.numbers === 'slips' ? [slips] : [],
  });
}

/** @param {any} options */
const salomonAgrees = (options) =>
  options.slip_plays <= options.slip_length &&
  !(options.single_use && (options.reveal !== 'full' || options.numbers === 'slips'));

const WIZARD = members({ digit_order: digits, stake: chips, next_starter: starter });

/** @param {any} options */
const wizard = (options) =>
  made.rules({
    seats: SEATS,
    tokens: made.serials(),
    claims: made.counting({ rank: options.digit_order }),
    doubt: made.doubt({ who: 'all' }),
    reveal: made.reveal({ shows: 'counts', onDemand: true }),
    settlers: [made.payEach(options.stake)],
    match: starts(options.next_starter),
  });

const DOLLAR = members({ digit_order: digits, stake: chips });

/** @param {any} options */
const dollar = (options) =>
  made.rules({
    seats: SEATS,
    tokens: made.serials(true),
    claims: made.counting({ rank: options.digit_order }),
    doubt: made.doubt({ who: 'all' }),
    settlers: [made.payEach(options.stake)],
    match: starts('final_bidder'),
  });

/** By name: the shape of the options, whether they agree with each other, the rules they come to. */
export const SERIALS = {
  liars_poker: { options: SALOMON, agree: salomonAgrees, rules: salomon },
  liars_poker_wizard: { options: WIZARD, agree: () => true, rules: wizard },
  dollar_bill: { options: DOLLAR, agree: () => true, rules: dollar },
};
