/** Dice as they lie: under a cup, beside it, or on a bill. */

import { classMap, html, nothing } from '../vendor/libraries.js';
import { CATALOGUE, say } from '../words/catalogue.js';
import { laidOut } from '../words/hands.js';
import { claimWords, faceName, joinNames } from '../words/phrases.js';
import { body, kindOf, painted, shield } from './faces.js';

/** @typedef {import('../client/view.js').Die} Die */
/** @typedef {[first: number, count: number]} Faces */

/** @type {Faces} */
const PIPS = [1, 6];
const WORDS = CATALOGUE.board;

/**
 * @param {number | null} face Null for a die under its cup.
 * @param {{counts?: boolean, shown?: boolean, cocked?: boolean, proved?: boolean, faces?: Faces}} [look] `counts`: it counts for the
 *   claim; `shown`: everybody sees it; `cocked`: it does not lie flat; `faces`: what kind of die it is.
 */
export function die(face, { counts = false, shown = false, cocked = false, proved = false, faces = PIPS } = {}) {
  const kind = kindOf(faces);
  const classes = {
    die: true,
    [kind]: true,
    hidden: face === null,
    ace: kind === 'pips' && face === 1,
    [`f${face}`]: face !== null,
    counts,
    shown,
    cocked,
  };
  return html`<svg
    class=${classMap(classes)}
    viewBox=${kind === 'digits' ? '0 0 28 40' : '0 0 40 40'}
    aria-hidden="true"
    focusable="false"
  >
    ${body(kind)} ${painted(face, kind)} ${proved && face !== null ? shield(kind) : nothing}
  </svg>`;
}

/**
 * Whether each die counts for a claim: only marked where the marks come to what the table counted, for the rules of
 * counting are the table's.
 *
 * @param {{dice: {face: number | null}[]}[]} seats
 * @param {{kind: string, face: number | null, count: number | null} | null} verdict
 * @param {string[]} flags
 * @returns {(die: {face: number | null}) => boolean}
 */
export function counting(seats, verdict, flags) {
  if (verdict === null || verdict.count === null) return () => false;
  const wild = (/** @type {{face: number | null}} */ one) => one.face === verdict.face || one.face === 1;
  const plain = (/** @type {{face: number | null}} */ one) => one.face === verdict.face;
  const tallies = (/** @type {typeof plain} */ counts) =>
    seats.flatMap((seat) => seat.dice).filter(counts).length === verdict.count;
  const tried = flags.includes('plain_ones') ? [plain, wild] : [wild, plain];
  return tried.find(tallies) ?? (() => false);
}

/**
 * The dice of one place. Those that everybody sees lie apart while others are still hidden.
 *
 * @param {Die[]} dice
 * @param {string} whose For those who do not see the picture.
 * @param {{counts?: (die: Die) => boolean, faces?: Faces}} [look]
 */
export function hand(dice, whose, { counts = () => false, faces = PIPS } = {}) {
  if (dice.length === 0) return nothing;
  const draw = (/** @type {Die} */ one) => die(one.face, { ...one, counts: counts(one), proved: true, faces });
  const [hidden, shown] = sides(dice);
  const apart = hidden.length > 0 && shown.length > 0;
  const lying = apart
    ? html`<span class="in">${hidden.map(draw)}</span><span class="beside">${shown.map(draw)}</span>`
    : dice.map(draw);
  return html`<span class="hand ${kindOf(faces)}" role="img" aria-label=${spoken(dice, whose, faces)}>${lying}</span>`;
}

/** @param {Die[]} dice @returns {[hidden: Die[], shown: Die[]]} */
const sides = (dice) => [dice.filter((one) => !one.shown), dice.filter((one) => one.shown)];

/** @param {Die[]} dice @param {string} whose @param {Faces} faces */
function spoken(dice, whose, faces) {
  const [hidden, shown] = sides(dice);
  const known = hidden.filter((one) => one.face !== null).map(dieName);
  const unknown = hidden.length - known.length;
  const seen = shown.map(dieName);
  const parts = [
    known.length > 0 ? joinNames(known) : '',
    unknown > 0 ? say(WORDS.hidden, { dice: String(unknown) }) : '',
    seen.length > 0 && hidden.length > 0
      ? say(WORDS.seen, { dice: joinNames(seen) })
      : seen.length > 0
        ? joinNames(seen)
        : '',
  ];
  return say(WORDS.dice, { what: kindOf(faces), whose, dice: parts.filter(Boolean).join(', ') });
}

/** @param {Die} one @returns {string} */
export const dieName = (one) =>
  one.face === null
    ? WORDS.die
    : one.cocked === true
      ? say(WORDS.cocked, { face: faceName(one.face) })
      : faceName(one.face);

/** @param {import('../words/phrases.js').Claim} claim @param {Faces} faces @returns {boolean} Whether a claim can be drawn. */
export const isPictured = (claim, faces) => !claim.shape || laidOut(claim.shape, claim.faces ?? [], faces).length > 0;

/** @param {import('../client/view.js').View} view @returns {boolean} Whether ones count as any face now. */
export const isWild = ({ rules, flags }) => rules.options.wild !== undefined && !flags.includes('plain_ones');

/** @param {import('../client/view.js').View} view @returns {Die[]} The dice the viewer handles, or else may know. */
export function ownDice(view) {
  const mine = view.seats.find((seat) => seat.seat === view.viewer);
  if (mine === undefined || mine.out) return [];
  const mayKnow = view.cup.some((one) => !one.shown && one.face !== null);
  const holds = view.moves.some((move) => move.type === 'arrange' || move.type === 'call');
  return (mayKnow || holds) && view.cup.length > 0 ? view.cup : mine.dice;
}

/**
 * A claim as a picture: a count of a face, or the dice of a hand.
 *
 * @param {import('../words/phrases.js').Claim} claim
 * @param {Faces} faces
 */
export function pictured(claim, faces) {
  if (!claim.shape) return html`<span>${claim.quantity}</span><i>×</i>${die(claim.face ?? null, { faces })}`;
  const dice = laidOut(claim.shape, claim.faces ?? [], faces);
  if (dice.length === 0) return html`<b>${claimWords(claim)}</b>`;
  return html`<span class="laid">${dice.map((face) => die(face, { faces }))}</span>`;
}
