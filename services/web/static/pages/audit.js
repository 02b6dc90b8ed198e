/** The audit in this browser: of a file that one chooses, drops or pastes, or of the match of this page. */

import { Malformed } from '../auditor/faults.js';
import { become, readAgain } from '../client/again.js';
import { Refusal, matchPath, needed, read } from '../client/api.js';
import { pinnedPolicy } from '../client/keep.js';
import { wayBack } from '../table/yours.js';
import { LitElement, html, nothing } from '../vendor/libraries.js';
import { earlierHeadline, entropy, findings, headline } from '../words/audited.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {import('../auditor/verdict.js').Verdict} Verdict */

/** @typedef {{record: ArrayBuffer, policy: string, past?: string, access: ArrayBuffer | null, board?: ArrayBuffer | null,
 *   names?: ArrayBuffer | null}} Evidence `past` is the policy of then, by the house's word; `board` the record of the board
 *   whose dice a match has; `names` what people are called. */
/** @typedef {{verdict: Verdict, judged: boolean, earlier: string, took: number}} Found `earlier` is the policy that counted
 *   where it is one this browser does not know. */

const RECORD_MAX = 256 * 1024 * 1024;
const NOT_FOUND = 404;
const POLICY_MAX = 64 * 1024;
/** Until a page is read again whose match is over and not proved to its end: the log's word comes a moment behind that. */
const LOOKS_MS = [300, 700, 1_500, 3_000, 6_000];
const WORDS = CATALOGUE.audit.page;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What was given is no file of names. */
class NoNames extends Error {}

class TcAudit extends LitElement {
  static properties = {
    match: {},
    record: { state: true },
    access: { state: true },
    names: { state: true },
    policy: { state: true },
    busy: { state: true },
    found: { state: true },
    trouble: { state: true },
    dead: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    /** @type {File | null} */
    this.record = null;
    /** @type {File | null} */
    this.access = null;
    /** @type {File | null} */
    this.names = null;
    this.policy = '';
    this.busy = false;
    /** @type {Found | null} */
    this.found = null;
    this.trouble = '';
    /** Whether the auditor did not load. */
    this.dead = false;
    /** The policy, while it is read. @type {Promise<void> | undefined} */
    this.reading = undefined;
    /** How often something else was given, so that what is found of the old is not shown. */
    this.given = 0;
  }

  /** What stands here until now says that nothing is audited. */
  createRenderRoot() {
    this.unloaded = [...this.childNodes];
    this.replaceChildren();
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    auditor().catch(() => (this.dead = true));
    const back = document.querySelector('[data-back]');
    if (back !== null) back.textContent = wayBack(this.match);
  }

  // ---- what is done -------------------------------------------------------------------------------

