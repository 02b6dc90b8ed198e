"""kill -9 between any two things the database knows of a ceremony: the same dice, and nothing dealt twice."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from infra.store.postgres import PostgresStore, open_store
from tests.adversity.proxy import proxied
from tests.crash.ceremony import Ceremony, dice_of, secrets_of
from tests.crash.conftest import Lasting
from tests.crash.gate import Gate, Moment
from tests.crash.house import Service
from tests.sizes import is_long, spread

APPEND, ENTER, NOTE = "append_set", "insert into log_entry", "insert into log_checkpoint"
ROUND = {"deal_per": "round"}
MOMENTS = (
    Moment("a deal is drawn, and not stored", APPEND, ("deal.committed",)),
    Moment("a deal and its secret are stored, and nobody knows", APPEND, ("deal.committed",), kept="answer"),
    Moment(
        "one of several has fixed a seed", APPEND, ("seed.committed",), ("deal.sealed", "deal.committed"), kept="answer"
    ),
    Moment("the last seed is given, and not stored", APPEND, ("deal.sealed",)),
    Moment("sealed, and waiting in the outbox", APPEND, ("deal.sealed",), kept="answer"),
    Moment("about to enter the log", ENTER, ("sealed",), once="deal.sealed"),
    Moment("entered the log, and not committed", ENTER, ("sealed",), commits=True, once="deal.sealed"),
    Moment("in the log, and nobody knows", ENTER, ("sealed",), kept="answer", commits=True, once="deal.sealed"),
    Moment("a checkpoint is signed, and not stored", NOTE, once="deal.sealed"),
    Moment("a checkpoint is stored, and nobody knows", NOTE, kept="answer", commits=True, once="deal.sealed"),
    Moment("the log has it, and the match does not say so", APPEND, ("deal.logged",)),
    Moment("the match says that it is logged, and nobody knows", APPEND, ("deal.logged",), kept="answer"),
    Moment("one of several has opened", APPEND, ("seed.opened",), ("deal.ready", "deal.logged"), kept="answer"),
    Moment("the last seed is opened, and not stored", APPEND, ("deal.ready",)),
    Moment("rolled, and nobody has a frame", APPEND, ("deal.ready", "cup.rolled"), kept="answer"),
    Moment("judged, and not stored", APPEND, ("game.judged", "cup.revealed")),
    Moment("judged, and nothing shown to anybody", APPEND, ("game.judged", "cup.revealed"), kept="answer"),
    Moment("about to be closed", APPEND, ("deal.closed",)),
    Moment("ended, and nobody knows", APPEND, ("match.ended",), kept="answer"),
    Moment("about to close a deal of several", APPEND, ("deal.closed",), rules=ROUND),
    Moment("a deal of several is closed, and nobody knows", APPEND, ("deal.closed",), kept="answer", rules=ROUND),
    Moment("the next deal is drawn, and not stored", APPEND, ("deal.committed",), nth=2, rules=ROUND),
    Moment("the next deal is stored, and nobody knows", APPEND, ("deal.committed",), nth=2, kept="answer", rules=ROUND),
    Moment("the next deal is in the log, and nobody knows", ENTER, ("sealed",), nth=2, kept="answer", commits=True,
           once="deal.sealed", rules=ROUND),
    Moment("a void is decided, and not stored", APPEND, ("deal.voided",), withheld=True),
    Moment("a void is stored, and nobody knows", APPEND, ("deal.voided",), kept="answer", withheld=True),
)  # fmt: skip


@pytest_asyncio.fixture
async def store(lasting: Lasting) -> AsyncIterator[PostgresStore]:
    reading = await open_store(lasting.database_url, "truecup_dealer")
    yield reading
    await reading.close()


def sort_of(moment: Moment) -> object:
    """Return what is killed in the middle of: a statement about the log, or before or after one about a match."""
    return moment.statement, moment.statement == APPEND and moment.kept


TRIED = [moment for moment in MOMENTS if is_long() or not moment.withheld]
"""A void takes half a minute, and is stored as everything is that a match says."""


@pytest.mark.parametrize("moment", spread(TRIED, 1, sort_of), ids=lambda moment: moment.name)
async def test_killed_there_it_goes_on_with_the_same_dice(
    lasting: Lasting, store: PostgresStore, tmp_path: Path, moment: Moment
) -> None:
    async with AsyncExitStack() as ending:
        short = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="truecup")))
        gate = await ending.enter_async_context(proxied(lasting.database_url, Gate(moment).listener, below=short))
        service = Service(gate.url, lasting.nats_url, tmp_path)
        ending.callback(service.kill)
        await asyncio.to_thread(service.start)
        playing = asyncio.create_task(asyncio.to_thread(_played, service, moment))
        reached = asyncio.create_task(gate.reached.wait())
        await asyncio.wait({playing, reached}, timeout=180, return_when=asyncio.FIRST_COMPLETED)
        assert gate.reached.is_set(), f"this never happens: {playing}"
        service.kill()
        gate.break_off()
        before = await _known(store, service)
        await asyncio.to_thread(service.start)
        table = await asyncio.wait_for(playing, 300)
        verdict = await asyncio.to_thread(table.audited)
        assert (verdict.status, verdict.anchored) == ("OK", True), verdict.message
        after = await _known(store, service)
        await asyncio.to_thread(service.stop)
    _check_kept(before, after)
    _check_dealt_once(after, moment)
    _check_dice(before, after, verdict.deals)


def _played(service: Service, moment: Moment) -> Ceremony:
    table = Ceremony(service, moment.rules, withheld=moment.withheld)
    table.finish(240)
    return table


class Known:
    """What the database knows of the one match there is."""

    def __init__(self, lines: list[bytes], secrets: dict[str, bytes]) -> None:
        self.raw = lines
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.secrets = secrets

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line["data"] for line in self.lines if line["type"] == kind]


async def _known(store: PostgresStore, service: Service) -> Known:
    streams = {row.stream for shard in await store.positions() for row in await store.follow(shard, 0, 10_000)}
    assert len(streams) <= 1, "a match that was opened is not opened again"
    for stream in streams:
        return Known(await store.read(stream), await secrets_of(store, stream, service.folder))
    return Known([], {})


def _check_kept(before: Known, after: Known) -> None:
    assert after.raw[: len(before.raw)] == before.raw, "what was stored is never stored otherwise"
    assert {name: after.secrets[name] for name in before.secrets} == before.secrets


def _check_dealt_once(after: Known, moment: Moment) -> None:
    numbers = [deal["deal"] for deal in after.of("deal.committed")]
    assert numbers == list(range(len(numbers))), "no deal is dealt again"
    assert len(after.of("deal.voided")) == moment.withheld, "no deal is thrown away but for a seed kept back"
    rolls = [(roll["deal"], roll["cup"], roll["roll"]) for roll in after.of("cup.rolled")]
    assert len(set(rolls)) == len(rolls), "nothing is rolled twice"


def _check_dice(before: Known, after: Known, deals: Any) -> None:
    """The dice of each deal are those that follow from what was stored when the service was killed."""
    closed = {deal["deal"]: deal["secret"] for deal in after.of("deal.closed")}
    for committed in before.of("deal.committed"):
        number = committed["deal"]
        assert closed[number] == before.secrets[f"deal/{number}"].hex()
        if any(ready["deal"] == number for ready in after.of("deal.ready")):
            assert dice_of(after.lines, before.secrets, number) == deals[str(number)]["values"]
    for opening in after.of("seed.opened"):
        stored = before.secrets.get(f"seed/{opening['deal']}/{opening['seat']}")
        assert stored is None or stored.hex() == opening["seed"]
