"""A Swiss event of the vectors, its history kept round by round: what is put in, who comes, goes, rests and scores."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from domain.tournaments.pairing.history import PlayedTable, history_of
from domain.tournaments.pairing.pods.inputs import InputPlayer, PairingInput, Weights
from domain.tournaments.pairing.pods.law import Pods
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.points import points_of, points_text

HALF = Fraction(1, 2)


class Swiss:
    """Shares of opponents beaten are what counts; a bye for want of a seat is a first place."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.scores = {number: Fraction(0) for number in range(1, case["players"] + 1)}
        self.byes: Counter[int] = Counter()
        self.tables: list[PlayedTable] = []
        self.gone: set[int] = set()
        self.resting: set[int] = set()
        self.games: list[dict[str, Any]] = []
        self.rests: list[dict[str, Any]] = []
        self.penalties: list[dict[str, Any]] = []
        self.round = 0

    def event(self) -> dict[str, Any]:
        """Return what happened so far, as an event of the vectors of standings."""
        return {
            "rounds": self.round,
            "preferred": self.case["sizes"]["preferred"],
            "scoring": self.case["scoring"],
            "players": sorted(self.scores),
            "games": self.games,
            "byes": self.rests,
            "penalties": self.penalties,
            "disqualified": [],
            "tiebreaks": self.case["tiebreaks"],
        }

    def begin(self, each: dict[str, Any]) -> None:
        """Let who comes, goes, rests or is penalised before a round do so."""
        self.round = each["round"]
        self.scores |= dict.fromkeys(each["late"], HALF * (each["round"] - 1))
        self.gone.update(each["withdrawn"])
        self.resting = set(each["half_bye"])
        missed = [(round_, number) for number in each["late"] for round_ in range(1, self.round)]
        self.rests += [{"round": round_, "n": number, "kind": "half"} for round_, number in missed]
        self.penalties += each["penalties"]
        for penalty in each["penalties"]:
            self.scores[penalty["n"]] += points_of(penalty["points"])

    def input(self) -> PairingInput:
        """Return what the round is paired from."""
        active = sorted(self.scores.keys() - self.gone - self.resting)
        history = history_of(self.tables)
        players = tuple(
            InputPlayer(
                n=number,
                score=points_text(self.scores[number]),
                club=self.case["clubs"].get(str(number), ""),
                small=history.small[number],
                byes=self.byes[number],
                balance=history.balance[number],
            )
            for number in active
        )
        sizes, weights = TableSizes(**self.case["sizes"]), Weights(**self.case["weights"])
        met, after = history.meetings(active), history.neighbours(active)
        return PairingInput(sizes, weights, "1", players, met, after, (), ())

    def end(self, found: Pods, results: list[dict[str, Any]]) -> None:
        """Count a round's byes, places and tables."""
        for number in self.resting:
            self.scores[number] += HALF
        for number in found.byes:
            self.scores[number] += 1
        self.byes.update(found.byes)
        for kind, numbers in (("half", self.resting), ("pairing", found.byes)):
            self.rests += [{"round": self.round, "n": number, "kind": kind} for number in numbers]
        largest = max(map(len, found.tables))
        for table, result in zip(found.tables, results, strict=True):
            absent = frozenset(result["absent"])
            self.games.append({"round": self.round, "players": list(table), **result})
            self.tables.append(PlayedTable(table, absent, is_small=len(table) < largest))
            place = 1
            for sharing in result["ranking"]:
                mean = place + Fraction(len(sharing) - 1, 2)
                for number in sharing:
                    self.scores[number] += (len(table) - mean) / (len(table) - 1)
                place += len(sharing)
