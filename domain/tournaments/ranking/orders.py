"""Orders of a ladder and of a chouette: everybody, the first at the top, as they follow from what has been played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from domain.rules.schedules import Chouette, chouette
from domain.tournaments.ranking.legs import winner_of
from domain.tournaments.schedules.chouettes import after_bout, chouette_places, line_of
from domain.tournaments.schedules.ladder import LadderChallenge, after_challenge
from domain.tournaments.tournament import PlayedStage


def ladder_order(stage: PlayedStage, numbers: Sequence[int], upto: int) -> list[int]:
    """Return a ladder after so many rounds, and after the challenges that were lost before the next one.

    What was ruled later counts where the table had its first result.

    Args:
        stage: The stage.
        numbers: Everybody, as they stood in the beginning; who came late, behind all others.
        upto: The last round that is looked at.
    """
    order = list(numbers)
    for _, challenge, winner in sorted(_settled(stage, upto), key=lambda settled: settled[0]):
        order = after_challenge(order, challenge.number, challenge.against, winner or challenge.against)
    return order


def _settled(stage: PlayedStage, upto: int) -> Iterator[tuple[int, LadderChallenge, int | None]]:
    """Yield the line by which each challenge was settled, and who won it."""
    for each in stage.challenges.values():
        if each.state == "lost" and each.after <= upto:
            yield each.line, each, each.number
        elif each.place is not None and each.place[0] <= upto:
            table = stage.rounds[each.place[0]].tables[each.place[1]]
            if table.counts is not None and table.over_line is not None:
                yield table.over_line, each, winner_of(table.counts.ranking)


class ChouetteWay(Struct, frozen=True):
    """How far a chouette has come.

    Attributes:
        now: Who sits down next, and who waits, if all are there.
        stays: Who stays of those who sat last.
        wins: How many bouts each has won.
    """

    now: Chouette[int]
    stays: int | None
    wins: Mapping[int, int]

    @property
    def places(self) -> list[int]:
        """Everybody by places, the best first."""
        return chouette_places(self.wins, line_of(self.now, self.stays))


def chouette_way(stage: PlayedStage, order: Sequence[int], since: Mapping[int, int], upto: int) -> ChouetteWay:
    """Return how far a chouette has come after so many bouts.

    Of a bout that nobody won, whoever sat there before stays, in the first whoever opened it, and has won nothing. If
    neither came, both wait again.

    Args:
        stage: The stage.
        order: Everybody in the order of lots; who came late, behind all others.
        since: For those who came late, the first round they could play.
        upto: The last round that is looked at; a bout that is still played has changed nothing.
    """
    now, wins = chouette([number for number in order if number not in since]), Counter[int]()
    stays: int | None = None
    for held in (stage.rounds[number] for number in range(1, upto + 1)):
        now = _joined(now, order, since, held.number)
        for table in held.tables.values():
            if table.counts is None:
                continue
            one, other = table.paired
            winner = winner_of(table.counts.ranking)
            wins.update(() if winner is None else (winner,))
            stays = winner or (stays if stays in {one, other} else one) if table.counts.ranking else None
            now = after_bout(now, (one, other), stays)
    return ChouetteWay(_joined(now, order, since, upto + 1), stays, wins)


def _joined(now: Chouette[int], order: Sequence[int], since: Mapping[int, int], number: int) -> Chouette[int]:
    """Return a chouette with those who come to wait before a round."""
    late = tuple(each for each in order if since.get(each) == number)
    return Chouette(now.seats, (*now.queue, *late))
