// Judges an AsyncAPI document by the parser of those who wrote the specification; what it complains of is said, and fails.
import { Parser } from '@asyncapi/parser';

const told = await new Parser().parse(await (await fetch(process.argv[2])).text());
// Which newest version of the specification there is, is no fault of a document.
const faults = told.diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
for (const { code, message, path } of faults) console.error(code, message, path.join('.'));
if (told.document === undefined || faults.length > 0) process.exit(1);
console.log(`   AsyncAPI: ${told.document.allOperations().length} operations, ${told.document.allMessages().length} messages`);
