/** The places at a table as an official says them: names pressed in their order, or chosen one by one, or points by hand. */

/** @typedef {{number: number, name: string}} Person */

const ABSENT = 'absent';

/** @param {string} id @returns {Element} The first element of a template, anew. */
function drawn(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {Element} */ (document.importNode(template.content, true).firstElementChild);
}

/** @param {ParentNode} around @returns {HTMLSelectElement[]} */
const choices = (around) => [...around.querySelectorAll('select')];

/** @param {HTMLElement} list @param {HTMLSelectElement} select */
function press(list, select) {
  const placed = choices(list).filter(({ value }) => value !== '' && value !== ABSENT).length;
  select.value = select.value === '' ? String(placed + 1) : '';
}

/** @param {HTMLElement} list @param {Person} person @param {number} many */
function row(list, { number, name }, many) {
  const item = drawn('place-row');
  const [button, select] = [
    /** @type {HTMLButtonElement} */ (item.querySelector('button')),
    /** @type {HTMLSelectElement} */ (item.querySelector('select')),
  ];
  button.textContent = name;
  button.addEventListener('click', () => {
    press(list, select);
    select.dispatchEvent(new Event('input', { bubbles: true }));
  });
  select.setAttribute('aria-label', name);
  select.dataset.number = String(number);
  select.required = true;
  for (let place = 1; place <= many; place += 1) select.add(new Option(`${place}.`, String(place)));
  select.add(/** @type {HTMLOptionElement} */ (drawn('place-absent')));
  return item;
}

/** @param {Person} person */
function worth({ number, name }) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'text';
  input.autocomplete = 'off';
  input.maxLength = 20;
  input.dataset.number = String(number);
  label.append(name, input);
  return label;
}

/** Ask for the places of these people. @param {HTMLElement} around @param {Person[]} people */
export function askPlaces(around, people) {
  const list = /** @type {HTMLElement} */ (around.querySelector('.places'));
  list.replaceChildren(...people.map((person) => row(list, person, people.length)));
  around.querySelector('.worth')?.replaceChildren(...people.map(worth));
}

/**
 * @param {HTMLElement} around
 * @returns {{ranking: number[][], absent: number[], points?: [number, string][]}} Who shares a place stands together.
 */
export function placesIn(around) {
  /** @type {Map<string, number[]>} */
  const by = new Map();
  for (const { value, dataset } of choices(around)) by.set(value, [...(by.get(value) ?? []), Number(dataset.number)]);
  const absent = by.get(ABSENT) ?? [];
  by.delete(ABSENT);
  by.delete('');
  const ranking = [...by].sort(([one], [other]) => Number(one) - Number(other)).map(([, numbers]) => numbers);
  const inputs = [.../** @type {NodeListOf<HTMLInputElement>} */ (around.querySelectorAll('.worth > label > input'))];
  const points = inputs.map(
    ({ value, dataset }) => /** @type {[number, string]} */ ([Number(dataset.number), value.trim()]),
  );
  return points.some(([, text]) => text !== '') ? { ranking, absent, points } : { ranking, absent };
}
