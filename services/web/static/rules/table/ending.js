/** The end of a round: with who opens the next one, with the next bout where two play at a time, or with the match. */
import { posted } from './settling.js';
import { after, balance, remaining, waiting } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Event} Event */

/** @param {number[]} seats @param {number[]} order @param {number[]} through @returns {Event} */
const boutSet = (seats, order, through) => ({ type: 'game.bout_set', data: { seats, order, through } });
/** @param {number | null} next @param {string[]} flags @returns {Event} */
const roundClosed = (next, flags) => ({ type: 'game.round_closed', data: { next_starter: next, flags } });
/** @param {number} seat @returns {Event} */
const won = (seat) => ({ type: 'game.won', data: { seat } });

/**
 * @param {State} state
 * @param {any} judged
 * @param {boolean} firstFall Whether a seat is down to one die as never before.
 * @returns {Event[]} The end of the round or of the match.
 */
export function closed(state, judged, firstFall) {
  const champion = championOf(state);
  if (champion === null) return [roundEnd(state, judged, firstFall)];
  return state.bout === null ? [won(champion)] : afterBout(state, champion);
}

/** @param {State} state @param {any} judged @param {boolean} firstFall @returns {Event} */
function roundEnd(state, judged, firstFall) {
  const { match } = state.rules;
  if (match.firstOutEnds && state.out.length) return { type: 'game.lost', data: { seat: state.out[0] } };
  if (state.phase === 'between_rounds' || (state.phase === 'to_roll' && state.standing === null)) {
    // A seat that leaves between two rounds changes nothing of the next one, but that it cannot open it.
    return roundClosed(stillIn(state, state.nextStarter), state.flags);
  }
  return roundClosed(stillIn(state, nextStarter(state, judged)), match.palifico && firstFall ? ['palifico'] : []);
}

/** @param {State} state @returns {number | null} */
function championOf(state) {
  const { match } = state.rules;
  const still = remaining(state);
  if (match.firstOutEnds && state.seats.length > still.length && still.length > 1) return null;
  const winner = match.wins === null ? undefined : still.find((seat) => balance(state, 'win', seat) >= match.wins);
  return winner ?? (still.length === 1 ? still[0] : null);
}

/** @param {State} state @param {any} judged @returns {number | null} */
function nextStarter(state, { kind, claimant, doubters, winners, losers, holds }) {
  const start = state.rules.match.nextStart;
  if (start === 'letters') return null;
  if (['social', 'reverse', 'impose'].includes(kind)) return claimant;
  if (kind === 'catch') return doubters[0];
  if (kind === 'five_aces' && !winners.length) return state.starter;
  if (start === 'winner' && winners.length) return winners[0];
  if (start === 'claimant' && claimant !== null) return claimant;
  if (start === 'doubter' && doubters.length) return doubters[0];
  if (kind === 'spot_on' && holds && claimant !== null) return claimant;
  // Of several doubters who lose together the first after the claimant opens.
  return (losers.includes(doubters[0]) ? doubters[0] : losers[0]) ?? state.starter;
}

/** @param {State} state @param {number | null} seat */
const stillIn = (state, seat) => (seat === null || remaining(state).includes(seat) ? seat : after(state, seat));

// ---- two at a time ----

/** @param {number[]} order @returns {Event} The first bout: the first two of the order. */
export const firstBout = (order) => boutSet(order.slice(0, 2), order, []);

/** @param {State} state @param {number} winner @returns {Event[]} */
function afterBout(state, winner) {
  const bout = /** @type {number[]} */ (state.bout);
  const byNumber = [...bout].sort((one, other) => one - other);
  const wiped = byNumber.filter((seat) => balance(state, 'win', seat));
  const written = [
    posted('match', 'box', winner, 1),
    ...wiped.map((seat) => posted('win', seat, 'box', balance(state, 'win', seat))),
  ];
  const chouette = state.rules.match.bouts === 'chouette';
  const lost = chouette ? [] : bout.filter((seat) => seat !== winner && !state.out.includes(seat));
  const eliminated = lost.map((seat) => ({ type: 'game.eliminated', data: { seat } }));
  const next = chouette ? nextChouette(state, bout, winner) : nextPair(state, winner);
  return [...written, ...eliminated, ...(next === null ? [won(winner)] : [next, roundClosed(null, [])])];
}

/** The winner stays, the loser joins the end, the first who waits sits down. */
/** @param {State} state @param {number[]} bout @param {number} winner @returns {Event | null} */
function nextChouette(state, bout, winner) {
  const loser = /** @type {number} */ (bout.find((seat) => seat !== winner));
  const [challenger, ...queue] = [...waiting(state), loser];
  const seats = winner === bout[0] ? [bout[0], challenger] : [challenger, bout[1]];
  const order = [...seats, ...queue].filter((seat) => !state.out.includes(seat));
  return order.length === 1 ? null : boutSet(order.slice(0, 2), order, []);
}

/** @param {State} state @param {number} winner @returns {Event | null} Null where the winner is the champion. */
function nextPair(state, winner) {
  let [order, through] = [state.order, [...state.through, winner]];
  while (order.length > 1) {
    const paired = Math.floor(order.length / 2) * 2;
    for (let at = 2 * through.length; at < paired; at += 2) {
      const pair = order.slice(at, at + 2);
      const left = pair.filter((seat) => !state.out.includes(seat));
      if (left.length === 2) return boutSet(pair, order, through);
      // Where both have left, either stands for both, and is passed over again in the next round.
      through = [...through, left[0] ?? pair[0]];
    }
    // Whoever had a bye goes first, so that nobody has two in a row.
    [order, through] = [[...order.slice(paired), ...through], []];
  }
  return null;
}
