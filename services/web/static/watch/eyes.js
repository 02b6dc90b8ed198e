/** Whose eyes one looks back through: everybody's cups, a spectator's, or those of a seat. */
import { Refusal, matchPath, readJson } from '../client/api.js';
import { html, live } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { apart } from '../words/phrases.js';

/** @typedef {import('../client/view.js').Frame} Frame */

/** What was shown to whoever looks: a seat by its token, or a spectator. */
export const OWN = 'own';
const EYES = /^(?:own|all|spectator|[1-9][0-9]?)$/;

/** @param {string | null} asked @param {string} usual @returns {string} */
export const eyesOf = (asked, usual) => (asked !== null && EYES.test(asked) ? asked : usual);

/**
 * @param {string} match
 * @param {string} eyes
 * @param {string | null} token A token of another day is no reason not to look.
 * @returns {Promise<Frame[]>}
 */
export async function framesFor(match, eyes, token) {
  const path = matchPath(match, eyes === OWN ? '/replay' : `/replay?eyes=${eyes}`);
  try {
    return (await readJson(path, { token: eyes === OWN ? token : null })).frames;
  } catch (refusal) {
    if (token === null || eyes !== OWN || !(refusal instanceof Refusal) || refusal.status > 403) throw refusal;
    return (await readJson(path)).frames;
  }
}

/** @param {string} eyes @param {{seat: number}[]} seats @returns {string} Whose come next: all cups, spectators, seat by seat. */
export function eyesAfter(eyes, seats) {
  const every = ['all', 'spectator', ...seats.map(({ seat }) => String(seat))];
  return every[(every.indexOf(eyes) + 1) % every.length];
}

/**
 * @param {string} eyes Those that are chosen.
 * @param {{seat: number, name: string}[]} seats
 * @param {boolean} own Whether this browser has a seat, in a match that is not over.
 * @param {(eyes: string) => void} onChosen
 */
export function chooseEyes(eyes, seats, own, onChosen) {
  const words = CATALOGUE.watch;
  const offered = [
    ...(own || eyes === OWN ? [[OWN, say(words.own, {})]] : []),
    ['all', say(words.all, {})],
    ['spectator', say(words.spectator, {})],
    ...seats.map(({ seat, name }) => [String(seat), say(words.through, { name: apart(name) })]),
  ];
  const chosen = (/** @type {Event} */ event) => onChosen(/** @type {HTMLSelectElement} */ (event.target).value);
  return html`<label class="eyes"
    ><span>${say(words.eyes, {})}</span>
    <select @change=${chosen}>
      ${offered.map(([value, text]) => html`<option value=${value} .selected=${live(value === eyes)}>${text}</option>`)}
    </select></label
  >`;
}
