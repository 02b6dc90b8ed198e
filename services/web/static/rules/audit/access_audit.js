/**
 * The audit of an access record: who saw what, and whether they were allowed to (CUP/1 section 4.10).
 *
 * The rules say who may know which dice from which version on. Every roll a seat was let know has to be on record, once,
 * with that version, and nothing else that was hidden. Casters and admins are no seats: no rule of the game binds them,
 * and each line by which hidden dice went to one is a finding. It stands beside the rules, since they alone tell.
 */
import { Anchors } from '../../auditor/anchors.js';
import { linked } from '../../auditor/chain.js';
import { CODES, Debts, Fault } from '../../auditor/faults.js';
import { split } from '../../auditor/records.js';
import { hex } from '../../bytes.js';
import { keyOf, rightsOf, rollOf } from './access.js';
import { equal, list, members, text, within } from './shapes.js';

/** @typedef {import('./access.js').Line} Line */
/** @typedef {import('./access.js').Served} Served */
/** @typedef {import('../../auditor/chain.js').Event} Event */
/** @typedef {{line: number, viewer: string}} Notice Hidden dice went to somebody without a seat. */
/** @typedef {{status: 'OK' | 'FAULT' | 'INCOMPLETE', message: string, code: string | null, line: number | null,
 *   anchored: boolean, viewers: Record<string, {rolls: number, dice: number}>, noticed: Notice[]}} Disclosure */

const VIEWER = /^(?:spectator|(?:seat|stand_in)\/[1-9][0-9]{0,2}|(?:caster|admin)\/[!-~]{1,64})$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAMED_MAX = 3;
const LINES_AT_ONCE = 256;
const version = within(1, Infinity);

const SHAPES = new Map([
  ['access.created', members({ match: (value) => text(value) && UUID.test(value) })],
  [
    'access.served',
    members({
      viewer: (value) => text(value) && VIEWER.test(value),
      deal: within(0, 65_535),
      cup: within(0, 255),
      roll: within(0, 65_535),
      slots: list(within(0, 255)),
      version,
    }),
  ],
  ['access.closed', members({ version })],
]);

/**
 * @param {Uint8Array} record The access record, which may be any bytes.
 * @param {Line[]} lines The event lines of the match, which have passed layers 1 and 2.
 * @param {number} upto The last of them that follows from the rules; 0 where nobody here knows the rules.
 * @param {{policy: import('../../auditor/policies.js').Policy | null, hashing: import('../../auditor/hashing.js').Hashing}} how
 * @returns {Promise<Disclosure>}
 */
export async function judge(record, lines, upto, { policy, hashing }) {
  const course = new Course(lines, upto);
  const debts = new Debts();
  const anchors = new Anchors(hashing, debts, policy);
  try {
    const parts = split(record);
    for (let at = 0; at < parts.lines.length; at += LINES_AT_ONCE) {
      const some = parts.lines.slice(at, at + LINES_AT_ONCE);
      const hashes = await Promise.all(some.map(hashing.sha256));
      for (const [place, line] of some.entries()) course.take(line, hex(hashes[place]));
    }
    const end = course.finish();
    const proved = anchors.finish({ ...end, type: 'match.ended' }, parts);
    await debts.settle();
    return course.disclosed(proved && course.closed && course.over, anchors.anchored);
  } catch (trouble) {
    if (!(trouble instanceof Fault)) throw trouble;
    const { code, message } = trouble;
    const found = { code, line: course.line, message: `${CODES[code]}: ${message}` };
    return { status: 'FAULT', ...found, anchored: false, viewers: {}, noticed: [] };
  }
}

/** @param {Notice[]} noticed @returns {string} To whom hidden dice went, in a sentence without its end; empty for nobody. */
export function servedBesides(noticed) {
  /** @type {Map<string, number>} */
  const firsts = new Map();
  for (const { line, viewer } of noticed) if (!firsts.has(viewer)) firsts.set(viewer, line);
  const told = [...firsts].map(([viewer, line]) => `${viewer} (line ${line} of the access record)`);
  const more = told.length > NAMED_MAX ? [`${told.length - NAMED_MAX} more`] : [];
  return told.length === 0 ? '' : `hidden dice were served to ${[...told.slice(0, NAMED_MAX), ...more].join(', ')}`;
}

/** @param {string} viewer Whether the rules bind it. */
const isBound = (viewer) => /^(?:spectator|seat\/.+|stand_in\/.+)$/.test(viewer);

/** An access record on its way through the audit. */
class Course {
  line = 0;
  closed = false;
  /** @type {Event | null} */
  #last = null;
  /** @type {Map<string, Served>} */
  #told = new Map();
  /** @type {Notice[]} */
  #noticed = [];

