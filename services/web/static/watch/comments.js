/** Comments on a match: those of the moment that a replay shows, the own ones that wait, and the form of who may write. */
import { Refusal, ask, askOnce, matchPath, readJson } from '../client/api.js';
import { entryOf, keptPlayer, tokensOf } from '../client/keep.js';
import { refusalWords } from '../words/phrases.js';

/**
 * @typedef {{comment: string, version: number, until: number | null, author: string, office: string, name: string | null,
 *   lang: string, text: string | null}} Comment
 */

/** As many as are read at once. */
const PAGE = 200;
/** When it is asked again who looks, if that could not be told. */
const AGAIN_MS = 3_000;

class Comments {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.match = place.dataset.match ?? '';
    this.list = /** @type {HTMLElement} */ (place.querySelector('ol'));
    this.form = /** @type {HTMLFormElement | null} */ (place.querySelector('#say'));
    /** @type {string | null} */
    this.token = null;
  }

  /** Mark what is said about a version, and offer to write about it. @param {number} version */
  show(version) {
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('li'))) {
      const said = Number(item.dataset.from) <= version && version <= Number(item.dataset.until);
      item.toggleAttribute('data-shown', said);
      item.toggleAttribute('data-ahead', Number(item.dataset.from) > version);
    }
    if (this.form === null) return;
    const field = /** @type {HTMLInputElement} */ (this.form.elements.namedItem('version'));
    // A match that goes on may have come further than the page says.
    field.max = String(Math.max(version, Number(field.max)));
    if (this.form.elements.namedItem('text') !== document.activeElement) field.value = String(version);
  }

  /** Find out who looks, and open what they may do. */
  async open() {
    const { form } = this;
    if (form === null) return;
    const { tournament } = this.place.dataset;
    // At a table of a tournament its officials are the hosts.
    const { host } = tournament === undefined ? tokensOf(this.match) : entryOf(tournament);
    const player = keptPlayer();
    this.token = host ?? player?.token ?? null;
    if (this.token === null) return;
    const comments = /** @type {Comment[]} */ (
      await readJson(matchPath(this.match, `/comments?limit=${PAGE}`), { token: this.token })
    );
    const lets = host !== undefined || (await this.#lets(player?.player));
    for (const each of comments) this.#own(each, host !== undefined, player?.player);
    if (!lets) return;
    /** @type {HTMLElement} */ (this.place.querySelector('.saying')).hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.reportValidity()) void this.#do(form, () => this.#say(form));
    });
  }

  /** @param {string | undefined} player @returns {Promise<boolean>} Whether the host lets this player write. */
  async #lets(player) {
    const { casters, everybody } = await readJson(matchPath(this.match, '/comments/writers'), {});
    const named = casters.some((/** @type {{player: string}} */ caster) => caster.player === player);
    return named || (everybody && this.place.hasAttribute('data-over'));
  }

  /** @param {Comment} comment @param {boolean} hosts @param {string | undefined} player */
  #own(comment, hosts, player) {
    const mine = hosts ? comment.office === 'host' : comment.author === player;
    const item = this.#item(comment.comment) ?? this.#waiting(comment);
    if (comment.text === null || !(hosts || mine)) return;
    item.append(this.#part('withdraw-comment'));
    const form = /** @type {HTMLFormElement} */ (item.querySelector('.withdraw'));
    const [label, select] = [form.querySelector('label'), form.querySelector('select')];
    if (label !== null && select !== null) label.htmlFor = select.id = `why-${comment.comment}`;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#do(form, () => this.#withdraw(comment.comment, String(new FormData(form).get('reason'))));
    });
  }

  /** @param {string} comment @returns {HTMLElement | null} */
  #item(comment) {
    return this.list.querySelector(`[data-comment="${comment}"]`);
  }

  /** Show a comment that others cannot read yet. @param {Comment} comment @returns {HTMLElement} */
  #waiting({ comment, version, until, name, lang, text }) {
    this.list.append(this.#part('own-comment'));
    const item = /** @type {HTMLElement} */ (this.list.lastElementChild);
    Object.assign(item.dataset, { comment, from: String(version), until: String(until ?? version) });
    const link = /** @type {HTMLAnchorElement} */ (item.querySelector('a'));
    link.href = `#v=${version}`;
    link.textContent = until === null ? String(version) : `${version}–${until}`;
    /** @type {HTMLElement} */ (item.querySelector('bdi')).textContent = name;
    const words = /** @type {HTMLElement} */ (item.querySelector('.words'));
    words.lang = lang;
    words.textContent = text;
    return item;
  }

  /** @param {string} id @returns {Node} */
  #part(id) {
    return /** @type {HTMLTemplateElement} */ (this.place.querySelector(`#${id}`)).content.cloneNode(true);
  }

  /** @param {HTMLFormElement} form */
  #say(form) {
    const said = new FormData(form);
    const { lang } = document.documentElement;
    const body = { version: Number(said.get('version')), text: String(said.get('text')), lang };
    return askOnce('POST', matchPath(this.match, '/comments'), { token: this.token, body });
  }

  /** @param {string} comment @param {string} reason */
  #withdraw(comment, reason) {
    return ask('DELETE', matchPath(this.match, `/comments/${comment}?reason=${reason}`), { token: this.token });
  }

  /** Do what a form is for, and say below it why that did not come about. @param {HTMLFormElement} form @param {() => Promise<unknown>} deed */
  async #do(form, deed) {
    const error = /** @type {HTMLElement} */ (form.querySelector('.error'));
    const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type="submit"]'));
    error.hidden = true;
    button.disabled = true;
    try {
      await deed();
      location.reload();
    } catch (trouble) {
      if (!(trouble instanceof Refusal)) throw trouble;
      const { why } = trouble.facts;
      error.textContent = [refusalWords(trouble), typeof why === 'string' ? `(${why})` : ''].join(' ').trim();
      error.hidden = false;
      button.disabled = false;
    }
  }
}

/** Follow a replay: `moment` says which version it shows. @param {EventTarget} replay @param {number} version What it shows now. */
export function followReplay(replay, version) {
  const place = document.querySelector('#comments');
  if (!(place instanceof HTMLElement)) return;
  const comments = new Comments(place);
  replay.addEventListener('moment', (event) => comments.show(/** @type {CustomEvent<number>} */ (event).detail));
  comments.show(version);
  void opened(comments);
}

/** Who is no writer here reads all the same; who cannot be told apart just now may write as soon as that is known. @param {Comments} comments */
async function opened(comments) {
  try {
    await comments.open();
  } catch (trouble) {
    if (!(trouble instanceof Refusal)) throw trouble;
    if (trouble.isUnjudged) setTimeout(() => void opened(comments), AGAIN_MS);
  }
}
