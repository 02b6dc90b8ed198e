/** What is spoken to those who do not see the table: the dice that a viewer knows, and those that were just shown. */

import { CATALOGUE, faceName, say, sentence } from './catalogue.js';
import { diceWords } from './evidence.js';
import { apart } from './phrases.js';

/** @typedef {import('../client/view.js').View} View */
/** @typedef {import('../client/view.js').Frame} Frame */
/** @typedef {import('../client/view.js').Die} Die */

const SPEAK_MS = 400;

/** @param {Die[]} dice @returns {number[]} Their faces; none unless all are known. */
const known = (dice) => (dice.every((die) => die.face !== null) ? dice.map((die) => Number(die.face)) : []);

/** @param {View} view @param {number[]} faces @returns {string} A number digit by digit, dice by their faces. */
const toldOf = (view, faces) => (view.faces[0] === 0 ? faces.join(' ') : diceWords(faces));

/**
 * @param {View} view
 * @returns {string} A sentence on the viewer's own dice, or on those of the cup that it has looked into; nothing for who
 *   knows none that are hidden.
 */
function ownDice(view) {
  const cups = [
    { what: 'cup', dice: view.cup },
    {
      what: view.faces[0] === 0 ? 'number' : 'dice',
      dice: view.seats.find((one) => one.seat === view.viewer)?.dice ?? [],
    },
  ];
  const own = cups.find(({ dice }) => known(dice).length > 0 && dice.some((die) => !die.shown));
  if (view.viewer === null || own === undefined) return '';
  return `${sentence(say(CATALOGUE.spoken.own, { what: own.what, dice: toldOf(view, known(own.dice)) }))}.`;
}

/** @param {View} view @returns {string[]} A sentence for each cup in which every die lies open to everybody. */
function openDice(view) {
  const { between } = CATALOGUE.list;
  const cups = [
    ...view.seats.map(({ name, dice }) => ({ whose: 'seat', name: apart(name), dice })),
    { whose: 'cup', name: '', dice: view.cup },
  ];
  return cups
    .filter(({ dice }) => dice.length > 0 && dice.every((die) => die.shown))
    .map(({ whose, name, dice }) => {
      const faces = known(dice);
      const told = view.faces[0] === 0 ? faces.join(' ') : faces.map(faceName).join(between);
      return `${say(CATALOGUE.spoken.open, { whose, name, dice: told })}.`;
    });
}

/** The voice of a page, which says at once what happens at one moment. */
export class Voice {
  /** @type {View | null} */
  #view = null;
  /** @type {string[]} */
  #unsaid = [];
  /** The round and the dice of the viewer that were spoken last. */
  #own = '';

  /** @param {() => Element | null} region Where what is said is written. */
  constructor(region) {
    this.region = region;
  }

  /** @param {string} text */
  say(text) {
    if (this.#unsaid.length === 0) setTimeout(() => this.#speak(), SPEAK_MS);
    this.#unsaid.push(text);
  }

  /** Say what has happened; of a verdict first the dice it goes by. @param {Frame} frame @param {string} text */
  tell({ event, view }, text) {
    for (const dice of event.type === 'game.judged' ? openDice(view) : []) this.say(dice);
    this.say(text);
  }

  /** Say the viewer's own dice when they have fallen or changed. @param {View} view */
  see(view) {
    this.#view = view;
    const text = ownDice(view);
    const own = `${view.round} ${text}`;
    if (text === '' || own === this.#own) return;
    this.#own = own;
    this.say(text);
  }

  #speak() {
    const region = this.region();
    const { turn = null, viewer = null } = this.#view ?? {};
    const yours = turn !== null && turn === viewer ? [`${sentence(say(CATALOGUE.spoken.turn, {}))}.`] : [];
    if (region !== null) region.textContent = [...this.#unsaid, ...yours].join(' ');
    this.#unsaid = [];
  }
}
