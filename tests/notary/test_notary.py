"""The notary: everything that waits shares one checkpoint, enough witnesses see it, and nothing is lost or repeated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.fairness.records import assemble
from domain.log import merkle, notes
from domain.log.checkpoints import Checkpoint, checkpoint_of, cosigned, signed_checkpoint
from domain.log.policies import accept, policy_of
from domain.log.proofs import consistency_of
from infra.clock import now_ms
from infra.events import EventStore, Unavailable
from infra.events.memory import MemoryStore
from infra.keys import Ed25519Signer, ed25519_verify
from infra.posting import Reply
from services.dealer.notary import Notary
from services.local.child import CannotStart
from services.published import PublishedLog
from services.records import included
from services.witnesses import policy_text, witnesses_of
from tests.notary.jury import LOG, ORIGIN, SIGNER, Jury
from tests.store.lines import append, chain, stream

OTHER = Ed25519Signer(b"another".ljust(32))
PATIENCE_S = 20


@pytest.fixture
def jury(tmp_path: Path) -> Iterator[Jury]:
    made = Jury(tmp_path, "w1.example", "w2.example")
    yield made
    made.close()


async def sealed(store: EventStore, *numbers: int) -> None:
    """Let a sealed line of each of these new streams wait for the log."""
    for number in numbers:
        (line,) = chain(stream(number), 1)
        await store.append(append(stream(number), [line], anchors=((0, "ab" * 32, "sealed"),)))


async def newest(store: EventStore) -> Checkpoint:
    """Return the newest checkpoint, whose root is that of the tree in the store."""
    found = await store.log_checkpoint()
    assert found is not None
    checkpoint = checkpoint_of(found[1])
    entries = await store.log_entries(0, checkpoint.size)
    assert (checkpoint.size, checkpoint.root) == (found[0], merkle.root([merkle.leaf_hash(one) for one in entries]))
    return checkpoint


def seen_by(jury: Jury, checkpoint: Checkpoint, quorum: str = "all") -> set[str]:
    return set(accept(policy_of(jury.policy(quorum)), checkpoint, ed25519_verify))


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

    jury.silent = set()
    async with asyncio.timeout(PATIENCE_S):
        while await notary.trouble() is not None:
            await sealed(store, 2 + await store.log_size())
            await notary.work()
            await asyncio.sleep(0.01)
    assert (await newest(store)).size == await store.log_size() > 1
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


def _line(checkpoint: str) -> bytes:
    return str(notes.parse(checkpoint).signatures[-1]).encode()


LIES: dict[str, Callable[[str], Reply]] = {
    "nothing": lambda _: Reply(200, b""),
    "no text": lambda _: Reply(200, b"\xff\xfe"),
    "a page": lambda _: Reply(200, b"<html>\n"),
    "a key of its name that is not its own": lambda asked: Reply(
        200, _line(cosigned(asked, "w1.example", 1_700_000_000, OTHER))
    ),
    "a line for another tree": lambda asked: Reply(
        200, _line(cosigned(asked.replace("\n1\n", "\n2\n"), "w1.example", 1_700_000_000, W1))
    ),
    "a line without a time": lambda asked: Reply(200, _line(cosigned(asked, "w1.example", 0, W1))),
    "a line among too many": lambda asked: Reply(200, _line(cosigned(asked, "w1.example", 1_700_000_000, W1)) * 99),
    "the checkpoint and not a line": lambda asked: Reply(200, asked.encode()),
    "no size": lambda _: Reply(409, b"many\n"),
    "a size beyond the log": lambda _: Reply(409, b"77\n"),
    "a size without end": lambda _: Reply(409, b"9" * 5_000),
    "the same size again and again": lambda _: Reply(409, b"0\n"),
    **{str(status): lambda _, status=status: Reply(status, b"no\n") for status in (302, 400, 403, 404, 422, 500, 503)},
}
W1 = Ed25519Signer(b"w1.example".ljust(32))


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
    def answer(body: bytes) -> Reply:
        asked = consistency_of(body.decode()).checkpoint
        both = cosigned(cosigned(asked, "else.example", 5, OTHER), "w1.example", 1_700_000_000, W1)
        lines = notes.parse(both).signatures[1:]
        return Reply(200, "".join(map(str, lines)).encode())

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


# ---- policies ---------------------------------------------------------------------------------


async def record(store: EventStore, notary: Notary | None) -> bytes:
    """Return a record whose end is proved under the first checkpoint that covers it, or the first of a notary."""
    proof = None if notary is None else await notary.proof(stream(1), 0, "final")
    found = await included(store, stream(1), 0, "final")
    assert found is not None
    chosen = found if proof is None else replace(found, checkpoint=proof.checkpoint)
    return assemble(await store.read(stream(1)), chosen)


async def test_a_record_is_judged_by_the_policy_its_first_checkpoint_was_made_under(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await store.append(append(stream(1), chain(stream(1), 1), anchors=((0, "ab" * 32, "final"),)))
    alone = policy_text(ORIGIN, (SIGNER.public_key,))
    assert (await published.policy()).decode() == alone
    await Notary(store, ORIGIN, (SIGNER,)).work()
    assert (await published.policy()).decode() == alone
    before = await record(store, None)

    witnessed = jury.notary(store)
    await published.enforce(jury.policy())
    assert await witnessed.proof(stream(1), 0, "final") is None, "nobody has signed it yet"
    await witnessed.work()
    assert (await published.policy()).decode() == jury.policy()
    assert seen_by(jury, await newest(store)) == {"w1.example", "w2.example"}
    assert await record(store, None) == before, "what was proved once is proved the same way for ever"
    assert await published.policy_for(before) == alone
    assert await published.policy_for(await record(store, witnessed)) == jury.policy()
    assert await published.policy_for(assemble(chain(stream(2), 1), None)) == jury.policy()


async def test_a_weaker_policy_of_later_does_not_judge_what_was_logged_under_a_stronger_one(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await jury.notary(store).work()
    await store.append(append(stream(1), chain(stream(1), 1), anchors=((0, "ab" * 32, "final"),)))
    await jury.notary(store).work()
    await sealed(store, 2)
    await Notary(store, ORIGIN, (SIGNER,)).work()
    assert (await published.policy()).decode() != jury.policy()
    kept = await record(store, None)
    assert await published.policy_for(kept) == jury.policy()


async def test_a_log_from_before_policies_were_kept_counts_as_logged_without_witnesses(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await sealed(store, 1)
    await store.log_append([(one, b"entry") for one in await store.log_pending(9)], {}, 0)
    await store.log_publish(1, signed_checkpoint(ORIGIN, 1, merkle.leaf_hash(b"entry"), SIGNER), 1)
    for _ in range(2):
        await published.enforce(jury.policy())
    assert await store.log_policies() == [policy_text(ORIGIN, (SIGNER.public_key,)), jury.policy()]


async def test_a_dealer_of_yesterdays_policy_publishes_nothing_and_proves_by_todays(jury: Jury) -> None:
    store = MemoryStore()
    yesterday, today = Notary(store, ORIGIN, (SIGNER,)), jury.notary(store)
    await sealed(store, 1)
    await yesterday.work()
    assert await yesterday.proof(stream(1), 0, "sealed") is not None
    await store.log_enforce(jury.policy())
    assert await yesterday.proof(stream(1), 0, "sealed") is None
    await sealed(store, 2)
    await yesterday.work()
    assert "another policy" in str(await yesterday.trouble())
    assert (await newest(store)).size == 1
    await today.work()
    assert (await newest(store)).size == 2
    proof = await yesterday.proof(stream(1), 0, "sealed")
    assert proof is not None
    assert seen_by(jury, checkpoint_of(proof.checkpoint)) == {"w1.example", "w2.example"}


@pytest.mark.parametrize(
    ("witnesses", "quorum", "why"),
    [
        ("w1", "all", "is not a verifier key and an address"),
        ("{w1} http://a and more", "all", "is not a verifier key and an address"),
        ("{w1} ftp://a", "all", "not the key of a witness"),
        ("{log} http://a", "all", "not the key of a witness"),
        ("{w1} http://a, {w1} http://b", "all", "do not fit together"),
        ("{w1} http://a", "2", "do not fit together"),
        ("", "1", "do not fit together"),
    ],
)
async def test_witnesses_that_cannot_be_meant_so_are_said_to_be(
    jury: Jury, witnesses: str, quorum: str, why: str
) -> None:
    given = witnesses.format(w1=jury.witnesses[0].key, log=LOG)
    with pytest.raises(CannotStart, match=why):
        policy_text(ORIGIN, (SIGNER.public_key,), [one.key for one in witnesses_of(given)], quorum)


async def test_witnesses_are_named_by_key_and_address(jury: Jury) -> None:
    one, two = jury.witnesses
    assert witnesses_of(f"{one.key} http://w1.example/ ,\t{two.key}  http://w2.example") == (one, two)
    assert witnesses_of("") == ()
