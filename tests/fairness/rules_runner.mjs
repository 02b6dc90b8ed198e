/**
 * Runs the referee of the pages over records: one as JSON a line of standard input, its ruling on a line of output.
 * The address of the referee is the first argument. What only draws finds the smallest of stages here.
 */
import { createInterface } from 'node:readline';

globalThis.HTMLElement = class {};
globalThis.document = { createComment: () => ({}), createTreeWalker: () => ({}) };

const { rule } = await import(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const record = JSON.parse(line);
  const lines = record.map(({ type, data, at }, before) => ({ number: before + 1, type, data, at }));
  process.stdout.write(`${JSON.stringify(rule(lines))}\n`);
}
