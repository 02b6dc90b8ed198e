/**
 * Commands that seats with keys signed, as the referee takes them (CUP/1 section 4.14.5).
 *
 * Layer 2 has seen to it that a line says what its signature does. Left to the rules are the members of a command that no
 * line has (a hand as it was named, who draws seeds, which dice), rolls, lines of no type that seats sign, and that a
 * signature stands where a command begins and nowhere else.
 */
import { positionsMessage } from '../../auditor/signing/messages.js';
import { hex, unhex } from '../../bytes.js';
import { hmac, sha256 } from '../../vendor/noble.js';
import { Foul, UNASKED } from './foul.js';

/** @typedef {import('../../auditor/audit.js').Line} Line */
/** @typedef {any} Asked A command as it is decided. */

const SALT = /^[0-9a-f]{64}$/;
/** That somebody has seen enough, or is there, has no form that could be signed: it is the word of the house. */
const FORMLESS = new Set(['continue', 'ready']);

/** @param {Line} line @returns {any} Its members without what opens the seals of seats: deciding knows nothing of these. */
export function bare({ kind, data }) {
  if (kind === 'deal.closed') return { deal: data.deal, secret: data.secret };
  if (kind !== 'game.choices_revealed') return data;
  return { ...data, choices: data.choices.map((/** @type {any} */ { salt: _, ...choice }) => choice) };
}

/** The signatures of a record, as far as it has come. */
export class Signatures {
  /** @param {Line[]} lines What deals have opened at their end is known from the beginning. */
  constructor(lines) {
    /** @type {Set<number>} */
    this.keyed = new Set();
    /** What was sealed of each roll of a cup, and what was asked for. @type {Map<string, {sealed: string, asked: Asked}>} */
    this.sealed = new Map();
    /** @type {Map<number, any>} Which dice, by the place of the line. */
    this.handled = new Map();
    for (const { kind, data } of lines) {
      if (kind !== 'deal.closed') continue;
      for (const [seq, , positions] of data.handled ?? []) this.handled.set(seq, positions);
    }
  }

  /** @param {Line} line @returns {Asked | null} A roll as it was signed, and dice as their seat had them sealed. */
  asked({ number, signed }) {
    if (signed === undefined) return null;
    if (signed.command.type === 'roll') return { kind: 'roll', seat: signed.seat };
    const dice = this.handled.get(number - 1);
    if (dice === undefined) return null;
    const { outside, inside, roll_inside: rollInside, roll_outside: rollOutside } = dice;
    return { kind: 'arrange', seat: signed.seat, outside, inside, rollInside, rollOutside };
  }

  /**
   * @param {Line} line The first that the command led to.
   * @param {Asked} command As the line says it.
   * @returns {Asked} As its seat signed it.
   */
  take(line, command) {
    const { signed, data } = line;
    if (command.kind === 'join') return this.#join(line, command);
    if (command.kind === 'arrange') {
      this.sealed.set(`${data.cup} ${data.roll}`, { sealed: signed?.command.sealed ?? '', asked: command });
    }
    if (signed !== undefined) return command.kind === 'call' ? { ...command, faces: signed.command.faces } : command;
    if (this.keyed.has(command.seat) && !FORMLESS.has(command.kind)) {
      const why = `seat ${command.seat} has a key, and has not signed what led to ${line.kind}`;
      throw new Foul(line.number, why, UNASKED);
    }
    return command;
  }

  /** @param {Line} line @param {Asked} command */
  #join({ signed, data }, command) {
    if (signed === undefined) {
      this.keyed.delete(data.seat);
      return command;
    }
    this.keyed.add(data.seat);
    return { ...command, custody: signed.command.custody === 'server' };
  }

  /** @param {Line} line Whose salts, if it has any, open what their seats had sealed. */
  checkOpened({ number, data: { cup, choices } }) {
    for (const { roll, salt } of choices) {
      const known = this.sealed.get(`${cup} ${roll}`);
      if (salt !== undefined && !(known !== undefined && opens(known, salt))) {
        throw new Foul(number, 'the salt opens nothing that a seat has sealed');
      }
    }
  }
}

/** @param {{sealed: string, asked: Asked}} known @param {string} salt */
const opens = ({ sealed, asked }, salt) => SALT.test(salt) && sealOf(salt, asked) === sealed;

/** @param {string} salt @param {Asked} asked @returns {string} What fixes which dice a seat handles. */
function sealOf(salt, { outside, inside, rollInside, rollOutside }) {
  const positions = { inside, outside, roll_inside: rollInside, roll_outside: rollOutside };
  return hex(hmac(sha256, unhex(salt), positionsMessage(positions)));
}
