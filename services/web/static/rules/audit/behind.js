/** The command behind an event of a record: what somebody must have asked for, or what was due, that this is the first of. */
import { inCeremony } from '../match/evolve.js';
import { choiceOf, diceOf, handful } from '../table/places.js';
import { PASSED_CUP, placeOf, sharesCup } from '../table/state.js';
import { Foul } from './foul.js';
import { ShownDealer } from './published.js';
import { equal } from './shapes.js';

/** @typedef {import('../match/evolve.js').Match} Match */
/** @typedef {import('../match/ceremony.js').Keeper} Keeper */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./replay.js').Replay} Replay */

/** @typedef {{record: Replay, match: Match, keeper: Keeper | null}} Moment Where the record stands. */

/** @param {Moment} moment @returns {number} */
const numberOf = ({ record }) => record.lines[record.next].number;

/** @param {any} event @param {Moment} moment @returns {Command} */
function join(event, { record }) {
  const [{ seat }, after] = [event, record.lines[record.next + 1]];
  return { kind: 'join', ...event, custody: after?.kind === 'game.seed_custody' && after.data.seat === seat };
}

/** @param {any} _event @param {Moment} moment @returns {Command} */
function start(_event, moment) {
  if (moment.match.table !== null) throw new Foul(numberOf(moment), 'the match had started before');
  return { kind: 'start', chance: moment.record.chance(moment.match) };
}

/** @param {any} _event @param {Moment} moment @returns {Command} Where a deal begins or ends. */
const advanceToDeal = (_event, { record, match }) => ({ kind: 'advance', chance: record.chance(match) });
/** @param {any} _event @param {Moment} moment @returns {Command} */
const advance = (_event, { record, match }) => ({ kind: 'advance', chance: record.lateChance(match) });

/** Too late in this deal, or spared the seeds of the next one. @param {any} event @param {Moment} moment */
const custody = (event, moment) => (inCeremony(moment.match) ? advance : advanceToDeal)(event, moment);

/** @param {any} event @param {Moment} moment @returns {Command} Who asked for the end. */
function endAsked({ why, reason }, moment) {
  if (why === 'host') return { kind: 'end_match', reason };
  return why === 'unattended' ? { kind: 'close_unattended' } : advance({}, moment);
}

/** Time ran out for a seat, or the log had a line too late for the beacon. @param {any} event @param {Moment} moment */
function voided(event, moment) {
  if (event.reason !== 'late') return advance(event, moment);
  const logged = moment.match.ceremony?.stage === 'logged';
  return { kind: logged ? 'fix_deal' : 'log_deal', deal: event.deal, index: 0, path: [], checkpoint: '' };
}

/** @param {any} event @param {Moment} moment @returns {Command} */
function ready({ deal, beacon }, moment) {
  if (beacon === null) throw new Foul(numberOf(moment), 'the deal waits for its beacon');
  return { kind: 'hear_beacon', deal, round: beacon.round, signature: beacon.signature };
}

/** @param {[number, number][]} some @param {[number, number][]} all */
const areAmong = (some, all) => some.every((at) => all.some((each) => equal(each, at)));

/**
 * The secret of the deal opens what was sealed (CUP/1 section 4.12).
 * @param {any} event
 * @param {Moment} moment
 * @returns {Command}
 */
function arrange(event, moment) {
  const { table, ceremony } = moment.match;
  const place = table?.places[event.cup];
  const mix = ceremony?.mix ?? null;
  /** @param {boolean} holds @param {string} why */
  const require = (holds, why) => {
    if (!holds) throw new Foul(numberOf(moment), why);
  };
  if (!table || !place || !moment.keeper || mix === null || placeOf(table, event.seat) !== place) {
    throw new Foul(numberOf(moment), 'nobody here has dice to handle');
  }
  const dealer = moment.keeper.dealer(mix);
  const before = handful(place, dealer);
  const fits = areAmong(event.outside, before.inside) && areAmong(event.taken, before.outside);
  require(fits, 'these dice do not lie there');
  const rolls = event.roll_inside + event.roll_outside;
  const counted = Math.min(event.roll_inside, event.roll_outside) >= 0 && rolls <= diceOf(place).length;
  const next = rolls ? (table.rolls[event.cup] ?? 0) : null;
  require(counted && event.roll === next, 'this is not the next roll of the cup');
  require(event.roll !== null || event.choice === null, 'nothing is rolled, and so nothing is sealed');
  const copied = event.choice !== null && moment.record.stands(event.choice, dealer.number);
  require(!copied, 'this seal stands in the deal before');
  if (dealer instanceof ShownDealer && dealer.suppose(before, event, place, moment.record.next)) {
    moment.record.unopened += 1;
  }
  const chosen = choiceOf(before, event, place, dealer);
  const rolled = [...chosen.roll_inside, ...chosen.roll_outside];
  const numbers = [...before.inside, ...before.outside];
  const hides = event.taken.map((/** @type {[number, number]} */ at) => numbers.findIndex((each) => equal(each, at)));
  return {
    kind: 'arrange',
    seat: event.seat,
    outside: chosen.outside,
    inside: hides.filter((/** @type {number} */ position) => !rolled.includes(position)),
    rollInside: chosen.roll_inside,
    rollOutside: chosen.roll_outside,
  };
}

