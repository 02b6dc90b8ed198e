"""Files that are no records: cut, spelled otherwise, enormous, or with the proofs of another tree.

Whatever is given, an audit names a code and a line; it takes time and room in proportion to the file, and no more.
"""

from __future__ import annotations

import sys
import tracemalloc
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import FrameType

import pytest

from domain.fairness.audit import AuditReport, audit
from domain.fairness.faults import CODES
from domain.log.policies import parse
from infra.keys import ed25519_verify
from services.audit.verdict import Evidence, Verdict, verdict_of
from tests.domain.test_lies import played_out
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import POLICY, Story, judged

VECTORS = Path(__file__).parent / "vectors"
PUBLISHED = parse((VECTORS / "policy.txt").read_bytes())
GOOD = {path.stem: path.read_bytes() for path in sorted(VECTORS.glob("bundles/ok-*.cup"))}
SMALL = Story().to_logged().voided(1, 2).closed().ended().record()


@cache
def game() -> bytes:
    """Return the record of a whole game, which layer 3 can judge."""
    return bundled(played_out())


def is_told(found: AuditReport | Verdict, file: bytes) -> bool:
    """Report whether a fault has a code there is, and a line that is in the file or just behind it."""
    assert found.code in CODES
    assert isinstance(found.line, int)
    return found.status == "FAULT" and 0 <= found.line <= file.count(b"\n") + 1


# ---- cut ----------------------------------------------------------------------------------------


def test_a_record_cut_at_any_byte_is_at_fault_or_incomplete() -> None:
    assert judged(SMALL).status == "OK"
    for end in range(len(SMALL)):
        cut = SMALL[:end]
        found = judged(cut)
        whole_lines = cut.endswith(b"\n") and b"#tlog-proof" not in cut
        assert found.status == "INCOMPLETE" if whole_lines else is_told(found, cut), cut[-40:]


def test_a_record_without_its_first_bytes_is_at_fault() -> None:
    for start in range(1, len(SMALL)):
        rest = SMALL[start:]
        assert is_told(judged(rest), rest), rest[:40]


