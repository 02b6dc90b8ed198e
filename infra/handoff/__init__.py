"""Handing over: a question from one process to any one of those that answer, and its answer.

For nodes that cannot do by themselves what they are asked for. It carries bytes; who may ask what, whoever answers
decides. Nothing is kept: a question that got no answer may have been answered all the same, so whoever asks again has
to name it as the same. Subjects:

    truecup.handoff                         questions, each to one of the queue group `dealers`
    truecup.handoff.<name>                  questions to one of them
    truecup.dealers                         `name era`: that one of them is there, a few times a second; the header
                                            `Truecup-Clock` has the time by its clock, in milliseconds
    truecup.inbox.<role>.<connection>.<n>   the answer to one question of a connection

A question is one message. An answer longer than a message may be comes in parts, in order, each with the header
`Truecup-Part: 2/5`; a process that has its hands full answers with the header `Truecup-Busy`.

In reading order:

    nats      over core NATS
    memory    the double that passes the same contract
    rota      who is asked about what
    shares    who acts first at what
    clocks    whose clock is another
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from infra.feed import Listening

QUESTION_BYTES_MAX: Final = 64 * 1_024
"""A request's body has 16 KiB at most, and msgpack makes at most 37 of that."""
ANSWER_BYTES_MAX: Final = 16 * 2**20
"""A page of 256 frames has some 2 MB; all folded dice of a seat in a session of ten thousand rounds some 13 MB."""
ANSWER_S: Final = 8.0
"""How long an answer may take: longer than a dealer waits for its database, so that what it says about that comes."""
ASKED_MAX: Final = 256
"""Questions of a process that wait for an answer; one takes a few milliseconds, so that more are a dealer's trouble."""
TAKEN_MAX: Final = 256
"""Questions that a process has in hand; it does some hundreds a second, so that the last one is in time."""
FINISH_S: Final = 5.0
"""How long questions in hand may take once no more are taken."""

Answers = Callable[[bytes], Awaitable[bytes]]
"""Takes a question and returns the answer. It never raises."""


class Handoff(Protocol):
    """A way to whoever answers."""

    async def ask(self, question: bytes, wait_s: float = ANSWER_S, about: str = "") -> bytes:
        """Return the answer of one of those who answer. Cost: a round trip over the bus, and the answering.

        Questions about the same go to the same one while he is there; those about nothing are spread. If he goes
        before he has answered, another is asked the same: what is to be done once has to bear a name.

        Raises:
            Unavailable: Nobody answers, or not in time, or the bus does not; what was asked may be done all the same.
        """

    async def take(self, answers: Answers) -> Listening:
        """Answer a share of the questions from now on, several at once. Stopping waits for those in hand."""
