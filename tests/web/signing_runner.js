/**
 * Does what the pages do with seats that sign: a question as JSON a line of standard input, its answer on a line of
 * output. The folder of the scripts is the first argument.
 */
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const { network } = await import(`${folder}/client/api.js`);
const { keepTokens } = await import(`${folder}/client/keep.js`);
const { recordLines } = await import(`${folder}/client/seeds.js`);
const { HeldLines } = await import(`${folder}/signing/held_lines.js`);
const { OwnLines } = await import(`${folder}/signing/own_lines.js`);
const { handlingForm, nameCommitment } = await import(`${folder}/signing/public_form.js`);
const { plainKey } = await import(`${folder}/signing/keys.js`);
const { Signer } = await import(`${folder}/signing/signer.js`);
const { standingOf } = await import(`${folder}/signing/standing.js`);

/** Told two at once, as a house tells more. */
const AT_ONCE = 2;

function linesBehind(path, record) {
  const after = Number(new URL(path, 'http://house').searchParams.get('after') ?? 0);
  const lines = record.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const told = lines.slice(after, after + AT_ONCE);
  const headers = told.length === AT_ONCE ? { Link: '</more>; rel="next"' } : {};
  return new Response(told.map((line) => `${line}\n`).join(''), { headers });
}

async function linesOf({ match, record }) {
  network.ask = async (path) => linesBehind(path, record);
  return new HeldLines(match).refresh();
}

/** What is asked for, and how many lines are held then or what is wrong, while a record comes to so many lines and changes. */
async function readInSteps(lines, { record, steps }) {
  const [asked, found] = [[], []];
  for (const [upto, change] of steps) {
    const told = record.split('\n').slice(0, upto).join('\n');
    network.ask = async (path) => {
      asked.push(path.split('/lines')[1]);
      return linesBehind(path, change === undefined ? told : told.replaceAll(...change));
    };
    try {
      found.push((await lines()).length);
    } catch (alarm) {
      found.push([alarm.kind, Number(alarm.facts.version)]);
    }
  }
  return [asked, found];
}

const DO = {
  name: ({ name, salt }) => nameCommitment(name, salt),
  sealed: ({ positions, salt }) => {
    const dice = Array.from({ length: 12 }, (_, slot) => [0, slot]);
    return handlingForm(positions, { cup: 1, inside: dice, outside: [] }, salt).sealed;
  },
  signed: async ({ secret, message }) => {
    const key = plainKey(secret);
    const signature = await key.sign(Buffer.from(message, 'hex'));
    return [key.key, Buffer.from(signature).toString('hex')];
  },
  standing: async (asked) => {
    const standing = standingOf(await linesOf(asked), asked.match, asked.seat);
    return standing && [standing.key, standing.n, standing.replaced];
  },
  look: async (asked) => {
    try {
      await new OwnLines(asked.seat, asked.joined).look(await linesOf(asked));
      return null;
    } catch (alarm) {
      return [alarm.kind, Number(alarm.facts.line)];
    }
  },
  held: ({ match, ...asked }) => {
    const held = new HeldLines(match);
    return readInSteps(() => held.refresh(), asked);
  },
  record: ({ match, ...asked }) => readInSteps(() => recordLines(match), asked),
  order: async ({ match, seat, record, secret, asks }) => {
    keepTokens(match, { keys: [{ secret }] });
    const sent = [];
    network.ask = async (path, { body }) => {
      if (path.includes('/lines')) return linesBehind(path, record);
      sent.push(JSON.parse(body));
      return new Response('{"version":1}');
    };
    const lines = new HeldLines(match);
    const signer = new Signer({ match, seat, token: 'token' }, lines);
    const { length: version } = await lines.refresh();
    try {
      for (const body of asks) await signer.order(body, { version, moves: [], cup: [], rules: {}, faces: [1, 6] });
    } catch (refusal) {
      return refusal.code;
    }
    return sent;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await DO[asked.do](asked))}\n`);
}