def test_a_game_cut_after_or_within_any_line_is_at_fault_or_incomplete() -> None:
    assert verdict_of(game(), POLICY, beside=Evidence(access_beside(game()))).status == "OK"
    ends = [at + 1 for at, byte in enumerate(game()) if byte == ord("\n")]
    for start, end in zip([0, *ends], ends, strict=False):
        torn = game()[: (start + end) // 2]
        assert is_told(verdict_of(torn, POLICY), torn)
    for number, end in enumerate(ends[: game().count(b"\n{") + 1], start=1):
        # What follows of itself is written with what it follows: a record that ends between the two was cut by hand.
        found = verdict_of(game()[:end], POLICY)
        assert found.status == "INCOMPLETE" or (found.code, found.line) == ("E_RULES", number)


# ---- spelled otherwise --------------------------------------------------------------------------

ACCENTED = Story().created().say("seat.joined", seat=1, player="Zo\u00eb").ended().record()
SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "UTF-16": lambda file: file.decode().encode("utf-16"),
    "UTF-16, little end first": lambda file: file.decode().encode("utf-16-le"),
    "UTF-16, great end first": lambda file: file.decode().encode("utf-16-be"),
    "UTF-32": lambda file: file.decode().encode("utf-32"),
    "UTF-7": lambda file: file.decode().encode("utf-7"),
    "Latin-1": lambda file: file.decode().encode("latin-1"),
    "UTF-8 of its UTF-8": lambda file: file.decode("latin-1").encode(),
    "with a byte order mark": lambda file: b"\xef\xbb\xbf" + file,
    "with the line ends of another system": lambda file: file.replace(b"\n", b"\r\n"),
    "with the line ends of an older system": lambda file: file.replace(b"\n", b"\r"),
    "taken apart into letters and accents": lambda file: unicodedata.normalize("NFD", file.decode()).encode(),
    "with escaped letters": lambda file: file.replace("\u00eb".encode(), b"\\u00eb"),
    "with a zero at its end": lambda file: file + b"\0",
    "with an empty line at its end": lambda file: file + b"\n",
    "with a space behind each line": lambda file: file.replace(b"\n", b" \n"),
    "twice": lambda file: file + file,
    "in an array": lambda file: b"[" + file.replace(b"\n", b",\n") + b"]\n",
    "backwards": lambda file: b"".join(reversed(file.splitlines(keepends=True))),
    "compressed": lambda file: b"\x1f\x8b\x08\x00" + file,
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_record_spelled_otherwise_is_at_fault(spelled: Callable[[bytes], bytes]) -> None:
    assert judged(ACCENTED).status == "OK"
    file = spelled(ACCENTED)
    assert file != ACCENTED
    assert is_told(judged(file), file)
    assert is_told(verdict_of(file, POLICY), file)


# ---- the proofs of another tree -----------------------------------------------------------------


@pytest.mark.parametrize("name", GOOD)
def test_the_proofs_of_another_record_prove_nothing(name: str) -> None:
    events = GOOD[name][: GOOD[name].index(b"#")]
    line = events.count(b"\n") + 1
    for other, record in GOOD.items():
        proofs = record[record.index(b"#") :]
        found = audit(events + proofs, PUBLISHED, ed25519_verify)
        if other == name:
            assert found.status == "OK"
        else:
            assert (found.code, found.line) == ("E_LOG", line)


@pytest.mark.parametrize("name", GOOD)
def test_no_proof_can_be_left_out_told_twice_or_said_of_something_else(name: str) -> None:
    events, proofs = (
        GOOD[name][: GOOD[name].index(b"#")],
        GOOD[name][GOOD[name].index(b"#") :].splitlines(keepends=True),
    )
    for at, proof in enumerate(proofs):
        without, twice = [*proofs[:at], *proofs[at + 1 :]], [*proofs[:at], proof, *proofs[at:]]
        found = audit(events + b"".join(without), PUBLISHED, ed25519_verify)
        assert found.status == ("INCOMPLETE" if proof.startswith(b"#tlog-proof") else "FAULT")
        assert audit(events + b"".join(twice), PUBLISHED, ed25519_verify).status == "FAULT"
        kind = b"#tlog-consistency " if proof.startswith(b"#tlog-proof") else b"#tlog-proof "
        told = [*proofs[:at], kind + proof.partition(b" ")[2], *proofs[at + 1 :]]
        assert audit(events + b"".join(told), PUBLISHED, ed25519_verify).status != "OK"


# ---- enormous -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"x" * 100_000_000, b'{"a":"' + b"\xc3\xa9" * 30_000_000], ids=["ASCII", "wide"])
def test_a_line_of_a_hundred_million_bytes_is_refused(line: bytes) -> None:
    found = judged(line + b"\n")
    assert (found.code, found.line) == ("E_FORMAT", 1)


@pytest.mark.parametrize("line", [b"", b"{}", b'{"a":1}', b"\x00"])
def test_the_first_of_a_million_lines_is_refused(line: bytes) -> None:
    found = judged((line + b"\n") * 1_000_000)
    assert (found.code, found.line) == ("E_FORMAT", 1)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":[', b'{"at":1,"data":{"a":'])
def test_a_line_that_nests_a_hundred_thousand_deep_is_refused(opening: bytes) -> None:
    for depth in (63, 64, 65, 900, 1_100, 9_000, 100_000):
        found = judged(opening * depth + b"\n")
        assert (found.code, found.line) == ("E_FORMAT", 1)


def _noted(size: int) -> bytes:
    story = Story().created()
    for number in range(size):
        story.say("game.note", number=number)
    return story.record("live")


def _seated(size: int) -> bytes:
    story = Story().created()
    for _ in range(size):
        story.joined(1).say("seat.left", seat=1, reason="left")
    return story.bare()


def _voided(size: int) -> bytes:
    story = Story().created().joined(1)
    for _ in range(size):
        story.committed().seeded(1).sealed(seats=[1]).voided().closed()
    return story.bare()


def _logged(size: int) -> bytes:
    story = Story().created().joined(1)
    for _ in range(size):
        story.committed().seeded(1).sealed(seats=[1]).logged().opened(1).ready().closed()
    return story.ended().record()


def _attached(size: int, line: bytes) -> bytes:
    return SMALL + line * size


def _line(size: int, start: bytes, part: bytes) -> bytes:
    return start + part * size + b"\n"


GROWING: dict[str, tuple[int, Callable[[int], bytes]]] = {
    "notes": (200, _noted),
    "seats taken and left": (100, _seated),
    "deals that are thrown away": (20, _voided),
    "deals that are logged": (20, _logged),
    "proofs that are none": (5_000, partial(_attached, line=b"#tlog-consistency YWI=\n")),
    "final proofs": (5_000, partial(_attached, line=b"#tlog-proof YWI=\n")),
    "lines": (50_000, partial(_line, start=b"{}", part=b"\n{}")),
    "a number": (30_000, partial(_line, start=b'{"at":', part=b"9")),
    "a text": (500_000, partial(_line, start=b'{"at":"', part=b"x")),
    "a text of escapes": (5_000, partial(_line, start=b'{"at":"', part=b"\\u0000")),
    "members": (5_000, partial(_line, start=b'{"a":1', part=b',"a":1')),
    "brackets": (20_000, partial(_line, start=b"", part=b"[")),
}


@pytest.mark.parametrize(("size", "file_of"), GROWING.values(), ids=GROWING.keys())
def test_twice_the_file_takes_at_most_twice_the_work_and_room(size: int, file_of: Callable[[int], bytes]) -> None:
    one, two = file_of(size), file_of(2 * size)
    assert len(two) > 1.8 * len(one)
    assert work(two) <= 2.1 * work(one) + 1_000
    for file in (one, two):
        assert room(file) <= 40 * len(file) + 2**20


def work(file: bytes) -> int:
    """Return how many functions an audit calls, our own and others."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    judged(file)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        judged(file)
    finally:
        sys.setprofile(before)
    return calls


def room(file: bytes) -> int:
    """Return how many bytes an audit holds at most, beside the file."""
    tracemalloc.start()
    try:
        judged(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
