/**
 * Says what frames tell, one after the other: one frame as JSON a line of standard input, its sentence as JSON on a line
 * of output. The folder of the words is the first argument, the language of the page the second. A frame says
 * itself whether it is told to whoever `opened` the match. Names come without the marks that keep their direction to
 * themselves.
 */
import { createInterface } from 'node:readline';

const [folder, lang] = process.argv.slice(2);
Object.assign(globalThis, { document: { documentElement: { lang } } });
const { told } = await import(`${folder}/telling.js`);

let before = null;
for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line);
  const text = told(frame.event, frame.view, before, frame.opened);
  process.stdout.write(`${JSON.stringify(text.replaceAll(/[\u2068\u2069]/g, ''))}\n`);
  before = frame;
}