  /** @param {() => Promise<Evidence>} get */
  async #audit(get) {
    this.#forget();
    const { given } = this;
    this.busy = true;
    try {
      const found = await judged(await get());
      if (given === this.given) this.found = found;
    } catch (trouble) {
      if (given === this.given) this.trouble = said(trouble);
    }
    this.busy = false;
  }

  /** Something else is looked at now: what was found of the old says nothing of it. */
  #forget() {
    this.given += 1;
    Object.assign(this, { found: null, trouble: '' });
  }

  /** @returns {Promise<Evidence>} */
  async #ofMatch() {
    const paths = [matchPath(this.match, '/record'), '/api/v1/log/policy', matchPath(this.match, '/policy')];
    const [record, today, past] = await Promise.all(paths.map((path) => read(path, { accept: 'text/plain' })));
    const policies = { policy: pinnedPolicy(await today.text()), past: await past.text() };
    const found = await record.arrayBuffer();
    const names = await fileAt(matchPath(this.match, '/names'));
    return { record: found, access: await accessOf(this.match), board: await boardOf(found), names, ...policies };
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    event.preventDefault();
    await this.reading;
    const { record, policy, access, names } = this;
    if (record === null) this.trouble = WORDS.choose;
    else if (policy.length > POLICY_MAX) this.trouble = WORDS.policy_long;
    else {
      const beside = async () => ({ access: await bytesOf(access), names: await bytesOf(names) });
      void this.#audit(async () => ({ record: await record.arrayBuffer(), policy, ...(await beside()) }));
    }
  }

  /** @param {Iterable<File>} files Records and policies, told apart by their names and by how they begin. */
  async #take(files) {
    this.#forget();
    for (const file of files) {
      if (file.name.endsWith('.access')) this.#takeAccess(file);
      else if (file.name.endsWith('.ndjson')) this.#takeNames(file);
      else if (file.name.endsWith('.cup') || (await file.slice(0, 1).text()) === '{') this.#takeRecord(file);
      else {
        this.reading = this.#takePolicy(file);
        await this.reading;
      }
    }
  }

  /** @param {File} file */
  #takeRecord(file) {
    const fits = file.size <= RECORD_MAX;
    this.record = fits ? file : null;
    if (!fits) this.trouble = say(WORDS.record_large, { name: file.name });
  }

  /** @param {File} file */
  #takeAccess(file) {
    const fits = file.size <= RECORD_MAX;
    this.access = fits ? file : null;
    if (!fits) this.trouble = say(WORDS.access_large, { name: file.name });
  }

  /** @param {File} file */
  #takeNames(file) {
    const fits = file.size <= RECORD_MAX;
    this.names = fits ? file : null;
    if (!fits) this.trouble = say(WORDS.names_large, { name: file.name });
  }

  /** @param {File} file */
  async #takePolicy(file) {
    if (file.size > POLICY_MAX) {
      this.trouble = WORDS.policy_long;
      return;
    }
    try {
      this.policy = decoder.decode(await file.arrayBuffer());
    } catch {
      this.trouble = WORDS.no_text;
    }
  }

  /** @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    void this.#take(event.dataTransfer?.files ?? []);
  }

  // ---- what is shown ------------------------------------------------------------------------------

  render() {
    if (this.dead) return this.unloaded;
    return html`
      ${this.match === '' ? this.#form() : this.#button()}
      <p class="error" role="alert">${this.trouble}</p>
      <div role="status">${this.busy ? html`<p>${WORDS.reading}</p>` : this.found === null ? nothing : this.#result(this.found)}</div>
    `;
  }

  #button() {
    return html`<p class="row">
      <button class="button" type="button" ?disabled=${this.busy} @click=${() => this.#audit(() => this.#ofMatch())}>
        ${WORDS.button}
      </button>
    </p>`;
  }

  #form() {
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    return html`<form class="drop" @submit=${this.#submit} @dragover=${prevent} @drop=${this.#drop}>
      <div class="field">
        <label for="record">${WORDS.record}</label>
        <input id="record" type="file" @change=${this.#chooseRecord} />
        <p class="hint">${this.record === null ? WORDS.drop : this.record.name}</p>
      </div>
      <div class="field">
        <label for="access">${WORDS.access}</label>
        <input id="access" type="file" @change=${this.#chooseAccess} />
        <p class="hint">${this.access === null ? WORDS.no_access : this.access.name}</p>
      </div>
      <div class="field">
        <label for="names">${WORDS.names}</label>
        <input id="names" type="file" @change=${this.#chooseNames} />
        <p class="hint">${this.names === null ? WORDS.no_names : this.names.name}</p>
      </div>
      <div class="field">
        <label for="policy-file">${WORDS.policy_file}</label>
        <input id="policy-file" type="file" @change=${this.#choosePolicy} />
      </div>
      <div class="field">
        <label for="policy">${WORDS.policy}</label>
        <textarea id="policy" rows="4" spellcheck="false" .value=${this.policy} @input=${this.#typePolicy}></textarea>
        <p class="hint">${WORDS.no_policy}</p>
      </div>
      <p class="row"><button class="button" ?disabled=${this.busy}>${WORDS.submit}</button></p>
    </form>`;
  }

  /** @param {Event} event */
  #chooseRecord(event) {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    this.#forget();
    if (file === undefined) this.record = null;
    else this.#takeRecord(file);
  }

  /** @param {Event} event */
  #chooseAccess(event) {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    this.#forget();
    if (file === undefined) this.access = null;
    else this.#takeAccess(file);
  }

  /** @param {Event} event */
  #chooseNames(event) {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    this.#forget();
    if (file === undefined) this.names = null;
    else this.#takeNames(file);
  }

  /** @param {Event} event */
  #choosePolicy(event) {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    this.#forget();
    if (file !== undefined) this.reading = this.#takePolicy(file);
  }

  /** @param {Event} event */
  #typePolicy(event) {
    this.#forget();
    this.policy = /** @type {HTMLTextAreaElement} */ (event.target).value;
  }

  /** @param {Found} found */
  #result({ verdict, judged, earlier, took }) {
    const { mark, title, text } = earlier === '' ? headline(verdict) : earlierHeadline(verdict);
    const seeds = entropy(verdict);
    return html`
      <h2 class="verdict ${mark}">${title}</h2>
      <p class="lead">${text}</p>
      ${mark === 'no' ? html`<p class="muted" lang="en">${verdict.message}</p>` : nothing}
      <ul class="findings">
        ${findings(verdict, judged, earlier !== '').map(item)}
        ${seeds === null ? nothing : item(seeds)}
      </ul>
      ${
        earlier === ''
          ? nothing
          : html`<details>
              <summary>${WORDS.earlier}</summary>
              <pre tabindex="0" aria-label=${WORDS.earlier}><code>${earlier}</code></pre>
            </details>`
      }
      ${verdict.head === null ? nothing : html`<dl class="hashes"><dt>${WORDS.last}</dt><dd><code>${verdict.head}</code></dd></dl>`}
      <p class="muted">${say(WORDS.took, { ms: String(Math.ceil(took)) })}</p>
    `;
  }
}

