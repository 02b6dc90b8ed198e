/** A bracket larger and smaller, by buttons and keys, and dragged; how large somebody likes it is kept. */
import { keepZoom, keptZoom } from '../client/keep.js';

const [LEAST, MOST, STEP] = [0.3, 2, 1.25];
/** A press that moves less than this is a click. */
const DRAG_PX = 5;
/** @type {Record<string, string>} */
const KEYS = { '+': 'larger', '=': 'larger', '-': 'smaller', 0: 'usual' };
const root = document.documentElement;

let zoom = 1;

/** @param {number} to */
function show(to) {
  zoom = Math.min(MOST, Math.max(LEAST, to));
  root.style.setProperty('--zoom', String(zoom));
}

/** @returns {number} At which size the widest part of the bracket is seen as a whole. */
function whole() {
  const regions = [...document.querySelectorAll('.drawn')];
  return Math.min(1, ...regions.map((region) => (zoom * region.clientWidth) / region.scrollWidth));
}

/** @param {string} way */
function change(way) {
  const ways = { larger: () => zoom * STEP, smaller: () => zoom / STEP, usual: () => 1, whole };
  const to = ways[/** @type {keyof typeof ways} */ (way)];
  if (to === undefined) return;
  show(to());
  keepZoom(zoom);
}

/** @param {PointerEvent} press */
function drag(press) {
  const region = press.target instanceof Element ? press.target.closest('.drawn') : null;
  if (region === null || press.pointerType !== 'mouse' || press.button !== 0) return;
  const [left, from, stop] = [region.scrollLeft, press.clientX, new AbortController()];
  let moved = false;
  const how = { signal: stop.signal };
  /** @param {PointerEvent} move */
  const move = ({ clientX }) => {
    moved ||= Math.abs(clientX - from) > DRAG_PX;
    if (moved) region.scrollLeft = left + from - clientX;
  };
  addEventListener('pointermove', move, how);
  addEventListener('pointerup', () => setTimeout(() => stop.abort()), how);
  // Whoever drags by a name does not follow its link.
  addEventListener('click', (click) => moved && click.preventDefault(), { ...how, capture: true });
  addEventListener('dragstart', (event) => event.preventDefault(), how);
}

/** Let the bracket of this page be made larger and smaller. */
export function followZoom() {
  root.classList.add('zooms');
  show(keptZoom());
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-zoom]') : null;
    if (button instanceof HTMLElement) change(button.dataset.zoom ?? '');
  });
  document.addEventListener('keydown', (key) => {
    const there = key.target instanceof Element && key.target.closest('.drawn, .zoom') !== null;
    if (there && !(key.ctrlKey || key.metaKey || key.altKey)) change(KEYS[key.key] ?? '');
  });
  document.addEventListener('pointerdown', drag);
}
