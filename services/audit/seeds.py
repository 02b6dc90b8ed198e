"""Seeds as records tell of them: who drew them, what became of them, and the deals that were thrown away."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.fairness.records import RecordLine


class Seeds(Struct, frozen=True):
    """Which seats brought seeds of their own, and for which the server drew them.

    A deal that was voided has no dice: nothing that was brought to it says anything of those that were played with.

    Attributes:
        own: Seats with a seed of their own in a deal that was played; it may be that they had none in another.
        server: Seats with a seed of the server's in a deal that was played.
        reused: Seats that gave in two deals what is one seed.
        withheld: Seats that fixed a seed and never showed it.
        unseeded: The deals, by number, that were played without any seat's own seed: the server alone chose.
    """

    own: tuple[int, ...]
    server: tuple[int, ...]
    reused: tuple[int, ...] = ()
    withheld: tuple[int, ...] = ()
    unseeded: tuple[int, ...] = ()


class Void(Struct, frozen=True):
    """A deal that was thrown away: its number, whether the log had it by then, and the seats that are named for it."""

    deal: int
    logged: bool
    seats: tuple[int, ...]


def seeds_of(lines: Sequence[RecordLine]) -> Seeds:
    """Return who drew the seeds of the deals that were played, and what became of seeds."""
    given: dict[int, list[str]] = {}
    for line in lines:
        if line.kind == "seed.opened":
            given.setdefault(line.data["seat"], []).append(line.data["seed"])
    played = _seed_drawers(lines)
    return Seeds(
        tuple(sorted({seat for own, _ in played.values() for seat in own})),
        tuple(sorted({seat for _, server in played.values() for seat in server})),
        tuple(sorted(seat for seat, seeds in given.items() if len(set(seeds)) < len(seeds))),
        tuple(sorted({seat for line in lines if line.kind == "deal.voided" for seat in line.data["seats"]})),
        tuple(sorted(deal for deal, (own, _) in played.items() if not own)),
    )


def voids_of(lines: Sequence[RecordLine]) -> tuple[Void, ...]:
    """Return the deals that were voided, in their order."""
    logged = {line.data["deal"] for line in lines if line.kind == "deal.logged"}
    voided = (line.data for line in lines if line.kind == "deal.voided")
    return tuple(Void(data["deal"], data["deal"] in logged, tuple(data["seats"])) for data in voided)


def _seed_drawers(lines: Sequence[RecordLine]) -> dict[int, tuple[set[int], set[int]]]:
    """Return for each deal that became ready whose seeds were their own, and whose the server drew.

    What a game's own line holds, only its rules can vouch for: one that names no seat gives no seed away.
    """
    custody: set[int] = set()
    sealed: dict[int, set[int]] = {}
    played = {}
    for line in lines:
        match line.kind, line.data:
            case "game.seed_custody", {"seat": int(seat)}:
                custody.add(seat)
            case "deal.sealed", {"deal": int(deal), "seats": list(seats)}:
                sealed[deal] = set(seats)
            case "deal.ready", {"deal": int(deal)}:
                whose = sealed.get(deal, set())
                played[deal] = (whose - custody, whose & custody)
            case _:
                pass
    return played
