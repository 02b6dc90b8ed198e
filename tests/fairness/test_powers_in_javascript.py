"""Host powers, ruled alike by both referees: matches in which a host does whatever may be done, and lies about them."""

from __future__ import annotations

import random
from contextlib import nullcontext
from itertools import chain, islice
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from domain.games import GAMES
from domain.match import evolve
from domain.match.dues import due_at
from tests.domain.absence_tables import IDLE, next_due, wait, wait_for_the_end
from tests.domain.access_records import signed
from tests.domain.playing import Played
from tests.domain.record_mutations import events_moved, members_changed
from tests.domain.test_absence import restless
from tests.domain.test_every_game import SESSION, STEPS_MAX, begun, step
from tests.domain.test_host_powers import use
from tests.domain.test_lies import first
from tests.domain.test_pauses import ended_in_a_pause
from tests.domain.test_referee import shifted
from tests.domain.test_stand_ins import over, recorded
from tests.domain.truth_oracle import Record
from tests.fairness.javascript_auditor import Ask
from tests.fairness.record_files import bundled
from tests.fairness.test_beside import LAYERS, changed, judged
from tests.fairness.test_rules_in_javascript import agree, is_left_to_the_rules, some_of
from tests.sizes import cases, spread

LIES_MAX = cases(8, 60)
MEMBERS = (
    *("game.kicked", "game.paused", "game.resumed", "game.time_given", "game.stood_in", "game.taken_back"),
    *("game.continued", "game.handed_over", "game.forfeited", "game.clock_set", "game.seed_custody", "seat."),
)


def hosted(game: str, number: int) -> Played:
    """Return a match of which a host has made whatever the rules allow."""
    drawn = random.Random(f"{game} {number}")
    clock = drawn.choice((None, {"bank_ms": 60_000, "increment_ms": 100}))
    idle = {**IDLE, "turn_ms": 200_000, "then": drawn.choice(("out", "stand_in"))}
    pause: dict[str, Any] = {"pause_ms": 4_000, "pause_ends": "all"}
    played = begun(
        game,
        drawn,
        clock=clock,
        idle=idle,
        host={"changes": drawn.choice((2, 100))},
        asides=drawn.choice((2, None)),
        **pause,
    )
    for steps in range(STEPS_MAX):
        if played.match.ended:
            break
        if due_at(played.match) is not None and drawn.random() < 0.1:
            wait(played)
        elif played.match.paused is not None or drawn.random() < 0.2:
            use(played, drawn)
        else:
            step(played, drawn, closing=steps > SESSION // 2)
    return played


@pytest.mark.parametrize(("game", "number"), spread([(game, number) for number in range(8) for game in GAMES], 6))
def test_whatever_a_host_does_is_ruled_alike_and_so_are_lies_about_it(game: str, number: int) -> None:
    drawn = random.Random(f"{game} {number}")
    record: Record = [msgspec.json.decode(line) for line in hosted(game, number).lines]
    lies = some_of(chain(members_changed(record, drawn, MEMBERS), events_moved(record, drawn)), drawn, LIES_MAX)
    told = [lie.record for lie in lies if is_left_to_the_rules(lie)]
    times = drawn.sample(range(1, len(record)), 3)
    told += [shifted(record, at, ms)[0] for at in times for ms in (-1, 1)]
    assert agree([record, *told])[0] == (True, None, len(record))


@pytest.mark.parametrize("moved_ms", [0, 60_000])
def test_a_round_that_ends_in_a_pause_is_held_to_the_rules_it_began_under(moved_ms: int) -> None:
    with patch.object(evolve, "newest_edition", lambda settings: settings) if moved_ms else nullcontext():
        played = ended_in_a_pause()
    assert next_due(played) == played.at + 4_000 + moved_ms
    wait_for_the_end(played)
    record: Record = [msgspec.json.decode(line) for line in played.lines]
    opened, whole = first(record, "game.round_opened", 1), (True, None, len(record))
    told = [record, *(shifted(record, opened, ms)[0] for ms in (1, -1))]
    assert agree(told) == [whole, whole, (True, opened + 1, opened + 1)]


def test_what_was_served_to_a_bot_that_stood_in_is_judged_alike() -> None:
    played, drawn = over(recorded()), random.Random(1)
    file = bundled([msgspec.json.decode(line) for line in played.lines])
    records = [signed(played.seen), *islice(changed(played, drawn), LIES_MAX)]
    found = judged([Ask(file, layers=LAYERS, access=each) for each in records])
    assert (found[0].status, found[0].record) == ("OK", "OK")


def test_a_turn_of_a_seat_that_comes_and_goes_is_over_for_both_at_the_same_time() -> None:
    record: Record = [msgspec.json.decode(line) for line in restless().lines]
    acted = next(at for at, one in enumerate(record) if one["type"] == "game.timed_out")
    assert agree([record, shifted(record, acted, -1)[0]]) == [(True, None, len(record)), (True, acted + 1, acted + 1)]
