"""The stored secrets get another wrapping, in place, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import asyncpg
import pytest

from infra.config import Config
from infra.entropy import draw
from infra.sealing import Sealing
from infra.store import Appended, rewrapping
from infra.store.postgres import PostgresStore
from infra.store.rewrapping import Rewrapped, rewrap
from services.matches.secrets.keys import keys_of
from tests.store.lines import append, chain, stream
from tests.store.terminal import run

ROOT = Path(__file__).parents[2]
OLD, NEW = "a1" * 32, "b2" * 32
BEFORE, AFTER, BOTH = (
    keys_of(Config(key=key, key_before=before), ROOT).sealing for key, before in ((OLD, None), (NEW, None), (NEW, OLD))
)
NAMES = [f"seed/0/{number}" for number in range(7)]


def nobody(_seen: int, _total: int) -> None:
    """Tell nobody how far it is."""


async def stored(store: PostgresStore, sealing: Sealing, count: int = 3) -> list[str]:
    """Append this many streams with their secrets, wrapped by this sealing."""
    streams = [stream(int.from_bytes(draw(8))) for _ in range(count)]
    for one in streams:
        secrets = tuple((name, sealing.wrap(f"{one} {name}".encode(), f"{one}/{name}".encode())) for name in NAMES)
        assert isinstance(await store.append(append(one, chain(one, 1), secrets=secrets)), Appended)
    return streams


async def opens(store: PostgresStore, sealing: Sealing, streams: list[str]) -> bool:
    """Report whether every secret is what it was, and this sealing opens it."""
    for one in streams:
        wrapped = await store.secrets(one)
        assert {name: sealing.unwrap(wrapped[name], f"{one}/{name}".encode()) for name in NAMES} == {
            name: f"{one} {name}".encode() for name in NAMES
        }
    return True


async def test_every_secret_is_wrapped_anew_and_is_what_it_was(database: str, postgres: PostgresStore) -> None:
    streams, told = await stored(postgres, BEFORE), []
    assert await rewrap(database, BOTH, lambda *seen: told.append(seen), 4) == Rewrapped(changed=21)
    assert await opens(postgres, AFTER, streams)
    assert told[-1] == (21, 21)
    assert await rewrap(database, BOTH, nobody) == Rewrapped(kept=21)


async def test_it_goes_on_where_it_was_interrupted(database: str, postgres: PostgresStore) -> None:
    streams = await stored(postgres, BEFORE)

    def interrupt(seen: int, _total: int) -> None:
        if seen > 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await rewrap(database, BOTH, interrupt, 4)
    assert await opens(postgres, BOTH, streams)
    assert await rewrap(database, BOTH, nobody) == Rewrapped(changed=9, kept=12)
    assert await opens(postgres, AFTER, streams)


async def test_two_at_once_and_a_service_that_goes_on_do_not_get_in_each_others_way(
    database: str, postgres: PostgresStore
) -> None:
    streams = await stored(postgres, BEFORE)
    one, other, later = await asyncio.gather(
        rewrap(database, BOTH, nobody, 2), rewrap(database, BOTH, nobody, 2), stored(postgres, BOTH)
    )
    assert one.changed + other.changed == 21
    assert await opens(postgres, AFTER, streams + later)


async def test_what_no_key_opens_is_left_as_it_is_and_counted(database: str, postgres: PostgresStore) -> None:
    strange = Sealing(bytes(32))
    lost, ours = await stored(postgres, strange, 1), await stored(postgres, BEFORE, 1)
    assert await rewrap(database, BOTH, nobody) == Rewrapped(changed=7, closed=7)
    assert await opens(postgres, strange, lost)
    assert await opens(postgres, AFTER, ours)


@pytest.mark.parametrize(
    ("before", "wrapped"), [(b"another", b"wrapped"), (b"wrapped", b"longer than"), (b"wrapped", b"")]
)
async def test_nothing_but_the_named_wrapping_is_replaced(
    database: str, postgres: PostgresStore, before: bytes, wrapped: bytes
) -> None:
    one = stream()
    await postgres.append(append(one, chain(one, 1), secrets=(("deal/0", b"wrapped"),)))
    connection = await asyncpg.connect(database, server_settings={"role": "truecup_dealer"})
    assert await connection.fetchval(rewrapping.REWRAP, [one], ["deal/0"], [before], [wrapped]) == 0
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("update vault.secret set wrapped = 'x'")
    await connection.close()
    assert await postgres.secrets(one) == {"deal/0": b"wrapped"}


async def test_only_a_dealer_may_do_it(database: str) -> None:
    connection = await asyncpg.connect(database, server_settings={"role": "truecup_api"})
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetchval(rewrapping.REWRAP, [], [], [], [])
    await connection.close()


async def test_every_statement_of_it_fits_the_schema(database: str) -> None:
    connection = await asyncpg.connect(database)
    for statement in rewrapping.STATEMENTS:
        await connection.prepare(statement)
    await connection.close()


async def test_the_command_says_what_it_did(database: str, postgres: PostgresStore, tmp_path: Path) -> None:
    streams = await stored(postgres, BEFORE)
    alone = await run(database, tmp_path, "rewrap", "--json", TRUECUP_KEY=NEW)
    assert (alone.returncode, alone.stdout) == (3, "")
    assert "TRUECUP_KEY_BEFORE" in alone.stderr
    wrong = await run(database, tmp_path, "rewrap", "--json", TRUECUP_KEY=NEW, TRUECUP_KEY_BEFORE="c3" * 32)
    assert (wrong.returncode, json.loads(wrong.stdout)) == (1, {"changed": 0, "kept": 0, "closed": 21})
    done = await run(database, tmp_path, "rewrap", "--json", TRUECUP_KEY=NEW, TRUECUP_KEY_BEFORE=OLD)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"changed": 21, "kept": 0, "closed": 0})
    assert await opens(postgres, AFTER, streams)
