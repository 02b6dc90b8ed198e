/** What lies packed in a page that is one file. */

/** @param {string} id @returns {Promise<Uint8Array<ArrayBuffer>>} What lies in the page under this name. */
export async function unpacked(id) {
  const packed = atob(document.getElementById(id)?.textContent.trim() ?? '');
  const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
