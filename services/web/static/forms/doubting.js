/** A doubt is thought of twice: a tap may be taken back for a second, and by keyboard or voice it is asked for again. */

const BACK_MS = 1_000;

export class SecondThought {
  /** `counting` while a tap may be taken back, `asking` until it is asked for again. @type {'' | 'counting' | 'asking'} */
  state = '';
  #timer = 0;

  /** @param {() => void} changed Called whenever the button has to say something else. */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {MouseEvent} event What pressed the button. @param {() => void} send */
  press(event, send) {
    const { state } = this;
    this.takeBack();
    if (state === 'asking') send();
    if (state !== '') return;
    // Of a press that no finger made, `detail` is nothing: there a second would be too short to hear what it says.
    this.state = event.detail > 0 ? 'counting' : 'asking';
    if (this.state === 'counting') this.#timer = window.setTimeout(() => this.#send(send), BACK_MS);
    this.changed();
  }

  /** @param {() => void} send */
  #send(send) {
    this.takeBack();
    send();
  }

  /** Whatever was doubted stands no more, or whoever doubted has thought better of it. */
  takeBack() {
    if (this.state === '') return;
    clearTimeout(this.#timer);
    this.state = '';
    this.changed();
  }
}
