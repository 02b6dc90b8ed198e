"""Kinds of cases about ranking and fixed schedules: what each says of a law, by the vector file."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from domain.tournaments.points import points_of, points_text
from domain.tournaments.ranking.boards import board_scores
from domain.tournaments.ranking.outcomes import Outcomes, outcomes_of
from domain.tournaments.ranking.prizes import prizes
from domain.tournaments.ranking.results import Bye, PointsPenalty, TableResult
from domain.tournaments.ranking.scoring import Scoring
from domain.tournaments.ranking.standings import Standing, TieValue, standings, tie_break
from domain.tournaments.ranking.tiebreaks import TieBreaks
from domain.tournaments.ranking.trf import TrfHead, fits_trf, trf_lines
from domain.tournaments.schedules.berger import berger
from domain.tournaments.schedules.brackets import BracketMatch, bracket_order, course_of, double, first_round, single
from domain.tournaments.schedules.dealing import deal_out
from domain.tournaments.schedules.designs import design
from domain.tournaments.schedules.groups import first_round_of_groups, seeds_of_groups
from domain.tournaments.schedules.ladder import after_challenge
from domain.tournaments.schedules.survivors import first_level, next_level, survivor_places
from domain.tournaments.schedules.waves import taken
from services.audit.seasons.ratings import Rating, rate

RATING_TOLERANCE = 2
"""By so many millionths two machines may differ."""

Case = dict[str, Any]


def lot_order(numbers: Sequence[int], roll: str, stage: int, number: int) -> list[int]:
    """Return numbers in the order of their lots: HMAC-SHA256 keyed with the roll, over stage, round and number."""

    def lot(entrant: int) -> bytes:
        place = stage.to_bytes(2, "big") + number.to_bytes(4, "big") + entrant.to_bytes(4, "big")
        return hmac.digest(bytes.fromhex(roll), b"TRN1.lot" + place, hashlib.sha256)

    return sorted(numbers, key=lot)


# ---- schedules --------------------------------------------------------------------------------


def berger_case(case: Case) -> None:
    found = berger(case["players"], 2 if case["double"] else 1)
    assert [[list(pair) for pair in pairs] for pairs in found] == case["rounds"]


def design_case(case: Case) -> None:
    met: Counter[tuple[int, ...]] = Counter()
    for tables in case["rounds"]:
        assert sorted(number for table in tables for number in table) == list(range(1, case["players"] + 1))
        assert {len(table) for table in tables} == {case["size"]}
        met.update(pair for table in tables for pair in combinations(sorted(table), 2))
    assert set(met.values()) == {case["meetings"]}
    assert len(met) == case["players"] * (case["players"] - 1) // 2
    ours = design(case["players"], case["size"])
    if ours is not None:
        assert ours.meetings == case["meetings"]
        assert [[list(table) for table in tables] for tables in ours.rounds()] == case["rounds"]


def order_case(case: Case) -> None:
    assert bracket_order(case["size"]) == case["seeds"]


def first_round_case(case: Case) -> None:
    assert [list(pair) for pair in first_round(case["players"])] == case["pairs"]


def written(matches: Sequence[BracketMatch]) -> list[Case]:
    return [{"id": match.id, "of": [way and list(way) for way in match.of]} for match in matches]


def single_case(case: Case) -> None:
    assert written(single(case["players"], third_place=case["third_place"])) == case["matches"]


def double_case(case: Case) -> None:
    assert written(double(case["players"])) == case["matches"]


def double_played_case(case: Case) -> None:
    matches, stronger = double(case["players"]), case["stronger_first"]
    winners: dict[str, int] = {}
    while True:
        course = course_of(matches, range(1, case["players"] + 1), winners)
        if not course.called:
            break
        winners.update((name, min(pair, key=stronger.index)) for name, pair in course.called.items())
    assert {name: list(pair) for name, pair in course.played.items()} == case["results"]


def serpentine_case(case: Case) -> None:
    assert deal_out(range(1, case["players"] + 1), case["tables"]) == case["found"]


def groups_case(case: Case) -> None:
    through = list(case["qualified"].values())
    assert seeds_of_groups(through) == case["seeds"]
    assert [list(pair) for pair in first_round_of_groups(through)] == case["pairs"]


def last_longer_case(case: Case) -> None:
    lots = lot_order(case["numbers"], case["roll"], 1, 0)
    assert lots == case["lots"]
    tables = first_level(lots, case["high"])
    assert [{"table": t.table, "seats": list(t.seats), "starter": t.seats[0]} for t in tables] == case["start"]
    moves: Counter[int] = Counter()
    levels = []
    for level in case["levels"]:
        levels.append(dict(level["out"]))
        starters = {played["table"]: played["next_starter"] for played in level["played"]}
        found = next_level(tables, levels[-1], starters, moves, lots, case["high"])
        moves.update(transfer.number for transfer in found.transfers)
        tables = found.tables
        assert [[t.number, t.origin, t.goal] for t in found.transfers] == level["moved"]
        assert [{"table": t.table, "seats": list(t.seats), "starter": t.seats[0]} for t in tables] == level["tables"]
    places = {}
    place = 1
    for shared in survivor_places(levels, [number for table in tables for number in table.seats]):
        places.update({str(number): [place, place + len(shared) - 1] for number in shared})
        place += len(shared)
    assert places == case["places"]


def arena_case(case: Case) -> None:
    idle = {entry["n"]: entry["since"] for entry in case["idle"]}
    lots = lot_order(list(idle), case["roll"], case["stage"], case["round"])
    sizes = case["sizes"]
    found = taken(idle, lots, case["now"], case["patience_ms"], sizes["preferred"], sizes["min"], sizes["max"])
    assert found == case["taken"]


def ladder_case(case: Case) -> None:
    found = after_challenge(case["order"], case["challenger"], case["defender"], case["winner"])
    assert found == case["after"]


# ---- ranking ----------------------------------------------------------------------------------


def numbers_of(points: Mapping[str, str]) -> dict[int, Fraction]:
    return {int(number): points_of(text) for number, text in points.items()}


def results_of(event: Case) -> list[TableResult]:
    return [
        TableResult(
            game["round"],
            game["table"],
            tuple(game["players"]),
            tuple(tuple(level) for level in game["ranking"]),
            tuple(game["absent"]),
            numbers_of(game["points"]) if game.get("points") else None,
        )
        for game in event["games"]
    ]


def byes_of(event: Case) -> list[Bye]:
    return [Bye(bye["round"], bye["n"], bye["kind"]) for bye in event["byes"]]


def scoring_of(event: Case) -> Scoring:
    told = event["scoring"]
    points = {int(size): tuple(map(points_of, worth)) for size, worth in told["points"].items()}
    return Scoring(told["scheme"], points_of(told["bye"]), points)


def looked_at(event: Case) -> Outcomes:
    rounds, numbers = event["rounds"], event["players"]
    return outcomes_of(scoring_of(event), event["preferred"], rounds, numbers, results_of(event), byes_of(event))


def standings_of(event: Case) -> list[Standing]:
    penalties = [PointsPenalty(penalty["n"], points_of(penalty["points"])) for penalty in event["penalties"]]
    return standings(looked_at(event), event["tiebreaks"], penalties, event["disqualified"])


def value_text(value: TieValue) -> Any:
    return [points_text(part) for part in value] if isinstance(value, tuple) else points_text(value)


def rows_of(event: Case) -> list[Case]:
    """Return the standings of an event as vectors write them."""
    return [
        {
            "n": row.number,
            "place": row.place,
            "shared": row.shared,
            "score": points_text(row.score),
            "ties": {code: value_text(value) for code, value in row.ties.items()},
        }
        for row in standings_of(event)
    ]


def standings_case(case: Case) -> None:
    rows = standings_of(case["event"])
    assert rows_of(case["event"]) == case["rows"]
    breaks = TieBreaks(looked_at(case["event"]))
    for code, values in case["every"].items():
        assert {n: value_text(tie_break(breaks, code, int(n))) for n in values} == values, code
    levels: dict[int, list[int]] = {}
    for row in rows:
        if row.place is not None:
            levels.setdefault(row.place, []).append(row.number)
    paid = prizes(list(levels.values()), case["prizes"]["amounts"], case["prizes"]["lots"])
    assert {str(p.number): [points_text(p.share), p.whole] for p in paid} == case["prizes"]["paid"]


def duplicate_case(case: Case) -> None:
    found = board_scores([numbers_of(points) for points in case["points"]])
    assert found == [numbers_of(scores) for scores in case["scores"]]


def trf_case(case: Case) -> None:
    event = case["event"]
    head = TrfHead(event["name"], event["from"], event["to"], event["type"])
    names = {int(number): name for number, name in case["names"].items()}
    outcomes = looked_at(event)
    assert fits_trf(outcomes)
    found = trf_lines(head, names, outcomes, results_of(event), byes_of(event), standings_of(event))
    assert found == case["lines"]


def rating_case(case: Case) -> None:
    before = {int(number): Rating(*rating) for number, rating in case["before"].items()}
    after = rate(before, tuple(tuple(level) for level in case["ranking"]))
    assert sorted(after) == sorted(map(int, case["after"]))
    for number, (mu, sigma) in case["after"].items():
        found = after[int(number)]
        assert abs(found.mu - mu) <= RATING_TOLERANCE
        assert abs(found.sigma - sigma) <= RATING_TOLERANCE
        assert found.matches == 1


CHECKS: dict[str, dict[str | None, Callable[[Case], None]]] = {
    "berger": {None: berger_case},
    "designs": {None: design_case},
    "brackets": {
        "order": order_case,
        "first_round": first_round_case,
        "single": single_case,
        "double": double_case,
        "double_played": double_played_case,
        "serpentine": serpentine_case,
        "groups": groups_case,
    },
    "standings": {None: standings_case},
    "lastlonger": {None: last_longer_case},
    "small": {"arena": arena_case, "duplicate": duplicate_case, "ladder": ladder_case},
    "trf": {None: trf_case},
    "ratings": {None: rating_case},
}
