/**
 * What an audit says of signatures, seat by seat: what is proved, and what is the word of the house (CUP/1 4.14.8).
 *
 * `services/audit/seeds.py` chooses the same sentences for terminals and for the pages of the house.
 */

import { CATALOGUE, countNoun, joinNames, say } from './catalogue.js';

/** @typedef {import('../auditor/verdict.js').Verdict} Verdict */
/** @typedef {import('./catalogue.js').Facts} Facts */
/** @typedef {{mark: 'yes' | 'open' | 'note', text: string}} Told */

/** @param {Verdict} verdict @returns {Told[]} */
export function signatures({ seats, keyless }) {
  if (keyless === null) return [];
  const keyed = Object.entries(seats ?? {});
  const words = CATALOGUE.audit.signed;
  const any = keyed.length > 0 ? 'yes' : 'no';
  const commands = countNoun(
    keyed.reduce((sum, [, { signed }]) => sum + signed, 0),
    'command',
  );
  const those = seatFacts(keyed.map(([seat]) => Number(seat)));
  return [
    ...(keyed.length > 0 ? [told('yes', words.all, { ...those, commands })] : []),
    ...keyed.flatMap(([seat, { clock, recovered }]) => [
      ...(clock > 0 ? [told('note', words.clock, { seat, times: String(clock) })] : []),
      ...recovered.map((seq) => told('note', words.recovered, { seat, line: String(seq + 1) })),
    ]),
    ...(keyless.length > 0 ? [told('open', words.keyless, { ...seatFacts(keyless), any })] : []),
  ];
}

/** @param {import('../auditor/verdict.js').Seeds} seeds @returns {string} Who drew seeds of their own: of whom a signature
 *   says so, and of whom the record. */
export function ownSeeds({ own, server, unseeded, signed }) {
  const words = CATALOGUE.audit.seeds;
  const said = own.filter((seat) => !signed.includes(seat));
  const others = server.length === 0 ? '' : say(words.others, { server: numbered('seats', server) });
  const facts = { own: numbered('seats', said), 'own.number': String(said.length), others };
  const rest = say(unseeded.length > 0 ? words.some : words.own, { ...facts, deals: numbered('deals', unseeded) });
  return signed.length > 0 ? `${say(words.signed, seatFacts(signed))} ${rest}` : rest;
}

/** @param {'seats' | 'deals'} noun @param {number[]} numbers @returns {string} Such as "seats 1 and 2". */
export const numbered = (noun, numbers) =>
  say(CATALOGUE.audit[noun], { [noun]: joinNames(numbers.map(String)), [`${noun}.number`]: String(numbers.length) });

/** @param {Told['mark']} mark @param {any} message @param {Facts} facts @returns {Told} */
const told = (mark, message, facts) => ({ mark, text: say(message, facts) });

/** @param {number[]} seats @returns {Facts} */
export const seatFacts = (seats) => ({ seats: numbered('seats', seats), 'seats.number': String(seats.length) });
