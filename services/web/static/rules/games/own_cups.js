/** The games in which every seat has a cup of its own. */
import { maybe, members, oneOf, truth, within } from '../audit/shapes.js';
import { chips, lastThrow, lifted, natural, pokerDice, starter, wild, wins } from './kinds.js';
import * as made from './rules.js';

/** A cocked die is one in so many. */
const COCKED_ONE_IN = 36;
const few = within(0, 100);

const DRINKS = members({
  basis: oneOf('round', 'die', 'difference'),
  base: few,
  elimination: few,
  ghost_per_round: few,
  wrong_out_of_turn_factor: few,
  wrong_spot_on_factor: few,
});

const COMMON_HAND = members({
  dice_per_player: within(1, 10),
  elimination: oneOf('lose_die', 'none'),
  next_starter: starter,
  system: oneOf('face_first', 'quantity_first', 'highest_number', 'product', 'no_decrease'),
  wild,
  bid_aces: oneOf('auto', 'no', 'as_ones', 'half_double'),
  palifico: truth,
  challenge_by: oneOf('next', 'anyone'),
  pass_once: truth,
  push: truth,
  spot_on: truth,
  spot_on_win: oneOf('others_lose', 'bidder_loses', 'regain', 'nothing'),
  spot_on_fail_dice: within(0, 10),
  stakes: oneOf('none', 'winner_take_all', 'per_round'),
  wager: chips,
  drinks: maybe(DRINKS),
});

/** @param {any} options */
const drinks = ({ basis, base, elimination, ...more }) =>
  made.drinks({
    basis,
    base,
    elimination,
    ghostPerRound: more.ghost_per_round,
    wrongOutOfTurnFactor: more.wrong_out_of_turn_factor,
    wrongSpotOnFactor: more.wrong_spot_on_factor,
  });

/** @param {any} options */
function commonHandSettlers(options) {
  const loses = options.elimination === 'lose_die';
  const most = options.dice_per_player;
  return [
    ...(loses ? [{ kind: 'lose_die', spotOnFail: options.spot_on_fail_dice, most }] : []),
    ...(options.stakes === 'per_round' ? [{ kind: 'wager', amount: options.wager }] : []),
    ...(options.stakes === 'winner_take_all' ? [made.pot(options.wager)] : []),
    ...(options.drinks === null ? [] : [drinks(options.drinks)]),
  ];
}

/** @param {any} options */
function commonHand(options) {
  const aces = options.wild === 'always' ? 'no' : 'as_ones';
  return made.rules({
    seats: [2, 10],
    tokens: made.ownCups(options.dice_per_player),
    claims: made.counting({
      order: options.system,
      wild: options.wild,
      aces: options.bid_aces === 'auto' ? aces : options.bid_aces,
    }),
    doubt: made.doubt({
      who: options.challenge_by,
      spotOn: options.spot_on,
      spotOnWin: options.spot_on_win,
      passOnce: options.pass_once,
    }),
    handling: made.handling(options.push ? { law: 'push', limit: 1, opener: 'anything' } : {}),
    settlers: commonHandSettlers(options),
    match: made.matchEnd({
      unit: options.elimination === 'lose_die' ? 'die' : null,
      nextStart: options.next_starter,
      palifico: options.palifico,
    }),
  });
}

/** @param {any} options */
const commonHandAgrees = (options) =>
  (options.elimination === 'none' ? options.stakes !== 'winner_take_all' : options.stakes !== 'per_round') &&
  (options.drinks?.basis !== 'die' || options.elimination === 'lose_die');

const INDIVIDUAL_HAND = members({
  dice: pokerDice,
  ace_high: truth,
  rerolls: within(1, 10),
  reroll_scope: oneOf('turn', 'round'),
  on_last_reroll: lastThrow,
  wins_needed: wins,
  next_starter: starter,
  reveal: lifted,
});

/** @param {any} options */
const individualHand = (options) =>
  made.rules({
    seats: [2, 2],
    tokens: made.ownCups(5, options.dice === 'poker' ? made.POKER : made.PIPS),
    claims: made.rungs('hoyle', { aceHigh: options.ace_high }),
    handling: made.handling({
      law: 'any_hidden',
      limit: options.rerolls,
      per: options.reroll_scope,
      lastForces: options.on_last_reroll === 'auto_challenge',
    }),
    reveal: made.reveal({ shows: options.reveal === 'both' ? 'all' : 'accused' }),
    settlers: [made.tally('win')],
    match: made.matchEnd({ wins: options.wins_needed, nextStart: options.next_starter }),
  });

