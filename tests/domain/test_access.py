"""Access streams: on record for those who may see dice and for nobody else, and nothing that is not public."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.audit import access
from domain.audit.access import AccessStream, Served, viewer_of
from domain.audit.access_audit import Notice, ServedTotals, judge, served_besides
from domain.games import GAMES
from domain.log import canonical
from domain.match.record import fold, lines_of
from domain.table.interludes import cocked
from infra.keys import ed25519_verify
from projections.history import frames
from projections.served_dice import dice_of_openings, dice_of_view
from projections.view import DieView
from tests.domain.access_records import (
    Entry,
    Recorded,
    entries,
    finished,
    on_record,
    ruling_of,
    shown,
    signed,
    told,
    written,
)
from tests.domain.playing import MATCH
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases

CASES = [(game, which) for game in GAMES for which in range(len(OPTIONS[game]))]
LIARS, CUP = "common_hand", "mexican"
LINES = cases(1, 3)
"""How many lines of an access record are changed, each in every way."""


def fault(played: Recorded, said: list[Entry]) -> tuple[str | None, int | None]:
    """Return the code and the line of what is wrong with an access record that says this."""
    found = told(played, written(said))
    assert found.status == "FAULT", found
    return found.code, found.line


def first(said: list[Entry]) -> int:
    """Return which entry is the first serving."""
    return next(at for at, (kind, _) in enumerate(said) if kind == access.SERVED)


# ---- what is on record --------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "which"), CASES)
def test_what_each_seat_was_served_is_on_record_once_and_nothing_else(game: str, which: int) -> None:
    played = finished(game, 1, which)
    assert on_record(played.seen) == shown(played)
    found = told(played, signed(played.seen))
    assert (found.status, found.anchored) == ("OK", True), found
    seats = {viewer_of(seat) for seat in played.match.seated}
    assert found.viewers.keys() <= seats
    assert all(seen.rolls and seen.dice >= seen.rolls for seen in found.viewers.values())


@pytest.mark.parametrize("game", GAMES)
def test_an_access_stream_says_nothing_that_the_public_stream_does_not(game: str) -> None:
    played = finished(game, 1)
    course = [written.match for written, _ in fold(played.lines)]
    lines, book = access.new_access_stream(MATCH, course[0].at)
    for (before, after), (_, event) in zip(pairwise(course), list(fold(played.lines))[1:], strict=True):
        more, book = access.lines_of_events(book, before, [event], after.at)
        lines += more
    assert list(lines) == played.seen, "whoever has the public lines, and no dice, can write it himself"


def test_a_line_names_all_dice_of_a_roll_whichever_were_kept() -> None:
    found = [one for which in range(2) for one in on_record(finished("finska", 3, which).seen).values()]
    again = [served for served in found if served.roll]
    assert again, "dice were rolled again"
    assert all(served.slots == tuple(range(len(served.slots))) for served in again)


def test_dice_that_may_be_cocked_are_on_record_with_the_look_and_a_second_look_adds_nothing() -> None:
    played = Recorded({"cocked": True}, 2, "look", "boss_liars", pause_ms=0)
    played.start()
    assert played.match.table is not None
    if played.match.table.phase == "choosing":
        played.do(commands.ChooseFirst(played.match.table.turn or 0, 1))
        played.go_on()
    assert on_record(played.seen) == {}, "the dice lie there, and nobody has looked"
    played.do(cocked.Look(2))
    looked = played.match.version
    assert {(each.viewer, each.version) for each in on_record(played.seen).values()} == {("seat/2", looked)}
    played.do(cocked.Look(2))
    assert len(on_record(played.seen)) == 1


def test_the_openings_of_a_seat_are_of_dice_that_are_on_record() -> None:
    played, seen = finished(LIARS, 1), 0
    record = on_record(played.seen)
    for written_, event in fold(played.lines):
        match = written_.match
        if isinstance(event, events.Rolled) and match.table is not None and event.cup in match.table.places:
            slots = tuple((slot, "") for slot in event.slots)
            opening = events.Revealed(event.deal, event.cup, event.roll, (), (), slots, ())
            chosen = events.ChoicesRevealed(event.cup, ())
            for each in dice_of_openings(match, event.cup, [opening, chosen]):
                assert record[each.key].slots == event.slots
                seen += 1
            elsewhere = events.Revealed(event.deal, event.cup, event.roll + 1, (), (), slots, ())
            assert list(dice_of_openings(match, event.cup, [elsewhere])) == []
    assert seen


def test_what_is_served_besides_is_noted_once() -> None:
    played = finished(LIARS, 1)
    strange = Served("admin/ruth", 0, 1, 0, (0, 1), played.match.version)
    lines, book = access.lines_of_served(played.book, played.match, [strange, strange])
    assert len(lines) == 1
    assert access.lines_of_served(book, played.match, [strange]) == ((), book)
    assert canonical.decode(lines[0])["prev"] == canonical.head(played.seen[-1])


def test_a_book_knows_whether_the_match_is_over() -> None:
    played = finished(LIARS, 1)
    assert played.book.closed
    assert access.fold_lines(AccessStream(), played.seen) == played.book
    assert not access.fold_lines(AccessStream(), played.seen[:-1]).closed


@pytest.mark.parametrize("change", [(b'"v":1}', b'"v":2}'), (b"access.served", b"access.sighed")])
def test_nobody_can_say_who_saw_what_by_a_line_that_is_not_known(change: tuple[bytes, bytes]) -> None:
    played = finished(LIARS, 1)
    assert b"access.served" in played.seen[1]
    with pytest.raises(access.UnknownLine):
        access.fold_lines(AccessStream(), [played.seen[0], played.seen[1].replace(*change)])


def test_a_lobby_that_is_closed_closes_its_access_stream() -> None:
    played = Recorded({}, 2)
    happened = [events.MatchEnded(None)]
    lines, _ = access.lines_of_events(played.book, played.match, happened, played.at)
    assert canonical.decode(lines[-1])["type"] == access.CLOSED
    over, head = lines_of(MATCH, 1, played.head, played.at, happened)
    assert head
    found = judge(signed([*played.seen, *lines]), [*played.lines, *over], ruling_of(played, 2), None, ed25519_verify)
    assert (found.status, found.anchored, found.viewers) == ("OK", False, {})


# ---- forged servings ----------------------------------------------------------------------------


def test_a_view_that_shows_another_seat_its_hidden_dice_is_seen_through() -> None:
    played = finished(LIARS, 1)
    for match, frame in frames(played.lines, 1, played.keepers, {}):
        if match.table is not None and match.table.places and not match.ended:
            leaky = [
                (seat.seat, tuple(DieView(3, shown=False) if die.face is None else die for die in seat.dice))
                for seat in frame.view.seats
            ]
            view = replaced(frame.view, dict(leaky))
            left = {(each.viewer, each.cup) for each in dice_of_view(match, view)}
            hidden = {cup for _, cup, _, _ in access.hidden_rolls(match)}
            assert left == {("seat/1", cup) for cup in hidden}
            if len(hidden) > 1:
                return
    pytest.fail("nothing lay hidden")


def replaced(view: Any, dice: dict[int, tuple[DieView, ...]]) -> Any:
    return replace(view, seats=tuple(replace(seat, dice=dice[seat.seat]) for seat in view.seats))


@pytest.mark.parametrize("game", GAMES)
def test_hidden_dice_that_were_served_to_another_seat_are_a_fault_at_their_line(game: str) -> None:
    played = finished(game, 2)
    said = entries(played)
    at = first(said)
    _, data = said[at]
    others = {viewer_of(seat) for seat in played.match.seated} - {data["viewer"]}
    lie = (access.SERVED, {**data, "viewer": min(others)})
    assert fault(played, [*said[: at + 1], lie, *said[at + 1 :]]) == ("E_ACCESS", at + 2)
    assert fault(played, [*said[:at], lie, *said[at:]]) == ("E_ACCESS", at + 1)
    onlooker = (access.SERVED, {**data, "viewer": "spectator"})
    assert fault(played, [*said[:at], onlooker, *said[at:]]) == ("E_ACCESS", at + 1)


def test_dice_that_everybody_has_seen_may_be_served_to_anybody() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    at = first(said)
    late = {**said[at][1], "viewer": "spectator", "version": played.match.version}
    assert told(played, written([*said[:-1], (access.SERVED, late), said[-1]])).status == "OK"
    part = {**late, "slots": [0]}
    assert fault(played, [*said[:-1], (access.SERVED, part), said[-1]]) == ("E_ACCESS", len(said))


def test_dice_that_were_all_shown_are_public_before_the_deal_closes() -> None:
    played = finished(LIARS, 2)
    versions = {
        (event.deal, event.cup, event.roll): written_.match.version
        for written_, event in fold(played.lines)
        if isinstance(event, events.Revealed)
    }
    closed = next(w.match.version for w, event in fold(played.lines) if isinstance(event, events.DealClosed))
    said = entries(played)
    at = next(n for n, (kind, data) in enumerate(said) if kind == access.SERVED and roll_of(data) in versions)
    data = said[at][1]
    now = versions[roll_of(data)]
    assert now < closed
    for version, status in ((now, "OK"), (now - 1, "FAULT")):
        line = (access.SERVED, {**data, "viewer": "spectator", "version": version})
        assert told(played, written([*said[:-1], line, said[-1]])).status == status


def roll_of(data: dict[str, Any]) -> tuple[int, int, int]:
    return data["deal"], data["cup"], data["roll"]


@pytest.mark.parametrize("viewer", ["caster/jo", "admin/ruth"])
def test_hidden_dice_that_went_to_a_caster_or_an_admin_are_no_fault_and_a_finding(viewer: str) -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    at = first(said)
    besides = (access.SERVED, {**said[at][1], "viewer": viewer})
    found = told(played, written([*said[:at], besides, *said[at:]]))
    assert (found.status, found.viewers[viewer]) == ("OK", ServedTotals(1, len(said[at][1]["slots"])))
    assert found.noticed == (Notice(at + 1, viewer),)
    assert f"{viewer} (line {at + 1} of the access record)" in found.message
    assert "nobody any others" not in found.message
    assert told(played, signed(played.seen)).noticed == ()
    nowhere = (access.SERVED, {**said[at][1], "viewer": viewer, "roll": 40_000})
    assert fault(played, [*said[:at], nowhere, *said[at:]]) == ("E_ACCESS", at + 1)


def test_dice_that_everybody_had_seen_when_a_caster_was_served_them_are_no_finding() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    late = {**said[first(said)][1], "viewer": "caster/jo", "version": played.match.version}
    found = told(played, written([*said[:-1], (access.SERVED, late), said[-1]]))
    assert (found.status, found.noticed) == ("OK", ())
    assert found.message.endswith("and nobody any others")


def test_of_many_who_were_served_besides_a_sentence_names_three() -> None:
    noticed = [Notice(line, viewer) for line, viewer in enumerate(("admin/a", "admin/a", "caster/b", "admin/c"), 2)]
    assert served_besides(noticed).endswith("admin/c (line 5 of the access record)")
    assert served_besides([*noticed, Notice(9, "caster/d"), Notice(10, "caster/e")]).endswith(
        "admin/c (line 5 of the access record), 2 more"
    )
    assert served_besides([]) == ""


def test_where_nobody_knows_the_rules_a_caster_is_noticed_and_nothing_is_said_of_seats() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    at = first(said)
    besides = (access.SERVED, {**said[at][1], "viewer": "caster/jo"})
    found = told(played, written([*said[:at], besides, *said[at:]]), upto=0)
    assert (found.status, found.noticed) == ("INCOMPLETE", (Notice(at + 1, "caster/jo"),))
    assert found.message.startswith("what the access record says was not held against the rules")
    assert told(played, written([*said, said[-1]]), upto=0).code == "E_ORDER"


# ---- access records that were changed -----------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_any_line_that_is_changed_left_out_or_doubled_is_a_fault(game: str) -> None:
    played = finished(game, 2)
    said = entries(played)
    drawn = random.Random(game)
    for at in drawn.sample(range(first(said), len(said) - 1), min(LINES, len(said) - 2)):
        kind, data = said[at]
        assert fault(played, [*said[:at], *said[at + 1 :]])[0] == "E_ACCESS"
        assert fault(played, [*said[: at + 1], said[at], *said[at + 1 :]]) == ("E_ACCESS", at + 2)
        for member, value in changes(data):
            assert fault(played, [*said[:at], (kind, {**data, member: value}), *said[at + 1 :]])[0] == "E_ACCESS"


def changes(data: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("viewer", "seat/200"),
        ("deal", data["deal"] + 1),
        ("cup", 99),
        ("roll", data["roll"] + 5_000),
        ("slots", data["slots"][:-1]),
        ("version", data["version"] + 1),
        ("version", data["version"] - 1),
        ("version", 1_000_000),
    ]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("viewer", "seat/0"),
        ("viewer", "seat/1 "),
        ("viewer", "caster/"),
        ("viewer", 1),
        ("deal", True),
        ("deal", -1),
        ("cup", 256),
        ("roll", "0"),
        ("slots", 0),
        ("slots", [-1]),
        ("version", 0),
        ("value", 3),
    ],
)
def test_a_line_that_cannot_be_written_is_a_fault_of_form(member: str, value: object) -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    at = first(said)
    said[at] = (said[at][0], {**said[at][1], member: value})
    assert fault(played, said) == ("E_FORMAT", at + 1)


def test_a_line_of_another_type_is_a_fault_of_form() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    assert fault(played, [*said[:1], ("game.bid", {}), *said[1:]]) == ("E_FORMAT", 2)


def test_an_access_record_begins_once_and_ends_once() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    assert fault(played, said[1:]) == ("E_ORDER", 1)
    assert fault(played, [said[0], *said]) == ("E_ORDER", 2)
    assert fault(played, [*said, said[-1]]) == ("E_ORDER", len(said) + 1)


def test_the_same_dice_are_on_record_with_a_seat_once() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    at = first(said)
    assert fault(played, [*said[: at + 1], *said[at:]]) == ("E_ACCESS", at + 2)


def test_an_access_record_closes_with_its_match() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    for version in (played.match.version - 1, played.match.version + 1):
        assert fault(played, [*said[:-1], (access.CLOSED, {"version": version})]) == ("E_ACCESS", len(said))


def test_the_access_record_of_another_match_is_a_fault() -> None:
    played = finished(LIARS, 2)
    said = entries(played)
    other = "access/6f1de1ce-0000-4000-8000-000000000002"
    found = told(played, written(said, other))
    assert (found.code, found.line) == ("E_ACCESS", 1)
    named = [(access.CREATED, {"match": other.removeprefix("access/")}), *said[1:]]
    assert fault(played, named) == ("E_ACCESS", 1)


def test_lines_that_are_swapped_cut_or_not_even_text_are_faults() -> None:
    played = finished(LIARS, 2)
    lines = list(played.seen)
    lines[1], lines[2] = lines[2], lines[1]
    assert (told(played, signed(lines)).code, told(played, signed(lines)).line) == ("E_CHAIN", 2)
    assert told(played, b"\xff\n").code == "E_FORMAT"
    assert told(played, b"".join(line + b"\n" for line in played.seen[:-1])).status == "INCOMPLETE"


def test_a_log_that_does_not_hold_the_last_line_is_a_fault() -> None:
    played = finished(LIARS, 2)
    record = signed(played.seen[:-1]).splitlines(keepends=True)
    lie = b"".join([*record[:-1], played.seen[-1] + b"\n", record[-1]])
    found = told(played, lie)
    assert (found.code, found.line) == ("E_LOG", len(played.seen) + 1)
    whole = ruling_of(played, len(played.lines))
    assert judge(signed(played.seen), played.lines, whole, None, ed25519_verify).status == "OK"


# ---- what is not over ---------------------------------------------------------------------------


def test_while_the_match_goes_on_nothing_is_at_fault() -> None:
    played = finished(LIARS, 2)
    live = b"".join(line + b"\n" for line in played.seen[:-1])
    assert told(played, live).status == "INCOMPLETE"
    begun = judge(live, played.lines[:-1], ruling_of(played, 5), None, ed25519_verify)
    assert (begun.status, begun.code) == ("INCOMPLETE", None)
    assert judge(signed(played.seen), played.lines, ruling_of(played, 0), None, ed25519_verify).status == "INCOMPLETE"
