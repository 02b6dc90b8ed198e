"""A database that was changed behind our backs does not hold, whatever was changed."""

from __future__ import annotations

from infra.store import SHARDS, Access, shard_of
from infra.store.postgres import open_store
from services.cli.operating.backups.verifying import FAULTS_MAX
from tests.backups.houses import LINES, SERVED, STREAMS, Showing, found_after, found_in, go_on
from tests.store.lines import chain, stream

PLAYED, OVER = stream(1), stream(2)
ELSEWHERE = next(shard for shard in range(SHARDS) if shard not in {shard_of(PLAYED), shard_of(OVER)})
BESIDE = (
    f"update shard set position = position - 3 where shard = {shard_of(PLAYED)};"
    f" update shard set position = position + 3 where shard = {ELSEWHERE};"
    f" update stream set shard = {ELSEWHERE} where stream = '{PLAYED}';"
    f" update event set shard = {ELSEWHERE} where stream = '{PLAYED}'"
)
FORGERIES = {
    "a line says something else": (
        "update event set body = replace(body, '\"at\":1', '\"at\":2') where seq = 2",
        "E_CHAIN|another line 2",
    ),
    "a line is no line": ("update event set body = 'x' where seq = 1", "E_FORMAT|canonical"),
    "a line is gone": ("delete from event where seq = 2", "has 2 lines, and not 3"),
    "a stream is forgotten": (f"delete from stream where stream = '{PLAYED}'", "has no line at 3 of its"),
    "a stream is in the shard of others": (BESIDE, "in shard"),
    "a shard is not there": (f"delete from shard where shard = {ELSEWHERE}", "shards"),
    "a shard lives elsewhere": (f"update shard set closed_at = position where shard = {ELSEWHERE}", "shards"),
    "a line waits where the next one is to be": (
        f"insert into event (shard, position, stream, seq, body, hash) select {shard_of(PLAYED)}, 9, 'x', 0, 'x', 'x'",
        "lines of no stream",
    ),
    "two lines are at one place": (
        "update archive set positions = array_fill(1::bigint, array[5])",
        "at places of others",
    ),
    "a line of the archive says something else": (
        "update archive set lines = replace(lines, '\"at\":1', '\"at\":3')",
        "line 1: E_CHAIN|another line 4",
    ),
    "a stream has the lines of another": (
        f"update stream set stream = '{stream(9)}' where stream = '{PLAYED}'; update event set stream = '{stream(9)}'",
        "holds the lines of",
    ),
    "who saw what says something else": ("update access_line set body = replace(body, '\"at\":1', '\"at\":2')", SERVED),
    "an answer names another line": (
        "update command set answer = replace(encode(answer, 'escape'), 'version\":3', 'version\":2')::bytea",
        "has an answer that names another line",
    ),
    "an answer is about a line that never was": (
        'update command set answer = \'{"version": 99, "head": "0"}\'',
        "names another line 98",
    ),
    "an answer is none": ("update command set answer = 'x'", "an answer that is none"),
    "an answer is of no stream": ("update command set stream = 'match/x'", "stored answers of no stream"),
    "a token is of no stream": (
        "insert into token (digest, stream, role) values ('x', 'match/x', 'host')",
        "1 tokens of no stream",
    ),
    "a secret is of no stream": (
        f"update vault.secret set stream = 'match/x' where stream = '{PLAYED}'",
        "secrets of no stream",
    ),
    "an entry that waits names another line": (
        f"insert into log_outbox values ('{PLAYED}', 1, 'sealed', 'x', {shard_of(PLAYED)}, 1)",
        "is to have another line 1",
    ),
    "an entry that waits is of no stream": (
        f"insert into log_outbox values ('match/x', 1, 'sealed', 'x', {shard_of(PLAYED)}, 1)",
        "wait for the log of no stream",
    ),
    "a projection has seen what is not there": (
        f"insert into projection_cursor values ('lobby', {shard_of(PLAYED)}, 99)",
        "the projection lobby has seen more",
    ),
    "an entry is gone": ("delete from log_entry where index = 1", "has no entry"),
    "an entry is about a stream that nobody has": (
        f"update log_entry set stream = 'match/x' where stream = '{PLAYED}'",
        "name streams that are not there",
    ),
    "an entry names another line": ("update log_entry set entry = 'CUP1 anchor' where index = 0", "has another line"),
    "there are more entries than it says": ("update log_state set size = size - 1", "more than the|name streams"),
    "there are fewer entries than it says": ("update log_state set size = size + 1", "name streams|has no entry"),
    "a hash of the tree is another": (
        "update log_hash set hash = sha256('x') where level = 0 and index = 1",
        "the hashes of the tree",
    ),
    "a checkpoint is of another tree": (
        "update log_checkpoint set note = replace(note, split_part(note, E'\\n', 3), encode(sha256('x'), 'base64'))",
        "is not that of the entries there are",
    ),
    "a checkpoint is none": ("update log_checkpoint set note = 'x'", "is none"),
    "nobody signed the newest checkpoint": (
        "update log_checkpoint set note = split_part(note, E'\\n\\n', 1) || E'\\n\\n'",
        "is none|does not meet its policy",
    ),
    "the policy is another": ("update log_policy set text = replace(text, 'quorum', '#quorum')", "policy"),
    "a checkpoint is over more than there is": (
        "delete from log_entry; delete from log_hash; update log_state set size = 0",
        "was signed over",
    ),
}


async def test_a_house_that_nobody_changed_holds(house: str, jury: Showing) -> None:
    await go_on(house, jury, 3)
    found = await found_in(house)
    assert (found.streams, found.lines, found.faults) == (STREAMS + 1, LINES + 1, [])
    assert found.entries == found.anchored
    assert found.answers == STREAMS
    assert found.seen_by.keys() == {"w1.example", "w2.example"}


async def test_the_end_of_who_saw_what_may_wait_for_the_log(house: str) -> None:
    store = await open_store(house, "truecup_dealer")
    seen = Access("access/x", 0, tuple(chain("access/x", 1, kind="access.closed")))
    assert await store.append_access(PLAYED, seen)
    await store.close()
    assert (await found_in(house)).faults == []


async def test_whatever_is_changed_is_found(house: str) -> None:
    missed = {}
    for how, (change, said) in FORGERIES.items():
        faults = (await found_after(house, change)).faults
        if not any(each in fault for fault in faults for each in said.split("|")):
            missed[how] = faults
    assert missed == {}
    assert (await found_in(house)).faults == []


async def test_of_many_faults_the_first_are_told(house: str) -> None:
    row = f"{shard_of(PLAYED)}, 'match/' || n, 1"
    many = f"insert into stream (shard, stream, version) select {row} from generate_series(1, 50) n"
    assert len((await found_after(house, many)).faults) == FAULTS_MAX
