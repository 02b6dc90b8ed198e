/**
 * Says what the auditor of the pages found: a verdict and whether a policy was given, as JSON a line of standard input;
 * headline, findings and who drew the seeds as JSON on a line of output. The folder of the words is the first argument.
 */
import { createInterface } from 'node:readline';

const { entropy, findings, headline } = await import(`${process.argv[2]}/audited.js`);

for await (const line of createInterface({ input: process.stdin })) {
  const { verdict, judged } = JSON.parse(line);
  const told = { headline: headline(verdict), findings: findings(verdict, judged), seeds: entropy(verdict) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
