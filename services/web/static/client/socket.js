/** The socket of a page: commands and live matches over one WebSocket. Whoever gets none goes on over HTTP. */

const OPEN_MS = 5_000;
const ANSWER_MS = 10_000;
/** How long the page goes on without, where no socket can be had: not every proxy lets one through. */
const AGAIN_MS = 15_000;

/** @typedef {Record<string, any>} Message */
/** @typedef {{onItem: (item: Message) => boolean, onOver: (isLast: boolean) => void}} Watch */

class HouseSocket {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Promise<WebSocket | null> | null} */
  #opening = null;
  #notBefore = 0;
  #last = 0;
  /** @type {Map<number, (answer: Message | null) => void>} */
  #waiting = new Map();
  /** @type {Map<number, Watch>} */
  #watches = new Map();

  /**
   * Send a command, if a socket is open for a match that is followed.
   *
   * @param {string} match
   * @param {string} token
   * @param {string} key The idempotency key.
   * @param {string} body The command, as HTTP would send it: then a repeat over HTTP is the same request.
   * @returns {Promise<Message | null>} The answer with its `status`; null if none came, and it has to be repeated.
   */
  async command(match, token, key, body) {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) return null;
    const about = JSON.stringify({ do: 'command', match, key, token });
    return this.#answered(socket, (id) => `{"id":${id},"command":${body},${about.slice(1)}`).answer;
  }

  /**
   * Follow a match until it is over, the connection is lost, or the signal says so.
   *
   * @param {{match: string, token: string | null, after: number, phrases: boolean}} about
   * @param {AbortSignal} signal
   * @param {(item: Message) => boolean} onItem Told what the stream of HTTP says; a beat is `{}`. Whether it was the last.
   * @returns {Promise<boolean | Message | null>} Whether the match is over; the problem if it is refused; null if no
   *   socket can be had.
   */
  async watch({ match, token, after, phrases }, signal, onItem) {
    let socket = await this.#open();
    // Another watch that ended in between may have closed it.
    if (socket !== null && socket.readyState !== WebSocket.OPEN) socket = await this.#open();
    if (socket === null || socket.readyState !== WebSocket.OPEN) return null;
    const asked = { do: 'watch', match, after, ...(phrases && { phrases }), ...(token === null ? {} : { token }) };
    const { id, answer } = this.#answered(socket, (name) => JSON.stringify({ id: name, ...asked }));
    const over = new Promise((resolve) => this.#watches.set(id, { onItem, onOver: resolve }));
    signal.addEventListener('abort', () => this.#unwatch(id), { once: true });
    if (signal.aborted) this.#unwatch(id);
    const answered = await answer;
    if (answered !== null && answered.status === 200) return over;
    this.#forget(id, false);
    if (answered === null && !signal.aborted) this.#notBefore = Date.now() + AGAIN_MS;
    return signal.aborted ? false : answered;
  }

  /** @param {WebSocket} socket @param {(id: number) => string} message */
  #answered(socket, message) {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise((/** @type {(answer: Message | null) => void} */ resolve) => {
      // Open, and yet nothing comes: whatever stands between lets none through.
      const timer = setTimeout(() => this.#drop(socket), ANSWER_MS);
      this.#waiting.set(id, (said) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(said);
      });
    });
    socket.send(message(id));
    return { id, answer };
  }

  /** @returns {Promise<WebSocket | null>} */
  #open() {
    if (this.#socket !== null && this.#socket.readyState === WebSocket.OPEN) return Promise.resolve(this.#socket);
    if (Date.now() < this.#notBefore || !('WebSocket' in globalThis)) return Promise.resolve(null);
    this.#opening ??= new Promise((resolve) => {
      const socket = new WebSocket(new URL('/api/v1/socket', location.href).href.replace(/^http/, 'ws'));
      const timer = setTimeout(() => socket.close(), OPEN_MS);
      socket.onopen = () => {
        clearTimeout(timer);
        this.#opening = null;
        this.#socket = socket;
        resolve(socket);
      };
      socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
      socket.onclose = () => {
        clearTimeout(timer);
        resolve(null);
        this.#lose(socket);
      };
    });
    return this.#opening;
  }

  /** @param {Message} message */
  #hear(message) {
    if (message.beat) {
      for (const watch of this.#watches.values()) watch.onItem({});
    } else if (message.watch === undefined) {
      const waiting = this.#waiting.get(message.id);
      if (waiting !== undefined) waiting(message);
      else this.#forget(message.id, false);
    } else if (message.bye !== undefined) {
      this.#forget(message.watch, false);
    } else if (this.#watches.get(message.watch)?.onItem(message.frame ?? message)) {
      this.#forget(message.watch, true);
    }
  }

  /** @param {number} id */
  #unwatch(id) {
    if (!this.#watches.has(id)) return;
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#last += 1;
      this.#socket.send(JSON.stringify({ id: this.#last, do: 'unwatch', watch: id }));
    }
    this.#waiting.get(id)?.(null);
    this.#forget(id, false);
  }

  /** @param {number} id @param {boolean} isLast */
  #forget(id, isLast) {
    this.#watches.get(id)?.onOver(isLast);
    this.#watches.delete(id);
    if (this.#watches.size === 0 && this.#waiting.size === 0 && this.#socket !== null) this.#drop(this.#socket);
  }

  /** Go on without a socket: on a line that is gone, a browser may take a minute to call it closed. @param {WebSocket} socket */
  #drop(socket) {
    socket.onclose = null;
    socket.onmessage = null;
    socket.close();
    this.#lose(socket);
  }

  /** @param {WebSocket} socket */
  #lose(socket) {
    if (this.#socket !== socket) {
      this.#opening = null;
      this.#notBefore = Date.now() + AGAIN_MS;
      return;
    }
    this.#socket = null;
    for (const answer of [...this.#waiting.values()]) answer(null);
    for (const id of [...this.#watches.keys()]) this.#forget(id, false);
  }
}

/** The one of this page. */
export const houseSocket = new HouseSocket();
