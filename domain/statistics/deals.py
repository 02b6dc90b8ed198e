"""Deals that were thrown away, and deals in which the house drew a seed: counted, and held against chance.

The law of the file: a record cannot show whether a seat withheld its seed or the server did not write it down (CUP/1
section 4.8). A server with a confederate knows the dice that were thrown away, so whoever voids what it dislikes shows
it only in how often. What can be asked is two things, and each has its false alarms counted.

**Of the house:** are more than one in twenty of its deals voided after the log had them? One coin is bet against "no
more than that", deal after deal, on every higher rate alike. While each deal is voided with a chance of at most 1 in
20, whatever happened before, the purse never gains in expectation, so the chance that it *ever* reaches 20, however
often one looks, is at most 1 in 20 (Ville's inequality).

**Of a host:** are deals of his voided more often than elsewhere in the house? If voids came to all deals of the house
alike, those of a host would be drawn from all as from an urn. The chance of at least so many is exact (the
hypergeometric tail, with no base rate to be guessed), times the number of hosts that are asked about. From `LEVEL` on
the alarm is raised: of a thousand looks at a house of honest hosts, one raises it for anybody.

A host is a tournament, whose director opens its tables; of all others a record does not say who opened them, and they
are told apart by whether house bots sit at them.

Sources:
    CUP/1 section 4.8. J. Ville 1939 and R. A. Fisher 1935 for the two tests; `uniformity` has more on the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, fsum, lgamma, log, log1p
from typing import Any, Final

from msgspec import Struct

from domain.fairness.custody import SeedDrawers
from domain.log import canonical
from domain.seats import is_person

PEOPLE: Final = "people"
"""Whose tables are nobody's tournament, and have no house bot."""
BOTS: Final = "bots"
"""Whose tables are nobody's tournament, and have one."""
USUAL: Final = 0.05
"""The share of voided deals above which the house is bet against."""
ALARM: Final = 20
"""The purse at which the alarm is raised."""
LEVEL: Final = 0.001
"""The chance of a false alarm at a look, of all hosts together."""
_RATES: Final = tuple(USUAL + (1 - USUAL) * (number + 0.5) / 64 for number in range(64))
COUNTED: Final = frozenset(
    f'"type":"{kind}","v":1}}'.encode()
    for kind in (
        *("match.created", "seat.joined", "game.seed_custody"),
        *("deal.sealed", "deal.logged", "deal.ready", "deal.voided"),
    )
)
"""How the lines end that say anything of deals."""


class DealCounts(Struct, frozen=True):
    """Deals.

    Attributes:
        logged: How many the log had.
        voided: How many of these were thrown away.
        drawn: In how many of those that were played the house drew the seed of a seat that none of its bots has.
    """

    logged: int = 0
    voided: int = 0
    drawn: int = 0

    def __add__(self, other: DealCounts) -> DealCounts:
        """Return both together."""
        return DealCounts(self.logged + other.logged, self.voided + other.voided, self.drawn + other.drawn)

    def __neg__(self) -> DealCounts:
        """Return what takes these away again."""
        return DealCounts(-self.logged, -self.voided, -self.drawn)


class HostDeals(Struct, frozen=True):
    """Deals of a host, and how likely so many voids are if they come to all deals of the house alike.

    Attributes:
        host: The id of a tournament, `people` or `bots`.
        counts: His deals.
        chance: The chance, times the number of hosts, and at most 1; rounded to four digits.
        frequent: Whether that raises the alarm.
    """

    host: str
    counts: DealCounts
    chance: float
    frequent: bool


class DealStatistics(Struct, frozen=True):
    """What became of all deals of a house.

    Attributes:
        counts: All of them.
        evidence: The decimal logarithm of the purse that is bet against the house, rounded.
        frequent: Whether it raises the alarm, or a host does.
        hosts: Those that have voided deals, the least likely first.
    """

    counts: DealCounts
    evidence: float
    frequent: bool
    hosts: tuple[HostDeals, ...]


