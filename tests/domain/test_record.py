"""A line is read for what it says it is, and by nobody who does not know that."""

from __future__ import annotations

from uuid import UUID

import pytest

from domain import events
from domain.log import canonical
from domain.log.canonical import NotCanonical
from domain.match.record import UnknownVersion, event_of, goes_on, is_known, match_of, stream_of, tag_of

LEFT = canonical.line("match/a", 3, "0" * 64, 7, "seat.left", {"reason": "left", "seat": 1})
LATER = LEFT.replace(b'"v":1}', b'"v":2}')
OTHER = LEFT.replace(b"seat.left", b"seat.flew")


def test_a_line_holds_an_event_and_its_time() -> None:
    assert event_of(LEFT) == (events.SeatLeft(1, "left"), 7)
    assert tag_of(LEFT) == ("seat.left", 1)
    assert is_known(LEFT)


def test_a_line_of_another_version_is_not_taken_for_one_of_ours() -> None:
    with pytest.raises(UnknownVersion):
        event_of(LATER)
    with pytest.raises(UnknownVersion):
        event_of(LEFT.replace(b'"v":1}', b'"v":true}'))
    assert tag_of(LATER) == ("seat.left", 2)
    assert not is_known(LATER)


def test_a_line_of_a_type_we_do_not_know_is_not_read() -> None:
    with pytest.raises(KeyError):
        event_of(OTHER)
    assert tag_of(OTHER) == ("seat.flew", 1)
    assert not is_known(OTHER)


@pytest.mark.parametrize("line", [b"", b"{}", LEFT + b" ", LEFT[:-1], LEFT.replace(b"seat.left", b"SEAT LEFT")])
def test_what_names_no_type_has_none(line: bytes) -> None:
    assert tag_of(line) is None
    assert not is_known(line)


def test_what_is_no_line_is_not_read() -> None:
    with pytest.raises(NotCanonical):
        event_of(LEFT + b" ")


def test_the_type_of_a_line_stands_at_its_end_and_no_text_in_it_passes_for_it() -> None:
    named = canonical.line("match/a", 0, "0" * 64, 0, "match.ended", {"winner": '"type":"seat.left","v":1}'})
    assert tag_of(named) == ("match.ended", 1)


def test_lines_of_one_command_have_one_time() -> None:
    line, same, next_one = (
        canonical.line("match/a", seq, "0" * 64, at, "seat.left", {"seat": 1}) for seq, at in enumerate((12, 12, 123))
    )
    assert goes_on(line, same)
    assert not goes_on(same, next_one)
    assert not goes_on(next_one, same)
    assert not goes_on(line, b"no line")


def test_a_stream_is_that_of_one_match_or_of_none() -> None:
    match_id = UUID("f3786585-c0a7-4650-b4af-e1878fe0572f")
    assert match_of(stream_of(match_id)) == match_id
    for stream in (f"access/{match_id}", "match/", "no match at all"):
        with pytest.raises(ValueError, match="badly formed"):
            match_of(stream)
