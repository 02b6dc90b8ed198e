/** A moment of a match: where it stands in an address, and the link to it that others open. */

/** @typedef {import('../client/view.js').Frame} Frame */

/** Whose eyes a view is of, where it has another name. @type {Record<string, string>} */
const EYES = { public: 'spectator' };
const SEAT = /^seat-([1-9][0-9]?)$/;

/** @param {string} eyes @returns {string} The name of a view in an address. */
const viewOf = (eyes) => (eyes === EYES.public ? 'public' : eyes.replace(/^[0-9]+$/, 'seat-$&'));

/**
 * @param {Frame[]} frames @param {number} at
 * @returns {number} Where the command ends that led there: what one command does is one moment.
 */
export function settledAt(frames, at) {
  let end = at;
  while (frames[end]?.more && end + 1 < frames.length) end += 1;
  return end;
}

/** @returns {{version: number, eyes: string | null}} What the address asks for; version NaN for none. */
export function asked() {
  const told = new URLSearchParams(location.hash.slice(1));
  const view = told.get('view');
  // Links that were copied before there were views say `eyes`.
  const eyes = view === null ? told.get('eyes') : (EYES[view] ?? view.replace(SEAT, '$1'));
  return { version: Number(told.get('v') ?? Number.NaN), eyes };
}

/** Write a moment into the address. @param {number} version @param {string} eyes @param {string} usual */
export function note(version, eyes, usual) {
  history.replaceState(null, '', `#v=${version}${eyes === usual ? '' : `&view=${viewOf(eyes)}`}`);
}
