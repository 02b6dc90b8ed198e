"""Names held against a record: a committed one can be checked, a swapped one is found, an erased one is nothing."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from domain import events
from domain.fairness.names import NamesFound, SeatName, check_names, names_in, seated_lines, write_names
from domain.fairness.signing.messages import name_commitment
from domain.log.notes import Malformed
from domain.match.evolve import open_match
from domain.match.record import GENESIS, lines_of

MATCH = UUID(int=15)
ADA, BEA, CYD = (f"p{letter * 24}" for letter in "abc")
BOT = "bot/cautious/01234567"
SALT, OTHER = "5a" * 32, "a5" * 32


def lines() -> tuple[bytes, ...]:
    """Return a match in which Ada and Bea commit to their names, Cyd and a bot to none, and Bea gets up again."""
    seated: list[events.Event] = [
        open_match(MATCH, {"game": "common_hand", "options": {}, "pause_ms": 0, "seats": 6}, "all"),
        events.SeatJoined(1, ADA, name=name_commitment(bytes.fromhex(SALT), "Ada")),
        events.SeatJoined(2, BEA, name=name_commitment(bytes.fromhex(OTHER), "Bea \N{SMILING FACE WITH HALO}")),
        events.SeatLeft(2, "left"),
        events.SeatJoined(2, CYD),
        events.SeatJoined(3, BOT),
    ]
    return lines_of(MATCH, 0, GENESIS, 1_000, seated)[0]


ADAS = SeatName(str(MATCH), "Ada", ADA, SALT, 1)
BEAS = SeatName(str(MATCH), "Bea \N{SMILING FACE WITH HALO}", BEA, OTHER, 2)
CYDS, BOTS = SeatName(str(MATCH), "Cyd", CYD, None, 2), SeatName(str(MATCH), "Cato", BOT, None, 3)
ALL = (ADAS, BEAS, CYDS, BOTS)


def told(**changed: SeatName | None) -> list[SeatName]:
    """Return all names, some of them others or none."""
    given = {"ada": ADAS, "bea": BEAS, "cyd": CYDS, "bot": BOTS, **changed}
    return [each for each in given.values() if each is not None]


def test_who_is_seated_is_read_from_the_lines() -> None:
    found = seated_lines(lines())
    assert [(each.line, each.seat, each.player) for each in found] == [
        (2, 1, ADA),
        (3, 2, BEA),
        (5, 2, CYD),
        (6, 3, BOT),
    ]
    assert [each.commitment is None for each in found] == [False, False, True, True]


def test_names_that_lines_commit_to_are_checked_and_others_are_the_servers_word() -> None:
    found = check_names(str(MATCH), lines(), ALL)
    assert found == NamesFound(checked=(1, 2), open=(2,))
    assert found.line is None


def test_a_file_of_names_is_read_as_it_is_written() -> None:
    assert names_in(write_names(ALL)) == list(ALL)
    assert names_in(b"") == []
    assert write_names(ALL).startswith(b'{"match":"00000000-0000-0000-0000-00000000000f","name":"Ada","player":"paa')


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"ada": SeatName(str(MATCH), "Eve", ADA, SALT, 1)}, NamesFound((2,), (2,), swapped=(2,))),
        ({"ada": SeatName(str(MATCH), "Ada", ADA, OTHER, 1)}, NamesFound((2,), (2,), swapped=(2,))),
        ({"ada": SeatName(str(MATCH), "Ada", ADA, None, 1)}, NamesFound((2,), (2,), swapped=(2,))),
        ({"eve": SeatName(str(MATCH), "Eve", ADA, SALT, 1)}, NamesFound((1, 2), (2,), swapped=(2,))),
        ({"ada": SeatName(str(MATCH), BEAS.name, ADA, OTHER, 1), "bea": None}, NamesFound((), (2,), (2,), (2,))),
        ({"ada": SeatName(str(MATCH), "Ada", ADA, SALT, 2)}, NamesFound((2,), (2,), (1,), strange=1)),
        ({"ada": SeatName(str(UUID(int=16)), "Ada", ADA, SALT, 1)}, NamesFound((2,), (2,), (1,), strange=1)),
        ({"eve": SeatName(str(MATCH), "Eve", "p" + "e" * 24, SALT, 1)}, NamesFound((1, 2), (2,), strange=1)),
    ],
)
def test_names_that_were_swapped_are_found(changed: dict[str, SeatName], found: NamesFound) -> None:
    assert check_names(str(MATCH), lines(), told(**changed)) == found
    assert found.line == (2 if found.swapped else 0)


@pytest.mark.parametrize("gone", [None, SeatName(str(MATCH), None, ADA, None, 1)])
def test_a_name_that_was_erased_leaves_the_record_as_it_was(gone: SeatName | None) -> None:
    found = check_names(str(MATCH), lines(), told(ada=gone, cyd=None))
    assert found == NamesFound((2,), (), (1, 2))
    assert found.line is None


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("salt", "5a" * 31),
        ("salt", "5A" * 32),
        ("salt", 7),
        ("seat", 0),
        ("seat", 255),
        ("match", "x"),
        ("match", str(MATCH).upper().replace("-", "")),
        ("name", 1),
        ("more", 1),
    ],
)
def test_what_is_no_name_is_no_file_of_names(member: str, value: object) -> None:
    line = {**json.loads(write_names([ADAS])), member: value}
    with pytest.raises(Malformed):
        names_in(json.dumps(line).encode())


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[]", b"{}", b"\n"])
def test_what_is_no_text_of_lines_is_no_file_of_names(text: bytes) -> None:
    with pytest.raises(Malformed):
        names_in(text)
