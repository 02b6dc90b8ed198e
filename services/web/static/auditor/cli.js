/**
 * The auditor without a page, for Node 18 and later: `node cli.js FILE --policy FILE [--layers 1,2] [--json]`.
 *
 * The access record of `match.cup` is looked for beside it, as `match.access`, or is named with `--access FILE`, and the
 * record of the board whose dice it shares as a file of its id; receipts are given with `--receipts FILE`, a file of names
 * with `--names FILE`. With `--batch` it reads one JSON object a line, {"id", "record": base64, "policy": text or null, "layers", "access": base64 or absent,
 * "board": base64 or absent, "names": base64 or absent, "receipts": notes or absent}, and answers each with one, in their order and as soon as it can. Exit: 0 fair, 1 at fault, 2 not
 * complete, 3 it could not be looked at.
 *
 * Hashes are made by noble, which is quicker here, and signatures are checked by WebCrypto; with `--noble` or
 * `--webcrypto` one of them does all of it, as in a page.
 */

import { webcrypto as own } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { readPolicy } from './audit.js';
import { Malformed } from './faults.js';
import { inNode, noble, webcrypto } from './hashing.js';
import { boardNamedIn } from './shared.js';
import { verdictOf } from './verdict.js';

const EXITS = { OK: 0, FAULT: 1, INCOMPLETE: 2 };
const CANNOT = 3;
const LAYERS = ['1', '1,2', '1,2,3'];
const AT_ONCE = 32;
/** @typedef {import('./hashing.js').Hashing} Hashing */
/** @typedef {[option: string, make: (subtle: SubtleCrypto) => Hashing | Promise<Hashing>]} Way */
const WAYS = new Map(
  /** @type {Way[]} */ ([
    ['--noble', noble],
    ['--webcrypto', webcrypto],
  ]),
);
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {string[]} given */
async function main(given) {
  const way = WAYS.get(given.find((option) => WAYS.has(option)) ?? '') ?? inNode;
  const hashing = await way(/** @type {SubtleCrypto} */ (own.subtle));
  if (given.includes('--batch')) return batch(hashing);
  const { files, policy, layers, json, access, receipts, names } = asked(given);
  const believed = policy === null ? null : await readPolicy(decoder.decode(readFileSync(policy)), hashing);
  let worst = 0;
  const notes = receipts === null ? [] : notesOf(decoder.decode(readFileSync(receipts)));
  for (const file of files) {
    const record = new Uint8Array(readFileSync(file));
    const called = names === null ? null : new Uint8Array(readFileSync(names));
    const beside = {
      access: accessOf(file, access, layers),
      receipts: notes,
      board: boardOf(file, record),
      names: called,
    };
    const found = await verdictOf(record, believed, { layers, hashing, beside });
    console.log(json ? JSON.stringify({ file, ...found }) : `${file}: ${spoken(found)}`);
    worst = [1, 2].find((code) => code === EXITS[found.status] || code === worst) ?? 0;
  }
  return worst;
}

/** @param {string[]} given */
function asked(given) {
  const files = [];
  /** @type {{policy: string | null, layers: number[], json: boolean, access: string | null, receipts: string | null,
   *   names: string | null}} */
  const found = { policy: null, layers: [1, 2, 3], json: false, access: null, receipts: null, names: null };
  const left = [...given];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--json') found.json = true;
    else if (word === '--policy') found.policy = left.shift() ?? '';
    else if (word === '--access') found.access = left.shift() ?? '';
    else if (word === '--receipts') found.receipts = left.shift() ?? '';
    else if (word === '--names') found.names = left.shift() ?? '';
    else if (word === '--layers') found.layers = layersOf(left.shift() ?? '');
    else if (WAYS.has(word)) continue;
    else if (word.startsWith('--')) throw new Malformed(`no such option: ${word}`);
    else files.push(word);
  }
  if (files.length === 0) throw new Malformed('usage: node cli.js FILE ... [--policy FILE] [--layers 1,2,3] [--json]');
  if (files.length > 1 && (found.access ?? found.receipts ?? found.names) !== null) {
    throw new Malformed('--access, --receipts and --names belong to one record');
  }
  return { files, ...found };
}

/**
 * @param {string} file
 * @param {string | null} named
 * @param {number[]} layers Only the rules tell who may know which dice: without them one is read if somebody names it.
 * @returns {Uint8Array | null} The access record that was named, or lies beside the record.
 */
function accessOf(file, named, layers) {
  const path = named ?? file.replace(/\.cup$/, '.access');
  const sought = named !== null || (layers.includes(3) && path !== file && existsSync(path));
  return sought ? new Uint8Array(readFileSync(path)) : null;
}

