// What the server tells an entrant alone. The projection of the card says what each member means.

export interface Meeting {
  readonly stage: number;
  readonly round: number;
  readonly table: number;
  readonly place: number;
  readonly theirs: number;
}

export interface Opponent {
  readonly seat: number;
  readonly number: number;
  readonly name: string;
  readonly bot: boolean;
  readonly met: number;
  readonly place: number | null;
  readonly meetings: Meeting[];
}

export interface Table {
  readonly stage: number;
  readonly round: number;
  readonly table: number;
  readonly state: string;
  readonly match: string;
  readonly board: string | null;
  readonly seat: number;
  readonly opens: boolean;
  readonly opponents: Opponent[];
  readonly place: number | null;
}

export interface Row {
  readonly number: number;
  readonly name: string;
  readonly bot: boolean;
  readonly place: number | null;
  readonly score: { readonly written: string };
}

export interface Disputable {
  readonly line: number;
  readonly kind: 'result' | 'ruling' | 'penalty';
  readonly stage: number | null;
  readonly round: number | null;
  readonly table: number | null;
  readonly place: number | null;
}

/** `note` and `answer` are hashes of what was said for it, and by officials. */
export interface Appeal {
  readonly appeal: number;
  readonly line: number;
  readonly outcome: string | null;
  readonly note: string | null;
  readonly answer: string | null;
}

export interface Challenge {
  readonly challenge: number;
  readonly number: number;
  readonly name: string;
  readonly bot: boolean;
  readonly own: boolean;
  readonly until: number;
  readonly accepted: boolean;
}

/** `challenge` waits for an answer or a table; `rivals` may be challenged now. */
export interface Ladder {
  readonly place: number | null;
  readonly challenge: Challenge | null;
  readonly rivals: { readonly number: number; readonly name: string; readonly bot: boolean; readonly place: number }[];
}

export interface Card {
  readonly version: number;
  readonly phase: string;
  readonly number: number;
  readonly name: string;
  readonly status: string;
  readonly draws: boolean;
  readonly now: string;
  readonly until: number | null;
  readonly table: Table | null;
  readonly next_round: [number, number] | null;
  readonly near: Row[];
  readonly place: number | null;
  readonly prize: { readonly unit: string; readonly whole: number } | null;
  readonly may: string[];
  readonly ladder: Ladder | null;
  readonly byes: { readonly stage: number; readonly round: number; readonly kind: string }[];
  readonly disputable: Disputable[];
  readonly appeals: Appeal[];
}

/** `n` is that of the next word; a key that officials have `named` may sign from `holds_at` on. */
export interface OwnKeySigning {
  readonly n: number;
  readonly loud: number;
  readonly named: string | null;
  readonly holds_at: number | null;
}

/**
 * `token` is that of the seat at the table, and null while this is kept for its player to take (`ready` is false then);
 * `drawer`, `deal` and `awaits` are of the lots; `key` is the one registered for all seats, as hex, and `signing` what the
 * next word on it hangs on; `custody` says who draws the seeds of a seat that is kept.
 */
export interface Own {
  readonly card: Card;
  readonly token: string | null;
  readonly ready: boolean | null;
  readonly drawer: number | null;
  readonly deal: number | null;
  readonly awaits: 'commit' | 'open' | null;
  readonly key: string | null;
  readonly signing: OwnKeySigning | null;
  readonly custody: 'client' | 'server' | null;
}

/** Asks something of the tournament, shows what came of it, and says whether it came about. */
export type Command = (body: object) => Promise<boolean>;
