"""Witnesses say how much of a log they have seen, and sign nothing new for it; that is held against what there is."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
from msgspec import structs

from domain.log.policies import policy_of
from infra.posting import PostReply
from infra.store.memory import MemoryStore
from services.cli.operating.backups.asking import ask_all
from services.cli.operating.backups.sights import WitnessSight, WitnessWord, freshness, missing, sight_of
from tests.backups.houses import Showing
from tests.notary.jury import ORIGIN, newest, sealed

SEEN = WitnessWord("w1.example", 100, b"root")


async def asked(store: MemoryStore, jury: Showing, checkpoint: str | None = None) -> dict[str, WitnessWord]:
    """Return what each witness says when it is asked about the newest checkpoint of a house, or about this one."""
    shown = checkpoint or str((await newest(store)).note)
    return {one.name: one for one in await ask_all(jury.witnesses, ORIGIN, shown, jury)}


def seen_by_all(jury: Showing) -> dict[str, Any]:
    return {name: jury.real(name).about()["logs"] for name in ("w1.example", "w2.example")}


@pytest_asyncio.fixture
async def store(jury: Showing) -> MemoryStore:
    """A house of three entries, which both witnesses have seen."""
    made = MemoryStore()
    await go_on(made, jury, 1, 2, 3)
    return made


async def go_on(store: MemoryStore, jury: Showing, *numbers: int, quorum: str = "all") -> None:
    """Let there be more entries, and let the witnesses see them that answer."""
    await sealed(store, *numbers)
    await jury.notary(store, quorum).work()


async def test_witnesses_say_how_much_they_have_seen_and_sign_no_more_than_that(
    store: MemoryStore, jury: Showing
) -> None:
    before = seen_by_all(jury)
    jury.shy.add("w2.example")
    said = await asked(store, jury)
    assert {one.size for one in said.values()} == {await store.log_size()}
    assert said["w1.example"].root == (await newest(store)).root
    assert seen_by_all(jury) == before


async def test_a_witness_that_has_seen_more_says_so_however_it_is_asked(store: MemoryStore, jury: Showing) -> None:
    size, older = await store.log_size(), str((await newest(store)).note)
    await go_on(store, jury, 4)
    more = await store.log_size() - size
    jury.shy.add("w2.example")
    sights = [sight_of(one, size, None) for one in (await asked(store, jury, older)).values()]
    assert (freshness(sights, None), missing(sights, size)) == ("older", more)


async def test_a_witness_that_has_seen_less_agrees(store: MemoryStore, jury: Showing) -> None:
    jury.silent.add("w1.example")
    await go_on(store, jury, 4, quorum="1")
    jury.silent.clear()
    jury.shy.add("w1.example")
    said, size = await asked(store, jury), await store.log_size()
    assert [one.size == size for one in said.values()] == [False, True]
    assert freshness([sight_of(one, size, one.root) for one in said.values()], None) == "newest"


async def test_two_histories_are_found_by_the_root_or_by_the_refusal(store: MemoryStore, jury: Showing) -> None:
    said = await asked(store, jury)
    root = said["w1.example"].root
    assert sight_of(said["w1.example"], 100, root).state == "agrees"
    assert sight_of(said["w1.example"], 100, b"another").state == "forked"
    jury.shy.add("w2.example")
    jury.lies("w2.example", lambda _: PostReply(422, b"another root was signed here\n"))
    refused = (await asked(store, jury))["w2.example"]
    assert sight_of(refused, 100, root).state == "forked"


LIES = {
    "nonsense": PostReply(200, b"nonsense"),
    "no text": PostReply(200, b"\xff"),
    "nothing": PostReply(200, b""),
}


@pytest.mark.parametrize("lie", LIES)
async def test_what_a_witness_has_not_signed_counts_for_nothing(store: MemoryStore, jury: Showing, lie: str) -> None:
    jury.handed_out["w1.example"] = LIES[lie]
    jury.handed_out["w2.example"] = PostReply(200, str((await newest(store)).note).encode())
    said = await asked(store, jury)
    assert (said["w1.example"].size, said["w1.example"].why[:10]) == (None, "its answer")
    assert said["w2.example"].size is not None, "the house's own copy has the line by this key"


@pytest.mark.parametrize("lie", LIES)
async def test_who_says_that_it_signs_what_it_is_shown_has_to_sign_it(
    store: MemoryStore, jury: Showing, lie: str
) -> None:
    jury.shy.update({"w1.example", "w2.example"})
    jury.lies("w1.example", lambda _: LIES[lie])
    said = await asked(store, jury)
    assert (said["w1.example"].size, said["w1.example"].why[:10]) == (None, "its answer")
    assert said["w2.example"].size == await store.log_size()


async def test_a_checkpoint_of_another_log_or_by_another_hand_counts_for_nothing(
    store: MemoryStore, jury: Showing
) -> None:
    note = str((await newest(store)).note)
    signed_by_one = [line for line in note.splitlines() if "w2.example" not in line]
    jury.handed_out["w2.example"] = PostReply(200, ("\n".join(signed_by_one) + "\n").encode())
    assert (await asked(store, jury))["w2.example"].size is None
    other = await ask_all(jury.witnesses, "another.example/log", None, jury)
    assert {one.size for one in other} == {None}


@pytest.mark.parametrize("status", [403, 404, 500, 503])
async def test_a_witness_that_does_not_say_is_named_with_what_it_answers(
    store: MemoryStore, jury: Showing, status: int
) -> None:
    jury.shy.add("w1.example")
    jury.lies("w1.example", lambda _: PostReply(status, b"no\n"))
    jury.silent.add("w2.example")
    said = await asked(store, jury)
    assert said["w1.example"].why == f"it answers {status}"
    assert said["w2.example"].why == "it does not answer"
    assert freshness([sight_of(one, 100, None) for one in said.values()], None) == "unknown"


async def test_nothing_is_shown_to_witnesses_where_nothing_was_ever_signed(jury: Showing) -> None:
    said = await ask_all(jury.witnesses, ORIGIN, None, jury)
    assert {one.why for one in said} == {"it answers 404"}
    assert jury.asked == []


# ---- what answers come to -----------------------------------------------------------------------


def sights(*states: str) -> list[WitnessSight]:
    return [WitnessSight(f"w{n}.example", state, 1) for n, state in enumerate(states, start=1)]  # type: ignore[arg-type]


def test_as_many_entries_as_there_are_are_not_more() -> None:
    assert sight_of(SEEN, 100, b"root").state == "agrees"
    assert sight_of(SEEN, 99, None).state == "saw_more"
    assert sight_of(structs.replace(SEEN, root=None), 100, b"root").state == "agrees"
    assert sight_of(structs.replace(SEEN, size=None, why="no"), 100, None) == WitnessSight(
        "w1.example", "silent", None, "no"
    )


def test_a_fork_outweighs_a_loss_and_a_loss_outweighs_whoever_agrees() -> None:
    assert freshness(sights("agrees", "saw_more", "forked"), None) == "forked"
    assert freshness(sights("agrees", "saw_more", "silent"), None) == "older"


def test_those_who_are_silent_matter_only_if_they_could_have_published_something(jury: Showing) -> None:
    jury.add("w3.example")
    all_of_them, two, nobody = (policy_of(jury.policy(quorum)) for quorum in ("all", "2", "none"))
    assert freshness(sights("agrees", "silent", "silent"), all_of_them) == "newest"
    assert freshness(sights("agrees", "silent", "silent"), two) == "unknown"
    assert freshness(sights("agrees", "agrees", "silent"), two) == "newest"
    assert freshness(sights("agrees", "agrees", "silent"), nobody) == "unknown"
    assert freshness(sights("agrees", "agrees", "agrees"), nobody) == "newest"
    assert freshness(sights("silent", "silent", "silent"), all_of_them) == "unknown"
    assert freshness([], all_of_them) == "unknown"


def test_those_whom_nobody_asked_are_not_heard_and_an_old_policy_says_nothing_of_later_witnesses(jury: Showing) -> None:
    jury.add("w3.example")
    two, nobody = (policy_of(jury.policy(quorum)) for quorum in ("2", "none"))
    assert freshness(sights("agrees"), two) == "unknown", "the other two may have published more"
    assert freshness(sights("agrees", "agrees"), two) == "newest"
    assert freshness(sights("agrees"), nobody) == "unknown"
    assert freshness(sights("agrees", "agrees", "agrees", "silent"), two) == "unknown", "a policy of today may name w4"
    assert freshness(sights("agrees", "agrees", "agrees", "agrees"), two) == "newest"
