"""The contract of every handoff: the double and NATS alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

import nats
import pytest
from structlog.testing import capture_logs

from infra.feed.nats import NatsFeed
from infra.handoff import ANSWER_BYTES_MAX, ASKED_MAX, FINISH_S, QUESTION_BYTES_MAX, TAKEN_MAX
from infra.handoff.nats import DEALERS_THERE, SUBJECT, NatsHandoff
from infra.handoff.rota import BEAT_S
from infra.store import Unavailable
from tests.handoff.conftest import Another
from tests.relay.conftest import Bus
from tests.relay.playing import eventually, until


async def echoed(question: bytes) -> bytes:
    return b"answer to " + question


async def why(asked: Awaitable[bytes]) -> str:
    """Return why this is not answered."""
    with pytest.raises(Unavailable) as unavailable:
        await asked
    return str(unavailable.value)


async def test_a_question_is_answered(another: Another) -> None:
    await (await another()).take(echoed)
    assert await (await another()).ask(b"one") == b"answer to one"


async def test_many_questions_at_once_get_each_its_own_answer(another: Another) -> None:
    asking = await another()
    await (await another()).take(echoed)
    asked = [b"%d" % number for number in range(ASKED_MAX)]
    assert await asyncio.gather(*(asking.ask(each) for each in asked)) == [b"answer to " + each for each in asked]


@pytest.mark.parametrize("size", [0, 1, 10_000, 256 * 1024, 256 * 1024 + 1, 3_000_000, ANSWER_BYTES_MAX])
async def test_an_answer_of_any_length_comes_whole(another: Another, size: int) -> None:
    said = bytes(range(251)) * (size // 251 + 1)

    async def answers(_question: bytes) -> bytes:
        return said[:size]

    await (await another()).take(answers)
    assert await (await another()).ask(b"") == said[:size]


async def test_an_answer_that_does_not_end_is_given_up(another: Another) -> None:
    async def answers(_question: bytes) -> bytes:
        return bytes(ANSWER_BYTES_MAX + 1)

    await (await another()).take(answers)
    with pytest.raises(Unavailable, match="does not end"):
        await (await another()).ask(b"")


async def test_the_longest_question_is_carried(another: Another) -> None:
    await (await another()).take(echoed)
    longest = bytes(QUESTION_BYTES_MAX)
    assert await (await another()).ask(longest) == b"answer to " + longest


async def test_where_nobody_answers_it_is_said_at_once(another: Another) -> None:
    with pytest.raises(Unavailable, match="no dealer answers"):
        await (await another()).ask(b"anybody?", wait_s=60)


async def test_nobody_waits_longer_than_asked_for(another: Another) -> None:
    waiting = asyncio.Event()

    async def slow(question: bytes) -> bytes:
        await waiting.wait()
        return question

    asking = await another()
    await (await another()).take(slow)
    with pytest.raises(Unavailable, match="in time"):
        await asking.ask(b"", wait_s=0.05)
    waiting.set()
    assert await asking.ask(b"next") == b"next"


async def test_who_has_stopped_answers_what_is_in_hand_and_no_more(another: Another) -> None:
    taken, go_on = asyncio.Event(), asyncio.Event()

    async def answers(question: bytes) -> bytes:
        taken.set()
        await go_on.wait()
        return question

    asking = await another()
    listening = await (await another()).take(answers)
    first = asyncio.create_task(asking.ask(b"in hand"))
    await taken.wait()
    stopping = asyncio.create_task(listening.stop())
    async with asyncio.timeout(FINISH_S):
        # Whoever asks before the bus knows of it is not answered.
        while await why(asking.ask(b"too late", 0.2)) != "no dealer answers":
            pass
    go_on.set()
    await stopping
    assert await first == b"in hand"


async def test_several_share_the_questions(another: Another) -> None:
    found: list[int] = []
    for number in range(2):

        async def answers(question: bytes, number: int = number) -> bytes:
            found.append(number)
            return question

        await (await another()).take(answers)
    asking = await another()
    for _ in range(40):
        await asking.ask(b"")
    assert (len(found), set(found)) == (40, {0, 1})


async def test_questions_about_the_same_go_to_the_same_one_while_it_is_there(another: Another) -> None:
    async def first(_question: bytes) -> bytes:
        return b"first"

    async def second(_question: bytes) -> bytes:
        return b"second"

    listening = await (await another()).take(first)
    await (await another()).take(second)
    asking = await another()

    async def asked() -> list[bytes]:
        return [await asking.ask(b"", about=f"match {number}") for number in range(32)]

    async def settled() -> bool:
        # Who is there is known once it has been heard.
        answers = await asked()
        return answers == await asked() and len(set(answers)) == 2

    await eventually(settled)
    await listening.stop()
    assert set(await asked()) == {b"second"}, "what the other was asked goes to who is left"


async def test_more_than_a_process_may_ask_at_once_is_refused_at_once(another: Another) -> None:
    go_on = asyncio.Event()

    async def answers(question: bytes) -> bytes:
        await go_on.wait()
        return question

    asking = await another()
    for _ in range(2):
        await (await another()).take(answers)
    asked = [asyncio.create_task(asking.ask(b"%d" % number)) for number in range(ASKED_MAX)]
    await asyncio.sleep(0.05)
    with pytest.raises(Unavailable, match="wait for a dealer"):
        await asking.ask(b"one more", wait_s=60)
    go_on.set()
    await asyncio.gather(*asked, return_exceptions=True)
    assert await asking.ask(b"again") == b"again"


async def test_who_has_its_hands_full_says_so_at_once(another: Another) -> None:
    go_on, taken = asyncio.Event(), 0

    async def answers(question: bytes) -> bytes:
        nonlocal taken
        taken += 1
        await go_on.wait()
        return question

    await (await another()).take(answers)
    first, second = await another(), await another()
    asked = [asyncio.create_task(first.ask(b"")) for _ in range(TAKEN_MAX)]
    await until(lambda: taken == TAKEN_MAX)
    with pytest.raises(Unavailable, match=r"hands full|wait for a dealer"):
        await second.ask(b"one more", wait_s=60)
    go_on.set()
    await asyncio.gather(*asked)
    assert taken == TAKEN_MAX


# ---- what only a real bus can do ----------------------------------------------------------------


async def test_what_one_was_asked_who_goes_away_another_is_asked(bus: Bus) -> None:
    """It may have been done: whoever asks names what is to be done once, and is told what came of it the first time."""
    asking, going, hung = NatsHandoff((await bus.feed()).client), await bus.feed(), asyncio.Event()

    async def goes(_question: bytes) -> bytes:
        if hung.is_set():
            await asyncio.Event().wait()
        return b"before"

    await NatsHandoff(going.client).take(goes)
    await NatsHandoff((await bus.feed()).client).take(echoed)
    before: list[bytes] = []
    async with asyncio.timeout(30):
        # Until both have been heard: whoever asks any of them does not learn that he is gone.
        while b"before" not in before:
            await asyncio.sleep(4 * BEAT_S)
            before = [await asking.ask(b"", about=str(number)) for number in range(32)]
    hung.set()
    asked = [asyncio.create_task(asking.ask(b"once", wait_s=60, about=str(number))) for number in range(32)]
    await asyncio.sleep(0)
    await going.close()
    assert set(await asyncio.gather(*asked)) == {b"answer to once"}


async def test_what_no_dealer_calls_itself_is_nobody_who_is_asked(bus: Bus) -> None:
    feed = await bus.feed()
    asking, heard = NatsHandoff(feed.client), asyncio.Event()

    async def hear(_message: object) -> None:
        heard.set()

    await feed.client.subscribe("truecup.said.match", cb=hear)
    forged = "x\r\nPUB\ttruecup.said.match\t0\r\n\r\nPUB\tx"
    beats = (f"{forged} 0", "> 0", "* 0", "0123456789abcdef -1", "\xff", "", "0123456789abcdef " + "1" * 5_000)
    assert await why(asking.ask(b"anybody?")) == "no dealer answers"
    for beat in beats:
        await feed.client.publish(DEALERS_THERE, beat.encode("latin-1"))
        await feed.client.flush()
        assert not asking.is_of_another("match"), beat
        assert await why(asking.ask(b"anybody?", about="match")) == "no dealer answers"
    assert not heard.is_set()


async def test_questions_are_answered_again_after_the_bus_was_killed(bus: Bus) -> None:
    feeds = [await bus.feed() for _ in range(2)]
    asking = NatsHandoff(feeds[0].client)
    await NatsHandoff(feeds[1].client).take(echoed)
    assert await asking.ask(b"before") == b"answer to before"
    bus.kill()
    await until(lambda: not any(feed.connected for feed in feeds))
    with pytest.raises(Unavailable, match="the bus does not answer"):
        await asking.ask(b"meanwhile")
    await bus.start()

    async def answered() -> bool:
        # Who answers may come back a moment later than who asks.
        with suppress(Unavailable):
            return await asking.ask(b"after", wait_s=1) == b"answer to after"
        return False

    await eventually(answered)


async def test_an_answer_goes_only_to_where_answers_are_awaited(bus: Bus) -> None:
    """Whoever may ask could name any subject as the place for an answer."""
    feed, stranger = await bus.feed(), await nats.connect(bus.url)
    poked: list[tuple[int, int]] = []
    await feed.pokes(lambda shard, position: poked.append((shard, position)))

    async def answers(_question: bytes) -> bytes:
        return b"7"

    await NatsHandoff(feed.client).take(answers)
    await stranger.publish(SUBJECT, b"", reply="truecup.committed.3")
    await stranger.flush()
    assert await NatsHandoff((await bus.feed()).client).ask(b"") == b"7"
    assert poked == []
    await stranger.close()


async def test_an_answer_that_nobody_can_be_told_is_let_go(bus: Bus) -> None:
    go_on, taken = asyncio.Event(), asyncio.Event()

    async def answers(question: bytes) -> bytes:
        taken.set()
        await go_on.wait()
        return question

    feed, asking = await bus.feed(), NatsHandoff((await bus.feed()).client)
    listening = await NatsHandoff(feed.client).take(answers)
    asked = asyncio.create_task(asking.ask(b"", wait_s=60))
    await taken.wait()
    bus.kill()
    await until(lambda: not feed.connected)
    with capture_logs() as told:
        go_on.set()
        await listening.stop()
    with pytest.raises(Unavailable, match="the bus does not answer"):
        await asked
    assert [line["event"] for line in told if line["event"].startswith("handoff")] == ["handoff.unsent"]


async def test_answers_come_below_the_inbox_of_who_asks(bus: Bus) -> None:
    """So that the bus can be told who may hear whose answers."""
    listener = await nats.connect(bus.url)
    heard = await listener.subscribe("truecup.inbox.>")
    await listener.flush()
    await NatsHandoff((await bus.feed()).client).take(echoed)
    for inbox in ("truecup.inbox.api", "truecup.inbox.relay", "truecup.inbox.relay"):
        feed = await NatsFeed.connect(bus.url, inbox=inbox)
        assert await NatsHandoff(feed.client).ask(b"me") == b"answer to me"
        await feed.close()
    told = [(await heard.next_msg(timeout=60)).subject for _ in range(3)]
    assert [subject.rsplit(".", 2)[0] for subject in told] == [
        "truecup.inbox.api",
        "truecup.inbox.relay",
        "truecup.inbox.relay",
    ]
    assert len(set(told)) == 3, "each connection has its own"
    await listener.close()
