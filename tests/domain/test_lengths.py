"""Blanks: a document is as long as its widest, and what it says stays as it was."""

from __future__ import annotations

import json
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import commands, events
from domain.games import GAMES, rules_of
from domain.table.judging import opening_events
from projections.lengths import encode_openings, encode_unshown_openings, encode_view
from projections.unshown_openings import unshown_openings
from projections.view import DieView, view_of
from tests.domain.playing import commands_for
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_secrecy import FOLDED, opened, unseen, watched


@pytest.fixture(scope="module")
def begun() -> dict[str, Watched]:
    """Return a match of each game in which somebody knows some dice."""
    found = {}
    for game in GAMES:
        low, high = rules_of(game, {}).seats
        found[game] = Watched({}, max(low, min(3, high)), "blanks", game, pause_ms=0)
        found[game].start()
        while not any(place.knowers for place in found[game].table.places.values()):
            found[game].do(commands_for(*found[game].offers()[0])[0])
            found[game].go_on()
    return found


def knower(played: Watched) -> int:
    return next(seat for place in played.table.places.values() for seat in place.knowers)


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
def test_a_view_is_as_long_with_any_dice_and_says_what_it_said(
    begun: dict[str, Watched], game: str, data: st.DataObject
) -> None:
    played = begun[game]
    view = view_of(played.written, knower(played), played.keeper, {})
    first, count = view.faces

    def other(dice: tuple[DieView, ...]) -> tuple[DieView, ...]:
        hidden = st.builds(DieView, st.integers(first, first + count - 1), st.just(value=False), st.booleans())
        return tuple(die if die.shown or die.face is None else data.draw(hidden) for die in dice)

    seats = tuple(replace(seat, dice=other(seat.dice)) for seat in view.seats)
    changed = replace(view, seats=seats, cup=other(view.cup))
    assert len(encode_view(changed)) == len(encode_view(view))
    assert json.loads(encode_view(changed)) == json.loads(msgspec.json.encode(changed))


def test_what_a_spectator_sees_has_no_blanks(begun: dict[str, Watched]) -> None:
    for played in begun.values():
        view = view_of(played.written, None, played.keeper, {})
        assert encode_view(view) == msgspec.json.encode(view)


def test_blanks_stand_behind_openings_and_change_nothing_in_them(begun: dict[str, Watched]) -> None:
    for played in begun.values():
        seat = knower(played)
        place = played.table.place_of(seat)
        assert place is not None
        found = list(opening_events(place, played.table, played.dealer))
        assert msgspec.json.decode(opened(played, seat)) == msgspec.json.decode(msgspec.json.encode(found)) != []


def test_where_nothing_is_opened_there_is_no_room_either(begun: dict[str, Watched]) -> None:
    played = begun["common_hand"]
    place, deal = played.table.place_of(1), played.match.ceremony
    assert place is not None
    assert deal is not None
    assert encode_openings([], place, deal) == b"[]"


@pytest.mark.parametrize(("game", "which"), FOLDED)
def test_openings_of_folded_dice_are_as_long_with_any_other_dice(game: str, which: int) -> None:
    played = watched(game, which, 2, "shown")
    while not played.match.ended:
        played.do(commands.Forfeit(played.table.remaining[-1]))
        played.go_on()
    mask = played.mask(None)
    other = played.again(len(played.script), lambda real: OtherDealer(real, mask))
    for seat in played.table.seats:
        one, two = (list(unshown_openings(each.events, seat, each.keepers)) for each in (played, other))
        assert [opening.keys for opening in one] == [opening.keys for opening in two]
        assert len(encode_unshown_openings(one)) == len(encode_unshown_openings(two))
        assert json.loads(encode_unshown_openings(one)) == msgspec.json.decode(
            msgspec.json.encode(list(map(events.data_of, one)))
        )


def test_openings_with_a_sealed_choice_are_as_long_with_any_other_dice() -> None:
    played = watched("stanford", -1, 0)
    sealed = (
        moment
        for moment, match in enumerate(played.matches, start=1)
        if match.table is not None
        and any(each.choice for place in match.table.places.values() for each in place.handled)
    )
    assert unseen(played, next(sealed))


def test_a_value_has_room_for_the_widest_at_any_address() -> None:
    drawn = random.Random(1)
    openings = [
        events.Revealed(
            0, 1, 0, ("00",), (), ((0, "00"), (1, "00")), ((0, drawn.choice((0, 9, 10, 99, 100, 255))), (1, 7))
        )
        for _ in range(40)
    ]
    assert len({len(encode_unshown_openings([opening])) for opening in openings}) == 1
