"""The guard of a seat, when its browser goes over to another seat of the table before all is done for the first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import playwright
import pytest

from services.web.assets import FOLDER

NODE = Path(playwright.__file__).parent / "driver" / "node"
GOES_OVER = """
globalThis.document = { hidden: true, addEventListener() {} };
const folder = process.argv[1];
const { network } = await import(`${folder}/client/api.js`);
const { Guard } = await import(`${folder}/hosting/guarding.js`);
const [match, root] = ['0'.repeat(32), '00'.repeat(32)];
const [posted, policies] = [[], []];
network.ask = async (path, { method }) => {
  if (method === 'POST') posted.push(path);
  if (path.endsWith('/log/policy')) await new Promise((answer) => policies.push(answer));
  return new Response('{}', { status: method === 'POST' ? 200 : 503 });
};
const quiet = () => {};
const ears = { onAlarm: quiet, onPolicy: quiet, onKept: quiet, onProof: quiet, onKey: quiet };
const until = async (what) => { while (!what()) await new Promise((resolve) => setTimeout(resolve, 1)); };
const guard = new Guard(match, ears);
guard.keep({ match, seat: 1, token: 'one' });
await until(() => policies.length === 1);
const seats = [1, 2].map((seat) => ({ seat, custody: 'client', dice: [] }));
const deal = { number: 0, stage: 'committed', waiting_for: [1, 2], root, cups: [[1, 1, 6, 5]] };
guard.see({ match, phase: 'dealing', seats, deal, rules: {}, policy: 'all', cup: [], viewer: 1, moves: [] });
await until(() => policies.length === 2);
if (process.argv[2] === 'over') guard.keep({ match, seat: 2, token: 'two' });
for (const answer of policies) answer();
for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setTimeout(resolve));
process.stdout.write(JSON.stringify(posted));
process.exit();
"""
"""A seat is asked for its seed, and before it can be given, the page has gone over to another seat, or has not."""


@pytest.mark.parametrize(("goes", "promised"), [("stays", 1), ("over", 0)])
def test_no_seed_of_one_seat_is_promised_as_another(goes: str, promised: int) -> None:
    """It would be fixed for the other, which could never open it."""
    command = [str(NODE), "--no-warnings", "--input-type=module", "-e", GOES_OVER, str(FOLDER), goes]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert len(msgspec.json.decode(done.stdout)) == promised


LOST_ONCE = """
globalThis.document = { hidden: true, addEventListener() {} };
const wait = globalThis.setTimeout;
globalThis.setTimeout = (done, ms) => wait(done, Math.min(ms ?? 0, 5));
const folder = process.argv[1];
const { network } = await import(`${folder}/client/api.js`);
const { SeedKeeper } = await import(`${folder}/client/seeds.js`);
let reads = 0;
network.ask = async (path) => {
  if (path.endsWith('/lines')) reads += 1;
  if (process.argv[2] === 'lost') throw new TypeError('network error');
  return new Response('{"code":"not_yours"}', { status: 403 });
};
const [match, root] = ['0'.repeat(32), '00'.repeat(32)];
const keeper = new SeedKeeper({ match, seat: 1, token: 'one', seeds: '11'.repeat(32) }, () => {}, async () => {});
const deal = { number: 0, stage: 'logged', waiting_for: [1], root, cups: [[1, 1, 6, 5]] };
const view = { match, seats: [{ seat: 1, custody: 'client' }], deal, rules: {}, policy: 'all' };
await keeper.see(view);
await new Promise((resolve) => wait(resolve, 100));
const first = reads;
await keeper.see({ ...view, deal: null });
await new Promise((resolve) => wait(resolve, 50));
const then = reads;
await new Promise((resolve) => wait(resolve, 50));
process.stdout.write(JSON.stringify([first, reads - then]));
process.exit();
"""
"""A seed is to be opened, and what it is bound to cannot be read; then another view comes, which asks for nothing."""


@pytest.mark.parametrize(("line", "again"), [("lost", True), ("refused", False)])
def test_a_seed_that_a_lost_line_keeps_back_is_given_as_soon_as_there_is_one(line: str, *, again: bool) -> None:
    """No other view may come before its time is over."""
    command = [str(NODE), "--no-warnings", "--input-type=module", "-e", LOST_ONCE, str(FOLDER), line]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    asked, asked_after = msgspec.json.decode(done.stdout)
    assert (asked > 1, asked_after) == (again, 0)
