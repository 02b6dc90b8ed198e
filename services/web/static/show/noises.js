/** What is heard at a table besides the page, and whether: sounds, vibration, and a call when one's turn has come. */

import { LitElement, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { askToCall, callsBack, mayCall } from './attention.js';
import { speaker } from './sound.js';

class TcNoises extends LitElement {
  static properties = { muted: { state: true }, calls: { state: true }, seated: { type: Boolean } };

  constructor() {
    super();
    this.muted = speaker.muted;
    this.calls = callsBack();
    this.seated = false;
  }

  createRenderRoot() {
    return this;
  }

  #mute() {
    this.muted = !this.muted;
    speaker.mute(this.muted);
    speaker.play('die');
  }

  async #call() {
    this.calls = await askToCall(!this.calls);
  }

  render() {
    const { sounds, call } = CATALOGUE.show;
    // Where a browser cannot ask, or its owner has said no, there is nothing to press.
    const asks = this.seated && mayCall();
    return html`<button class="button plain-button" type="button" @click=${() => this.#mute()}>
        ${say(sounds, { muted: this.muted ? 'yes' : 'no' })}
      </button>
      ${asks ? html`<button class="button plain-button" type="button" @click=${() => void this.#call()}>${say(call, { calls: this.calls ? 'yes' : 'no' })}</button>` : nothing}`;
  }
}

customElements.define('tc-noises', TcNoises);
