/**
 * Works out the published values of seat keys by the auditor of the pages: the file is the first argument, `noble` or
 * `webcrypto` the second. Prints what it comes to as one JSON object.
 */
import { webcrypto as own } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [folder, file, way] = process.argv.slice(2);
const load = async (name) => import(`${folder}/${name}.js`);
const { hex, unhex } = await load('bytes');
const { isStrictPoint } = await load('auditor/ed25519');
const { noble, webcrypto } = await load('auditor/hashing');
const { commandText, messageOf, positionsMessage } = await load('auditor/signing/messages');

const hashing = await (way === 'noble' ? noble(own.subtle) : webcrypto(own.subtle));
const published = JSON.parse(readFileSync(file, 'utf8'));

async function messageFor({ match, seat, n, version, head, prev, command }) {
  const said = await hashing.sha256(commandText(command));
  const [id, seen, before] = [match.replaceAll('-', ''), head, prev].map((text) => unhex(text));
  return messageOf({ match: id, seat, n, version, head: seen, before, said });
}

async function sealed({ salt, positions }) {
  const keyed = await hashing.keyed(unhex(salt));
  return hex(await keyed(positionsMessage(positions)));
}

const fits = ({ key, message, sig }) => hashing.signed(unhex(key), unhex(message), unhex(sig));
const { messages, handlings, refused_keys: keys, refused_signatures: signatures } = published;
const found = {
  messages: (await Promise.all(messages.map(messageFor))).map(hex),
  signed: await Promise.all(messages.map(fits)),
  handlings: await Promise.all(handlings.map(sealed)),
  keys: keys.map(({ key }) => isStrictPoint(unhex(key))),
  signatures: await Promise.all(signatures.map(fits)),
};
process.stdout.write(`${JSON.stringify(found)}\n`);
