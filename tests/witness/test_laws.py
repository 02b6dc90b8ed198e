"""Whatever is asked of a witness, in whatever order and at once: the heads it signs are one history."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from domain.log.checkpoints import cosigning_time
from infra.keys import Ed25519Signer, ed25519_verify
from services.witness.store import Register
from services.witness.witness import Reply, Witness
from tests.sizes import cases
from tests.witness.logs import KEY, History, is_one_history, with_line

HISTORIES = [History.of(words) for words in ("abcdefghijkl", "abcdEFGHIJKL", "abcdefghiJKL", "ABCDEFGHIJKL")]
"""Four histories of one log; each begins like another, or not at all."""
WITNESS = Ed25519Signer(b"the witness of the laws of today")

SIZES = st.integers(0, 12)
ASKED = st.tuples(st.sampled_from(range(len(HISTORIES))), SIZES, SIZES)
"""Which history, from which old size, to which size."""


class Asked(RuleBasedStateMachine):
    """A log that tries everything, and the heads it got signed."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.signed: list[tuple[History, int]] = []
        self.bodies: list[tuple[int, int, bytes]] = []
        self.open()
        with self.register.turn():
            self.register.know([KEY])

    def open(self) -> None:
        self.register = Register(Path(self.folder.name) / "witness.db")
        self.witness = Witness("w1.example/witness", WITNESS, self.register)

    def teardown(self) -> None:
        self.register.close()
        self.folder.cleanup()

    def take(self, number: int, size: int, reply: Reply) -> None:
        """Note a head that was signed; what was not signed got no cosignature at all."""
        if reply.status == 200:
            checkpoint = with_line(HISTORIES[number].checkpoint(size), reply.text)
            assert cosigning_time(checkpoint, self.witness.key, ed25519_verify) is not None
            self.signed.append((HISTORIES[number], size))
        else:
            assert "\u2014" not in reply.text

    @rule(asked=ASKED)
    def ask(self, asked: tuple[int, int, int]) -> None:
        number, old, size = asked
        self.send(number, size, HISTORIES[number].request(old, size))

    @rule(number=st.sampled_from(range(len(HISTORIES))), size=SIZES)
    def ask_from_where_the_witness_is(self, number: int, size: int) -> None:
        newest = max((size for _, size in self.signed), default=0)
        self.send(number, size, HISTORIES[number].request(newest, size))

    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        if self.bodies:
            number, size, body = data.draw(st.sampled_from(self.bodies))
            self.take(number, size, self.witness.add_checkpoint(body))

    @rule(number=st.sampled_from(range(len(HISTORIES))), size=SIZES, other=ASKED)
    def mix_two_requests(self, number: int, size: int, other: tuple[int, int, int]) -> None:
        """A proof of one history with the checkpoint of another."""
        of, old, to = other
        self.send(number, size, HISTORIES[of].request(old, to, HISTORIES[number].checkpoint(size)))

    @rule(asked=st.lists(ASKED, min_size=2, max_size=4))
    def ask_at_once(self, asked: list[tuple[int, int, int]]) -> None:
        bodies = [HISTORIES[number].request(old, size) for number, old, size in asked]
        with ThreadPoolExecutor(len(bodies)) as pool:
            replies = list(pool.map(self.witness.add_checkpoint, bodies))
        for (number, _, size), reply in zip(asked, replies, strict=True):
            self.take(number, size, reply)

    @rule()
    def start_again(self) -> None:
        self.register.close()
        self.open()

    def send(self, number: int, size: int, body: bytes) -> None:
        self.bodies.append((number, size, body))
        self.take(number, size, self.witness.add_checkpoint(body))

    @invariant()
    def one_history_is_signed(self) -> None:
        assert is_one_history(self.signed)


TestAsked = Asked.TestCase
TestAsked.settings = settings(max_examples=cases(15, 300), stateful_step_count=25, deadline=None)


def test_the_check_itself_tells_two_histories_from_one() -> None:
    one, other = HISTORIES[:2]
    assert is_one_history([(one, 9), (other, 4), (one, 0)])
    assert not is_one_history([(one, 9), (other, 5)])
    assert not is_one_history([(one, 5), (other, 9)])
    assert not is_one_history([(one, 5), (other, 5)])
