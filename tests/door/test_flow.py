"""Answers on their way out: a head leaves with its body, and by itself where no body comes in the same breath."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from services.http.front.flow import JoinedAnswer


class Written(asyncio.Transport):
    """A connection that notes each call of the system, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        self.calls.append(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.calls.append(b"".join(list_of_data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


def answering(transport: Written, method: str = "GET") -> Any:
    """Return what stands for the server's answer: all it has here is where it writes, and what was asked."""
    answer = SimpleNamespace(transport=transport, scope={"method": method}, disconnected=False)
    JoinedAnswer(cast(Any, answer), transport, asyncio.get_running_loop())
    return answer


async def test_a_head_leaves_with_its_body_and_what_follows_by_itself() -> None:
    transport = Written()
    answer = answering(transport)
    for piece in (b"head,", b"body", b"more"):
        answer.transport.write(piece)
    await asyncio.sleep(0)
    assert transport.calls == [b"head,body", b"more"]


async def test_a_head_without_a_body_leaves_in_the_next_pass() -> None:
    transport = Written()
    answer = answering(transport)
    answer.transport.write(b"head,")
    assert transport.calls == []
    await asyncio.sleep(0)
    assert transport.calls == [b"head,"]
    answer.transport.write(b"body")
    assert transport.calls == [b"head,", b"body"]


async def test_a_head_that_no_body_may_follow_leaves_at_once() -> None:
    transport = Written()
    answering(transport, "HEAD").transport.write(b"head")
    assert transport.calls == [b"head"]


async def test_a_head_leaves_before_its_connection_is_closed() -> None:
    transport = Written()
    answer = answering(transport)
    answer.transport.write(b"head")
    answer.transport.close()
    assert transport.calls == [b"head"]
    assert answer.transport.is_closing()


async def test_nothing_is_written_to_a_connection_that_was_lost() -> None:
    transport = Written()
    answer = answering(transport)
    answer.transport.write(b"head")
    assert not answer.transport.is_closing()
    transport.close()
    await asyncio.sleep(0)
    assert transport.calls == []


@pytest.mark.parametrize("pieces_before", [0, 1, 2])
async def test_whoever_goes_away_while_an_answer_is_written_is_written_no_more(pieces_before: int) -> None:
    transport = Written()
    answer = answering(transport)
    for piece in (b"head", b"body")[:pieces_before]:
        answer.transport.write(piece)
    transport.closed = True
    calls = list(transport.calls)
    answer.transport.write(b"more")
    await asyncio.sleep(0)
    assert transport.calls == calls


async def test_an_answer_that_somebody_else_gives_is_written_no_more() -> None:
    transport = Written()
    answer = answering(transport)
    answer.transport.write(b"100 Continue")
    answer.disconnected = True
    await asyncio.sleep(0)
    answer.transport.write(b"100 Continue")
    assert answer.transport.is_closing()
    assert not transport.closed
    assert transport.calls == []
