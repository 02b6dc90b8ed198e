/** The course of one command: the events as they come about, and the match, the dealer and the secrets they lead to. */

import { Refused } from '../refused.js';
import { decide as decideAtTable } from '../table/decide.js';
import { nextDeal } from '../table/dice.js';
import { remaining } from '../table/state.js';
import { isAway } from './absence.js';
import { closed } from './ceremony.js';
import { NO_DICE } from './dealer.js';
import { evolve } from './evolve.js';

/** @typedef {import('./evolve.js').Match} Match */
/** @typedef {import('../table/state.js').Event} Event */
/** @typedef {import('../table/decide.js').Command} Command */
/** @typedef {import('./ceremony.js').Keeper} Keeper */

/** The events of one command as they come about, and the match they lead to. */
export class Course {
  /** @param {Match} match @param {number} at @param {Keeper | null} keeper @param {number | null} acting */
  constructor(match, at, keeper, acting) {
    this.match = match;
    this.at = at;
    this.keeper = keeper;
    this.acting = acting;
    /** @type {Event[]} */
    this.events = [];
  }

  /** @param {...Event} happened */
  add(...happened) {
    for (const event of happened) {
      this.match = evolve(this.match, event, this.at);
      this.events.push(event);
    }
  }

  get table() {
    return /** @type {import('../table/state.js').State} */ (this.match.table);
  }

  get ceremony() {
    return /** @type {import('./ceremony.js').Ceremony} */ (this.match.ceremony);
  }

  get held() {
    return /** @type {Keeper} */ (this.keeper);
  }

  get dealer() {
    const mix = this.match.ceremony?.mix ?? null;
    return mix === null ? NO_DICE : this.held.dealer(mix);
  }

  /** @param {Command} command */
  play(command) {
    this.add(...decideAtTable(this.table, command, this.dealer));
  }

  /**
   * Take a seat out. Nobody wins by being away: where that would be so, the match ends without a winner.
   * @param {Command} command
   * @param {any} dealer
   */
  forfeit(command, dealer) {
    const happened = [...decideAtTable(this.table, command, dealer)];
    const last = /** @type {Event} */ (happened.pop());
    const isEmpty = this.#isEmptyWin(command, last);
    this.add(...happened, isEmpty ? { type: 'game.session_closed', data: {} } : last);
  }

  /** @param {Command} command @param {Event} last */
  #isEmptyWin(command, { type, data }) {
    const { absence } = this.match;
    const leaver = Number(command.seat);
    // Nor by a kick, or a host could take out whoever stands better; nor where an official has ruled already.
    if (command.reason === 'kicked' || this.match.stopped) return type === 'game.won' || type === 'game.lost';
    if (absence === null) return false;
    if (type === 'game.won') return isAway(absence, data.seat);
    const others = remaining(this.table).some((seat) => seat in absence.turns && seat !== leaver);
    return type === 'game.lost' && !(leaver in absence.turns) && others;
  }

  /** Begin the next round, or close the deal where a number came up that was played before. */
  deal() {
    try {
      this.play({ kind: nextDeal(this.table) });
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      this.closeDeal();
    }
  }

  closeDeal() {
    this.add(closed(this.held, this.match.policy));
  }
}
