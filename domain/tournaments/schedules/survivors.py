"""Last longer: many tables, one survivor; how tables are filled, broken and balanced between levels, and the places.

A level is as many rounds of the game at every table, and then all wait: nobody gains by playing slowly, and nobody
needs a watch to know who went out first. Lots of the stage serve throughout, as entrants in lot order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct


class SurvivorTable(Struct, frozen=True):
    """A table of a level.

    Attributes:
        table: Its number, which it keeps while it lasts.
        seats: Entrants in the order of play; the first opens.
    """

    table: int
    seats: tuple[int, ...]


class Transfer(Struct, frozen=True):
    """An entrant who changes tables between two levels.

    Attributes:
        number: Who moves.
        origin: The table they come from.
        goal: The table they come to.
    """

    number: int
    origin: int
    goal: int


class NextLevel(Struct, frozen=True):
    """What stands after a level.

    Attributes:
        transfers: Who moved, in order.
        tables: The tables of the next level, by number; one with one seat where it is over.
    """

    transfers: tuple[Transfer, ...]
    tables: tuple[SurvivorTable, ...]


def first_level(lots: Sequence[int], high: int) -> tuple[SurvivorTable, ...]:
    """Return the first seating: as few tables as can be, as even as can be, the larger first, filled in lot order.

    Args:
        lots: Entrants in lot order.
        high: How many sit at a table at most.
    """
    tables = -(-len(lots) // high)
    each, larger = divmod(len(lots), tables)
    found = []
    at = 0
    for table in range(1, tables + 1):
        size = each + (table <= larger)
        found.append(SurvivorTable(table, tuple(lots[at : at + size])))
        at += size
    return tuple(found)


def next_level(
    tables: Sequence[SurvivorTable],
    out: Collection[int],
    starters: Mapping[int, int],
    moves: Mapping[int, int],
    lots: Sequence[int],
    high: int,
) -> NextLevel:
    """Return the tables after a level.

    Args:
        tables: The tables of the level, by number.
        out: Who went out in it.
        starters: By the table, who would open its next round.
        moves: How often each entrant has changed tables; who is missing never did.
        lots: The entrants of the stage in its lot order.
        high: How many sit at a table at most.
    """
    rank = {number: at for at, number in enumerate(lots)}
    room = _Room(dict(moves))
    room.seats = {table.table: _from_starter(table.seats, starters[table.table], out) for table in tables}
    needed = max(1, -(-sum(map(len, room.seats.values())) // high))
    while len(room.seats) > needed:
        broken = min(room.seats, key=lambda table: (len(room.seats[table]), -table))
        for number in sorted(room.seats.pop(broken), key=rank.__getitem__):
            room.move(number, broken, room.smallest())
    while len(room.seats[room.largest()]) - len(room.seats[room.smallest()]) > 1:
        largest = room.largest()
        # Whoever is to open stays.
        number = min(room.seats[largest][1:], key=lambda number: (room.moves.get(number, 0), rank[number]))
        room.seats[largest].remove(number)
        room.move(number, largest, room.smallest())
    return NextLevel(tuple(room.transfers), tuple(SurvivorTable(t, tuple(room.seats[t])) for t in sorted(room.seats)))


class _Room:
    """The tables while they are broken and balanced.

    Attributes:
        moves: How often each entrant has changed tables.
        seats: By the table, who sits there in the order of play.
        transfers: Who moved since the level, in order.
    """

    def __init__(self, moves: dict[int, int]) -> None:
        self.moves = moves
        self.seats: dict[int, list[int]] = {}
        self.transfers: list[Transfer] = []

    def largest(self) -> int:
        """Return the table with most players, of equals the lowest number."""
        return min(self.seats, key=lambda table: (-len(self.seats[table]), table))

    def smallest(self) -> int:
        """Return the table with fewest players, of equals the lowest number."""
        return min(self.seats, key=lambda table: (len(self.seats[table]), table))

    def move(self, number: int, origin: int, goal: int) -> None:
        """Put an entrant last at another table."""
        self.seats[goal].append(number)
        self.moves[number] = self.moves.get(number, 0) + 1
        self.transfers.append(Transfer(number, origin, goal))


def _from_starter(seats: Sequence[int], starter: int, out: Collection[int]) -> list[int]:
    """Return who is still there, from who was to open, or the next who is still there in seat order."""
    at = seats.index(starter)
    return [number for number in (*seats[at:], *seats[:at]) if number not in out]


def survivor_places(levels: Sequence[Mapping[int, int]], left: Sequence[int]) -> list[list[int]]:
    """Return the places, the best first, who shares one together: those who went out in the same round of one level.

    Args:
        levels: For each level who went out, and in which of its rounds.
        left: Who is still in.
    """
    found = [list(left)] if left else []
    for gone in reversed(levels):
        rounds = sorted(set(gone.values()), reverse=True)
        found += [sorted(number for number in gone if gone[number] == last) for last in rounds]
    return found
