"""The blind cup of two seats: nobody does better than its tablebase, and what that proves is told as certified."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Final

import msgspec
import pytest
from msgspec import Meta, Struct
from msgspec.structs import replace

from domain import commands, events
from domain.analysis.joining import analysis_of
from domain.analysis.means import SAMPLES_MIN
from domain.analysis.record.following import follow
from domain.analysis.report import written
from domain.analysis.worths.blind import CupWorths, cup_stakes
from domain.analysis.worths.rolled import mean_of, valued
from domain.games import GAMES, rules_of
from domain.games.game import Game, anything_goes
from domain.rules.ladders import Hand
from domain.rules.rules import PIPS, Doubt, Drinks, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Token
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.chance import Words
from domain.strategy.duels.blind_cup import BlindCup, guarantees_of_cup, weigh_cup
from domain.strategy.duels.tablebase import Facing, Tablebase, roller_gets, roller_has
from domain.strategy.hands import all_hands
from domain.strategy.level_zero import move_at_random
from domain.strategy.policies.ahead import with_values
from domain.strategy.policies.facts import facts_of_round
from domain.strategy.policies.files import prove, read_policy, write_policy
from domain.strategy.rollouts import profiles, rolled_out
from domain.strategy.sight import Sight
from domain.strategy.tables import EVEN, MatchTable
from domain.table.phases import HOLDING, RESPONDING
from domain.table.state import PASSED_CUP
from services.analysis.making import WantedAnalysis, means_for
from services.engines.seen import sight_of
from services.engines.solved_rounds import weigh_by_file
from services.policies.shelf import Shelf
from tests.analysis.kinds.tablebase import THROWS, table_of
from tests.analysis.played import secretless
from tests.analysis.test_documents import SCHEMA
from tests.domain.truth_oracle import Course, played_out

SHELF: Final = Shelf()
MIA: Final = BlindCup(PIPS, Rungs("mexican"))
MEXICAN: Final = BlindCup(PIPS, Rungs("mexican", specials=("social", "reverse")))
IMPOSING: Final = BlindCup(PIPS, Rungs("mexican", specials=("social", "reverse", "impose")))
HANDS: Final = all_hands(2, PIPS)
WORD: Final = 64
STEPS: Final = 60


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How often a seat may lose, and how dearly."""

    lives: Annotated[int, Meta(ge=1, le=9)] = 2
    dear: bool = False


def mia(options: Options) -> Rules:
    """Return the game in which every throw is a score, and nothing is done but to claim more, believe and challenge."""
    return Rules(
        "mia",
        (2, 3),
        SharedCup(2),
        Rungs("mexican"),
        Doubt(),
        Handling(gate="blind"),
        Reveal("accused"),
        (Drinks(finish_on_top=True),) if options.dear else (Token(options.lives, "pot", winner_takes=False),),
        MatchEnd() if options.dear else MatchEnd("token"),
    )


@pytest.fixture(autouse=True)
def _has_mia(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "mia", Game("mia", "Mia", "", "this test", Options, anything_goes, mia))


# ---- the tablebase -------------------------------------------------------------------------------


@pytest.mark.parametrize("ladder", THROWS)
def test_neither_seat_can_do_better_than_the_other_one_lets_it(ladder: str) -> None:
    base = table_of(ladder)
    for lowest, answer in enumerate(base.answers):
        assert roller_has(base, lowest) == answer.roller == roller_gets(base, lowest)
        assert answer.other == 1 - answer.roller
        assert {sum(row) for row in answer.calls} == {1}


def test_what_is_known_of_a_cup_is_found_by_the_claim_to_beat() -> None:
    assert [MIA.base.facing(standing) for standing in (None, 0, 1)] == [*MIA.base.answers[:3]]
    assert MIA.base.facing(None).value == 1 - 2 * MIA.base.facing(None).other


@pytest.mark.parametrize("cup", [MIA, MEXICAN, IMPOSING])
def test_no_move_with_weight_loses_anything_by_the_policy_it_is_of(cup: BlindCup) -> None:
    base = cup.base
    for lowest, answer in enumerate(base.answers):
        for throw, row in enumerate(answer.calls):
            worths = claims_worth(base, answer, lowest, throw - 1)
            assert {worths[claim] for claim, share in enumerate(row) if share} <= {max(worths)}
        for claim, doubt in enumerate(answer.doubts):
            said = [chance * row[claim] for chance, row in zip(base.chances, answer.calls, strict=True)]
            if sum(said) and lowest + claim < cup.top:
                challenge = sum(said[: lowest + claim + 1], Fraction(0)) / sum(said)
                accept = base.answers[lowest + claim + 1].roller
                assert doubt == 0 or challenge >= accept
                assert doubt == 1 or accept >= challenge


