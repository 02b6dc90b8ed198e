/**
 * The keys that a seat of this browser signs with. The browser's own, which no script can read, where there is one and it
 * can be kept; else one in plain bytes beside the token of the seat, which its owner can take along. CUP/1 4.14.8.
 */
import { isStrictPoint } from '../auditor/ed25519.js';
import { hex, unhex, utf8 } from '../bytes.js';
import { isLasting, keepNameless, keptKeys, namelessSince } from '../client/keep.js';
import { seedKey } from '../client/seeds.js';
import { ed25519, hmac, sha256 } from '../vendor/noble.js';

/** @typedef {import('../client/keep.js').KeptKey} KeptKey */
/** @typedef {{key: string, secret?: string, sign: (message: Uint8Array) => Promise<Uint8Array>}} SeatKey `key` is the
 *   public one, as hex; `secret` the private one, where it can be taken along. */

const ED25519 = { name: 'Ed25519' };
const ALONG = 'SEAT.sig';
const [DATABASE, KEYS] = ['truecup', 'keys'];
const NAMELESS_MS = 86_400_000;

/** @param {Uint8Array} bytes Shared with no other thread: nothing here has one. */
const own = (bytes) => /** @type {Uint8Array<ArrayBuffer>} */ (bytes);

/** @param {string} secret @returns {SeatKey} */
export const plainKey = (secret) => ({
  key: hex(ed25519.getPublicKey(unhex(secret))),
  secret,
  sign: async (message) => ed25519.sign(message, unhex(secret)),
});

/**
 * The key that goes along with a seat: it follows from what its seeds are made from, which the link to the seat brings, on
 * whichever device and in the terminal alike.
 *
 * @param {string} match
 * @returns {SeatKey}
 */
export const keyAlong = (match) => alongWith(seedKey(match));

/** @param {string} seeds What seeds are made from, as hex. @returns {SeatKey} The key that goes along with their seat. */
export const alongWith = (seeds) => plainKey(hex(hmac(sha256, unhex(seeds), utf8(ALONG))));

const freshPlainKey = () => plainKey(hex(crypto.getRandomValues(new Uint8Array(32))));

/** @returns {Promise<SeatKey>} A fresh one, which lies where it is kept before anything is signed with it. */
export async function freshKey() {
  return (await sealedKey()) ?? freshPlainKey();
}

/** @param {KeptKey} kept @returns {Promise<SeatKey | null>} Null if it is not in this browser any more. */
export async function keyFrom({ key, secret }) {
  if (secret !== undefined) return plainKey(secret);
  const found = await stored('readonly', (keys) => keys.get(key ?? '')).catch(() => undefined);
  return found === undefined ? null : sealed(key ?? '', found);
}

/** @param {string} key @param {CryptoKey} made @returns {SeatKey} */
const sealed = (key, made) => ({
  key,
  sign: async (message) => new Uint8Array(await crypto.subtle.sign(ED25519, made, own(message))),
});

/** @returns {Promise<SeatKey | null>} Null where the browser has no such keys, or forgets what it is given. */
async function sealedKey() {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined || !isLasting()) return null;
  try {
    const made = /** @type {CryptoKeyPair} */ (await subtle.generateKey(ED25519, false, ['sign', 'verify']));
    const point = new Uint8Array(await subtle.exportKey('raw', made.publicKey));
    const key = hex(point);
    await forgetOld();
    await stored('readwrite', (keys) => keys.put(made.privateKey, key));
    const kept = await keyFrom({ key });
    return kept !== null && isStrictPoint(point) ? kept : null;
  } catch {
    // Whatever a browser lacks, or has been told not to keep, plain bytes do.
    return null;
  }
}

/**
 * Keys of seats that this browser has forgotten sign nothing any more. One that another page has just made belongs to no
 * seat yet: what nobody names is forgotten a day after that was seen first.
 */
async function forgetOld() {
  const named = new Set(keptKeys().map(({ key }) => key));
  const all = await stored('readonly', (keys) => keys.getAllKeys());
  const [now, seen] = [Date.now(), namelessSince()];
  const nameless = all.map(String).filter((key) => !named.has(key));
  const old = nameless.filter((key) => now - (seen[key] ?? now) > NAMELESS_MS);
  keepNameless(Object.fromEntries(nameless.filter((key) => !old.includes(key)).map((key) => [key, seen[key] ?? now])));
  for (const key of old) await stored('readwrite', (keys) => keys.delete(key));
}

/**
 * @template T
 * @param {'readonly' | 'readwrite'} mode
 * @param {(keys: IDBObjectStore) => IDBRequest<T>} what
 * @returns {Promise<T>}
 */
async function stored(mode, what) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(KEYS);
  const database = await settled(opening);
  try {
    const transaction = database.transaction(KEYS, mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const found = await settled(what(transaction.objectStore(KEYS)));
    await done;
    return found;
  } finally {
    database.close();
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
