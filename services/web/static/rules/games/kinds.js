/** Options that several games have. */
import { oneOf, truth, within } from '../audit/shapes.js';

export const starter = oneOf('loser', 'winner');
export const wild = oneOf('unless_opened', 'always', 'never');
export const natural = truth;
export const lives = within(1, 100);
export const wins = within(1, 20);
export const pokerDice = oneOf('poker', 'spotted');
export const lifted = oneOf('both', 'accused');
export const lastThrow = oneOf('may_claim', 'auto_challenge');
export const digits = oneOf('zero_high', 'natural', 'ace_high');
export const chips = within(1, 1_000_000);