def claims_worth(base: Tablebase, answer: Facing, lowest: int, rung: int) -> list[Fraction]:
    """Return what each claim is worth to a roller of this rung."""
    found = []
    for claim, doubt in enumerate(answer.doubts, lowest):
        left = base.answers[claim + 1].other if claim + 1 < len(base.answers) else Fraction(0)
        found.append(doubt * (rung >= claim) + (1 - doubt) * left)
    return found


# ---- its policy ----------------------------------------------------------------------------------


def facts_of_it(cup: BlindCup) -> dict[str, Any]:
    """Return the facts that the tablebase of a cup applies to."""
    return {
        "tokens": "SharedCup",
        "faces": msgspec.to_builtins(cup.faces),
        "dice": [2, 2],
        "ladder": {**msgspec.to_builtins(cup.ladder), "specials": list(cup.ladder.specials)},
        "doubt": "next",
        "blind": True,
    }


@pytest.mark.parametrize("cup", [MIA, MEXICAN, IMPOSING])
def test_what_is_shipped_of_cups_is_what_follows_from_them(cup: BlindCup) -> None:
    proved = None if cup.voids else guarantees_of_cup(cup)
    shelved = SHELF.find(cup.name)
    assert shelved.data == write_policy("solved", cup.name, {}, applies=facts_of_it(cup), certificate=proved)
    assert shelved.policy.content == cup
    assert shelved.policy.certificate == proved


def test_a_cup_guarantees_its_value_and_no_more() -> None:
    policy = SHELF.find(MIA.name).policy
    found = prove(policy)
    assert found.lower == found.upper == Fraction(931150421, 3147075360)
    assert policy.certificate is not None
    with pytest.raises(BadPolicy, match="it says 1") as refused:
        prove(replace(policy, certificate=replace(found, lower=Fraction(1))))
    assert refused.value.code == "certificate_not_met"


def ladder(table: str, **members: Any) -> dict[str, Any]:
    return {"type": "Rungs", "table": table, **members}


def changed(data: bytes, **members: Any) -> bytes:
    header = json.loads(data)
    header["applies"] = {**header["applies"], **members.pop("applies", {})}
    return write_policy(
        "solved", header["name"], members.get("params", {}), applies=header["applies"], table=members.get("table", b"")
    )


