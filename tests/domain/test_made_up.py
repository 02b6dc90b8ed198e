"""The price of a game and of an interlude, counted on those of the house and on an interlude that is made up."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec
import pytest

from domain import commands
from domain.errors import Refused
from domain.games import GAMES, rules_of
from domain.games.game import Game, anything_goes
from domain.match import record
from domain.match.record import fold
from domain.rules.rules import Counting, Doubt, Handling, LoseDie, MatchEnd, OwnCups, Reveal, Rules
from domain.table.decide import timeout_command
from domain.table.interlude import Interlude
from domain.table.interludes import KINDS
from domain.table.moves import moves
from domain.table.offers import Move
from projections.history import history
from projections.view import view_of
from tests.domain import playing, test_fifteenth, toasts
from tests.domain.playing import Played
from tests.domain.test_every_game import check
from tests.domain.test_fifteenth import Options, played_out
from tests.domain.test_lies import changed, judged

ROOT = Path(__file__).parents[2]
STEPS_MAX = 250
ON_THE_WIRE = {"projections/view.py"}
"""What shows people more of an interlude than its commands and events do: where slips stand, which dice lie cocked."""
IMAGINED = {"domain/strategy/rollouts.py"}
"""What shows as much to a seat that is imagined to play on."""
READERS = {"projections/saying.py", "domain/match/record.py"}
"""What reads the union, and names nobody in it."""


def toasted_rules(_options: Options) -> Rules:
    return Rules(
        "toasted_cups",
        (2, 4),
        OwnCups(2),
        Counting(),
        Doubt(),
        Handling(),
        Reveal(),
        (LoseDie(1, 2),),
        MatchEnd("die", 0),
        (toasts.Toasting(),),
    )


def _toasts(seat: int, _move: object) -> list[commands.Play]:
    return [cast(commands.Play, toasts.Toast(seat))]


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> str:
    """Add the interlude as its line in the union would, and a game that has it as its line in the list would."""
    name = "toasted_cups"
    for kind in toasts.Toasting.event_types:
        monkeypatch.setitem(record.TYPES, str(kind.__struct_config__.tag), kind)
    line = "Two dice each, and a toast before each round."
    monkeypatch.setitem(GAMES, name, Game(name, name, line, "nobody", Options, anything_goes, toasted_rules))
    monkeypatch.setitem(playing.MADE, cast(type[Move], toasts.ToastMove), _toasts)
    return name


@pytest.mark.parametrize("number", range(3))
def test_a_match_with_the_interlude_is_played_drawn_folded_and_judged(house: str, number: int) -> None:
    played = played_out(house, number, check)
    assert played.match.table is not None
    drunk = played.match.table.remembered(toasts.Toasts)
    assert drunk is not None
    assert len(drunk.by_seat) == played.match.table.round_number
    *_, (written, _) = fold(played.lines)
    assert written.match == played.match
    frames = [msgspec.json.decode(frame) for frame in history(played.lines, None, {}, {})]
    assert "toasting" in {frame["view"]["phase"] for frame in frames}
    assert judged([msgspec.json.decode(line) for line in played.lines]).line is None


def test_a_lie_about_what_happens_in_it_is_found(house: str) -> None:
    played = played_out(house, 0)
    at = next(n for n, event in enumerate(played.events) if isinstance(event, toasts.Toasted))
    lie, line = changed([msgspec.json.decode(line) for line in played.lines], at, seat=9)
    assert judged(lie).line == line


def test_its_command_is_offered_when_it_is_due_and_refused_at_any_other_time(house: str) -> None:
    seen: set[str] = set()

    def look(played: test_fifteenth.Anchored) -> None:
        state = played.match.table
        assert state is not None
        for seat in (*state.seats, 99):
            offered = any(isinstance(move, toasts.ToastMove) for move in moves(state).get(seat, ()))
            assert offered == (state.phase == "toasting" and state.turn == seat)
            if not offered:
                with pytest.raises(Refused) as refused:
                    played.do(toasts.Toast(seat))
                seen.add(refused.value.code)
        assert view_of(played.written, None, played.keeper, {}).phase == state.phase

    for number in range(4):
        played_out(house, number, look)
    assert seen == {"unknown_player", "eliminated", "wrong_phase", "not_your_turn"}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("liars_poker", {"numbers": "slips", "slip_length": 2, "slip_plays": 2}),
        ("german_liar_dice", {"five_aces": True}),
    ],
)
def test_it_gets_on_with_the_interludes_of_the_house(
    house: str, monkeypatch: pytest.MonkeyPatch, game: str, options: dict[str, object]
) -> None:
    rules = rules_of(game, options)
    value = msgspec.structs.replace(rules, name=house, interludes=(toasts.Toasting(), *rules.interludes))
    made = msgspec.structs.replace(GAMES[house], rules=lambda _options: value)
    monkeypatch.setitem(GAMES, house, made)
    for number in range(3):
        played = test_fifteenth.begun(house, random.Random(number))
        drawn = random.Random(number)
        while not played.match.ended and len(played.events) < STEPS_MAX:
            test_fifteenth.stepped(played, drawn)
            played.go_on()
        assert played.match.table is not None
        assert played.match.table.remembered(toasts.Toasts) is not None
        assert judged([msgspec.json.decode(line) for line in played.lines]).line is None


def test_slips_go_on_nowhere_before_there_are_any() -> None:
    played = Played({"numbers": "slips"}, 3, "before the slips", "liars_poker")
    played.start()
    assert played.match.table is not None
    (slips,) = played.match.table.rules.interludes
    assert played.keeper is not None
    dealer = played.keeper.open_deal(bytes(32))
    assert (
        list(cast(Interlude, slips).after_verdict(msgspec.structs.replace(played.match.table, memories=()), dealer))
        == []
    )


def test_a_game_without_it_refuses_it_and_a_seat_out_of_time_drinks(house: str) -> None:
    played = test_fifteenth.begun(house, random.Random(7))
    assert played.match.table is not None
    assert played.match.table.phase == "toasting"
    assert timeout_command(played.match.table) == toasts.Toast(played.match.table.turn or 0)
    other = Played({}, 2, "a game without it", "common_hand")
    other.start()
    with pytest.raises(Refused) as refused:
        other.do(toasts.Toast(1))
    assert refused.value.code == "not_allowed"


# ---- how many files --------------------------------------------------------------------------


def sources(*folders: str) -> Iterator[tuple[str, str]]:
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_interlude_is_its_file_and_a_line_in_one_union(kind: type) -> None:
    module = kind.__module__.rpartition(".")[2]
    its_own = re.compile(rf"interludes(\.| import .*\b){module}\b")
    naming = {name for name, text in sources("domain", "projections") if its_own.search(text)}
    games = {name for name in naming if name.startswith("domain/games/")}
    assert games, "a game has it"
    assert naming - games - ON_THE_WIRE - IMAGINED == {"domain/table/interludes/__init__.py"}


def test_nothing_but_its_file_knows_a_phase_of_an_interlude() -> None:
    for kind in KINDS:
        for phase in kind.phases:
            naming = {name for name, text in sources("domain", "projections") if f'"{phase}"' in text}
            assert naming == {kind.__module__.replace(".", "/") + ".py"}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_game_is_its_file_a_line_of_a_list_and_its_playthrough(game: str) -> None:
    module = GAMES[game].rules.__module__.rpartition(".")[2]
    its_own = re.compile(rf"\b{module}\b,?$|games\.{module}", re.MULTILINE)
    importing = {name for name, text in sources("domain", "projections", "infra") if its_own.search(text)}
    assert importing <= {"domain/games/__init__.py"}
    engine = ("domain/table", "domain/match", "domain/audit", "domain/events", "domain/fairness", "infra")
    assert [name for name, text in sources(*engine) if f'"{game}"' in text] == []
    assert (ROOT / "tests" / "playthroughs" / f"{game}.txt").is_file()


def test_the_union_is_read_by_two_and_named_by_none() -> None:
    reading = {name for name, text in sources("domain", "projections") if "table.interludes import " in text}
    assert reading >= READERS | ON_THE_WIRE


def test_a_command_of_no_interlude_is_none() -> None:
    assert all(not issubclass(kind, commands.AnyInterludeCommand) for kind in (commands.Bid, commands.Forfeit))
