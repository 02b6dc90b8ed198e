/**
 * The sounds of a table: a cup, a die, a doubt, a turn, the shaking of dice. They are made here, out of noise and of plain
 * tones, and come from nowhere else.
 */

import { isMuted, keepMuted } from '../client/keep.js';

/**
 * @typedef {object} Note
 * @property {'noise' | OscillatorType} wave
 * @property {number} hertz Of a tone; of noise, the middle of what is heard of it.
 * @property {number} at When it begins, in seconds.
 * @property {number} lasts In seconds.
 * @property {number} loud From 0 to 1.
 */

/** @param {number} at @returns {Note} A die that falls on another. */
const clack = (at) => ({ wave: 'noise', hertz: 2_600 + 500 * Math.sin(at * 97), at, lasts: 0.035, loud: 0.35 });

/** @type {Record<'cup' | 'die' | 'doubt' | 'turn' | 'shake', Note[]>} */
const SOUNDS = {
  cup: [{ wave: 'noise', hertz: 260, at: 0, lasts: 0.14, loud: 0.6 }],
  die: [clack(0)],
  doubt: [
    { wave: 'triangle', hertz: 233, at: 0, lasts: 0.16, loud: 0.3 },
    { wave: 'triangle', hertz: 175, at: 0.13, lasts: 0.28, loud: 0.3 },
  ],
  turn: [
    { wave: 'sine', hertz: 659, at: 0, lasts: 0.18, loud: 0.2 },
    { wave: 'sine', hertz: 880, at: 0.14, lasts: 0.3, loud: 0.2 },
  ],
  shake: [0, 0.07, 0.13, 0.21, 0.27, 0.34, 0.42].map(clack),
};
/** @typedef {keyof typeof SOUNDS} Sound */

const NOISE_S = 0.5;

/**
 * @param {BaseAudioContext} context
 * @param {AudioNode} to
 * @param {Sound} name
 * @param {number} from When it begins by the context's clock, in seconds.
 */
export function play(context, to, name, from) {
  for (const note of SOUNDS[name]) sound(context, to, note, from + note.at);
}

/** @param {BaseAudioContext} context @param {AudioNode} to @param {Note} note @param {number} at */
function sound(context, to, { wave, hertz, lasts, loud }, at) {
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(loud, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + lasts);
  const source = wave === 'noise' ? noise(context, hertz, volume) : tone(context, wave, hertz, volume);
  volume.connect(to);
  source.start(at);
  source.stop(at + lasts);
}

/** @param {BaseAudioContext} context @param {number} hertz @param {AudioNode} to */
function noise(context, hertz, to) {
  const buffer = new AudioBuffer({ length: context.sampleRate * NOISE_S, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  for (const at of samples.keys()) samples[at] = Math.random() * 2 - 1;
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(new BiquadFilterNode(context, { type: 'bandpass', frequency: hertz, Q: 1.2 })).connect(to);
  return source;
}

/** @param {BaseAudioContext} context @param {OscillatorType} type @param {number} frequency @param {AudioNode} to */
function tone(context, type, frequency, to) {
  const source = new OscillatorNode(context, { type, frequency });
  source.connect(to);
  return source;
}

/** What lets a page be heard: of a touch that is its end, or the click it becomes, and a phone believes no beginning. */
const TOUCHES = ['pointerdown', 'touchend', 'click', 'keydown'];

/** What a page is heard by. Browsers let none be heard before somebody has touched it. */
class Speaker {
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {GainNode | null} What is still to be heard goes through it. */
  #open = null;

  constructor() {
    for (const touch of TOUCHES) addEventListener(touch, () => this.#wake(), { passive: true });
  }

  #wake() {
    if (this.muted) return;
    this.#context ??= 'AudioContext' in globalThis ? new AudioContext() : null;
    // A call, or a phone that was locked, interrupts it as well.
    if (this.#context !== null && this.#context.state !== 'running') void this.#context.resume();
  }

  get muted() {
    return isMuted();
  }

  /** @param {boolean} muted Kept by this browser, for every table. */
  mute(muted) {
    keepMuted(muted);
    if (muted) this.hush();
    else this.#wake();
  }

  /** @param {Sound} name @param {number} [delay] In milliseconds. */
  play(name, delay = 0) {
    const context = this.#context;
    if (context === null || context.state !== 'running' || this.muted) return;
    this.#open ??= new GainNode(context, { gain: 0.6 });
    this.#open.connect(context.destination);
    play(context, this.#open, name, context.currentTime + delay / 1000);
  }

  /** Let nothing be heard of what was still to come. */
  hush() {
    this.#open?.disconnect();
    this.#open = null;
  }

  /** Shake what somebody holds, where it can be shaken. @param {number} ms */
  buzz(ms) {
    if (!this.muted && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(ms);
  }
}

export const speaker = new Speaker();
