/** What an entrant may ask of the officials: rounds without a table, appeals, to leave and to come back. */
import { html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';

/** @typedef {import('./own.js').Card} Card */
/** @typedef {import('./own.js').Command} Command */
/** @typedef {(note: string | null) => string} Said What a text says, by its hash; nothing where it is not there. */

const TEXT_MAX = 2_000;

/** @param {string} key @param {Record<string, string>} [facts] */
const words = (key, facts = {}) => say(CATALOGUE.card[key], facts);

/** @param {Card} card @param {boolean} busy @param {Command} command */
export function byesOf({ may, byes, next_round: next }, busy, command) {
  const kinds = ['half', 'zero'].filter((kind) => may.includes(`request_${kind}_bye`));
  if (byes.length === 0 && (kinds.length === 0 || next === null)) return nothing;
  const [stage, round] = next ?? [0, 0];
  const drops = may.includes('drop_bye');
  return html`<details class="sheet" id="byes"><summary>${words('byes')}</summary>
    ${byes.length === 0 ? nothing : html`<ul>${byes.map((bye) => html`<li>${words('bye', { round: String(bye.round), kind: bye.kind })}</li>`)}</ul>`}
    ${kinds.length === 0 ? nothing : html`<p>${words('bye_how', { round: String(round) })}</p>`}
    <p class="row">${kinds.map(
      (kind) => html`<button class="button plain-button" ?disabled=${busy}
        @click=${() => command({ type: 'request_bye', round, kind })}>${words('bye_ask', { kind })}</button>`,
    )}
    ${drops && byes.some((bye) => bye.stage === stage && bye.round === round) ? html`<button class="button plain-button" ?disabled=${busy} @click=${() => command({ type: 'drop_bye', round })}>${words('bye_drop', { round: String(round) })}</button>` : nothing}</p></details>`;
}

/** @param {Card} card @param {boolean} busy @param {Command} command @param {Said} said */
export function appealsOf({ may, appeals, disputable }, busy, command, said) {
  const files = may.includes('appeal') && disputable.length > 0;
  if (appeals.length === 0 && !files) return nothing;
  return html`<details class="sheet" id="appeals" ?open=${appeals.length > 0}><summary>${words('appeals')}</summary>
    ${appeals.length === 0 ? nothing : html`<ul>${appeals.map((one) => appealOf(one, disputable, said))}</ul>`}
    ${
      files
        ? html`<form @submit=${(/** @type {SubmitEvent} */ event) => file(event, command)}>
      <div class="field"><label for="line">${words('appeal_against')}</label>
      <select id="line" name="line">${disputable.map((one) => html`<option value=${one.line}>${lineOf(one)}</option>`)}</select></div>
      <div class="field"><label for="why">${words('appeal_why')}</label>
      <textarea id="why" name="why" rows="3" maxlength=${TEXT_MAX} required></textarea><p class="hint">${words('appeal_hint')}</p></div>
      <button class="button plain-button" ?disabled=${busy}>${words('appeal')}</button></form>`
        : nothing
    }</details>`;
}

/** @param {string} text */
const quoted = (text) => (text === '' ? nothing : html`<q class="said">${text}</q>`);

/** @param {Card['appeals'][number]} appeal @param {Card['disputable']} disputable @param {Said} said */
function appealOf({ appeal, line, outcome, note, answer }, disputable, said) {
  const about = disputable.find((one) => one.line === line);
  return html`<li>${words('appealed', { appeal: String(appeal), about: about === undefined ? words('line', { line: String(line) }) : lineOf(about) })}
    ${quoted(said(note))} <strong>${words('outcome', { outcome: outcome ?? 'open' })}</strong> ${quoted(said(answer))}</li>`;
}

/** @param {Card['disputable'][number]} one */
const lineOf = ({ line, kind, round, table, place }) =>
  words('disputed', {
    kind: place === null && kind !== 'penalty' ? 'absent' : kind,
    line: String(line),
    round: String(round ?? 0),
    table: String(table ?? 0),
    place: String(place ?? 0),
  });

/** @param {SubmitEvent} event @param {Command} command */
async function file(event, command) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const given = new FormData(form);
  const done = await command({
    type: 'appeal',
    line: Number(given.get('line')),
    text: String(given.get('why')).trim(),
    restricted: true,
  });
  if (done) form.reset();
}

/** @param {Card} card @param {boolean} busy @param {Command} command @param {() => void} leave What leads out. */
export function waysOf({ may }, busy, command, leave) {
  const plain = /** @type {const} */ (['wait', 'take_break']).filter((one) => may.includes(one));
  return html`<p class="row">
    ${plain.map((type) => html`<button class="button plain-button" ?disabled=${busy} @click=${() => command({ type })}>${words(type)}</button>`)}
    ${may.includes('return') ? html`<button class="button plain-button" ?disabled=${busy} @click=${() => command({ type: 'return', reason: 'request' })}>${words('return')}</button>` : nothing}
    ${may.includes('withdraw') ? html`<button class="link danger" ?disabled=${busy} @click=${() => confirm(words('sure')) && leave()}>${words('withdraw')}</button>` : nothing}
  </p>`;
}
