/** The house in a page that is one file: what others ask theirs for over a network lies in the page, packed. */
import { network } from '../client/api.js';
import { framesOf } from './frames.js';
import { unpacked } from './packed.js';

const REPLAY = /\/replay(?:\?eyes=(\w+))?$/;

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
