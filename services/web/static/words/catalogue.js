/** The catalogue of sentences: how a message is said, and the words of numbers, dice, claims and amounts. */

/** What there is a file for; the page has asked for it beforehand. */
const LANGUAGES = ['en', 'de', 'es'];

/**
 * A text with `{arguments}`, or an object that names one argument and has a message for each of its values, `other`
 * among them for all the rest.
 *
 * @typedef {string | {[argument: string]: {[value: string]: Message}}} Message
 */
/** @typedef {Record<string, string>} Facts The arguments of a message; `none` for what there is not. */

/**
 * @typedef {{where: Message, besides: Message, ruled: Message, seats: Message, deals: Message,
 *   titles: Record<string, Message>, texts: Record<string, Message>, findings: Record<string, Message>,
 *   seeds: Record<string, Message>, signed: Record<string, Message>, faults: Record<string, Message>, sections: Record<string, string>, page: Record<string, string>}} Audit
 */

/** @type {{numbers: string[], faces: [string, string][], units: Record<string, [string, string]>, amount: Message,
 *   claim: Message, dice: Message, shapes: Record<string, string>, kickers: Message, list: {none: string, between: string, last: string},
 *   people: Record<string, string>, nouns: Record<string, [string, string]>, events: Record<string, Message>,
 *   moves: Record<string, {typed: Message, label?: Message}>, there: Message, wild: Message, spoken: Record<string, Message>, verdicts: Record<string, Message>, watch: Record<string, Message>, deeds: Record<string, Message>, show: Record<string, Message>, screen: any, audit: Audit,
 *   teach: Record<string, any>} & Record<string, any>} */
export const CATALOGUE = await read(globalThis.document?.documentElement.lang ?? '');

const ARGUMENT = /\{([\w.]+)\}/g;

/** @param {Message} message @param {Facts} facts @returns {string} Throws for an argument that is not given. */
export function say(message, facts) {
  let text = message;
  while (typeof text !== 'string') {
    const [[name, cases]] = Object.entries(text);
    const value = given(facts, name);
    // What every object has by birth, such as `constructor`, is no case of a message.
    text = Object.hasOwn(cases, value) ? cases[value] : cases.other;
  }
  return text.replaceAll(ARGUMENT, (_, name) => given(facts, name));
}

/** @param {Facts} facts @param {string} name */
function given(facts, name) {
  const value = facts[name];
  if (value === undefined) throw new Error(`the sentence asks for ${name}`);
  return value;
}

/** @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string[]} names */
export function joinNames(names) {
  const { none, between, last } = CATALOGUE.list;
  if (names.length < 2) return names[0] ?? none;
  return say(last, { first: names.slice(0, -1).join(between), last: names[names.length - 1] });
}

/** @param {number} number @param {string} noun @returns {string} So many of a thing in digits, such as "2 deals". */
export function countNoun(number, noun) {
  const [one, many] = CATALOGUE.nouns[noun];
  return `${number} ${number === 1 ? one : many}`;
}

/** @param {number} number */
export const inWords = (number) => CATALOGUE.numbers[number] ?? String(number);

/** @param {string} title What a game is called in views. @returns {string} What it is called here. */
export const gameName = (title) => CATALOGUE.terms[title] ?? title;

/** @param {number} face */
export const faceName = (face) => CATALOGUE.faces[face]?.[0] ?? String(face);

/** @param {number} face @returns {string} More than one of a face. */
export const facesName = (face) => CATALOGUE.faces[face]?.[1] ?? String(face);

/** @param {number} amount @param {string} unit @returns {string} Such as "a die" or "two units". */
export function amountWords(amount, unit) {
  const [one, many] = (CATALOGUE.units[unit] ?? CATALOGUE.units.other).map((word) => say(word, { unit }));
  return say(CATALOGUE.amount, { amount: String(amount), 'amount.words': inWords(amount), one, many });
}

/** @param {number} quantity @param {number} face @returns {string} Such as "five threes". */
export function countWords(quantity, face) {
  const numbers = { quantity: String(quantity), 'quantity.words': inWords(quantity) };
  return say(CATALOGUE.claim, { ...numbers, face: faceName(face), faces: facesName(face) });
}

/** @param {number} number @param {number} face @returns {string} So many dice that lie there, such as "a six". */
export function dieWords(number, face) {
  const numbers = { number: String(number), 'number.words': inWords(number) };
  return say(CATALOGUE.dice, { ...numbers, face: faceName(face), faces: facesName(face) });
}

/** @param {string} shape @param {number[]} faces The faces it names, in order. */
export function handWords(shape, faces) {
  if (shape === 'score') return faces.join('\u2011');
  const pattern = CATALOGUE.shapes[shape] ?? shape;
  const names = faces.flatMap((face, at) => [
    [String(at), faceName(face)],
    [`${at}s`, facesName(face)],
  ]);
  const hand = say(pattern, Object.fromEntries(names));
  const kickers = faces
    .slice(pattern.split('{').length - 1)
    .map(faceName)
    .join(' ');
  return kickers === '' ? hand : say(CATALOGUE.kickers, { hand, kickers });
}

/** @param {string} language Of the page; English where there is no page. @returns {Promise<any>} The sentences. */
async function read(language) {
  const file = LANGUAGES.includes(language) ? language : LANGUAGES[0];
  return (await import(`./${file}.json`, { with: { type: 'json' } })).default;
}
