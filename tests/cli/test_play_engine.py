"""A program in a seat: it plays at a house by frames and moves, and nobody waits for one that fails."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import httpx

from services.cli.playing.engine import BUDGET_MIN_MS, budget_of
from tests.cli.conftest import PROGRAM, Run, Service, Terminal

HOSTILE = Path(__file__).parent.parent / "engines" / "hostile.py"
LEVEL_ONE = shlex.join([*PROGRAM, "engine", "L1"])


FAILED = ("The engine", "No move")
"""How it begins what is said of a program that does not move as it should."""


def hostile(*ways: str) -> str:
    return shlex.join([sys.executable, str(HOSTILE), *ways])


def match_at(terminal: Terminal) -> str:
    """Return the match at which a terminal sits."""
    sitting = terminal.until("You sit at")
    assert sitting is not None
    found = re.search(r"/m/([0-9a-f-]{36})", sitting)
    assert found is not None
    return found[1]


def test_a_player_of_the_house_plays_a_match_to_its_end_from_outside(
    at_terminal: Callable[..., Terminal], running: Service
) -> None:
    arguments = ("--option", "dice_per_player=2", "--bots", "1", "--name", "Eve")
    terminal = at_terminal(*arguments, "--engine", LEVEL_ONE)
    match = match_at(terminal)
    assert terminal.until("Truecup L1")
    assert terminal.until("The match is over.")
    assert terminal.ended() == 0
    assert not [line for line in terminal.said if line.startswith(FAILED)]
    frames = httpx.get(f"{running.url}/api/v1/matches/{match}/replay", timeout=60).json()["frames"]
    own = [seat["seat"] for seat in frames[-1]["view"]["seats"] if seat["name"] == "Eve"]
    played = [frame["event"] for frame in frames if frame["event"].get("seat") in own]
    assert any(event["type"] in {"game.bid", "game.challenged"} for event in played)


def test_what_a_program_does_not_do_the_clock_would_have_done_and_it_goes_on(
    at_terminal: Callable[..., Terminal],
) -> None:
    arguments = ("--option", "dice_per_player=1", "--bots", "1", "--name", "Eve")
    terminal = at_terminal(*arguments, "--engine", hostile("foul"))
    assert terminal.until("No move of the engine could be taken")
    assert terminal.until("The match is over.")
    assert terminal.ended() == 0


def test_a_program_that_gives_no_move_is_told_to_stop_before_the_clock_of_the_table(
    at_terminal: Callable[..., Terminal], running: Service
) -> None:
    # A bank of 6 s holds the usual 5 s and the second behind `stop` only just: what is late here has lost the seat.
    clock = {"bank_ms": 6_000, "increment_ms": 6_000, "on_timeout": "forfeit"}
    rules = {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0, "clock": clock}
    with httpx.Client(base_url=f"{running.url}/api/v1", timeout=60) as client:
        opened = client.post("/matches", json={"rules": rules}).raise_for_status().json()
        host = {"Authorization": f"Bearer {opened['token']}"}
        client.post(f"/matches/{opened['match']}/bots", json={"count": 1}, headers=host).raise_for_status()
        terminal = at_terminal(str(opened["match"]), "--name", "Eve", "--engine", hostile("silent"))
        assert match_at(terminal) == opened["match"]
        client.post(f"/matches/{opened['match']}/start", headers=host).raise_for_status()
    assert terminal.until("The engine gave no move in time")
    assert terminal.until("The match is over.")
    assert terminal.ended() == 0
    frames = httpx.get(f"{running.url}/api/v1/matches/{opened['match']}/replay", timeout=60).json()["frames"]
    assert "game.timed_out" not in {frame["event"]["type"] for frame in frames}


def test_what_a_program_may_take_ends_before_the_clock() -> None:
    view = {"due_at": 190_000, "at": 100_000}
    assert budget_of({"due_at": None, "at": 1}, 5_000, 70, None) == 5_000
    assert budget_of(view, 5_000, 70, None) == 5_000
    assert budget_of({"due_at": 104_000, "at": 100_000}, 5_000, 500, None) == 1_500
    assert budget_of({"due_at": 101_000, "at": 100_000}, 5_000, 0, None) == BUDGET_MIN_MS
    # A snapshot says what was long ago.
    assert budget_of(view, 5_000, 0, 187_000) == 1_000


def test_a_program_that_ends_twice_gives_its_seat_up_and_that_is_said(
    at_terminal: Callable[..., Terminal], running: Service
) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Eve", "--engine", hostile("dying"))
    match = match_at(terminal)
    assert terminal.until("truecup: the engine has ended twice")
    assert terminal.ended() == 3
    running.wait_until_over(match)
    view = httpx.get(f"{running.url}/api/v1/matches/{match}", timeout=60).json()
    assert view["winner"] == next(seat["seat"] for seat in view["seats"] if seat["bot"])


def test_a_program_that_comes_to_a_seat_is_told_the_match_from_its_beginning(
    at_terminal: Callable[..., Terminal],
) -> None:
    person = at_terminal("--game", "finska", "--option", "stake=1", "--bots", "1", "--name", "Ada")
    assert person.until("You may type: ")
    person.type("quit")
    link = person.until("On another device")
    assert link is not None
    assert person.ended() == 0
    terminal = at_terminal(link.split()[-1], "--engine", LEVEL_ONE)
    assert terminal.until("The match is over.")
    assert terminal.ended() == 0
    assert not [line for line in terminal.said if line.startswith(FAILED)]


def test_a_program_that_does_not_start_takes_no_seat(truecup: Run, running: Service) -> None:
    for words, why in (("no-such-engine", "no-such-engine"), (shlex.join([sys.executable, "-c", "pass"]), "ended")):
        done = truecup("play", "--url", running.url, "--engine", words)
        assert (done.returncode, done.stdout) == (3, "")
        assert why in done.stderr
