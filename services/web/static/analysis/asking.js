/** An analysis, from the house that makes it: asked for again until it is there. */
import { matchPath, read } from '../client/api.js';

/** A reason where there is no figure; else parts of a million, what vouches for them, and the fraction or how far off. */
/** @typedef {string | [number, 'exact' | 'certified' | 'model' | 'sampled', (string | number)?]} Printed */
/** @typedef {Record<string, Printed>} PerSeat */
/** @typedef {{public: Printed, seat: PerSeat, all?: Printed}} Viewpoints */
/** @typedef {{type: string, quantity?: number, face?: number, shape?: string, faces?: number[]}} Move */
/**
 * @typedef {{forced: boolean, clock: boolean, best: number, played: number, points: Printed, loss: Printed,
 *   tag: string | null, options: {move: Move, q: Printed, weight: Printed}[]}} Decision
 */
/**
 * @typedef {{version: number, round: number, type: string, seat: number | null, claim?: any, label?: string,
 *   after?: string, chance?: Viewpoints, read?: {before: Viewpoints, after: Viewpoints},
 *   equity?: {public: PerSeat, seat: PerSeat, all: PerSeat | string}, decision?: Decision}} Told
 */
/**
 * @typedef {{head: string, version: number, samples: number, worth: {kind: string, unit?: string},
 *   seats: {seat: number, decisions: number, accuracy: Printed | null, tags: Record<string, number>,
 *     labels: Record<string, number>, luck: Record<string, Printed> | null}[],
 *   rounds: {round: number, first: number, last: number, policy: string}[], events: Told[],
 *   moments: {version: number, kinds: string[]}[],
 *   text: {version: number, channel: string, key: string, args: Record<string, string>}[]}} Analysis
 */

const WAIT_S = 1;

/**
 * @param {string} match
 * @param {(made: {done: number, of: number}) => void} onMade How far it is.
 * @returns {Promise<Analysis>}
 */
export async function analysisOf(match, onMade) {
  return (await madeOf(matchPath(match, '/analysis'), onMade)).json();
}

/** @param {string} match @returns {Promise<Blob>} The match with its analysis as one page, in the language of this one. */
export async function fileOf(match) {
  const { lang } = document.documentElement;
  return (await madeOf(matchPath(match, `/analysis/page?lang=${lang}`), () => {})).blob();
}

/**
 * @param {string} path
 * @param {(made: {done: number, of: number}) => void} onMade
 * @returns {Promise<Response>} The answer, once there is one.
 */
async function madeOf(path, onMade) {
  for (;;) {
    const response = await read(path, { accept: '*/*' });
    if (response.status !== 202) return response;
    onMade(await response.json());
    const wait = Number(response.headers.get('retry-after')) || WAIT_S;
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}
