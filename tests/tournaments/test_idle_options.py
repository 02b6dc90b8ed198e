"""Options of stages: each is looked at where the stage is played, or refused by name, so that none is said in vain."""

from __future__ import annotations

from typing import Any, Final

import pytest

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.formats.table import FORMATS
from domain.tournaments.matches import match_object
from domain.tournaments.options import rules_from
from domain.tournaments.presets import PRESETS, preset
from domain.tournaments.rules import Stage, format_name
from tests.tournaments.events_by_hand import HOST, SEASON, EventByHand, player

LOOKED_AT_ELSEWHERE: Final = {"round_ms", "supervised"}
"""By directors, who end rounds (`services.dealer.steps`); and what a host says of the room, which lets prizes be."""
CHANGED: Final[dict[str, Any]] = {"rounds": 2, "rounds_max": 3, "best_of": 3, "third_place": True}
"""Another value of options that some formats cannot use."""
OF_FORMAT: Final = {format_name(rules_from(each).stages[0]): name for name, each in reversed(PRESETS.items())}
"""By the format, a preset that begins with it."""
PLAYERS: Final = 8


def looked_at(kind: type[Stage], name: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the members of a stage that anybody looks at while it is played, and another one begins after it."""
    stage, seen = PRESETS[name]["stages"][0], set[str]()
    going_on = {} if stage["format"] == "groups" else {"advance": 2}
    if stage["format"] == "arena":
        stage = {**stage, "duration_ms": 60_000}
    event = EventByHand(name, stages=[{**stage, **going_on}, {"format": "single"}], time={"between_ms": 0})

    def look(self: Stage, member: str) -> Any:
        seen.add(member)
        return object.__getattribute__(self, member)

    monkeypatch.setattr(kind, "__getattribute__", look, raising=False)
    event.begin(PLAYERS)
    ask(event, stage["format"])
    event.play()
    match_object(event.tournament, 1, event.round, event.table())
    # No package pairs another round here, so that nobody may be left to play one.
    for number in range(2, PLAYERS + 1) if stage["format"] == "dutch" else ():
        event.do(commands.Withdraw(by=player(number), number=number))
    event.finish()
    return seen


def ask(event: EventByHand, name: str) -> None:
    """Let the first round come about where it does not by itself: somebody waits, challenges, or a package pairs."""
    if name == "arena":
        for number in range(1, PLAYERS + 1):
            event.do(commands.WaitForTable(by=player(number), number=number))
    if name == "ladder":
        above, below, *_ = event.tournament.stages[0].seeds
        event.do(commands.ChallengeAbove(by=player(below), number=below, against=above))
        event.do(commands.AnswerChallenge(by=player(above), challenge=1, accepted=True))
    if name == "dutch":
        tables = tuple((number, number + 1) for number in range(1, PLAYERS, 2))
        event.do(commands.FixTables(by=HOST, tables=tables, reason="other", note="0" * 64))


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.__name__)
def test_an_option_that_nobody_looks_at_is_refused(kind: type[Stage], monkeypatch: pytest.MonkeyPatch) -> None:
    name = OF_FORMAT[str(kind.__struct_config__.tag)]
    seen = looked_at(kind, name, monkeypatch)
    monkeypatch.undo()
    for member in set(kind.__struct_fields__) - seen - LOOKED_AT_ELSEWHERE:
        stages = [{**PRESETS[name]["stages"][0], member: CHANGED[member]}, *PRESETS[name]["stages"][1:]]
        with pytest.raises(Refused) as refused:
            rules_from(preset(name, stages=stages))
        assert refused.value.facts["option"] == f"stages.0.{member}"


@pytest.mark.parametrize(
    ("name", "members", "option"),
    [
        ("pods", {"entry": {"rating": [20, 30]}}, "entry.rating"),
        ("pods", {"seeding": "rating"}, "seeding"),
        ("arena", {"time": {"start": "host"}}, "time.start"),
        ("ladder", {"time": {"start": "times", "times": [1]}}, "time.start"),
    ],
)
def test_what_nothing_follows_from_in_any_stage_is_refused_by_name(
    name: str, members: dict[str, Any], option: str
) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset(name, **members))
    assert refused.value.facts["option"] == option


def test_ratings_are_those_of_a_season_and_a_host_starts_what_comes_after_an_arena() -> None:
    rated = preset("pods", entry={"rating": [20, 30]}, seeding="rating", season=SEASON)
    assert rules_from(rated).seeding == "rating"
    arena = {**PRESETS["arena"]["stages"][0], "advance": 4}
    assert rules_from(preset("arena", stages=[arena, {"format": "single"}], time={"start": "host"})).stages[1:]


@pytest.mark.parametrize("later", [None, {"format": "single"}, {"format": "swiss", "rounds": 2}])
def test_each_round_has_its_time_as_far_as_it_is_said_how_many_there_are(later: dict[str, Any] | None) -> None:
    stages = [{"format": "swiss", "rounds": 3} | ({} if later is None else {"advance": 4}), *filter(None, [later])]
    known = 5 if later is not None and "rounds" in later else 3
    for times in (known - 1, known):
        given = preset("pods", stages=stages, time={"start": "times", "times": list(range(1, times + 1))})
        if times == known:
            assert len(rules_from(given).time.times) == known
            continue
        with pytest.raises(Refused) as refused:
            rules_from(given)
        assert refused.value.facts["option"] == "time.times"


@pytest.mark.parametrize(("rounds", "most"), [(3, 4), (5, 5), (63, 64)])
def test_by_the_book_nobody_meets_the_same_twice_so_that_rounds_come_to_an_end(rounds: int, most: int) -> None:
    def stages(number: int) -> list[dict[str, Any]]:
        return [{"format": "dutch", "rounds": number}]

    entry = {"max": most}
    assert rules_from(preset("dutch", entry=entry, stages=stages(rounds))).stages[0].rounds == rounds
    with pytest.raises(Refused) as refused:
        rules_from(preset("dutch", entry=entry, stages=stages(rounds + 1)))
    assert refused.value.facts["option"] == "stages.0.rounds"
    # Of a second stage as many are looked at as go on to it.
    after = [{"format": "swiss", "advance": most}, *stages(rounds + 1)]
    with pytest.raises(Refused) as refused:
        rules_from(preset("dutch", stages=after))
    assert refused.value.facts["option"] == "stages.1.rounds"
