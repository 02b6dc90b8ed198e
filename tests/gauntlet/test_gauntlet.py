"""Gauntlets: the same dice in every seat, scores beside a fair share, and intervals that say how sure that is."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from msgspec import structs

from domain import events
from domain.games import GAMES
from domain.log import canonical
from domain.rules.orders import Count
from domain.rules.rules import PIPS, Counting
from domain.strategy.duels.blueprint import blueprint_name, write_blueprint
from domain.strategy.duels.duel import Duel as Solvable
from domain.strategy.policies.facts import facts_of_duel
from domain.strategy.policies.files import read_policy, write_policy
from services.cli.main import run
from services.engines.hosting import Engaged, Go, Tries
from services.gauntlet.contenders import Contender, EnginePlayer, HousePlayer, PolicyPlayer, SeatHeld, SeenEvent
from services.gauntlet.duels import Duel, TurnsTaken, rules_of_block
from services.gauntlet.gauntlet import LOOKS_MIN, Gauntlet, SeedTooShort, looks_at, run_gauntlet
from services.gauntlet.measuring import Result, half_width_of, student_quantile
from services.gauntlet.plans import NoPlan, alone_in, plan_of
from services.policies.shelf import Shelf
from tests.sizes import cases

TRUECUP = (sys.executable, "-m", "services.cli.main")
HOSTILE = Path(__file__).parent.parent / "engines" / "hostile.py"
REMEMBERING = Path(__file__).parent / "remembering.py"


def asked(game: str = "common_hand", seats: int = 2, blocks: int = 3, **options: int) -> Gauntlet:
    return Gauntlet({"game": game, "options": options}, seats, blocks, b"seed")


class Onlooker(HousePlayer):
    """A player who writes down what it sees."""

    def __init__(self, name: str, happened: list[SeenEvent]) -> None:
        super().__init__(name)
        self._happened = happened

    async def sit(self, match: str, rules: dict[str, Any], seat: int, seats: int) -> SeatHeld:
        seated, see = await super().sit(match, rules, seat, seats), self._happened.append

        class Seat:
            choose, leave = seated.choose, seated.leave

            async def see(self, moment: SeenEvent) -> None:
                see(moment)
                await seated.see(moment)

        return Seat()


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_two_players_have_every_seat_alone_once(seats: int) -> None:
    plan = plan_of(2, seats)
    assert len(plan) == len(set(plan)) == (2 if seats == 2 else 2 * seats)
    for player in (0, 1):
        assert sorted(alone for lineup in plan if (alone := alone_in(lineup, player))) == [*range(1, seats + 1)]


def test_more_players_sit_together_in_every_order_or_every_rotation() -> None:
    assert len(plan_of(4, 4)) == 24
    assert plan_of(5, 5)[1] == (1, 2, 3, 4, 0)
    for players, seats in ((3, 4), (1, 2), (5, 2)):
        with pytest.raises(NoPlan):
            plan_of(players, seats)


async def test_every_match_of_a_block_has_the_same_dice_at_the_same_address() -> None:
    shown: dict[tuple[int, int, int], set[int]] = {}
    for players in (["L0", "L1"], ["L1", "L0"], ["L1", "L1"]):
        duel = Duel({"game": "common_hand", "options": {"dice_per_player": 2}}, b"block")
        happened: list[SeenEvent] = []
        await duel.play([Onlooker(name, happened) for name in players], [TurnsTaken(), TurnsTaken()])
        for event in (moment.event for moment in happened):
            if isinstance(event, events.Revealed):
                for slot, value in event.values:
                    shown.setdefault((event.cup, event.roll, slot), set()).add(value)
    assert len(shown) > 8
    assert all(len(values) == 1 for values in shown.values())


async def test_who_plays_is_told_of_each_line_with_the_head_it_led_to() -> None:
    duel = Duel({"game": "common_hand", "options": {"dice_per_player": 1}}, b"block")
    happened: list[SeenEvent] = []
    await duel.play([Onlooker("L1", happened), HousePlayer("L1")], [TurnsTaken(), TurnsTaken()])
    assert [moment.match.version for moment in happened] == list(range(1, len(duel.lines) + 1))
    assert [moment.head for moment in happened] == [canonical.head(line) for line in duel.lines]


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_every_game_is_played_to_an_end_and_nobody_does_what_is_not_allowed(game: str) -> None:
    seats = max(2, GAMES[game].rules(GAMES[game].options()).seats[0])
    results = await run_gauntlet(asked(game, seats, 1), [HousePlayer("L0"), HousePlayer("L1")])
    assert all(one.decisions and not one.fouls and not one.late for one in results)


async def test_the_same_seed_gives_the_same_results_and_a_better_player_more() -> None:
    first, again = [await run_gauntlet(asked(blocks=8), [HousePlayer("L1"), HousePlayer("L0")]) for _ in range(2)]
    assert [one.difference for one in first] == [one.difference for one in again]
    assert first[0].beats
    assert not first[1].beats


async def test_a_player_against_itself_scores_its_fair_share_exactly() -> None:
    results = await run_gauntlet(asked(seats=3, blocks=4, dice_per_player=2), [HousePlayer("L1"), HousePlayer("L1")])
    assert [one.fair for one in results] == pytest.approx([1 / 3, 1 / 3])


def test_an_interval_is_students() -> None:
    # A table of the field: t(1) 12.706, t(2) 4.303, t(10) 2.228, t(30) 2.042, t(1000) 1.962.
    for freedom, quantile in ((1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (1_000, 1.962)):
        assert student_quantile(freedom) == pytest.approx(quantile, abs=0.003)
    assert half_width_of([0.5]) is None


def test_an_interval_covers_what_it_is_said_to_cover() -> None:
    drawn, count = random.Random(1), cases(400, 10_000)
    covered = 0
    for _ in range(count):
        observed = [drawn.choice((0.0, 0.5, 1.0)) for _ in range(40)]
        width = half_width_of(observed)
        assert width is not None
        covered += abs(math.fsum(observed) / 40 - 0.5) <= width
    assert 0.92 <= covered / count <= 0.98


def test_an_interval_covers_as_much_where_its_width_has_ended_the_gauntlet() -> None:
    drawn, count, covered = random.Random(2), cases(200, 4_000), 0
    for _ in range(count):
        observed = [drawn.choice((0.0, 0.5, 1.0)) for _ in range(LOOKS_MIN)]
        while not (looks_at(len(observed)) and (half_width_of(observed) or 1) <= 0.09):
            observed.append(drawn.choice((0.0, 0.5, 1.0)))
        covered += abs(fmean(observed) - 0.5) <= (half_width_of(observed) or 0)
    assert 0.9 <= covered / count <= 0.98


async def test_a_gauntlet_that_knows_enough_stops() -> None:
    few = Gauntlet({"game": "common_hand", "options": {"dice_per_player": 1}}, 2, 500, b"seed", until=0.5)
    results = await run_gauntlet(few, [HousePlayer("L1"), HousePlayer("L0")])
    assert results[0].blocks == 30


def test_a_session_ends_after_twenty_rounds_and_one_deal_serves_a_whole_match() -> None:
    assert rules_of_block({"game": "liars_poker", "options": {}})["rounds_max"] == 20
    assert "rounds_max" not in rules_of_block({"game": "common_hand", "options": {}})
    assert rules_of_block({"game": "finska", "options": {}})["deal_per"] == "match"


# ---- policies -----------------------------------------------------------------------------------------


def policy_player(data: bytes | str) -> PolicyPlayer:
    """Return the player of a policy: of a shipped one by its name, of another by its bytes."""
    policy = Shelf().find(data).policy if isinstance(data, str) else read_policy(data)
    return PolicyPlayer(f"policy:{policy.name}", policy)


@pytest.mark.parametrize(
    ("name", "level", "game", "options"),
    [
        ("1v1-d6-quantity_first-always-no", "L5", "common_hand", {"dice_per_player": 1}),
        ("1v1-d6-quantity_first-always-no", "L1", "common_hand", {"dice_per_player": 1, "system": "face_first"}),
        ("level1", "L1", "common_hand", {}),
        ("blind-2d6-mexican-social-reverse", "L5", "mexican", {}),
    ],
)
async def test_a_policy_plays_its_file_and_where_that_is_silent_as_level_one(
    name: str, level: str, game: str, options: dict[str, Any]
) -> None:
    """So the same dice and the same chance lead a policy and the level that goes by it to the same moves."""
    player, rules = policy_player(name), {"game": game, "options": options}
    shown: list[list[events.Event]] = []
    for each in (player, HousePlayer(level)):
        duel = Duel(rules, hashlib.sha256(b"policy").digest())
        happened: list[SeenEvent] = []
        await duel.play([Onlooker("L1", happened), each], [TurnsTaken(), TurnsTaken()])
        shown.append([moment.event for moment in happened])
    assert shown[0] == shown[1]


async def test_a_blueprint_plays_what_it_knows_and_else_as_level_one() -> None:
    """It opens with two sixes, whatever it has, and knows nothing else."""
    duel = Solvable((2, 2), PIPS, Counting(wild="always", aces="no"))
    records = {(0, hand, b""): ((duel.number(Count(2, 6)), 1),) for hand in range(21)}
    name, applies, params = blueprint_name(duel.name), facts_of_duel(duel), {"passes": 1, "seed": "00"}
    player = policy_player(write_policy("blueprint", name, params, applies=applies, table=write_blueprint(records)))
    opened: list[tuple[int, int]] = []
    for number in range(8):
        moments: list[SeenEvent] = []
        match = Duel({"game": "common_hand", "options": {"dice_per_player": 2}}, bytes([number]) * 32)
        await match.play([Onlooker("L1", moments), player], [TurnsTaken(), TurnsTaken()])
        happened = [moment.event for moment in moments]
        first = next(event for event in happened if isinstance(event, events.Bid))
        opened += [(first.quantity, first.face)] if first.seat == 2 else []
        assert sum(isinstance(event, events.Bid) and event.seat == 2 for event in happened)
    assert set(opened) == {(2, 6)}


# ---- programs of others -------------------------------------------------------------------------------


async def remembering(folder: Path, *, duplicate: bool | None) -> Result:
    one_die = Gauntlet({"game": "common_hand", "options": {"dice_per_player": 1}}, 2, 100, b"0" * 16)
    engine = EnginePlayer(f"engine:{shlex.join([sys.executable, str(REMEMBERING)])}", folder, 512)
    try:
        asked = structs.replace(one_die, duplicate=duplicate)
        return (await run_gauntlet(asked, [engine, HousePlayer("L1")]))[0]
    finally:
        await engine.end()


async def test_who_remembers_dice_wins_by_them_only_where_somebody_trusts_it(tmp_path: Path) -> None:
    trusted, usual = [await remembering(tmp_path, duplicate=duplicate) for duplicate in (True, None)]
    assert trusted.beats
    assert not usual.beats
    assert trusted.difference > usual.difference + 0.05


class Remembering(HousePlayer):
    """A player who is told of every match, and might remember it."""

    remembers = True

    def __init__(self, name: str, told: list[tuple[str, int]]) -> None:
        super().__init__(name)
        self._told = told

    async def sit(self, match: str, rules: dict[str, Any], seat: int, seats: int) -> SeatHeld:
        seated, told = await super().sit(match, rules, seat, seats), self._told

        class Seat:
            see, leave = seated.see, seated.leave

            async def choose(self, go: Go, tries: Tries) -> Engaged:
                told.append((match, int(go.chance, 16)))
                return await seated.choose(go, tries)

        return Seat()


@pytest.mark.parametrize(("duplicate", "ids"), [(None, 6), (True, 3), (False, 6)])
async def test_no_match_is_like_another_for_who_may_remember_it(duplicate: bool | None, ids: int) -> None:  # noqa: FBT001
    told: list[tuple[str, int]] = []
    players: list[Contender] = [Remembering("L1", told), HousePlayer("L1")]
    given = Gauntlet({"game": "common_hand", "options": {"dice_per_player": 2}}, 2, 3, b"0" * 16, duplicate=duplicate)
    results = await run_gauntlet(given, players)
    assert len({match for match, _ in told}) == ids
    assert len(set(told)) == len(told), "chance is fresh in every turn of every match"
    assert results[0].blocks == 3


async def test_a_seed_that_a_program_could_find_is_refused() -> None:
    with pytest.raises(SeedTooShort):
        await run_gauntlet(asked(), [Remembering("L1", []), HousePlayer("L0")])


def truecup(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TRUECUP, *arguments], capture_output=True, text=True, timeout=120, check=False)


def test_an_engine_of_the_house_plays_as_its_level_does() -> None:
    engine = f"engine:{shlex.join(TRUECUP)} engine L1"
    done = truecup("gauntlet", "L1", engine, "--blocks", "2", "--seed", "0badc0de" * 4, "--duplicate", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["duplicate"] is True
    first, second = json.loads(done.stdout)["players"]
    assert (first["difference"], second["difference"]) == (0.0, 0.0)
    assert first["decisions"] == second["decisions"]


def test_what_was_measured_is_told_with_and_without_the_luck_of_the_dice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gauntlet", "L1", "L0", "--option", "dice_per_player=2", "--blocks", "2", "--adjusted"]) == 0
    told = capsys.readouterr().out
    assert "2 blocks, the same dice in every match of a block, seed " in told
    assert re.search(r"^L1: [+-]\d\.\d{3} ±\d+\.\d{3} with the luck of the dice taken out$", told, re.MULTILINE)


def test_a_match_goes_on_with_an_engine_that_dies_and_it_loses(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = f"engine:{shlex.join([sys.executable, str(HOSTILE), 'dying'])}"
    assert run(["gauntlet", "L0", hostile, "--blocks", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["players"][1]["share"], said["duplicate"]) == (0.0, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["L1"], "two players"),
        (["L1", "L99"], "no player `L99`"),
        (["L1", "L1", "L1", "--seats", "2"], "3 seats"),
        (["L1", "L0", "--seed", "xyz"], "no seed"),
        (["L1", "engine:true", "--seed", "0badc0de"], "16 bytes"),
        (["L1", "L0", "--game", "chess"], "no game"),
        (["L1", "L0", "--option", "elimination=none"], "nothing is counted"),
        (["L1", "L0", "--game", "individual_hand", "--seats", "200"], "seats"),
        (["L1", "policy:no-such-policy"], "no-such-policy"),
        (["L1", "policy:weighted"], "plays none"),
        (["L1", "policy:1v1-d6-quantity_first-always-no", "--game", "finska"], "does_not_apply"),
        (["L1", "engine:no-such-program"], "no-such-program"),
        (["L1", f"engine:{shlex.join([sys.executable, '-c', 'pass'])}"], "ended"),
    ],
)
def test_what_cannot_be_measured_is_said_before_the_first_deal(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gauntlet", *arguments]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
