"""Previews of rounds: what would be paired now, by lots of zeros; nothing of it is kept, and no lot is used up."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.deciding.supposing import what_hinders
from domain.tournaments.pairing.lots import LOT_BYTES
from domain.tournaments.tournament import Tournament
from projections.tournaments.officials.previews import PreviewOfRound, preview_of
from tests.tournaments.events_by_hand import HOST, EventByHand, player
from tests.tournaments.seen_events import NAMES


def ready(name: str = "pods", entrants: int = 9) -> EventByHand:
    """Return a tournament whose first round is not paired yet."""
    return EventByHand(name).begin(entrants)


def seen(event: EventByHand) -> PreviewOfRound:
    return preview_of(event.tournament, NAMES)


def refused(tournament: Tournament) -> str:
    with pytest.raises(Refused) as refusal:
        preview_of(tournament, NAMES)
    return refusal.value.code


def tables_in(preview: PreviewOfRound) -> list[list[int]]:
    return [[who.number for who in table.seats] for table in preview.tables]


@pytest.mark.parametrize(
    ("name", "entrants"),
    [
        ("pods", 9),
        ("duel_swiss", 9),
        ("single", 8),
        ("knockout", 9),
        ("round_robin", 9),
        ("last_longer", 9),
        ("groups", 9),
        ("chouette", 2),
    ],
)
def test_a_preview_seats_everybody_once_and_changes_nothing(name: str, entrants: int) -> None:
    event = ready(name, entrants)
    before = event.tournament
    preview = seen(event)
    seated = [number for table in tables_in(preview) for number in table]
    assert sorted([*seated, *(rest.number for rest in preview.resting)]) == sorted(before.entrants)
    assert (preview.stage, preview.round, preview.version) == (1, 1, before.version)
    assert preview.lot == bytes(LOT_BYTES).hex()
    assert event.tournament == before


def test_the_real_round_costs_what_its_preview_says() -> None:
    event = ready()
    event.play_round()
    preview = seen(event)
    event.pair()
    assert (event.round.cost, event.round.bound) == (preview.cost, preview.bound)
    assert preview.cost is not None


def test_what_is_fixed_or_forbidden_shows_in_a_preview() -> None:
    event = ready()
    one, two, *_ = tables_in(seen(event))[0]
    event.do(commands.Forbid(by=HOST, numbers=(one, two)))
    assert not any({one, two} <= set(table) for table in tables_in(seen(event)))
    event.do(commands.FixTables(by=HOST, tables=((1, 2, 3), (4, 5, 6), (7, 8, 9))))
    preview = seen(event)
    assert sorted(map(sorted, tables_in(preview))) == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert (preview.law, preview.cost) == ("manual/1", None)


def test_nothing_is_supposed_while_something_else_comes_first() -> None:
    event = EventByHand("pods").enter(4)
    assert refused(event.tournament) == "wrong_phase"
    event.check_in().draw().step()
    event.pair()
    assert refused(event.tournament) == "already_paired"
    event.start()
    assert refused(event.tournament) == "round_open"


def test_no_round_is_supposed_behind_the_last_one_nor_in_an_arena() -> None:
    event = ready("single", 2)
    event.play_round()
    assert refused(event.tournament) == "wrong_phase"
    assert refused(ready("arena", 4).tournament) == "wrong_phase"
    assert refused(ready("ladder", 4).tournament) == "wrong_phase"


def test_who_cannot_be_kept_apart_is_named() -> None:
    event = ready("duel_swiss", 2)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    assert refused(event.tournament) == "cannot_pair"


def test_what_keeps_a_round_from_being_paired_is_found_where_anything_may() -> None:
    event = ready("pods", 4)
    assert what_hinders(event.tournament) is None
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    met = what_hinders(event.tournament)
    assert met is not None
    assert met.facts == {"pairs": [[1, 2]]}
    event.do(commands.Withdraw(by=player(3), number=3))
    event.do(commands.Withdraw(by=player(4), number=4))
    met = what_hinders(event.tournament)
    assert met is not None
    assert met.facts == {"pairs": [], "sizes": [3, 4], "entrants": [1, 2]}
    assert what_hinders(EventByHand("pods").enter(4).tournament) is None
    # Two who sit apart as the law has it stand in nobody's way, nor does anything while a round is played.
    event = ready("duel_swiss", 4)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    assert what_hinders(event.tournament) is None
    assert what_hinders(event.pair().tournament) is None


def test_names_that_were_erased_are_numbers() -> None:
    preview = preview_of(replace(ready().tournament, paused=True), {})
    assert {who.name for table in preview.tables for who in table.seats} == {f"#{number}" for number in range(1, 10)}
    assert player(1) not in str(preview)