/**
 * Where a cup is passed on, a roll opens a round; elsewhere the table does.
 * @param {any} event
 * @param {Moment} moment
 */
function roundOpened(event, moment) {
  const { table } = moment.match;
  return table !== null && sharesCup(table) ? { kind: 'roll', seat: event.starter } : advance(event, moment);
}

/** @param {any} event @param {Moment} moment @returns {Command} */
function rolled(event, moment) {
  const turn = moment.match.table?.turn ?? null;
  return event.cup === PASSED_CUP && turn !== null ? { kind: 'roll', seat: turn } : advance(event, moment);
}

/** @param {any} event @param {Moment} moment @returns {Command} Who asked for it; where nobody did, what was due. */
function resumed({ why }, moment) {
  return why === 'host' ? { kind: 'resume' } : advance({}, moment);
}

/** @param {string} kind @returns {(event: any) => Command} By a seat itself, or for it by the host. */
const forSeat = (kind) => (event) => ({ kind, [event.why === 'seat' ? 'seat' : 'who']: event.seat });

/** @param {string} kind @returns {(event: any) => Command} What hosts do to the seat of somebody. */
const toSeat =
  (kind) =>
  ({ seat, ...event }) => ({ kind, who: seat, ...event });

/** @param {any} event @param {Moment} moment @returns {Command} It was over at all tables before, and not judged here. */
function release(event, moment) {
  const { record, match } = moment;
  const why = record.order?.faultAtRelease(match, event, record.next) ?? '';
  if (why !== '') throw new Foul(numberOf(moment), why);
  return { kind: 'release_round', ...event };
}

/** @param {any} event @param {Moment} moment @returns {Command} */
function giveBack(event, { match }) {
  const due = match.clocks?.due ?? null;
  return { kind: 'give_back', ms: due === null || event.due_at === null ? 0 : event.due_at - due };
}

/** @param {string} kind @returns {(event: any) => Command} The members of the event are those of the command. */
const as = (kind) => (event) => ({ kind, ...event });

/** @param {any} event @returns {Command} */
function left({ seat, reason }) {
  if (reason === 'no_show') return { kind: 'leave_out', who: seat };
  return { kind: reason === 'rejoins' ? 'stand_up' : 'leave', seat };
}

/** @type {Record<string, (event: any, moment: Moment) => Command>} */
export const COMMANDS = {
  'seat.joined': join,
  'seat.left': left,
  'seat.keyed': ({ seat, key, by }) =>
    by === 'seat' ? { kind: 'rekey', seat, key } : { kind: 'name_key', who: seat, key },
  'game.started': start,
  'seed.committed': as('commit_seed'),
  'deal.logged': as('log_deal'),
  'seed.opened': as('open_seed'),
  'game.first_chosen': as('choose_first'),
  'game.bid': as('bid'),
  'game.called': as('call'),
  'game.declared': as('declare'),
  'game.accepted': as('accept'),
  'game.caught': as('catch'),
  'game.count_asked': as('count'),
  'game.bills_demanded': as('demand_bills'),
  'game.chase_stopped': as('stop'),
  'game.looked': as('look'),
  'game.cocked_called': as('bid'),
  'game.cocked_shown': as('show_cocked'),
  'game.bought_back': as('buy_back'),
  'game.dropped_out': as('drop_out'),
  'game.challenged': as('challenge'),
  'game.spot_on_called': as('spot_on'),
  'game.passed': as('pass'),
  'game.arranged': arrange,
  'game.forfeited': ({ seat }) => ({ kind: 'forfeit', seat }),
  'game.end_asked': endAsked,
  'game.continued': as('continue'),
  'game.seat_ready': as('ready'),
  'game.last_round': as('last_round'),
  'game.stopped': as('stop_match'),
  'deal.shared': as('share_deal'),
  'game.released': release,
  'game.kicked': toSeat('kick'),
  'game.paused': as('pause'),
  'game.resumed': resumed,
  'game.time_given': toSeat('give_time'),
  'game.handed_over': as('hand_over'),
  'game.locked': as('lock'),
  'game.unlocked': as('unlock'),
  'game.stood_in': forSeat('stand_in'),
  'game.taken_back': forSeat('take_back'),
  'match.ended': () => ({ kind: 'close_session' }),
  'game.session_closed': () => ({ kind: 'close_session' }),
  'game.clock_set': giveBack,
  'game.seed_custody': custody,
  'deal.voided': voided,
  'deal.fixed': as('fix_deal'),
  'deal.ready': ready,
  'deal.committed': advanceToDeal,
  'deal.closed': advanceToDeal,
  'cup.rolled': rolled,
  'game.round_opened': roundOpened,
  'game.slips_dealt': advance,
  'game.timed_out': advance,
  'game.absent': advance,
  'game.posted': advance,
};
