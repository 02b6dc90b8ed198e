/**
 * Runs the referee of the pages over records: one as JSON a line of standard input, its ruling on a line of output.
 * The folder of the rules is the first argument. A record may come with rules of a game that no page knows, `any`.
 */
import { createInterface } from 'node:readline';

const { replay } = await import(`${process.argv[2]}/audit/replay.js`);
const { GAMES } = await import(`${process.argv[2]}/games/all.js`);

for await (const told of createInterface({ input: process.stdin })) {
  const { record, rules } = JSON.parse(told);
  if (rules) GAMES.set('any', { options: () => true, agree: () => true, rules: () => rules });
  else GAMES.delete('any');
  const lines = record.map(({ type, data, at }, before) => ({ number: before + 1, kind: type, data, at }));
  process.stdout.write(`${JSON.stringify(replay(lines))}\n`);
}
