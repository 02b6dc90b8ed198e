"""Levels that go by a file: what they play by it, what below it, and that no hand shows in how long they think."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands
from domain.strategy.policies.facts import facts_of
from domain.strategy.sight import Sight
from services.engines import levels
from services.engines.level_names import LEVELS, Level, Style
from services.engines.levels import Thought, player_of
from services.engines.seen import SeenMatch
from services.engines.solved_rounds import weigh_by_blueprint, weigh_by_file
from services.policies.shelf import SHIPPED, shelf
from tests.bots.tables import BotTable

BLUEPRINTS = tuple(name for name in SHIPPED if name.endswith(".blueprint"))


def table_of(dice: int, seed: int = 1, **options: Any) -> BotTable:
    return BotTable({"dice_per_player": dice, **options}, 2, seed)


def thought(table: BotTable, level: str, *, evenly: bool = False) -> Thought:
    found = player_of(level, evenly=evenly).choose(table.seen(table.turn), table.drawn())
    assert found is not None
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Level]:
    """Note which levels of those who think evenly were asked."""
    noted: list[Level] = []

    def noting(level: Level, way: levels.Way) -> levels.Way:
        def asking(seen: SeenMatch, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
            noted.append(level)
            return way(seen, sight, style, chance)

        return asking

    for level, way in levels.WAYS_EVENLY.items():
        monkeypatch.setitem(levels.WAYS_EVENLY, level, noting(level, way))
    return noted


def test_level_4_plays_what_a_blueprint_says() -> None:
    played = 0
    for seed in range(4):
        table = table_of(2, seed)
        for _ in range(4):
            seen = table.seen(table.turn)
            assert seen.sight is not None
            found = weigh_by_blueprint(seen.sight, [step.event for step in seen.course])
            chosen = thought(table, "L4")
            if found is None:
                assert chosen == thought(table, "L3")
            else:
                assert chosen.level == "L4"
                assert chosen.command in [option.command for option in found.options]
                played += 1
            table.do(chosen.command)
            table.go_on()
    assert played >= 4


@pytest.mark.parametrize("options", [{"spot_on": True}, {"wild": "never"}, {"bid_aces": "as_ones"}])
def test_where_no_blueprint_applies_level_4_is_level_3(options: dict[str, Any]) -> None:
    table = table_of(2, **options)
    assert shelf().blueprint(facts_of(table.table)) is None
    assert thought(table, "L4") == thought(table, "L3")
    assert thought(table, "L4").level == "L3"


def test_level_5_falls_to_level_4_and_that_to_level_3_and_each_says_so() -> None:
    assert LEVELS.index("L3") + 2 == LEVELS.index("L4") + 1 == LEVELS.index("L5")
    one, two, five = table_of(1), table_of(2), table_of(5)
    assert [thought(one, level).level for level in ("L5", "L4")] == ["L5", "L3"]
    assert [thought(two, level).level for level in ("L5", "L4")] == ["L4", "L4"]
    assert [thought(five, level).level for level in ("L5", "L4")] == ["L3", "L3"]


@pytest.mark.parametrize("level", ["L4", "L5"])
@pytest.mark.parametrize("dice", [1, 2, 5])
def test_who_thinks_evenly_looks_ahead_whether_a_file_has_its_hand_or_not(
    level: Level, dice: int, asked: list[Level]
) -> None:
    table = table_of(dice)
    for _ in range(6):
        if table.match.ended:
            break
        asked.clear()
        chosen = thought(table, level, evenly=True)
        assert asked == [*LEVELS[LEVELS.index("L3") : LEVELS.index(level) + 1]][::-1]
        assert chosen == thought(table, level)
        table.do(chosen.command)
        table.go_on()


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_a_shipped_blueprint_opens_its_round(name: str) -> None:
    policy = shelf().find(name).policy
    assert shelf().blueprint(policy.applies) is policy.content
    # It plays, and no analysis takes it by itself.
    assert shelf().default("play", policy.applies).name == "level1"


def test_nobody_plays_by_a_file_out_of_turn_or_without_dice() -> None:
    table = table_of(2)
    sight = table.seen(3 - table.turn).sight
    assert sight is not None
    assert weigh_by_blueprint(sight, []) is None
    assert weigh_by_file(sight, []) is None