@pytest.mark.parametrize(
    ("members", "code", "where"),
    [
        ({"table": b"\0"}, "too_long", f"byte {len(SHELF.find(MEXICAN.name).data)}"),
        ({"params": {"a": 1}}, "bad_header", "$.params"),
        ({"applies": {"dice": [3, 3]}}, "bad_header", "$.applies.dice[0]"),
        ({"applies": {"faces": {"first": 1, "count": 8}}}, "bad_header", "$.applies.faces"),
        ({"applies": {"blind": False}}, "bad_header", "$.applies.blind"),
        ({"applies": {"plain": False}}, "bad_header", "$.applies.plain"),
        ({"applies": {"ladder": ladder("finska")}}, "bad_header", "$.applies.ladder"),
        ({"applies": {"ladder": ladder("mexican", ties=True)}}, "bad_header", "$.applies.ladder"),
        ({"applies": {"ladder": ladder("digits", specials=["social"])}}, "bad_header", "$.applies.faces"),
        ({"applies": {"ladder": ladder("mexican", specials=["rain"])}}, "bad_header", "$.applies.ladder"),
        ({"applies": {"ladder": ladder("mexican")}}, "bad_header", "$.certificate"),
    ],
)
def test_what_is_no_blind_cup_is_refused(members: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(BadPolicy) as refused:
        read_policy(changed(SHELF.find(MEXICAN.name).data, **members))
    assert (refused.value.code, refused.value.where) == (code, where)


@pytest.mark.parametrize(
    ("options", "seats", "name"),
    [
        ({}, 2, MEXICAN.name),
        ({"forty_one": "impose"}, 2, IMPOSING.name),
        ({}, 3, "level1"),
        ({"ties_allowed": True}, 2, "level1"),
        ({"claim_check": "next_player"}, 2, "level1"),
    ],
)
def test_a_cup_is_taken_where_nothing_else_is_on_offer(options: dict[str, Any], seats: int, name: str) -> None:
    facts = facts_of_round(rules_of("mexican", options), (2,) * seats)
    assert SHELF.default("play", facts).name == name


# ---- played and analysed -------------------------------------------------------------------------


def played(game: str, seed: int, *, stray: bool = False, **options: Any) -> Course:
    """Return a match of two seats who play by the tablebase, or stray from it now and then."""
    words = random.Random(f"{game} {seed}")
    course = Course(options, 2, f"{game} {seed}", game, pause_ms=0, deal_per="match")
    course.start()
    for _ in range(STEPS):
        course.go_on()
        if course.match.ended:
            break
        sight = sight_of(course.match, course.turn, course.keeper)
        opened = max(
            at for at, event in enumerate(course.events) if isinstance(event, events.RoundOpened | events.Started)
        )
        weighing = weigh_by_file(sight, course.events[opened:])
        if weighing is None:
            course.do(commands.Roll(course.turn))
        elif stray and words.random() < 1 / 4:
            course.do(strayed(sight, words))
        else:
            course.do(weighing.draw(words.getrandbits(WORD)).command)
    return course


def test_who_does_not_know_the_throw_has_no_claim_to_weigh() -> None:
    course = played("mexican", 1)
    while course.match.table is None or course.match.table.phase != HOLDING:
        course.do(commands.Roll(course.turn))
    other = next(seat for seat in course.match.seated if seat != course.turn)
    sight = sight_of(course.match, other, course.keeper)
    assert weigh_cup(MEXICAN, sight, ()) is None


def strayed(sight: Sight, words: random.Random) -> commands.Play:
    """Return any move."""
    found = move_at_random(sight, tuple([words.getrandbits(WORD) for _ in range(4)]))
    assert found is not None
    return found


def analysed(lines: Iterable[bytes]) -> dict[str, Any]:
    """Return the analysis of a match as whoever reads its bytes has it, which is as the schema says."""
    followed = follow(lines)
    said = written(analysis_of(followed, means_for(followed, WantedAnalysis((), SAMPLES_MIN), SHELF)))
    found: dict[str, Any] = json.loads(said)
    assert [str(fault) for fault in SCHEMA.iter_errors(found)] == []
    return found


def figures(part: Any) -> Iterator[list[Any]]:
    """Yield the figures of a part of a document."""
    if isinstance(part, list) and len(part) > 1 and isinstance(part[1], str):
        yield part
    elif isinstance(part, dict | list):
        for each in part.values() if isinstance(part, dict) else part:
            yield from figures(each)


@cache
def by_the_book(game: str, seed: int) -> dict[str, Any]:
    return analysed(played(game, seed).lines)


def decisions(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [event["decision"] for event in found["events"] if "decision" in event]


@pytest.mark.parametrize(("game", "by"), [("mia", "certified"), ("mexican", "model")])
def test_who_plays_by_the_tablebase_loses_nothing_by_it(game: str, by: str) -> None:
    found = by_the_book(game, 1)
    assert {each["policy"].partition("@")[0] for each in found["rounds"]} == {
        (MIA if by == "certified" else MEXICAN).name
    }
    made = decisions(found)
    assert len(made) > len(found["rounds"])
    for decision in made:
        best = decision["options"][decision["best"]]["q"]
        assert {tuple(each["q"]) for each in decision["options"] if each["weight"][0]} == {tuple(best)}
        assert decision["loss"][:2] == [0, by]
        assert decision["options"][decision["played"]]["q"][1] == by
    assert {seat["error_rate"][0] for seat in found["seats"]} == {0}


def test_what_is_proved_of_a_cup_is_told_of_all_of_a_match_that_is_played_by_it() -> None:
    found = by_the_book("mia", 1)
    told = [each for event in found["events"] if "equity" in event for each in figures(event["equity"])]
    told += [each for row in found["rounds"] for when in ("before", "after") for each in figures(row[when])]
    assert {each[1] for each in told} == {"certified", "exact"}
    assert {each[2] for each in told if each[1] == "certified"} == {0}
    for row in found["rounds"]:
        dealt = next(event for event in found["events"] if event["round"] == row["round"])
        assert {seat: each[0] for seat, each in row["before"].items()} == {
            seat: each[0] for seat, each in dealt["equity"]["public"].items()
        }
    for seat in found["seats"]:
        assert seat["luck"]["table"] == [0, "certified", 0]
        assert seat["luck"]["own"][1] == "certified"
        parts = [seat["luck"][name][0] for name in ("table", "own", "theirs", "skill", "unseen", "others")]
        assert sum(parts) == seat["luck"]["end"][0] - seat["luck"]["start"][0]


@pytest.mark.parametrize("game", ["mia", "mexican"])
def test_what_nobody_plays_by_the_tablebase_loses_by_it(game: str) -> None:
    found = [analysed(played(game, seed, stray=True).lines) for seed in range(2, 5)]
    made = [decision for each in found for decision in decisions(each) if not decision["forced"]]
    assert all(decision["loss"][0] >= 0 for decision in made)
    odd = [decision for decision in made if not decision["options"][decision["played"]]["weight"][0]]
    assert max(decision["loss"][0] for decision in odd) > 100_000
    # What a seat that strayed may hold is read as level 1: then a doubt of it is worth what a model says.
    assert {figure[1] for decision in odd for figure in figures(decision["options"])} >= {"model"}


def test_dice_that_no_line_opens_are_not_told() -> None:
    found = analysed(secretless(played("mexican", 7).lines))
    hidden = [event for event in found["events"] if "equity" in event and event["equity"]["all"] == "not_shown"]
    assert hidden
    for event in hidden:
        if event["type"] in {"game.called", "cup.rolled"}:
            assert "decision" not in event
            assert str(event["seat"]) not in event["equity"]["seat"]


def test_what_the_table_does_for_a_seat_out_of_time_says_nothing_of_its_dice() -> None:
    course = Course({}, 2, "late", "mexican", pause_ms=0, clock={"bank_ms": 1_000})
    course.start()
    found = analysed(played_out(course, 1, STEPS).lines)
    calls = [event for event in found["events"] if event["type"] == "game.called"]
    assert calls
    for event in calls:
        assert event["decision"]["clock"]
        assert event["read"]["before"]["public"] == event["read"]["after"]["public"]


# ---- makers of worths ----------------------------------------------------------------------------


class ByTable:
    """Plays by the tablebase, and remembers what the roller had to beat."""

    def __init__(self, cup: BlindCup) -> None:
        self.cup = cup
        self.before: list[int] = []

    def __call__(self, sight: Sight, word: int) -> commands.Play | None:
        standing = sight.state.round.standing
        claims = [self.cup.throw.ladder.rungs[standing]] if isinstance(standing, Hand) else []
        if sight.state.phase == RESPONDING:
            claims = [*self.before, *claims]
        else:
            self.before = claims
        weighing = weigh_cup(self.cup, sight, claims)
        return None if weighing is None else weighing.draw(word).command


@pytest.mark.parametrize("game", ["mia", "mexican"])
def test_playing_on_comes_to_what_the_tablebase_says(game: str) -> None:
    course = played(game, 1)
    thrown = (
        at for at, event in enumerate(course.events) if isinstance(event, events.Rolled) and event.cup == PASSED_CUP
    )
    state = course.steps[next(thrown)].table
    assert state is not None
    assert state.turn is not None
    cup = MIA if game == "mia" else MEXICAN
    table = MatchTable(state, with_values(EVEN, (((2, 2), SHELF.find(MIA.name).policy),)))
    worths = CupWorths(cup, cup_stakes(state, cup, table))
    thrower = worths.stakes.seats.index(state.turn)
    words = Words(b"rolled")
    drawn = profiles({PASSED_CUP: dict(zip(HANDS.hands, HANDS.ways, strict=True))}, words, 400)
    ends = rolled_out(state, drawn, (None,), ByTable(cup), table.worths, words)[0]
    for place, seat in enumerate(worths.stakes.seats):
        estimate = mean_of(valued(ends, state.seats.index(seat)), (0, 0))
        assert estimate.half is not None
        assert abs(estimate.value - worths.before_throw(0, thrower)[place]) <= 2 * estimate.half
