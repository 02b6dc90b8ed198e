"""Reasons for a table: what seating people together cost there, and what another would have cost more.

By `pods/1` who sits together is the cheapest grouping there is, or the cheapest that a search finds. So a table is
explained by its cost, part by part; and that somebody sits elsewhere by the cheapest exchange that would have brought
the two together, and how much dearer all tables would have been then. By other laws there is nothing to weigh: who
meets follows from a schedule, from who has won, or from what officials have set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.costs import PLACE
from domain.tournaments.pairing.pods.law import Method, PodsRound, round_of
from domain.tournaments.pairing.seating import triangle
from domain.tournaments.points import points_of
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.pairings import PastPairing, certificate_of, input_behind
from projections.tournaments.people import NamedEntrant, Names, all_called, called, entrant_in

Weighing = Literal["weighed", "fixed", "rests", "law", "not_paired"]
Groups = tuple[tuple[int, ...], ...]


class PairTerm(Struct, frozen=True):
    """What it costs that two sit at one table.

    Attributes:
        met: At how many tables the two had played, which costs `repeat`.
        club: What it costs that they are of one club.
        apart: How far their scores are apart, in sixtieths of a first place, which costs `score`.
        forbidden: Whether an official has said that they may not.
        cost: All of it; 3,600 is one first place, squared.
    """

    numbers: tuple[int, int]
    met: int
    repeat: int
    club: int
    apart: int
    score: int
    forbidden: bool
    cost: int


class SmallTerm(Struct, frozen=True):
    """What it costs that somebody sits at a table smaller than others: how often it had happened before."""

    number: int
    times: int
    cost: int


class Elsewhere(Struct, frozen=True):
    """Why somebody else sits where they do.

    Attributes:
        how: `together`, at the same table; `exchange`, see below; `rests` or `fixed`, which is decided before tables
            are weighed.
        more: By how much the cheapest exchange that seats the two together makes all tables dearer; 0 is as cheap,
            so that lots have decided.
        exchanged: The two who would change places: the first sits at the own table, the second at the other.
        tables: The two tables then: the one where the two sit together first.
        forbidden: Whether that would bring two together who may not be.
    """

    who: NamedEntrant
    how: Literal["together", "exchange", "rests", "fixed"]
    more: int | None = None
    exchanged: tuple[int, int] | None = None
    tables: Groups = ()
    forbidden: bool = False


class RestTerm(Struct, frozen=True):
    """Why somebody rests: those who rested least, then those with the lowest score, then the first by lot.

    Attributes:
        byes: How often they had rested.
        rank: The place in lot order among all, from 0.
    """

    byes: int
    score: ExactNumber
    rank: int


class WhyView(Struct, frozen=True):
    """Why an entrant sits at a table.

    Attributes:
        kind: `weighed` by `pods/1`; `fixed` by officials; `rests`; by another `law`; `not_paired`, for who had no place
            in the round.
        law: The law that paired the round.
        table: The number of the own table, and `mates`, who else sits there.
        method: Whether all groupings were looked at (`exact`), or a search found this one.
        cost: What the own table costs: all `terms` and what is `small` together.
        total: What all free tables cost, and `bound`, what no grouping costs less than.
        rest: Why one rests, where one does.
        others: Whoever else was asked about, or everybody, the cheapest exchange first.
    """

    tournament: str
    stage: int
    round: int
    who: NamedEntrant
    kind: Weighing
    law: str
    table: int | None = None
    mates: tuple[NamedEntrant, ...] = ()
    method: Method | None = None
    cost: int | None = None
    total: int | None = None
    bound: int | None = None
    terms: tuple[PairTerm, ...] = ()
    small: tuple[SmallTerm, ...] = ()
    rest: RestTerm | None = None
    others: tuple[Elsewhere, ...] = ()


def why(pairing: PastPairing, names: Names, number: int, other: int | None = None) -> WhyView:
    """Return why an entrant sits at a table.

    Args:
        pairing: The round, with the tournament as it stood when it was paired.
        names: What people call entrants.
        number: Who asks.
        other: About whom; everybody else, if nothing is said.

    Raises:
        Refused: `unknown_number`: there is no such entrant, or the other was not to be paired in the round.

    Cost: that of the table of what each two cost, quadratic in entrants.
    """
    entrant_in(pairing.before, number)
    found = _plain(pairing, names, number)
    weighed = _weighed(pairing)
    if weighed is None:
        return found
    if other is not None and other not in weighed.found.ranks:
        raise Refused("unknown_number", number=other)
    if found.kind == "rests":
        return replace(found, rest=weighed.rest(number))
    if number not in weighed.at:
        return found
    asked = sorted(weighed.found.ranks) if other is None else [other]
    others = (weighed.elsewhere(called(pairing.before, names, each), number) for each in asked if each != number)
    return replace(
        found,
        kind="weighed",
        method=weighed.found.method,
        cost=weighed.cost(weighed.tables[weighed.at[number]]),
        total=sum(map(weighed.cost, weighed.tables)),
        bound=weighed.found.bound(),
        terms=tuple(weighed.terms(number)),
        small=tuple(weighed.small(number)),
        others=tuple(sorted(others, key=lambda each: (each.more is None, each.more, each.who.number))),
    )


def _plain(pairing: PastPairing, names: Names, number: int) -> WhyView:
    """Return where somebody sits, before anything is weighed."""
    event, before = pairing.event, pairing.before
    table, seats = next(((at, seats) for at, seats in event.tables if number in seats), (None, ()))
    kind: Weighing = "law"
    if table is None:
        kind = "rests" if number in event.byes else "not_paired"
    elif sorted(seats) in _fixed(pairing):
        kind = "fixed"
    return WhyView(
        tournament=str(before.id),
        stage=event.stage,
        round=event.round,
        who=called(before, names, number),
        kind=kind,
        law=event.law,
        table=table,
        mates=all_called(before, names, (mate for mate in seats if mate != number)),
    )


def _fixed(pairing: PastPairing) -> list[list[int]]:
    """Return the tables that officials had set."""
    held = pairing.before.stages[pairing.event.stage - 1].rounds.get(pairing.event.round)
    return [] if held is None else [sorted(table) for table in held.fixed]


def _weighed(pairing: PastPairing) -> _Weighed | None:
    certificate, value = certificate_of(pairing), input_behind(pairing)
    if certificate is None or value is None:
        return None
    found = round_of(value, Lots(bytes.fromhex(certificate.lot), certificate.stage, certificate.round))
    return _Weighed(found, certificate.tables)


class _Weighed:
    """A round by `pods/1` with its tables, to weigh others against them.

    Attributes:
        found: The round before anybody was grouped.
        tables: Its free tables.
        at: By entrant, which of them.
    """

    def __init__(self, found: PodsRound, tables: Groups) -> None:
        fixed = set(map(frozenset, found.value.fixed))
        self.found = found
        self.tables = [table for table in tables if frozenset(table) not in fixed]
        self.at = {number: at for at, table in enumerate(self.tables) for number in table}
        self._index = {number: at for at, number in enumerate(found.costs.numbers)}
        self._met = {(i, j): times for i, j, times in found.value.met}
        self._players = {player.n: player for player in found.value.players}
        self._forbidden = set(found.value.forbidden)

    def cost(self, table: Sequence[int]) -> int:
        """Return what a table of this size costs in this round."""
        return self.found.costs.table_cost(
            [self._index[number] for number in table], is_small=len(table) < self.found.sizes[0]
        )

    def terms(self, number: int) -> Iterator[PairTerm]:
        """Yield what each two at somebody's table cost, the own pairs first."""
        pairs = combinations(sorted(self.tables[self.at[number]]), 2)
        for one, other in sorted(pairs, key=lambda pair: number not in pair):
            yield self._term(one, other)

    def _term(self, one: int, other: int) -> PairTerm:
        weights, costs = self.found.value.weights, self.found.costs
        met = self._met.get((one, other), 0)
        clubs = {self._players[one].club, self._players[other].club}
        apart = abs(self.found.strengths[one] - self.found.strengths[other])
        return PairTerm(
            numbers=(one, other),
            met=met,
            repeat=PLACE * weights.repeat * triangle(met),
            club=PLACE * weights.club if len(clubs) == 1 and "" not in clubs else 0,
            apart=apart,
            score=weights.score * apart**2,
            forbidden=(one, other) in self._forbidden,
            cost=costs.pairs[self._index[one]][self._index[other]],
        )

    def small(self, number: int) -> Iterator[SmallTerm]:
        """Yield what a small table costs its members."""
        table = self.tables[self.at[number]]
        if len(table) < self.found.sizes[0]:
            for member in sorted(table):
                yield SmallTerm(member, self._players[member].small, self.found.costs.fees[self._index[member]])

    def rest(self, number: int) -> RestTerm:
        """Return why somebody rests."""
        player = self._players[number]
        return RestTerm(player.byes, exact(points_of(player.score)), self.found.ranks[number])

    def elsewhere(self, who: NamedEntrant, number: int) -> Elsewhere:
        """Return why somebody does not sit with another."""
        if who.number in self.found.byes:
            return Elsewhere(who, "rests")
        if who.number not in self.at:
            return Elsewhere(who, "fixed")
        if self.at[who.number] == self.at[number]:
            return Elsewhere(who, "together", 0)
        own, other = self.tables[self.at[number]], self.tables[self.at[who.number]]
        now = self.cost(own) + self.cost(other)
        ways = [(mate, who.number) for mate in own if mate != number]
        ways += [(number, mate) for mate in other if mate != who.number]
        more, moved = min((sum(map(self.cost, _exchanged(own, other, way))) - now, way) for way in ways)
        tables = _exchanged(own, other, moved)
        first, second = tables if number in tables[0] and who.number in tables[0] else tables[::-1]
        return Elsewhere(who, "exchange", more, moved, (first, second), bool(self.found.forbidden((first, second))))


def _exchanged(own: tuple[int, ...], other: tuple[int, ...], way: tuple[int, int]) -> Groups:
    """Return two tables after one of the first and one of the second have changed places; ascending."""
    leaves, comes = way
    one = sorted(comes if member == leaves else member for member in own)
    two = sorted(leaves if member == comes else member for member in other)
    return tuple(one), tuple(two)
