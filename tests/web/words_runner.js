/**
 * Says what frames tell: one frame as JSON a line of standard input, its sentence as JSON on a line of output. The folder
 * of the words is the first argument, the language of the page the second. Names come without the marks that keep their
 * direction to themselves.
 */
import { createInterface } from 'node:readline';

const [folder, lang] = process.argv.slice(2);
Object.assign(globalThis, { document: { documentElement: { lang } } });
const { told } = await import(`${folder}/telling.js`);

for await (const line of createInterface({ input: process.stdin })) {
  const { event, view } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(told(event, view).replaceAll(/[\u2068\u2069]/g, ''))}\n`);
}
