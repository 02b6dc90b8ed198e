// What the server sends of a match. The views of the projections say what each member means; a test holds these to them.

/** One die or digit. `face` is null for a viewer who does not know it. */
export interface Die {
  readonly face: number | null;
  readonly shown: boolean;
  readonly cocked: boolean;
}

export interface Seat {
  readonly seat: number;
  readonly player: string;
  readonly name: string;
  readonly bot: boolean;
  readonly custody: 'client' | 'server';
  readonly out: boolean;
  readonly balances: Record<string, number>;
  readonly dice: Die[];
  readonly bank_ms: number | null;
  readonly counted: number | null;
  readonly absent: number;
  readonly stand_in: boolean;
  readonly kicked: boolean;
  readonly key: string | null;
  readonly key_named: string | null;
}

/** A count of a face, or a hand; what it is not is null. */
export interface Claim {
  readonly seat: number;
  readonly words: string;
  readonly quantity: number | null;
  readonly face: number | null;
  readonly shape: string | null;
  readonly faces: number[] | null;
}

export interface Deal {
  readonly number: number;
  readonly stage: string;
  readonly waiting_for: number[];
  readonly cups: [id: number, owner: number, rolls: number, width: number][];
  readonly root: string;
  readonly beacon: { chain: string; round: number } | null;
  readonly beacon_at: number | null;
}

/** A verdict, as the event that says it: what was not judged, named or counted is null. */
export interface Verdict {
  readonly kind: string;
  readonly claimant: number | null;
  readonly quantity: number | null;
  readonly face: number | null;
  readonly shape: string | null;
  readonly faces: number[] | null;
  readonly doubters: number[];
  readonly holds: boolean | null;
  readonly count: number | null;
  readonly out_of_turn: boolean;
  readonly winners: number[];
  readonly losers: number[];
}

/** The rules object of a match, as far as pages ask it. */
export interface Rules {
  readonly seats: number;
  readonly options: Record<string, unknown>;
  readonly clock: { bank_ms: number; on_timeout: 'act' | 'forfeit' } | null;
  readonly idle?: { turns: number; turn_ms: number; then?: 'stand_in' };
  readonly host?: Record<string, number>;
  readonly start?: 'full';
  readonly starts_at?: number;
  readonly beacon?: Record<string, unknown> | null;
  readonly event?: Record<string, unknown> | null;
  readonly board?: { readonly id: string; readonly positions: Record<string, number> };
}

/** Something the viewer may do now; what else it says goes by its type. */
export interface Move {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: its other members go by its type.
  readonly [member: string]: any;
}

/** What the host may do now: what is not there is refused. Stand-ins are with from when on. */
export interface Hosting {
  readonly table: string[];
  readonly kick: number[];
  readonly hand_over: number[];
  readonly give_time: number[];
  readonly take_back: number[];
  readonly stand_in: [seat: number, since: number][];
  readonly lend: number[];
}

export interface View {
  readonly match: string;
  readonly version: number;
  readonly at: number;
  readonly head: string;
  readonly game: string;
  readonly title: string;
  readonly rules: Rules;
  readonly policy: 'all' | 'shown';
  readonly viewer: number | null;
  readonly phase: string;
  readonly seats: Seat[];
  readonly faces: [first: number, count: number];
  readonly deal: Deal | null;
  readonly due_at: number | null;
  readonly ending: string | null;
  readonly host: number | null;
  readonly locked: boolean;
  readonly paused: { since: number; until: number; reason: string } | null;
  readonly continues: { by: number[]; awaits: number[] } | null;
  readonly hosting: Hosting | null;
  readonly hold_ms: number | null;
  readonly round: number;
  readonly turn: number | null;
  readonly standing: Claim | null;
  readonly doubters: number[];
  readonly pass_by: number | null;
  readonly cup: Die[];
  readonly dice_in_play: number;
  readonly direction: number;
  readonly stakes: [basic: number, effective: number] | null;
  readonly slip: number | null;
  readonly last: Verdict | null;
  readonly flags: string[];
  readonly next_starter: number | null;
  readonly waiting: number[];
  readonly out: number[];
  readonly winner: number | null;
  readonly pot: number;
  readonly closed: boolean;
  readonly open_ended: boolean;
  readonly moves: Move[];
  readonly hands: Record<string, number[][]>;
  readonly signing: { n: number; loud: number } | null;
}

/** An event, without proofs; what else it says goes by its type. */
export interface PublicEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: its other members go by its type.
  readonly [member: string]: any;
}

export interface Frame {
  readonly version: number;
  readonly at: number;
  readonly head: string;
  readonly event: PublicEvent;
  readonly view: View;
  /** Whether the same command led to the next event, too. */
  readonly more: boolean;
}

/** A match as the lobby shows it. */
export interface LobbyRow {
  readonly match: string;
  readonly title: string;
  readonly game: string;
  readonly phase: string;
  readonly seats: { seat: number; name: string; bot: boolean }[];
  readonly seats_max: number;
  readonly version: number;
  readonly round: number;
  readonly turn: number | null;
  readonly at: number;
  readonly winner: number | null;
  readonly expires_at: number | null;
  readonly clock_ms?: number | null;
  readonly turn_ms?: number | null;
  readonly name: string | null;
  readonly locked?: boolean;
  readonly start?: 'full' | null;
  readonly starts_at?: number | null;
  readonly delay_ms?: number;
  readonly deals_drawn?: number | null;
}