class DealCounter:
    """The deals of one match, line by line."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self.counts = DealCounts()
        self._event: str | None = None
        self._bots = False
        self._drawers = SeedDrawers()
        self._sealed: set[int] = set()
        self._logged = False

    @property
    def host(self) -> str:
        """Whose table it is, as `HostDeals` says it."""
        return self._event or (BOTS if self._bots else PEOPLE)

    def step(self, line: bytes) -> bool:
        """Take in the next line, and report whether it said anything of deals."""
        if line[line.rfind(b'"type":') :] not in COUNTED:
            return False
        document = canonical.decode(line)
        self._drawers.take(document["type"], document["data"])
        self._take(document["type"], document["data"])
        return True

    def _take(self, kind: str, data: Mapping[str, Any]) -> None:
        match kind, data:
            case "match.created", {"rules": {"event": {"tournament": str(event)}}}:
                self._event = event
            case (("match.created" | "game.seed_custody"), _):
                pass
            case "seat.joined", _:
                self._bots |= not is_person(data["player"])
            case "deal.sealed", _:
                self._sealed, self._logged = set(data["seats"]), False
            case _:
                self._end(kind)

    def _end(self, kind: str) -> None:
        """Note how far a deal has come: only one that the log has had can be thrown away for its dice."""
        if kind == "deal.logged":
            self._logged = True
            self.counts += DealCounts(logged=1)
        elif kind == "deal.ready":
            self.counts += DealCounts(drawn=int(self._drawers.house_drew(self._sealed)))
        else:
            self.counts += DealCounts(voided=int(self._logged))
            self._logged = False


def deal_statistics(dealt: Mapping[str, DealCounts]) -> DealStatistics:
    """Return what became of all deals, from those of each host. Cost: a logarithm or four for each void of a host."""
    total = _sum(dealt.values())
    asked = sum(counts.logged > 0 for counts in dealt.values())
    hosts = []
    for host, counts in sorted(dealt.items()):
        if counts.voided:
            chance = min(1.0, asked * chance_of_voids(total, counts))
            hosts.append(HostDeals(host, counts, float(f"{chance:.3e}"), chance <= LEVEL))
    purse = log_purse(total)
    frequent = purse >= log(ALARM) or any(host.frequent for host in hosts)
    ranked = tuple(sorted(hosts, key=lambda each: (each.chance, each.host)))
    return DealStatistics(total, round(purse / log(10), 4), frequent, ranked)


def log_purse(counts: DealCounts) -> float:
    """Return the logarithm of what one coin has become that is bet against `USUAL`, on each higher rate alike."""
    voided, kept = counts.voided, counts.logged - counts.voided
    bets = [voided * log(rate / USUAL) + kept * (log1p(-rate) - log1p(-USUAL)) for rate in _RATES]
    most = max(bets)
    return most + log(fsum(exp(bet - most) for bet in bets) / len(bets))


def chance_of_voids(total: DealCounts, counts: DealCounts) -> float:
    """Return the chance that at least so many of these deals are voided, if all voids came to all deals alike."""
    draws, all_voided, all_kept = counts.logged, total.voided, total.logged - total.voided
    whole = _log_choose(total.logged, draws)
    least = max(counts.voided, draws - all_kept)
    return min(
        1.0,
        fsum(
            exp(_log_choose(all_voided, voided) + _log_choose(all_kept, draws - voided) - whole)
            for voided in range(least, min(draws, all_voided) + 1)
        ),
    )


def add_deals(*all_dealt: Mapping[str, DealCounts]) -> dict[str, DealCounts]:
    """Return the sum of counts by host, without those that come to nothing."""
    hosts = {host for dealt in all_dealt for host in dealt}
    sums = {host: _sum(dealt[host] for dealt in all_dealt if host in dealt) for host in sorted(hosts)}
    return {host: counts for host, counts in sums.items() if counts != DealCounts()}


def _sum(counts: Iterable[DealCounts]) -> DealCounts:
    found = DealCounts()
    for each in counts:
        found += each
    return found


def _log_choose(among: int, chosen: int) -> float:
    return lgamma(among + 1) - lgamma(chosen + 1) - lgamma(among - chosen + 1)