const GERMAN = members({
  dice: pokerDice,
  rerolls: within(0, 10),
  on_last_reroll: lastThrow,
  five_aces: truth,
  wins_needed: wins,
  next_starter: starter,
  reveal: lifted,
  format: oneOf('duel', 'chouette', 'knockout'),
});

/** @param {any} options */
function german(options) {
  const spotted = options.dice === 'spotted';
  const duel = options.format === 'duel';
  return made.rules({
    seats: duel ? [2, 2] : [3, 10],
    tokens: made.ownCups(5, spotted ? made.PIPS : made.POKER),
    claims: made.rungs('german', { aceHigh: spotted }),
    handling: made.handling({
      law: 'any_hidden',
      limit: options.rerolls,
      per: 'round',
      lastForces: options.on_last_reroll === 'auto_challenge',
    }),
    reveal: made.reveal({ shows: options.reveal === 'both' ? 'all' : 'accused' }),
    settlers: [made.tally('win')],
    match: made.matchEnd({
      wins: options.wins_needed,
      nextStart: options.next_starter,
      bouts: duel ? null : options.format,
    }),
    interludes: options.five_aces ? [{ kind: 'chase' }] : [],
  });
}

const BOSS = members({
  wild,
  natural_required: natural,
  mode: oneOf('one_challenges', 'all_challenge'),
  challenge_by: oneOf('anyone', 'next'),
  loser_may_muck: truth,
  hands_to_lose: within(1, 20),
  next_starter: starter,
  first: oneOf('boss_decides', 'high_roll'),
  cocked: truth,
  stakes: oneOf('none', 'drinks', 'money'),
  ante: chips,
  buy_back: truth,
  max_buy_backs: within(0, 20),
  doubles: truth,
});

/** @param {any} options */
const boss = (options) =>
  made.rules({
    seats: [2, 8],
    tokens: made.ownCups(5),
    claims: made.counting({ wild: options.wild, natural: options.natural_required }),
    doubt: made.doubt({ who: options.mode === 'all_challenge' ? 'all' : options.challenge_by }),
    reveal: made.reveal({ muck: options.loser_may_muck }),
    settlers: [made.tally('loss'), ...(options.stakes === 'money' ? [made.pot(options.ante, options.doubles)] : [])],
    match: made.matchEnd({
      unit: 'loss',
      outAt: options.hands_to_lose,
      firstOutEnds: options.stakes === 'drinks',
      nextStart: options.next_starter,
      first: options.first,
    }),
    interludes: [
      ...(options.buy_back ? [made.buying(options.max_buy_backs, options.ante)] : []),
      ...(options.cocked ? [{ kind: 'cocked', oneIn: COCKED_ONE_IN }] : []),
    ],
  });

/** @param {any} options */
const bossAgrees = (options) => options.stakes === 'money' || !(options.buy_back || options.doubles);

const STUD = members({ wild, natural_required: natural, wins_needed: wins, next_starter: starter });

/** @param {any} options */
const stud = (options) =>
  made.rules({
    seats: [2, 2],
    tokens: made.ownCups(5),
    claims: made.counting({ wild: options.wild, natural: options.natural_required }),
    handling: made.handling({
      law: 'show_one',
      limit: 1,
      binds: false,
      opener: 'anything',
      ownClaimFirst: true,
      showToClaim: true,
    }),
    settlers: [made.tally('win')],
    match: made.matchEnd({ wins: options.wins_needed, nextStart: options.next_starter }),
  });

/** By name: the shape of the options, whether they agree with each other, the rules they come to. */
export const OWN_CUPS = {
  common_hand: { options: COMMON_HAND, agree: commonHandAgrees, rules: commonHand },
  individual_hand: { options: INDIVIDUAL_HAND, agree: () => true, rules: individualHand },
  german_liar_dice: { options: GERMAN, agree: () => true, rules: german },
  boss_liars: { options: BOSS, agree: bossAgrees, rules: boss },
  stud_liars: { options: STUD, agree: () => true, rules: stud },
};
