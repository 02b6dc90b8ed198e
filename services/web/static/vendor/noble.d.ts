// The types of what noble.js bundles, for the gate; no page loads them. The packages are pinned where it is checked.
export { sha256, sha512 } from '@noble/hashes/sha2.js';
export { hmac } from '@noble/hashes/hmac.js';
export { ed25519 } from '@noble/curves/ed25519.js';
