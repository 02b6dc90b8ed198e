/** A link to a card or a console, in a browser that has another token there: its owner chooses, and neither is lost unasked. */
import { html } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

const WORDS = CATALOGUE.holding.brought;

/**
 * @param {'entrant' | 'official'} role Of whom the link is.
 * @param {{keep: () => void, take: () => void, busy?: boolean}} choice
 */
export const choiceOf = (role, { keep, take, busy = false }) => html`<p role="alert">${say(WORDS.asks, { role })}</p>
  <p class="row"><button class="button plain-button" type="button" ?disabled=${busy} @click=${keep}>${WORDS.keep}</button>
  <button class="link danger" type="button" ?disabled=${busy} @click=${take}>${WORDS.take}</button></p>`;