  /** @param {Line[]} lines @param {number} upto */
  constructor(lines, upto) {
    this.over = upto === lines.length && lines.at(-1)?.kind === 'match.ended';
    this.upto = upto;
    this.rights = rightsOf(lines.slice(0, upto));
    this.match = lines[0].data.match;
  }

  /** @param {Uint8Array} line @param {string} head @throws {Fault} */
  take(line, head) {
    this.line += 1;
    const first = this.#last === null;
    const event = linked(line, head, this.#last);
    this.#last = event;
    const shape = SHAPES.get(event.type);
    if (shape === undefined) throw new Fault('E_FORMAT', 'there is no line of this type in an access record');
    if (!shape(event.data)) throw new Fault('E_FORMAT', `${event.type} does not have the members it should`);
    if (this.closed || first !== (event.type === 'access.created')) {
      throw new Fault('E_ORDER', 'an access record begins once, ends once, and nothing follows');
    }
    if (first) this.#create(event);
    else if (event.type === 'access.served') this.#serve(event.data);
    else this.#close(event.data.version);
  }

  /** @returns {Event} The last line, after which nothing is missing. @throws {Fault} At the last line. */
  finish() {
    const missing = [...this.rights.allowed].find(([key]) => !this.#told.has(key))?.[1];
    if (this.closed && missing !== undefined) {
      const what = `roll ${missing.roll} of cup ${missing.cup}`;
      throw new Fault('E_ACCESS', `${missing.viewer} was let know ${what}, and no line says so`);
    }
    this.line += 1;
    return /** @type {Event} */ (this.#last);
  }

  /** @param {boolean} whole @param {boolean} anchored @returns {Disclosure} */
  disclosed(whole, anchored) {
    /** @type {Disclosure['viewers']} */
    const viewers = {};
    for (const { viewer, slots } of this.#told.values()) {
      const { rolls, dice } = viewers[viewer] ?? { rolls: 0, dice: 0 };
      viewers[viewer] = { rolls: rolls + 1, dice: dice + slots.length };
    }
    const message = messageOf(this.#noticed, whole, this.upto > 0);
    const status = whole ? 'OK' : 'INCOMPLETE';
    return { status, message, code: null, line: null, anchored, viewers, noticed: this.#noticed };
  }

  /** @param {Event} event */
  #create({ stream, data }) {
    const fits = stream === `access/${this.match}` && data.match === this.match;
    if (!fits) throw new Fault('E_ACCESS', 'this is the access record of another match');
  }

  /** @param {Served} served */
  #serve(served) {
    if (this.#told.has(keyOf(served))) {
      throw new Fault('E_ACCESS', `${served.viewer} is on record twice with these dice`);
    }
    this.#told.set(keyOf(served), served);
    this.#checkVersion(served.version);
    if (served.version <= this.upto && !this.#isAllowed(served)) {
      const what = `roll ${served.roll} of cup ${served.cup}`;
      throw new Fault(
        'E_ACCESS',
        `${served.viewer} was served ${what}, which it may not know, or not from that version on`,
      );
    }
    if (!isBound(served.viewer) && !this.#isPublic(served)) {
      this.#noticed.push({ line: this.line, viewer: served.viewer });
    }
  }

  /** @param {Served} served @returns {boolean} Exactly so for a seat that may know the dice, else once all may. */
  #isAllowed(served) {
    const allowed = this.rights.allowed.get(keyOf(served));
    if (allowed !== undefined) return equal(served, allowed);
    const there = equal(this.rights.rolled.get(rollOf(served)) ?? null, served.slots);
    return there && (!isBound(served.viewer) || this.#isPublic(served));
  }

  /** @param {Served} served @returns {boolean} Whether everybody had seen these dice by then. */
  #isPublic(served) {
    const open = this.rights.open.get(rollOf(served));
    return open !== undefined && open <= served.version;
  }

  /** @param {number} version */
  #close(version) {
    this.closed = true;
    this.#checkVersion(version);
    if (version < this.upto)
      throw new Fault('E_ACCESS', `the record closes at version ${version}, and the match went on`);
  }

  /** @param {number} version While the match goes on, later ones are left to another audit. */
  #checkVersion(version) {
    if (this.over && version > this.upto) throw new Fault('E_ACCESS', `the match has no version ${version}`);
  }
}

/** @param {Notice[]} noticed @param {boolean} whole @param {boolean} ruled */
function messageOf(noticed, whole, ruled) {
  const unruled =
    'what the access record says was not held against the rules, which alone tell who may know which dice';
  const seats = ruled ? 'every seat was served the hidden dice that the rules let it know' : unruled;
  const others = noticed.length > 0 ? `, and ${servedBesides(noticed)}` : ruled ? ', and nobody any others' : '';
  const open = ', as far as the records go: the match is not over, or a final proof is missing';
  return `${seats}${others}${whole || !ruled ? '' : open}`;
}
