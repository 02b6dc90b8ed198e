/**
 * Lines that the server has dated otherwise than witnesses say: `at` is the server's word, and witnesses bound it.
 *
 * What a checkpoint holds was there before a witness signed it, and what holds a checkpoint came after. A line that is
 * more than a minute off is no fault of the record; an audit says which they are (CUP/1 section 4.14.7). Of witnesses of
 * one checkpoint whose clocks differ the one counts that blames the server less.
 */

/** @typedef {import('./audit.js').Line} Line */
/** @typedef {{seq: number, seen: Map<string, bigint>}} Witnessed A line, from 0, that a checkpoint of a record holds, and
 *   who has seen that when, in Unix seconds. */

const OFF_MS = 60_000;
const HOLDING = new Set(['deal.logged', 'deal.fixed']);

/** @param {Witnessed} witnessed In milliseconds. */
const times = ({ seen }) => [...seen.values()].map((at) => Number(at) * 1_000);

/**
 * @param {Line[]} lines
 * @param {Witnessed[]} witnessed What its checkpoints say, in their order: those that stand in lines, and the one of the
 *   proof behind.
 * @returns {number[]} The lines, from 1, that are more than a minute off the times of witnesses around them.
 */
export function misdatedLines(lines, witnessed) {
  const holding = lines.filter(({ kind }) => HOLDING.has(kind));
  const after = new Map(holding.map(({ number }, which) => [number, Math.min(...times(witnessed[which]))]));
  const before = new Map(witnessed.map((each) => [each.seq + 1, Math.max(...times(each))]));
  const off = new Set();
  let least = -Infinity;
  for (const { number, at } of lines) {
    const seen = after.get(number) ?? -Infinity;
    if (Number.isFinite(seen)) least = Math.max(least, seen);
    if (at < least - OFF_MS) off.add(number);
  }
  let most = Infinity;
  for (const { number, at } of [...lines].reverse()) {
    const seen = before.get(number) ?? Infinity;
    if (Number.isFinite(seen)) most = Math.min(most, seen);
    if (at > most + OFF_MS) off.add(number);
  }
  return [...off].sort((one, other) => one - other);
}
