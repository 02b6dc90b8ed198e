/**
 * Holds the same notes against the same records by auditors of which each lacks one check:
 * `node refusalless.js STATIC ASKS COPY ...`. Prints the folders of those whose every answer is that of the whole one.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [whole, asksFile, ...copies] = process.argv.slice(2);
const load = (folder, name) => import(pathToFileURL(`${folder}/${name}`).href);
const { audit, readPolicy } = await load(whole, 'auditor/audit.js');
const { replay } = await load(whole, 'rules/audit/replay.js');

async function story({ record, policy, notes }) {
  const believed = policy === null ? null : await readPolicy(policy);
  const { lines } = await audit(new Uint8Array(Buffer.from(record, 'base64')), believed);
  const moments = new Map();
  replay(lines, null, moments);
  return { lines, moments, notes, believed };
}

async function answers(folder, stories) {
  const { heldRefusals } = await load(folder, 'signing/refusals.js');
  return stories.map(({ lines, moments, notes, believed }) => {
    try {
      return JSON.stringify(heldRefusals(lines, moments, notes, believed));
    } catch (trouble) {
      return trouble.constructor.name;
    }
  });
}

const stories = await Promise.all(JSON.parse(readFileSync(asksFile, 'utf8')).map(story));
const expected = JSON.stringify(await answers(whole, stories));
const unnoticed = [];
for (const copy of copies) if (JSON.stringify(await answers(copy, stories)) === expected) unnoticed.push(copy);
console.log(JSON.stringify(unnoticed));