/** @param {string} file @param {Uint8Array} record @returns {Uint8Array | null} The record of its board, if it lies there. */
function boardOf(file, record) {
  const board = boardNamedIn(record);
  if (board === null) return null;
  const path = join(dirname(file), `${board}.cup`);
  return existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
}

/** @param {string} text A file of receipts, one after the other. */
function notesOf(text) {
  const found = text.split(/^(?=CUP1 (?:receipt|refusal|command)\n)/m).filter((note) => note.trim() !== '');
  const fits = found.length > 0 && found.every((note) => /^CUP1 (?:receipt|refusal|command)\n/.test(note));
  if (!fits) throw new Malformed('a file of receipts holds receipts, refusals and kept commands, and nothing else');
  return found.map((note) => `${note.trimEnd()}\n`);
}

/** @param {string} text */
function layersOf(text) {
  if (!LAYERS.includes(text)) throw new Malformed(`--layers takes one of these: ${LAYERS.join(' or ')}`);
  return text.split(',').map(Number);
}

/** @param {import('./verdict.js').Verdict} found */
function spoken({ status, code, line, message, rules, layers, seats, keyless }) {
  const of = code === 'E_ACCESS' ? ' of its access record' : '';
  const where = status === 'FAULT' ? ` ${code} ${line === 0 ? 'in the file as a whole' : `in line ${line}`}${of}` : '';
  const ruled = rules === null || !layers.includes(3) ? [] : [rules];
  return [`${status}${where}: ${message}`, ...ruled, ...signatures(seats ?? {}, keyless ?? [])].join('; ');
}

/** @param {NonNullable<import('./verdict.js').Verdict['seats']>} seats @param {number[]} keyless
 *  @returns {string[]} What is proved of the seats, and of whom nothing is (CUP/1 section 4.14.8). */
function signatures(seats, keyless) {
  const keyed = Object.entries(seats);
  const commands = keyed.reduce((sum, [, { signed }]) => sum + signed, 0);
  const clocks = keyed.filter(([, { clock }]) => clock > 0);
  const acted = clocks.map(
    ([seat, { clock }]) => `the clock acted ${clock === 1 ? 'once' : `${clock} times`} for seat ${seat}`,
  );
  const replaced = keyed.flatMap(([seat, { recovered }]) =>
    recovered.map((seq) => `the key of seat ${seat} was replaced by the host, as asked for in line ${seq + 1}`),
  );
  return [
    ...(keyed.length > 0
      ? [`all that ${they(keyed.map(([seat]) => seat))} said to have done is signed (${commands} commands)`]
      : []),
    ...acted,
    ...replaced,
    ...(keyless.length > 0 ? [`what ${they(keyless)} said to have done is the word of the server`] : []),
  ];
}

/** @param {(string | number)[]} seats */
const they = (seats) => (seats.length === 1 ? `seat ${seats[0]} is` : `seats ${seats.join(', ')} are`);

/** @param {import('./hashing.js').Hashing} hashing */
async function batch(hashing) {
  let said = Promise.resolve();
  let waiting = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const found = answered(JSON.parse(line), hashing);
    said = said.then(async () => void process.stdout.write(`${JSON.stringify(await found)}\n`));
    waiting += 1;
    if (waiting < AT_ONCE) continue;
    await said;
    waiting = 0;
  }
  await said;
  return 0;
}

/** @param {string} text In base64. */
const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'));

/** @param {string | undefined} text @returns {Uint8Array | null} */
const fileOf = (text) => (text ? bytes(text) : null);

/** @param {{id: unknown, record: string, policy: string | null, layers?: number[], access?: string, board?: string,
 *   receipts?: string[], names?: string}} ask
 *  @param {import('./hashing.js').Hashing} hashing */
async function answered({ id, record, policy, layers = [1, 2], access, board, receipts, names }, hashing) {
  try {
    const believed = policy === null ? null : await readPolicy(policy, hashing);
    const files = { access: fileOf(access), board: fileOf(board), names: fileOf(names) };
    const beside = { ...files, receipts };
    return { id, ...(await verdictOf(bytes(record), believed, { layers, hashing, beside })) };
  } catch (trouble) {
    return { id, status: trouble instanceof Malformed ? 'MALFORMED' : 'BROKEN', message: String(trouble) };
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (trouble) {
  console.error(`audit: ${trouble instanceof Error ? trouble.message : trouble}`);
  process.exitCode = CANNOT;
}
