/** Frames put together again, from what each has that the one before had not. */

/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {Omit<Frame, 'view'>} Bare A frame without what is seen after it. */

/**
 * Members of a view that differ, and of each seat those that do; without seats where no seat differs, and always
 * without what the frame says itself.
 *
 * @typedef {Partial<Omit<Frame['view'], 'seats'>> & { seats?: Partial<Frame['view']['seats'][number]>[] }} Changed
 */

/**
 * A frame; what spectators see after it and did not before; and what each of the other eyes sees that they do not.
 *
 * @typedef {[Bare, Changed, Changed[]]} Row
 */

/** @param {any} view @param {Changed} changed @returns {any} The view with what differs. */
function changedTo(view, changed) {
  const seats = changed.seats?.map((seat, at) => ({ ...view.seats?.[at], ...seat })) ?? view.seats;
  return { ...view, ...changed, seats };
}

/**
 * @param {string[]} every Whose eyes there are besides a spectator's.
 * @param {Row[]} rows
 * @param {string} [eyes] A spectator's where nobody is named.
 * @returns {Frame[]} What these eyes see, line by line.
 */
export function framesOf(every, rows, eyes) {
  const at = every.indexOf(eyes ?? '');
  /** @type {any} */
  let seen = {};
  return rows.map(([frame, changed, through]) => {
    const { version, head } = frame;
    seen = changedTo(seen, changed);
    return { ...frame, view: { ...changedTo(seen, through[at] ?? {}), version, head } };
  });
}
