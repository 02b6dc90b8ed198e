"""The notary: everything that waits shares one checkpoint, enough witnesses see it, and nothing is lost or repeated."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import pytest

from domain.log import notes
from domain.log.checkpoints import checkpoint_of, cosign
from domain.log.proofs import consistency_of
from infra.clock import now_ms
from infra.keys import Ed25519Signer
from infra.posting import PostReply
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.dealer.witness_client import Witnesses
from services.matches.reads.transparency import PublishedLog
from tests.notary.jury import ORIGIN, SIGNER, Jury, newest, sealed, seen_by
from tests.store.lines import append, chain, stream

OTHER = Ed25519Signer(b"another".ljust(32))
PATIENCE_S = 60


# ---- what is published ------------------------------------------------------------------------


async def test_an_empty_log_has_a_checkpoint_too(jury: Jury) -> None:
    store = MemoryStore()
    await jury.notary(store).work()
    empty = await newest(store)
    assert empty.size == 0
    assert seen_by(jury, empty) == {"w1.example", "w2.example"}


async def test_everything_that_waits_shares_one_checkpoint_that_all_witnesses_sign(jury: Jury) -> None:
    store = MemoryStore()
    await sealed(store, *range(1, 8))
    await jury.notary(store).work()
    checkpoint = await newest(store)
    assert checkpoint.size == 7
    assert seen_by(jury, checkpoint) == {"w1.example", "w2.example"}
    assert await store.log_pending(9) == []
    assert len(jury.asked) == 2


async def test_what_comes_later_is_proved_to_continue_what_was_seen(jury: Jury) -> None:
    store = MemoryStore()
    notary = jury.notary(store)
    for number in range(1, 6):
        await sealed(store, number)
        await notary.work()
    assert [consistency_of(body.decode()).old for name, body in jury.asked if name == "w1.example"] == [0, 1, 2, 3, 4]
    assert (await newest(store)).size == 5


async def test_while_keys_change_both_sign_and_either_knows_the_log_for_its_own(jury: Jury) -> None:
    store = MemoryStore()
    await sealed(store, 1)
    await jury.notary(store, "all", OTHER, SIGNER).work()
    text = (await newest(store)).note
    assert [line.name for line in text.signatures] == [ORIGIN, ORIGIN, "w1.example", "w2.example"]
    for keys in ((OTHER,), (SIGNER,), (Ed25519Signer(bytes(32)), SIGNER)):
        assert await PublishedLog(store, ORIGIN, tuple(key.public_key for key in keys)).is_ours()
    assert not await PublishedLog(store, ORIGIN, (bytes(32),)).is_ours()


# ---- witnesses that are new, down, slow, behind, or lie ---------------------------------------


async def test_without_a_quorum_nothing_is_published_and_the_tree_grows(jury: Jury) -> None:
    store = MemoryStore()
    notary = jury.notary(store)
    jury.silent = {"w2.example"}
    await sealed(store, 1)
    await notary.work()
    assert await store.log_checkpoint() is None
    assert await notary.proof(stream(1), 0, "sealed") is None
    assert "w2.example: it does not answer" in str(await notary.trouble())
    assert "w1" not in str(await notary.trouble())
    assert (notary.size, notary.uncovered) == (1, 1)
    assert notary.witnesses.said == {("w1.example", "signed"): 1, ("w2.example", "none"): 1}

    jury.silent = set()
    async with asyncio.timeout(PATIENCE_S):
        while await notary.trouble() is not None:
            await sealed(store, 2 + await store.log_size())
            await notary.work()
            await asyncio.sleep(0.01)
    assert (await newest(store)).size == await store.log_size() == notary.size > 1
    assert notary.uncovered == 0
    proof = await notary.proof(stream(1), 0, "sealed")
    assert proof is not None
    assert checkpoint_of(proof.checkpoint).size == await store.log_size()


async def test_a_notary_that_forgot_asks_again_from_where_each_witness_is(jury: Jury) -> None:
    store = MemoryStore()
    await sealed(store, 1, 2)
    await jury.notary(store).work()
    jury.add("w3.example")
    jury.asked = []
    await sealed(store, 3)
    await jury.notary(store).work()
    assert seen_by(jury, await newest(store)) == {"w1.example", "w2.example", "w3.example"}
    asked = [(name, consistency_of(body.decode()).old) for name, body in jury.asked]
    assert sorted(asked) == [
        ("w1.example", 0),
        ("w1.example", 2),
        ("w2.example", 0),
        ("w2.example", 2),
        ("w3.example", 0),
    ]


async def test_a_witness_that_takes_for_ever_is_not_waited_for_where_there_are_enough(jury: Jury) -> None:
    store = MemoryStore()
    jury.slow = {"w1.example"}
    await sealed(store, 1)
    async with asyncio.timeout(PATIENCE_S):
        await jury.notary(store, "1").work()
        assert seen_by(jury, await newest(store), "1") == {"w2.example"}
        await sealed(store, 2)
        await jury.notary(store, "none").work()
    assert (await newest(store)).size == 2


async def test_of_a_store_that_goes_away_under_several_witnesses_it_is_said_once(jury: Jury) -> None:
    heard: list[dict[str, Any]] = []
    gc.collect()  # what others have left is not of this
    asyncio.get_running_loop().set_exception_handler(lambda _, told: heard.append(told))
    store = MemoryStore()
    await sealed(store, 1)
    await jury.notary(store).work()
    published, together = await store.log_checkpoint(), asyncio.Barrier(len(jury.witnesses))
    assert published is not None

    async def away(_old: int, _size: int) -> tuple[bytes, ...]:
        await together.wait()
        raise Unavailable("it is away")

    with pytest.raises(Unavailable):
        await Witnesses(jury.witnesses, jury).collect_cosignatures(published[1], away, bool)
    gc.collect()
    asyncio.get_running_loop().set_exception_handler(None)
    assert heard == []


def _refuse(status: int, _asked: str) -> PostReply:
    return PostReply(status, b"no\n")


def _line(checkpoint: str) -> bytes:
    return str(notes.parse(checkpoint).signatures[-1]).encode()


W1 = Ed25519Signer(b"w1.example".ljust(32))

LIES: dict[str, Callable[[str], PostReply]] = {
    "nothing": lambda _: PostReply(200, b""),
    "no text": lambda _: PostReply(200, b"\xff\xfe"),
    "a page": lambda _: PostReply(200, b"<html>\n"),
    "a key of its name that is not its own": lambda asked: PostReply(
        200, _line(cosign(asked, "w1.example", 1_700_000_000, OTHER))
    ),
    "a line for another tree": lambda asked: PostReply(
        200, _line(cosign(asked.replace("\n1\n", "\n2\n"), "w1.example", 1_700_000_000, W1))
    ),
    "a line without a time": lambda asked: PostReply(200, _line(cosign(asked, "w1.example", 0, W1))),
    "a line among too many": lambda asked: PostReply(200, _line(cosign(asked, "w1.example", 1_700_000_000, W1)) * 99),
    "the checkpoint and not a line": lambda asked: PostReply(200, asked.encode()),
    "no size": lambda _: PostReply(409, b"many\n"),
    "a size beyond the log": lambda _: PostReply(409, b"77\n"),
    "a size without end": lambda _: PostReply(409, b"9" * 5_000),
    "the same size again and again": lambda _: PostReply(409, b"0\n"),
    **{str(status): partial(_refuse, status) for status in (302, 400, 403, 404, 422, 500, 503)},
}


@pytest.mark.parametrize("lie", LIES)
async def test_of_a_witness_that_answers_nonsense_nothing_is_accepted(jury: Jury, lie: str) -> None:
    jury.lies("w1.example", lambda body: LIES[lie](consistency_of(body.decode()).checkpoint))
    store = MemoryStore()
    await sealed(store, 1)
    strict = jury.notary(store)
    await strict.work()
    assert await store.log_checkpoint() is None
    assert "w1.example: " in str(await strict.trouble())
    await jury.notary(store, "1").work()
    checkpoint = await newest(store)
    assert seen_by(jury, checkpoint, "1") == {"w2.example"}
    assert [line.name for line in checkpoint.note.signatures] == [ORIGIN, "w2.example"]
    assert len(jury.asked) <= 2 * (3 + 2)


async def test_what_else_stands_in_an_answer_is_passed_over(jury: Jury) -> None:
    def answer(body: bytes) -> PostReply:
        asked = consistency_of(body.decode()).checkpoint
        both = cosign(cosign(asked, "else.example", 5, OTHER), "w1.example", 1_700_000_000, W1)
        lines = notes.parse(both).signatures[1:]
        return PostReply(200, "".join(map(str, lines)).encode())

    jury.lies("w1.example", answer)
    store = MemoryStore()
    await sealed(store, 1)
    await jury.notary(store).work()
    assert [line.name for line in (await newest(store)).note.signatures] == [ORIGIN, "w1.example", "w2.example"]


# ---- killed between the steps, and several at once --------------------------------------------


def dying(store: MemoryStore, method: str, *, after: bool = False) -> MemoryStore:
    """Return a program's way to this store: at one of its calls the program ends, before or after it took effect."""
    way = copy(store)
    taken = getattr(store, method)

    async def called(*args: Any, **members: Any) -> Any:
        if after:
            await taken(*args, **members)
        raise Unavailable("killed here")

    setattr(way, method, called)
    return way


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "method", ["log_enforce", "log_live", "log_pending", "log_append", "log_size", "log_checkpoint", "log_publish"]
)
async def test_a_notary_killed_at_any_step_leaves_what_the_next_one_completes(
    jury: Jury, method: str, *, after: bool
) -> None:
    store = MemoryStore()
    await sealed(store, 1, 2)
    await store.append(append(stream(9), chain(stream(9), 3)))
    with pytest.raises(Unavailable):
        await jury.notary(dying(store, method, after=after)).work()
    await sealed(store, 3)
    await jury.notary(store).work()
    assert (await newest(store)).size == 4
    entries = [entry.decode().split("\n") for entry in await store.log_entries(0, 9)]
    assert sorted((one[1], one[4]) for one in entries) == sorted(
        [*((stream(number), "sealed") for number in (1, 2, 3)), (stream(9), "live")]
    )


