/** The house in a page that is one file: what others ask theirs for over a network lies in the page, packed. */
import { network } from '../client/api.js';

/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {Omit<Frame, 'view'>} Bare A frame without what is seen after it. */

/**
 * A frame; what spectators see after it and did not before; and what each of the other eyes sees that they do not.
 *
 * @typedef {[Bare, Partial<Frame['view']>, Partial<Frame['view']>[]]} Row
 */

const REPLAY = /\/replay(?:\?eyes=(\w+))?$/;

/** @param {string} id @returns {Promise<Uint8Array<ArrayBuffer>>} What lies in the page under this name. */
export async function unpacked(id) {
  const packed = atob(document.getElementById(id)?.textContent.trim() ?? '');
  const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string[]} every @param {Row[]} rows @param {string} eyes @returns {Frame[]} What these eyes see, line by line. */
function framesOf(every, rows, eyes) {
  const at = every.indexOf(eyes);
  /** @type {any} */
  let seen = {};
  return rows.map(([frame, changed, through]) => {
    seen = { ...seen, ...changed };
    return { ...frame, view: { ...seen, ...through[at] } };
  });
}

/** Answer what this page asks for. */
export function answer() {
  const told = unpacked('house').then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  network.ask = async (path) => {
    const { eyes, rows, analysis } = await told;
    const replay = REPLAY.exec(path);
    const found = replay === null ? analysis : { frames: framesOf(eyes, rows, replay[1]) };
    return new Response(JSON.stringify(found));
  };
}
