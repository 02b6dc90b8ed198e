/**
 * Runs auditors of which each lacks one check, over the same records: `node checkless.js ASKS COPY ...`.
 *
 * The first copy lacks nothing, and tells which checks each record comes by. Every other copy is given the records that
 * come by its check, until one of them is judged differently: first those that are like the last by which a copy was
 * noticed. Prints the folders of those that nobody noticed.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [asksFile, whole, ...copies] = process.argv.slice(2);
const asks = readFileSync(asksFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
let met = new Set();
// An auditor that lacks a check may stumble later, which is noticed where it is asked.
process.on('unhandledRejection', () => {});
globalThis.met = (site) => {
  met.add(site);
};

async function auditor(folder) {
  const load = async (name) => import(pathToFileURL(`${folder}/auditor/${name}.js`).href);
  return { ...(await load('audit')), hashing: await load('hashing') };
}

// What lacks a check may never answer, which is noticed too.
async function answered(promise) {
  const late = new Promise((_, refuse) => {
    setTimeout(() => refuse(new RangeError('no answer')), 10_000).unref();
  });
  return Promise.race([promise, late]);
}

async function found({ audit, readPolicy, hashing: { chosen, noble } }, { record, policy, layers, alone, shared }) {
  const hashing = await (alone ? noble() : chosen());
  try {
    const believed = policy === null ? null : await readPolicy(policy, hashing);
    const { report } = await answered(
      audit(new Uint8Array(Buffer.from(record, 'base64')), believed, { layers, hashing, shared }),
    );
    return JSON.stringify({ ...report, message: undefined });
  } catch (trouble) {
    return trouble.constructor.name;
  }
}

const isBad = ({ verdict }) => !/"(?:OK|INCOMPLETE)"/.test(verdict);
const base = await auditor(whole);
const expected = [];
for (const [at, ask] of asks.entries()) {
  met = new Set();
  expected.push({ at, ask, verdict: await found(base, ask), sites: met });
}

const unnoticed = [];
let last = 0;
const nearest = (one, other) => Math.abs(one.at - last) - Math.abs(other.at - last);
for (const copy of copies) {
  const site = Number(copy.split('-').at(-1));
  const anywhere = whole.endsWith('whole');
  const some = expected.filter(({ sites }) => anywhere || sites.has(site)).sort(nearest);
  let noticed = false;
  const lacking = await auditor(copy);
  for (const { at, ask, verdict } of [...some.filter(isBad), ...some.filter((one) => !isBad(one))]) {
    noticed = (await found(lacking, ask)) !== verdict;
    if (noticed) {
      last = at;
      break;
    }
  }
  if (!noticed) unnoticed.push(copy);
}
console.log(JSON.stringify(unnoticed));
process.exit(0);
