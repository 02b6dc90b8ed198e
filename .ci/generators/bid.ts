// A client with generated types opens a practice table, sits down beside a bot of the house, and bids in its turn,
// and finds the bid in the replay.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated.js';

declare const process: { readonly argv: readonly string[] };

const WAIT_MS = 60_000;
const house = process.argv[2];
if (house === undefined) throw new Error('whose address?');
const client = createClient<paths>({ baseUrl: house });

function accepted<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

async function turnOf(match_id: string, headers: Record<string, string>) {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
    const view = accepted(await client.GET('/api/v1/matches/{match_id}', { params: { path: { match_id } }, headers }));
    if (view.turn === view.viewer) return view;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no turn within ${WAIT_MS} ms`);
}

const bearer = (token: string | null | undefined) => ({ Authorization: `Bearer ${token}` });
const opened = accepted(
  await client.POST('/api/v1/matches', {
    body: { rules: { game: 'common_hand', seats: 2, pause_ms: 0 }, choices: { bots: 'instant' } },
  }),
);
const params = { path: { match_id: opened.match } };
const host = bearer(opened.token);
const joined = accepted(await client.POST('/api/v1/matches/{match_id}/seats', { params, body: { name: 'Ada' } }));
const seat = bearer(joined.token);
accepted(await client.POST('/api/v1/matches/{match_id}/bots', { params, headers: host, body: { count: 1 } }));
accepted(await client.POST('/api/v1/matches/{match_id}/start', { params, headers: host }));
const view = await turnOf(opened.match, seat);
const least = view.moves?.find((move) => move.type === 'bid')?.lowest[0];
const [quantity, face] = least ?? [];
if (quantity === undefined || face === undefined) throw new Error('no bid is offered');
const bid = accepted(
  await client.POST('/api/v1/matches/{match_id}/commands', {
    params,
    headers: seat,
    body: { type: 'bid', quantity, face },
  }),
);
if (bid.version <= view.version) throw new Error('the match has not moved on');
const told = accepted(
  await client.GET('/api/v1/matches/{match_id}/replay', {
    params: { ...params, query: { version: view.version + 1 } },
    headers: seat,
  }),
);
if (!('event' in told) || told.event.type !== 'game.bid') throw new Error('the bid was not told of');
const { event } = told;
if (event.seat !== view.viewer || event.quantity !== quantity || event.face !== face) throw new Error('another bid');
console.log(`   TypeScript: seat ${view.viewer} bid ${quantity} x ${face} at version ${view.version} of ${opened.match}`);
