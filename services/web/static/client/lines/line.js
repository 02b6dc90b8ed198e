/** A line to the house on which what happens is heard: whether it is there still, and when it is asked for anew. */

/** Two heartbeats of the house and a little: a line that says nothing for so long is lost. */
const SILENCE_MS = 12_000;
/** What a browser says when the device has lost its line, and when it has one again. */
const HINTS = ['offline', 'online'];

/**
 * Keeps watch over the connections of a page to what it listens to, of which there is one at a time.
 *
 * One that falls silent is given up, after 12 s or, where the device has slept through them, as soon as somebody looks;
 * so is one whose device says that it has lost its line. Whoever waits goes on as soon as somebody looks, or as the
 * device has a line again.
 */
export class LiveLine {
  /** @type {AbortController | null} */
  #connection = null;
  /** When it last said something, by the clock on the wall: no timer runs in a device that sleeps. */
  #fedAt = 0;
  /** @type {() => void} */
  #wake = () => {};
  #end = new AbortController();

  /**
   * @param {() => boolean} rests Whether there is to be no connection now, as while nobody looks.
   * @param {() => void} [onBack] Told before whoever waits goes on.
   */
  constructor(rests, onBack = () => {}) {
    this.rests = rests;
    this.onBack = onBack;
    const { signal } = this.#end;
    document.addEventListener('visibilitychange', () => this.#seen(), { signal });
    // What the device says of its line is a hint: a house on the same machine answers all the same, and at once.
    const hear = () => (navigator.onLine ? this.wake() : this.#connection?.abort());
    for (const hint of HINTS) addEventListener(hint, hear, { signal });
  }

  /** Give up the connection there is, and watch over no other. */
  end() {
    this.#end.abort();
    this.#connection?.abort();
    this.#wake();
  }

  #seen() {
    if (this.rests() || Date.now() - this.#fedAt > SILENCE_MS) this.#connection?.abort();
    if (!this.rests()) this.wake();
  }

  /** Let whoever waits go on. */
  wake() {
    this.onBack();
    this.#wake();
  }

  /**
   * Listen to a connection for as long as it is there.
   *
   * @template T
   * @param {(signal: AbortSignal, feed: () => void) => Promise<T>} hear Told when to give it up, and tells whenever it
   *   has said something.
   * @returns {Promise<T>} What came of it, and rejected as that is.
   */
  async listen(hear) {
    const connection = new AbortController();
    this.#connection = connection;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const feed = () => {
      this.#fedAt = Date.now();
      clearTimeout(timer);
      timer = setTimeout(() => connection.abort(), SILENCE_MS);
    };
    try {
      feed();
      return await hear(connection.signal, feed);
    } finally {
      clearTimeout(timer);
      // One that was not heard to its end would stay open, and a browser has but six to a house.
      connection.abort();
    }
  }

  /** @param {number | null} ms For ever if null; in any case until woken. */
  sleep(ms) {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      if (ms !== null) setTimeout(resolve, ms);
    });
  }
}

/**
 * @param {Response} response
 * @param {() => void} feed Told whenever something comes.
 * @returns {AsyncGenerator<any>} What its lines say.
 */
export async function* itemsOf(response, feed) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  for (let rest = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    feed();
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}
