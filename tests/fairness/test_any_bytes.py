"""Any bytes have a report, never an exception; and no good record stays good when a byte of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.fairness.audit import audit
from domain.log.policies import parse
from infra.keys import ed25519_verify
from tests.fairness.scripted_server import Story, judged
from tests.sizes import cases

VECTORS = Path(__file__).parent / "vectors"
POLICY = parse((VECTORS / "policy.txt").read_bytes())
GOOD = {path.stem: path.read_bytes() for path in VECTORS.glob("bundles/ok-*.cup")}


@pytest.mark.parametrize("first", [b"[" * 60_000, b'{"a":' * 10_000, b'{"v":' + b"9" * 65_000 + b"}", b"x" * 1_000_000])
def test_an_enormous_line_is_refused_like_any_other(first: bytes) -> None:
    report = judged(first + b"\n")
    assert (report.code, report.line) == ("E_FORMAT", 1)


@settings(deadline=None)
@given(st.binary() | st.lists(st.sampled_from([*Story().to_end().lines, b"", b"#tlog-proof ", b"{}"])).map(b"\n".join))
@example(b"\xef\xbb\xbf" + Story().to_end().record())
@example(b"\x00\n")
@example(b"\n" * 1_000)
def test_any_bytes_have_a_report(file: bytes) -> None:
    for policy in (POLICY, None):
        report = audit(file + b"\n", policy, ed25519_verify)
        assert report.status != "OK"
        assert (report.code is None) == (report.line is None) == (report.status == "INCOMPLETE")


@settings(deadline=None, max_examples=cases(100, 3_000))
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_no_byte_of_a_good_record_can_be_changed_left_out_or_put_in(name: str, data: st.DataObject) -> None:
    record = GOOD[name]
    place = data.draw(st.integers(0, len(record) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != record[place]))
    for changed in (
        record[:place] + bytes([byte]) + record[place + 1 :],
        record[:place] + record[place + 1 :],
        record[:place] + bytes([byte]) + record[place:],
    ):
        assert audit(changed, POLICY, ed25519_verify).status == "FAULT"


@settings(deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_no_line_of_a_good_record_can_be_left_out_repeated_or_moved(name: str, data: st.DataObject) -> None:
    lines = GOOD[name].splitlines(keepends=True)
    events = sum(line.startswith(b"{") for line in lines)
    one, other = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, events - 1))
    without = [*lines[:one], *lines[one + 1 :]]
    moved = [*without[:other], lines[one], *without[other:]]
    assert audit(b"".join(without), POLICY, ed25519_verify).status != "OK"
    assert audit(b"".join([*lines[: one + 1], *lines[one:]]), POLICY, ed25519_verify).status == "FAULT"
    assert moved == lines or audit(b"".join(moved), POLICY, ed25519_verify).status == "FAULT"
