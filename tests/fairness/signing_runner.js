/**
 * Works out the published values of seat keys by the auditor of the pages: the file is the first argument, `noble`,
 * `webcrypto` or `lenient` the second. Prints what it comes to as one JSON object.
 *
 * `lenient` is a WebCrypto that errs as WebKit's on Linux was seen to: a number of a signature may have the order of the
 * base point added, nothing fits a key with a part of small order, and a key that is no point ends the page.
 */
import { webcrypto as own } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [folder, file, way] = process.argv.slice(2);
const load = async (name) => import(`${folder}/${name}.js`);
const { hex, unhex } = await load('bytes');
const { isStrictPoint } = await load('auditor/ed25519');
const { noble, webcrypto } = await load('auditor/hashing');
const { commandText, messageOf, positionsMessage } = await load('auditor/signing/messages');

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const little = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const bytesOf = (number) => Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * at)) & 255n));
const reduced = (sig) => new Uint8Array([...sig.subarray(0, 32), ...bytesOf(little(sig.subarray(32)) % ORDER)]);
const { ed25519 } = await load('vendor/noble');
const plain = new WeakMap();
const lenient = {
  digest: (...asked) => own.subtle.digest(...asked),
  sign: (...asked) => own.subtle.sign(...asked),
  importKey: async (form, raw, ...asked) => {
    const key = await own.subtle.importKey(form, raw, ...asked);
    if (asked[0].name === 'Ed25519') plain.set(key, ed25519.Point.fromBytes(raw).isTorsionFree());
    return key;
  },
  verify: async (way, key, sig, message) =>
    plain.get(key) && (await own.subtle.verify(way, key, reduced(sig), message)),
};
const WAYS = { noble, webcrypto: () => webcrypto(own.subtle), lenient: () => webcrypto(lenient) };
const hashing = await WAYS[way]();
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
