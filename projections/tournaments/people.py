"""People of a tournament: entrants by number and name, and how they stand to it.

Names are not in the stream: whoever asks for a view brings them, by number. An entrant whose name was erased is called
by the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from domain.errors import Refused
from domain.tournaments.deciding.drawing import HOUSE
from domain.tournaments.ranking.results import Bye
from domain.tournaments.tournament import Entrant, PlayedStage, Tournament

Names = Mapping[int, str]
"""What people call entrants, by number."""
Status = Literal["waits", "not_admitted", "entered", "here", "withdrawn", "disqualified"]
"""`waits` for an official to let them in; `here` once checked in; whoever has left is `withdrawn`."""

_OF_LOTS: Final = ("deal.", "seed.", "cup.", "game.", "beacon.")
_OF_OFFICIALS: Final = ("official.", "case.", "challenge.")


class NamedEntrant(Struct, frozen=True):
    """An entrant, as people call them.

    Attributes:
        bot: Whether it says of itself that it is a bot.
    """

    number: int
    name: str
    bot: bool


def name_of(names: Names, number: int) -> str:
    """Return what an entrant is called: by the number where nobody knows the name, or it was erased."""
    return names.get(number) or f"#{number}"


def entrant_in(tournament: Tournament, number: int) -> Entrant:
    """Return the entrant with this number.

    Raises:
        Refused: `unknown_number`.
    """
    found = tournament.entrants.get(number)
    if found is None:
        raise Refused("unknown_number", number=number)
    return found


def called(tournament: Tournament, names: Names, number: int) -> NamedEntrant:
    """Return an entrant by number and name."""
    return NamedEntrant(number, name_of(names, number), tournament.entrants[number].bot)


def all_called(tournament: Tournament, names: Names, numbers: Iterable[int]) -> tuple[NamedEntrant, ...]:
    """Return entrants by number and name, in the order given."""
    return tuple(called(tournament, names, number) for number in numbers)


def rest_kind(tournament: Tournament, bye: Bye, stage: int) -> str:
    """Return why somebody has no table: `bye`, tables are full; `half` or `zero`, as asked for; `late`, not in yet."""
    if (stage, bye.round) < tournament.entrants[bye.number].since:
        return "late"
    return "bye" if bye.kind == "pairing" else bye.kind


def group_of(stage: PlayedStage, number: int) -> int | None:
    """Return the group that somebody plays in, from 1; None where there are no groups, or in none of them."""
    groups = enumerate(stage.groups or (), start=1)
    return next((at for at, members in groups if number in members), None)


def status_of(entrant: Entrant) -> Status:
    """Return how an entrant stands to the tournament."""
    if entrant.disqualified:
        return "disqualified"
    if not entrant.is_in:
        return "waits" if entrant.gone is None else "not_admitted"
    if entrant.gone is not None:
        return "withdrawn"
    return "here" if entrant.here else "entered"


def touches_card(event: Mapping[str, Any], entrant: Entrant, *, draws: bool) -> bool:
    """Report whether what happened may change what an entrant has to know at once.

    Results at other tables move the standings around, which can wait.

    Args:
        event: The type of the line and its members.
        entrant: Whose card.
        draws: Whether the entrant gives a seed to the lots.
    """
    kind = event["type"]
    if kind.startswith(_OF_LOTS):
        return draws
    if kind.startswith(_OF_OFFICIALS):
        return False
    if "player" in event:
        return event["player"] in {entrant.player, HOUSE}  # the drawing begins when the house sits down to it
    if "number" in event:
        return bool(event["number"] == entrant.number)
    if "absent" in event:
        return any(entrant.number in each for each in (*event["ranking"], event["absent"]))
    return True
