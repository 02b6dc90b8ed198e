"""Whole matches printed state by state, as every viewer sees them, and compared byte by byte.

A newcomer can read them; whoever changes a rule sees in the difference what it changed, and writes them anew with
`pytest tests/playthroughs --update-playthroughs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain import commands, events
from domain.games import GAMES
from domain.moves import ArrangeMove, BidMove, ChallengeMove, Move, PassMove, SpotOnMove
from domain.places import Place
from domain.state import State
from domain.table import moves
from tests.domain.playing import commands_for
from tests.domain.seeded import Game, SeededDealer

HERE = Path(__file__).parent
COMMANDS_MAX = 200
MATCHES: dict[str, tuple[int, dict[str, Any]]] = {
    "common_hand": (3, {"dice_per_player": 3}),
    "perudo": (3, {**GAMES["common_hand"].presets["perudo"], "dice_per_player": 3}),
    "push_and_pass": (
        3,
        {
            "dice_per_player": 3,
            "system": "face_first",
            "wild": "unless_opened",
            "challenge_by": "anyone",
            "push": True,
            "pass_once": True,
            "stakes": "winner_take_all",
            "wager": 5,
            "drinks": {"basis": "difference", "elimination": 2, "ghost_per_round": 1},
        },
    ),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_played_as_it_was_written_down(name: str, request: pytest.FixtureRequest) -> None:
    seats, options = MATCHES[name]
    told = "\n".join(playthrough(name, seats, options)) + "\n"
    file = HERE / f"{name}.txt"
    if request.config.getoption("--update-playthroughs", default=False):
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told


def test_every_playthrough_is_of_a_match_that_is_still_played() -> None:
    assert sorted(MATCHES) == sorted(file.stem for file in HERE.glob("*.txt"))


def playthrough(name: str, seats: int, options: dict[str, Any]) -> Iterator[str]:
    game = Game(options, seats, name, None)
    yield f"game: common_hand, {seats} seats"
    yield from (f"option: {key} = {value}" for key, value in options.items())
    for number in range(1, COMMANDS_MAX):
        command = chosen(game, name, number)
        happened = game.do(command)
        yield from ("", f"# {number}. {told_command(command)}")
        yield from (f"  event: {told_event(event)}" for event in happened)
        yield from told_state(game.state, game.dealer)
        if game.state.phase == "finished":
            return
    pytest.fail("this match does not end")


def chosen(game: Game, name: str, number: int) -> commands.TableCommand:
    """Return a command on offer that follows from the name and the number alone."""
    if game.state.phase == "between_rounds":
        return commands.Deal()
    drawn = hashlib.sha256(f"{name}/{number}".encode()).digest()
    offers = game.offers()
    seat, move = offers[drawn[0] % len(offers)]
    possible = commands_for(seat, move)
    return possible[drawn[1] % len(possible)]


# ---- telling ------------------------------------------------------------------------------------


def told_command(command: commands.TableCommand) -> str:
    match command:
        case commands.Deal():
            return "the table deals"
        case commands.Bid(seat=seat, quantity=quantity, face=face):
            return f"seat {seat} bids {quantity}x{face}"
        case commands.Arrange(seat=seat, outside=outside, roll_inside=rolled):
            return f"seat {seat} pushes {listed(outside)} and rolls {listed(rolled)}"
        case commands.Challenge(seat=seat) | commands.SpotOn(seat=seat) | commands.Pass(seat=seat):
            return f"seat {seat}: {type(command).__struct_config__.tag}"
        case other:
            raise AssertionError(other)


def told_event(event: events.Event) -> str:
    fields = events.data_of(event)
    for proof in ("com", "path", "keys"):
        fields.pop(proof, None)
    return " ".join([events.type_of(event), *(f"{key}={told_value(value)}" for key, value in fields.items())])


def told_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return "[" + " ".join(told_value(one) for one in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def told_state(state: State, dealer: SeededDealer) -> Iterator[str]:
    standing = "-" if state.standing is None else f"{state.standing.quantity}x{state.standing.face} of {state.claimant}"
    yield f"  state: round {state.round}, {state.phase}, turn {told_value(state.turn)}, standing {standing}"
    flags = [*state.flags, *(() if state.auction.wild else ("plain_ones",))]
    yield f"  flags: {listed(flags)}, pass of {told_value(state.passer)}, pushed {told_value(state.pushed)}"
    yield from (f"  {unit}: {told_balances(held)}" for unit, held in sorted(state.balances.items()))
    yield f"  out: {listed(state.out)}"
    yield f"  next starter {told_value(state.next_starter)}, winner {told_value(state.winner)}"
    for viewer in (None, *state.seats):
        yield f"  {'spectator' if viewer is None else f'seat {viewer}'} sees: {told_dice(state, dealer, viewer)}"
    yield from (
        f"  seat {seat} may: {told_move(move)}" for seat, offered in sorted(moves(state).items()) for move in offered
    )


def told_balances(held: dict[int | str, int]) -> str:
    return ", ".join(f"{account} {amount}" for account, amount in sorted(held.items(), key=str))


def told_dice(state: State, dealer: SeededDealer, viewer: int | None) -> str:
    return "  ".join(f"{seat} {told_place(place, dealer, own=seat == viewer)}" for seat, place in state.places.items())


def told_place(place: Place, dealer: SeededDealer, *, own: bool) -> str:
    """Return the dice: `=4` is shown to all, `4` is known to the owner, `?` is hidden."""
    told = []
    for die in place.dice:
        known = str(dealer.value(place.cup, die.roll, die.slot, 6) + 1)
        hidden = known if own else "?"
        told.append(f"={known}" if die.shown else hidden)
    return "[" + " ".join(told) + "]"


def told_move(move: Move) -> str:
    match move:
        case BidMove(minimum=minimum, lowest=lowest, quantity_max=most):
            return f"bid, smallest {claims(minimum)}; from {claims(lowest)} to {most} dice"
        case ChallengeMove(of=doubted):
            return f"challenge the {doubted}"
        case ArrangeMove(positions=positions):
            return f"push some of {listed(positions)}"
        case SpotOnMove() | PassMove():
            return str(type(move).__struct_config__.tag)
        case other:
            raise AssertionError(other)


def claims(found: tuple[tuple[int, int], ...]) -> str:
    return " ".join(f"{quantity}x{face}" for quantity, face in found)


def listed(values: Any) -> str:
    return " ".join(map(str, values)) or "-"
