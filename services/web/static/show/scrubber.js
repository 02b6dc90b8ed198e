/** What a replay is played with: back and on, a round at a time, from any place, at one's own speed. */
import { html } from '../vendor/libraries.js';
import { CATALOGUE } from '../words/catalogue.js';

/** @typedef {Event & {target: HTMLInputElement | HTMLSelectElement}} Changed */

const WORDS = CATALOGUE.replay;
const SPEEDS = [0.5, 1, 2, 4];

/** @param {string} path */
const icon = (path) =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d=${path}></path></svg>`;

/**
 * @param {{at: number, last: number, text: string, playing: boolean}} place Where it is, and that in words.
 * @param {{round: (way: 1 | -1) => void, step: (way: 1 | -1) => void, toggle: () => void, go: (at: number) => void,
 *   speed: (speed: number) => void}} does
 */
export const scrubber = ({ at, last, text, playing }, does) =>
  html`<div class="scrubber" role="group" aria-label=${WORDS.title}>
    <div class="buttons">
      <button type="button" aria-label=${WORDS.round_before} @click=${() => does.round(-1)}>
        ${icon('M4 4v12M17 4 8 10l9 6z')}
      </button>
      <button type="button" aria-label=${WORDS.back} @click=${() => does.step(-1)}>${icon('M14 4 5 10l9 6z')}</button>
      <button type="button" class="main" aria-label=${playing ? WORDS.pause : WORDS.play} @click=${() => does.toggle()}>
        ${icon(playing ? 'M6 4v12M14 4v12' : 'M6 3.5 16 10 6 16.5z')}
      </button>
      <button type="button" aria-label=${WORDS.on} @click=${() => does.step(1)}>${icon('M6 4l9 6-9 6z')}</button>
      <button type="button" aria-label=${WORDS.round_after} @click=${() => does.round(1)}>
        ${icon('M16 4v12M3 4l9 6-9 6z')}
      </button>
    </div>
    <input
      type="range"
      min="0"
      max=${last}
      .value=${String(at)}
      aria-label=${WORDS.place}
      aria-valuetext=${text}
      @input=${(/** @type {Changed} */ event) => does.go(Number(event.target.value))}
    />
    <span class="place">${text}</span>
    <label class="speed"
      >${WORDS.speed}
      <select @change=${(/** @type {Changed} */ event) => does.speed(Number(event.target.value))}>
        ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === 1}>${speed}×</option>`)}
      </select></label
    >
  </div>`;
