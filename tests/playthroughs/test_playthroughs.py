"""Whole matches printed state by state, as every viewer sees them, and compared byte by byte.

A newcomer can read them; whoever changes a rule sees in the difference what it changed, and writes them anew with
`pytest tests/playthroughs --update-playthroughs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES
from domain.table.decide import moves, next_deal
from domain.table.interlude import InterludeEvent
from domain.table.interludes.slips import Slip
from domain.table.judging import values_of
from domain.table.offers import Move
from domain.table.places import Place
from domain.table.state import PASSED_CUP, State
from projections.words import claim_words
from tests.domain.playing import commands_for
from tests.domain.seeded import Game, SeededDealer

HERE = Path(__file__).parent
COMMANDS_MAX = 200
PERUDO = {**GAMES["common_hand"].presets["perudo"], "dice_per_player": 3}
PUSH_AND_PASS: dict[str, Any] = {
    "dice_per_player": 3,
    "system": "face_first",
    "wild": "unless_opened",
    "challenge_by": "anyone",
    "push": True,
    "pass_once": True,
    "stakes": "winner_take_all",
    "wager": 5,
    "drinks": {"basis": "difference", "elimination": 2, "ghost_per_round": 1},
}
MONEY = {"stakes": "money", "ante": 5, "buy_back": True, "doubles": True}
MATCHES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "common_hand": ("common_hand", 3, {"dice_per_player": 3}),
    "perudo": ("common_hand", 3, PERUDO),
    "push_and_pass": ("common_hand", 3, PUSH_AND_PASS),
    "individual_hand": ("individual_hand", 2, {}),
    "stanford": ("stanford", 3, {"lives": 2}),
    "mexican": ("mexican", 3, {"claim_check": "next_player", "forty_one": "impose"}),
    "finska": ("finska", 3, {"stake": 2}),
    "liars_poker": ("liars_poker", 3, {}),
    "slips": ("liars_poker", 3, {"numbers": "slips", "slip_length": 4, "slip_plays": 3}),
    "liars_poker_wizard": ("liars_poker_wizard", 3, {}),
    "boss_liars": ("boss_liars", 3, {"mode": "all_challenge"}),
    "boss_for_money": ("boss_liars", 3, MONEY),
    "bought_back": ("boss_liars", 2, MONEY),
    "cocked": ("boss_liars", 2, {"cocked": True}),
    "shown_cocked": ("boss_liars", 2, {"cocked": True}),
    "beat_this": ("beat_this", 3, {}),
    "stud_liars": ("stud_liars", 2, {"wins_needed": 2}),
    "six_six_six": ("six_six_six", 3, {}),
    "two_dice_pass": ("two_dice_pass", 3, {}),
    "dollar_bill": ("dollar_bill", 3, {}),
    "german_liar_dice": ("german_liar_dice", 2, {}),
    "knockout": ("german_liar_dice", 3, {"format": "knockout", "wins_needed": 1}),
    "chouette": ("german_liar_dice", 3, {"format": "chouette", "wins_needed": 1}),
}
SESSION = 60
"""After so many commands the host ends a match that has no end of its own."""


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_played_as_it_was_written_down(name: str, request: pytest.FixtureRequest) -> None:
    told = "\n".join(playthrough(name, *MATCHES[name])) + "\n"
    file = HERE / f"{name}.txt"
    if request.config.getoption("--update-playthroughs", default=False):
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told


def test_every_playthrough_is_of_a_match_that_is_still_played() -> None:
    assert sorted(MATCHES) == sorted(file.stem for file in HERE.glob("*.txt"))


def playthrough(name: str, kind: str, seats: int, options: dict[str, Any]) -> Iterator[str]:
    game = Game(options, seats, name, None, kind)
    yield f"game: {kind}, {seats} seats"
    yield from (f"option: {key} = {value}" for key, value in options.items())
    for number in range(1, COMMANDS_MAX):
        command, happened = done(game, name, number)
        yield from ("", f"# {number}. {told_command(command)}")
        yield from (f"  event: {told_event(event)}" for event in happened)
        yield from told_state(game.state, game.dealer)
        assert asked_for(happened) in {None, command}, "an event says that something else was asked for"
        if game.state.phase == "finished":
            return
    pytest.fail("this match does not end")


def done(game: Game, name: str, number: int) -> tuple[commands.TableCommand, tuple[events.Event, ...]]:
    """Do what follows from the name and the number alone: the first of the commands on offer that is accepted."""
    for command in candidates(game, name, number):
        try:
            return command, game.do(command)
        except Refused:
            continue
    pytest.fail("nothing on offer is accepted")


def asked_for(happened: tuple[events.Event, ...]) -> commands.TableCommand | None:
    """Return the command that the first event says it came of, where an event of an interlude says so."""
    first = happened[0]
    return first.command() if isinstance(first, InterludeEvent) else None


def candidates(game: Game, name: str, number: int) -> Iterator[commands.TableCommand]:
    if number > SESSION and game.state.rules.match.open_ended:
        yield commands.CloseSession()
    if game.state.phase == "between_rounds":
        yield next_deal(game.state)
        return
    every = [command for seat, move in game.offers() for command in commands_for(seat, move)]
    # Doubts come more often than their share, so that rounds end.
    every += [command for command in every if isinstance(command, commands.Challenge)] * (len(every) // 4)
    yield from sorted(every, key=lambda command: hashlib.sha256(f"{name}/{number}/{key_of(command)}".encode()).digest())


def key_of(command: commands.TableCommand) -> str:
    """Return a command as text that stays as it is when its Python class has another name."""
    tag = str(type(command).__struct_config__.tag)
    return "".join(word.capitalize() for word in tag.split("_")) + repr(command).removeprefix(type(command).__name__)


# ---- telling ------------------------------------------------------------------------------------


def told_command(command: commands.TableCommand) -> str:
    said = msgspec.to_builtins(command)
    kind, seat = said.pop("type"), said.pop("seat", None)
    members = " ".join(f"{key}={told_value(value)}" for key, value in said.items() if value not in (None, [], ()))
    return f"{'the table' if seat is None else f'seat {seat}'}: {kind} {members}".rstrip()


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
    faces, now = state.rules.tokens.faces, state.round
    standing = "-" if now.standing is None else f"{claim_words(now.standing, faces)}, by {now.claimant}"
    yield f"  state: round {state.round_number}, {state.phase}, turn {told_value(state.turn)}, standing {standing}"
    flags = [*state.flags, *(() if state.wild else ("plain_ones",)), *(("bound",) if now.bound else ())]
    yield f"  flags: {listed(flags)}, doubted by {listed(now.doubters)}, pass of {told_value(now.passer)}"
    if state.stakes is not None:
        yield f"  stakes: {state.stakes.basic}, now {state.stakes.effective}"
    slip = state.remembered(Slip)
    if slip is not None:
        yield f"  slip: position {slip.position}, played {listed(slip.played)}"
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
    return "  ".join(
        f"{'cup' if cup == PASSED_CUP else cup} {told_place(place, state, dealer, knows=viewer in place.knowers)}"
        for cup, place in state.places.items()
    )


def told_place(place: Place, state: State, dealer: SeededDealer, *, knows: bool) -> str:
    """Return the dice: `=4` is shown to all, `4` is known to this viewer, `?` is hidden."""
    first, hidden = state.rules.tokens.faces.first, len(place.inside)
    values = [value + first for value in values_of(place, state, dealer)]
    told = [str(value) if knows else "?" for value in values[:hidden]] + [f"={value}" for value in values[hidden:]]
    return "[" + " ".join(told) + "]"


def told_move(move: Move) -> str:
    said = msgspec.to_builtins(move)
    if "shapes" in said:
        said["shapes"] = [f"{one['shape']}:{told_value(one['lowest'])}" for one in said["shapes"]]
        said["minimum"] = f"{said['minimum']['shape']}:{told_value(said['minimum']['faces'])}"
    return " ".join([said.pop("type"), *(f"{key}={told_value(value)}" for key, value in said.items())])


def listed(values: Any) -> str:
    return " ".join(map(str, values)) or "-"
