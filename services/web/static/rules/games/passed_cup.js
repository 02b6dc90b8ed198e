/** The games in which one cup is passed from seat to seat. */
import { maybe, members, oneOf, truth, within } from '../audit/shapes.js';
import { lives, starter, wild } from './kinds.js';
import * as made from './rules.js';

const always = () => true;

const STANFORD = members({ rerolls: within(0, 10), lives: maybe(lives), next_starter: starter });

/** @param {any} options */
const stanford = (options) =>
  made.rules({
    seats: [2, 8],
    tokens: made.sharedCup(6),
    claims: made.rungs('stanford', { shorthand: true }),
    handling: made.handling({ law: 'free', limit: options.rerolls, opener: 'shows', keeps: true }),
    reveal: made.reveal({ shows: 'accused' }),
    settlers: [made.tally('loss')],
    match: made.matchEnd({
      unit: options.lives === null ? null : 'loss',
      outAt: options.lives ?? 0,
      nextStart: options.next_starter,
    }),
  });

const MEXICAN = members({
  ties_allowed: truth,
  claim_check: oneOf('server', 'next_player'),
  forty_one: oneOf('rank', 'impose'),
  finish_on_mexican: truth,
  false_catch_drinks: within(0, 100),
  next_starter: starter,
});

/** @param {any} options */
const mexican = (options) =>
  made.rules({
    seats: [2, 8],
    tokens: made.sharedCup(2),
    claims: made.rungs('mexican', {
      ties: options.ties_allowed,
      specials: options.forty_one === 'impose' ? ['social', 'reverse', 'impose'] : ['social', 'reverse'],
    }),
    doubt: made.doubt({ catch: options.claim_check === 'next_player', falseCatch: options.false_catch_drinks }),
    handling: made.handling({ gate: 'blind' }),
    reveal: made.reveal({ shows: 'accused' }),
    settlers: [made.tally('loss'), made.drinks({ finishOnTop: options.finish_on_mexican })],
    match: made.matchEnd({ nextStart: options.next_starter }),
  });

const FINSKA = members({
  may_rehide: truth,
  stake: within(1, 100),
  loser_pays: oneOf('pot', 'winner'),
  winner_keeps_pot: truth,
});

/** @param {any} options */
const finska = (options) =>
  made.rules({
    seats: [2, 10],
    tokens: made.sharedCup(5, made.POKER),
    claims: made.rungs('finska'),
    handling: made.handling({ law: 'finska', limit: 1, rehide: options.may_rehide, keeps: true }),
    reveal: made.reveal({ shows: 'accused' }),
    settlers: [
      made.tally('loss'),
      { kind: 'token', stake: options.stake, to: options.loser_pays, winnerTakes: options.winner_keeps_pot },
    ],
    match: made.matchEnd({ unit: 'token', nextStart: 'doubter' }),
  });

/**
 * @param {any} options
 * @param {number[]} seats
 * @param {number} dice
 * @param {object} claims
 * @param {string} law
 */
const livesLost = (options, seats, dice, claims, law) =>
  made.rules({
    seats,
    tokens: made.sharedCup(dice),
    claims,
    handling: made.handling({ law, limit: 1, keeps: true }),
    reveal: made.reveal({ shows: 'accused' }),
    settlers: [made.tally('loss')],
    match: made.matchEnd({ unit: 'loss', outAt: options.lives, nextStart: options.next_starter }),
  });

const BEAT_THIS = members({ wild, lives, next_starter: starter });
/** @param {any} options */
const beatThis = (options) =>
  livesLost(options, [2, 10], 5, made.rungs('kinds', { wild: options.wild }), 'all_or_none');

const SIX_SIX_SIX = members({ dice: within(2, 5), lives, next_starter: starter });
/** @param {any} options */
const sixSixSix = (options) => livesLost(options, [2, 8], options.dice, made.rungs('digits'), 'any_hidden');

const TWO_DICE = members({ order: oneOf('doubles_high', 'numeric'), lives, next_starter: starter });
/** @param {any} options */
const twoDice = (options) =>
  livesLost(options, [2, 8], 2, made.rungs(options.order === 'numeric' ? 'digits' : 'doubles_high'), 'all_or_none');

/** By name: the shape of the options, whether they agree with each other, the rules they come to. */
export const PASSED_CUP_GAMES = {
  stanford: { options: STANFORD, agree: always, rules: stanford },
  mexican: { options: MEXICAN, agree: always, rules: mexican },
  finska: { options: FINSKA, agree: always, rules: finska },
  beat_this: { options: BEAT_THIS, agree: always, rules: beatThis },
  six_six_six: { options: SIX_SIX_SIX, agree: always, rules: sixSixSix },
  two_dice_pass: { options: TWO_DICE, agree: always, rules: twoDice },
};