/** The auditor comes behind the form, and without it the page says that nothing is audited. */
async function auditor() {
  const [{ readPolicy }, { verdictOf }] = await Promise.all([
    needed(import('../auditor/audit.js')),
    needed(import('../auditor/verdict.js')),
  ]);
  return { readPolicy, verdictOf };
}

/** @param {Evidence} evidence @returns {Promise<Found>} */
async function judged({ record, policy: text, past = text, access, board = null, names = null }) {
  const { readPolicy, verdictOf } = await auditor();
  const began = performance.now();
  const files = { access: access && new Uint8Array(access), board: board && new Uint8Array(board) };
  const beside = { ...files, names: await readable(names) };
  const by = async (/** @type {string} */ policy) =>
    verdictOf(new Uint8Array(record), policy.trim() === '' ? null : await readPolicy(policy), { beside });
  const verdict = await by(text);
  const isStrange = verdict.status === 'FAULT' && isUnknown(verdict) && past !== text;
  const told = isStrange ? { verdict: await by(past), earlier: past } : { verdict, earlier: '' };
  return { ...told, judged: text.trim() !== '', took: performance.now() - began };
}

/** @param {Verdict} verdict Whether the log that vouches is one that the policy does not know. */
const isUnknown = ({ code, seen }) => code === 'E_LOG' || (code === 'E_ACCESS' && seen?.code === 'E_LOG');

/** @param {File | null} file */
const bytesOf = async (file) => (file === null ? null : file.arrayBuffer());

/** @param {ArrayBuffer | null} file Of names. @returns {Promise<Uint8Array | null>} The same. @throws {NoNames} */
async function readable(file) {
  if (file === null) return null;
  const { namesIn } = await needed(import('../rules/audit/names.js'));
  const bytes = new Uint8Array(file);
  try {
    namesIn(bytes);
  } catch (trouble) {
    throw new NoNames(/** @type {Error} */ (trouble).message);
  }
  return bytes;
}

/** @param {string} match @returns {Promise<ArrayBuffer | null>} Null for a match that has none. */
const accessOf = (match) => fileAt(matchPath(match, '/access'));

/** @param {ArrayBuffer} record @returns {Promise<ArrayBuffer | null>} Null for a match with dice of its own. */
async function boardOf(record) {
  const { boardNamedIn } = await needed(import('../auditor/shared.js'));
  const board = boardNamedIn(new Uint8Array(record));
  return board === null ? null : fileAt(`/api/v1/boards/${board}/record`);
}

/** @param {string} path @returns {Promise<ArrayBuffer | null>} Null where nothing is. */
async function fileAt(path) {
  try {
    return await (await read(path, { accept: 'text/plain' })).arrayBuffer();
  } catch (trouble) {
    if (trouble instanceof Refusal && trouble.status === NOT_FOUND) return null;
    throw trouble;
  }
}

/** @param {import('../words/audited.js').Finding} finding */
const item = ({ mark, text }) =>
  html`<li class=${mark}><span class="sr">${CATALOGUE.audit.sections[mark]}:</span> ${text}</li>`;

/** @param {unknown} trouble */
function said(trouble) {
  if (trouble instanceof NoNames) return say(WORDS.names_bad, { why: trouble.message });
  if (trouble instanceof Malformed) return say(WORDS.malformed, { why: trouble.message });
  if (trouble instanceof Refusal) return WORDS.away;
  if (trouble instanceof DOMException) return WORDS.file;
  return WORDS.failed;
}

/** Look again, a few times, until the house has found all of it; what was found in this browser stays. */
async function lookAgain() {
  for (const ms of LOOKS_MS) {
    const here = [...document.querySelectorAll('[data-told]')];
    if (!here.some((part) => part.hasAttribute('data-awaited'))) return;
    await new Promise((resolve) => setTimeout(resolve, ms));
    const fresh = [...((await readAgain())?.querySelectorAll('[data-told]') ?? [])];
    fresh.forEach((part, at) => {
      become(here[at], part);
      here[at].toggleAttribute('data-awaited', part.hasAttribute('data-awaited'));
    });
  }
}

customElements.define('tc-audit', TcAudit);
void lookAgain();
