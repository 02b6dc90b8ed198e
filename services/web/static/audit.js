/** The audit in this browser: of a file that one chooses, drops or pastes, or of the match of this page. */
import { Refusal, matchPath, read } from './api.js';
import { entropy, findings, headline } from './audited.js';
import { readPolicy } from './auditor/audit.js';
import { Malformed } from './auditor/faults.js';
import { verdictOf } from './auditor/verdict.js';
import { pinnedPolicy } from './keep.js';
import { LitElement, html, nothing } from './vendor/libraries.js';

/** @typedef {import('./auditor/verdict.js').Verdict} Verdict */

const BEGINNINGS = { yes: 'Proved:', no: 'Fault:', open: 'Not proved:' };
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class TcAudit extends LitElement {
  static properties = {
    match: {},
    record: { state: true },
    policy: { state: true },
    busy: { state: true },
    found: { state: true },
    trouble: { state: true },
  };

  constructor() {
    super();
    this.match = '';
    /** @type {File | null} */
    this.record = null;
    this.policy = '';
    this.busy = false;
    /** @type {{verdict: Verdict, judged: boolean, took: number} | null} */
    this.found = null;
    this.trouble = '';
  }

  /** What stands here until now says that nothing is audited. */
  createRenderRoot() {
    this.replaceChildren();
    return this;
  }

  // ---- what is done -------------------------------------------------------------------------------

  /** @param {() => Promise<[record: ArrayBuffer, policy: string]>} get */
  async #audit(get) {
    Object.assign(this, { busy: true, found: null, trouble: '' });
    try {
      const [record, text] = await get();
      const policy = text.trim() === '' ? null : await readPolicy(text);
      const began = performance.now();
      const verdict = await verdictOf(new Uint8Array(record), policy);
      this.found = { verdict, judged: policy !== null, took: performance.now() - began };
    } catch (trouble) {
      this.trouble = said(trouble);
    }
    this.busy = false;
  }

  /** @returns {Promise<[ArrayBuffer, string]>} */
  async #ofMatch() {
    const accept = 'text/plain';
    const answers = [read(matchPath(this.match, '/record'), { accept }), read('/api/v1/log/policy', { accept })];
    const [record, policy] = await Promise.all(answers);
    return [await record.arrayBuffer(), pinnedPolicy(await policy.text())];
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const { record, policy } = this;
    if (record === null) this.trouble = 'Choose a record first: a file that ends in .cup.';
    else void this.#audit(async () => [await record.arrayBuffer(), policy]);
  }

  /** @param {Iterable<File>} files Records and policies, told apart by how they begin. */
  async #take(files) {
    this.trouble = '';
    for (const file of files) {
      const start = await file.slice(0, 1).text();
      if (start === '{') this.record = file;
      else await this.#takePolicy(file);
    }
  }

  /** @param {File} file */
  async #takePolicy(file) {
    try {
      this.policy = decoder.decode(await file.arrayBuffer());
    } catch {
      this.trouble = 'The policy is not a text.';
    }
  }

  /** @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    void this.#take(event.dataTransfer?.files ?? []);
  }

  // ---- what is shown ------------------------------------------------------------------------------

  render() {
    return html`
      ${this.match === '' ? this.#form() : this.#button()}
      <p class="error" role="alert">${this.trouble}</p>
      <div role="status">${this.busy ? html`<p>Reading…</p>` : this.found === null ? nothing : this.#result(this.found)}</div>
    `;
  }

  #button() {
    return html`<p class="row">
      <button class="button" type="button" ?disabled=${this.busy} @click=${() => this.#audit(() => this.#ofMatch())}>
        Audit it in this browser
      </button>
    </p>`;
  }

  #form() {
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    return html`<form class="drop" @submit=${this.#submit} @dragover=${prevent} @drop=${this.#drop}>
      <div class="field">
        <label for="record">The record, a .cup file</label>
        <input id="record" type="file" @change=${this.#chooseRecord} />
        <p class="hint">${this.record === null ? 'Or drop it here, with the policy if you have it.' : this.record.name}</p>
      </div>
      <div class="field">
        <label for="policy-file">The log’s policy, a text file</label>
        <input id="policy-file" type="file" @change=${this.#choosePolicy} />
      </div>
      <div class="field">
        <label for="policy">Or paste the policy</label>
        <textarea id="policy" rows="4" spellcheck="false" .value=${this.policy} @input=${this.#typePolicy}></textarea>
        <p class="hint">Without one, nobody’s word for the log is judged.</p>
      </div>
      <p class="row"><button class="button" ?disabled=${this.busy}>Audit</button></p>
    </form>`;
  }

  /** @param {Event} event */
  #chooseRecord(event) {
    [this.record = null] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
  }

  /** @param {Event} event */
  #choosePolicy(event) {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file !== undefined) void this.#takePolicy(file);
  }

  /** @param {Event} event */
  #typePolicy(event) {
    this.policy = /** @type {HTMLTextAreaElement} */ (event.target).value;
  }

  /** @param {{verdict: Verdict, judged: boolean, took: number}} found */
  #result({ verdict, judged, took }) {
    const { mark, title, text } = headline(verdict);
    const seeds = entropy(verdict);
    return html`
      <h2 class="verdict ${mark}">${title}</h2>
      <p class="lead">${text}</p>
      <ul class="findings">
        ${findings(verdict, judged).map(item)}
        ${seeds === null ? nothing : item(seeds)}
      </ul>
      ${verdict.head === null ? nothing : html`<dl class="hashes"><dt>Last line</dt><dd><code>${verdict.head}</code></dd></dl>`}
      <p class="muted">Worked out in this browser in ${Math.ceil(took)} ms; nothing was sent anywhere.</p>
    `;
  }
}

/** @param {import('./audited.js').Finding} finding */
const item = ({ mark, text }) => html`<li class=${mark}><span class="sr">${BEGINNINGS[mark]}</span> ${text}</li>`;

/** @param {unknown} trouble */
function said(trouble) {
  if (trouble instanceof Malformed) return `The policy cannot be read: ${trouble.message}.`;
  if (trouble instanceof Refusal) return 'The record cannot be had just now. Try again in a moment.';
  if (trouble instanceof DOMException) return 'The file cannot be read.';
  return 'The auditor itself failed, so nothing was found out.';
}

customElements.define('tc-audit', TcAudit);
