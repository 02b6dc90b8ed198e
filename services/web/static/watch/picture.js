/** The picture card of a moment, for whoever shows it to others: shared by the device, or saved as a file. */
import { Refusal } from '../client/api.js';
import { refusalWords } from '../words/phrases.js';

const [WIDE, HIGH] = [1200, 630];

/** @param {string} match @param {number} version @returns {Promise<Blob | null>} */
async function pictureOf(match, version) {
  const image = new Image(WIDE, HIGH);
  image.src = `/matches/${encodeURIComponent(match)}/card.svg?version=${version}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDE, HIGH];
  canvas.getContext('2d')?.drawImage(image, 0, 0, WIDE, HIGH);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** @param {string} match @param {number} version @returns {Promise<string>} What stood in the way; empty if nothing did. */
export async function savePicture(match, version) {
  const picture = await pictureOf(match, version).catch(() => null);
  if (picture === null) return refusalWords(new Refusal({ code: 'unreachable', status: 0 }));
  const file = new File([picture], `truecup-${version}.png`, { type: 'image/png' });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file], url: location.href });
      return '';
    } catch (trouble) {
      // Whoever has closed the list of apps has thought better of it; where the picture came too late for that, it is saved.
      if (!(trouble instanceof DOMException) || trouble.name !== 'NotAllowedError') return '';
    }
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(picture);
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
  return '';
}
