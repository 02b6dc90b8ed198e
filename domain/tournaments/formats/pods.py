"""Swiss by `pods/1`: those who have done as well sit together, and rather with new faces, at tables of any size."""

from __future__ import annotations

from typing import Any

from domain.tournaments.events import TablesPaired
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, any_number, bad_option, has_played_all, keeps_apart
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import InputPlayer, PairingInput, Weights, input_hash
from domain.tournaments.pairing.pods.law import ENGINE, CannotPair, Pods, pair
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.points import points_text
from domain.tournaments.rules import Swiss, TournamentRules

ROUNDS_MIN = 3


def rounds_of(stage: Swiss, entrants: int) -> int:
    """Return how many rounds find a winner: the logarithm of the entrants to the base of the seats, and one more.

    With two at a table no one more is needed, and there are three in any case.
    """
    preferred = stage.sizes.preferred
    return stage.rounds or max(ROUNDS_MIN, logarithm(entrants, preferred) + (preferred > 2))  # noqa: PLR2004 - of two


def logarithm(entrants: int, base: int) -> int:
    """Return the logarithm to a base, rounded up."""
    power = 0
    while base**power < entrants:
        power += 1
    return power


def pairing_input(field: StageField, number: int, sizes: TableSizes, weights: Weights) -> PairingInput:
    """Return what a round is paired from: it follows from the lines before, and a certificate names its hash."""
    playing = field.playing(number)
    held = field.stage.rounds.get(number)
    # A table that was set for somebody who has left since is no table.
    fixed = () if held is None else [table for table in held.fixed if set(playing).issuperset(table)]
    history = field.history
    players = tuple(
        InputPlayer(
            n=n,
            score=points_text(field.scores[n]),
            club=field.entrant(n).club or "",
            small=history.small.get(n, 0),
            byes=field.pairing_byes[n],
            balance=history.balance.get(n, 0),
        )
        for n in playing
    )
    return PairingInput(
        sizes=sizes,
        weights=weights,
        top=points_text(field.top),
        players=players,
        met=history.meetings(playing),
        after=history.neighbours(playing),
        forbidden=field.forbidden(playing),
        fixed=tuple(tuple(sorted(table)) for table in fixed),
    )


def draw_pods(field: StageField, lots: Lots, number: int, sizes: TableSizes, weights: Weights) -> DrawnRound:
    """Return a round by `pods/1`.

    Raises:
        CannotPair: The cheapest grouping has two who may not meet, or no table can be filled, and nobody who asked to
            be left out would fill one.
    """
    if fills_no_table(field, sizes):
        raise CannotPair((), sizes, field.left)
    given = pairing_input(field, number, sizes, weights)
    pods = pair(given, lots)
    return DrawnRound(ENGINE, pods.tables, pods.byes, certificate_members(given, lots, pods))


def fills_no_table(field: StageField, sizes: TableSizes) -> bool:
    """Report whether all who can still play are too few for any table, even at the smallest number of seats."""
    return len(field.left) < sizes.min and not field.tournament.earlier


def certificate_members(given: PairingInput, lots: Lots, pods: Pods) -> dict[str, Any]:
    """Return the members of a certificate that the line of a pairing does not have already."""
    return {
        "v": 1,
        "engine": ENGINE,
        "lot": lots.roll.hex(),
        "input_hash": input_hash(given),
        "method": pods.method,
        "sizes": list(pods.sizes),
        "cost": pods.cost,
        "bound": pods.bound,
        "repeats": pods.repeats,
        "seating": list(pods.seating),
    }


def _draw(field: StageField, lots: Lots, number: int) -> DrawnRound:
    assert isinstance(field.rules, Swiss), "the table has it so"
    return draw_pods(field, lots, number, field.rules.sizes, field.rules.weights)


def _paired_from(field: StageField, event: TablesPaired) -> PairingInput:
    assert isinstance(field.rules, Swiss), "the table has it so"
    return pairing_input(field, event.round, field.rules.sizes, field.rules.weights)


def check_sizes(sizes: TableSizes, option: str) -> None:
    """Check that sizes of tables are in order.

    Raises:
        Refused: `bad_options`.
    """
    if not sizes.min <= sizes.preferred <= sizes.max:
        raise bad_option(f"{option}.sizes", "the preferred size lies between the smallest and the largest")


def _check(_rules: TournamentRules, stage: Swiss, option: str) -> None:
    check_sizes(stage.sizes, option)


SWISS = Format(
    rounds_of, _draw, has_played_all, StageField.ranking,
    rolls=True, check=_check, check_rounds=any_number, sized_by="sizes", by_hand="tables", paired_from=_paired_from,
    keeps_apart=keeps_apart, trf="Individual: Swiss-System",
)  # fmt: skip