async def test_a_witness_that_signed_for_one_who_was_killed_signs_again(jury: Jury) -> None:
    store = MemoryStore()
    await sealed(store, 1)
    with pytest.raises(Unavailable):
        await jury.notary(dying(store, "log_publish")).work()
    await jury.notary(store).work()
    assert seen_by(jury, await newest(store)) == {"w1.example", "w2.example"}


async def test_two_notaries_at_once_enter_each_anchor_once(jury: Jury) -> None:
    store = MemoryStore()
    notaries = [jury.notary(store), jury.notary(store)]
    for number in range(1, 30):
        await sealed(store, number)
        await asyncio.gather(*(notary.work() for notary in notaries))
    await asyncio.gather(*(notary.work() for notary in notaries))
    assert (await newest(store)).size == 29 == len(set(await store.log_entries(0, 99)))


@pytest.mark.parametrize("method", ["log_size", "log_pending", "log_hashes"])
async def test_a_notary_overtaken_between_any_two_looks_enters_nothing_twice(jury: Jury, method: str) -> None:
    store = MemoryStore()
    await sealed(store, 1, 2)
    way, looked = copy(store), getattr(store, method)

    async def overtaken(*args: Any) -> Any:
        found = await looked(*args)
        if await store.log_size() < 3:
            await sealed(store, 3)
            await jury.notary(store).work()
        return found

    setattr(way, method, overtaken)
    await jury.notary(way).work()
    await jury.notary(store).work()
    assert (await newest(store)).size == 3 == len(set(await store.log_entries(0, 99)))


# ---- live anchors -----------------------------------------------------------------------------


async def test_a_stream_that_moves_is_spoken_of_once_a_second_at_most(jury: Jury) -> None:
    store, lines = MemoryStore(), chain(stream(), 200)
    notary, began = jury.notary(store), now_ms()
    for seq, line in enumerate(lines):
        await store.append(append(stream(), [line], expected=seq))
        await notary.work()
    spoken_of = await store.log_size()
    assert 1 <= spoken_of <= 2 + (now_ms() - began) // 1_000
    await jury.notary(store).work()
    after = await store.log_size()
    last = (await store.log_entries(after - 1, 1))[0].decode().split("\n")
    assert (last[1], last[2], last[4]) == (stream(), "199", "live")
    assert json.loads(lines[-1])["seq"] == 199
    await jury.notary(store).work()
    assert await store.log_size() == after, "nothing moved, so nothing is said"
