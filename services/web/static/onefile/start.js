/**
 * The start of a page that is one file: all other scripts lie in it packed, and the policy of the page names them by the
 * hash of what they are unpacked. Where nothing can unpack them the page stays what it is without scripts, all text.
 */
import { unpacked } from './packed.js';

const script = document.createElement('script');
script.textContent = new TextDecoder().decode(await unpacked('script'));
document.body.append(script);
