"""Tallies of dice: counts of all that fair dice leave to chance, made from the lines of a match.

The law of the file: whether a die counts must not hang on what it shows. So a die counts when its deal has published
its secret (CUP/1 section 4.5, policy `all`), and then every die that was rolled counts, shown or not. Dice that play
has shown are no fair sample: a cup is lifted because of what somebody believed to be under it. Where a deal never
publishes its secret (policy `shown`) the shown dice are all there is; they are told apart, and nothing is tested on
them.

Dice that were rolled in a deal which is still open are counted as waiting: how many there are is public, what they
show is not. They may not simply be left out. How long a match lasts hangs on its dice, so at any moment the matches
that are over are no fair sample of those that were begun; see `evenness` for what is made of this.

Four things are counted, each over all dice and by slot, by number of the roll in its deal, by seat, and by what kind of
player rolled (a person, the house itself, or nobody: the table). Dice of 6 and of 10 sides are never counted together:
`m` is the number of sides. The blind slots of sealed choices have one side and say nothing.

    faces     which side a die shows
    beside    the die in the slot before it, in the same roll, and this one
    after     what this slot of the cup showed when it was last rolled in the deal, and shows now
    runs      of equal dice in a row, roll after roll of a cup: after one, two, three or more of them, did the next end
              the run or lengthen it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from msgspec import Struct, field

from domain.fairness.deal import Cup, Deal, Policy, context, rules_hash
from domain.fairness.openings import OpenDeal
from domain.fairness.shapes import (
    DealClosed,
    DealCommitted,
    DealReady,
    MatchCreated,
    Members,
    Revealed,
    Rolled,
    SeatJoined,
    members_of,
)
from domain.log import canonical
from domain.seats import is_person
from domain.statistics.deals import COUNTED, DealCounter, DealCounts, add_deals

What = Literal["faces", "beside", "after", "runs"]
Of = Literal["all", "slot", "roll", "seat", "player"]
Value = Callable[[int, int, int, int], int]
"""What a cup, a roll of it, a slot and a number of sides come to."""

PAIRS_MAX: Final = 20
"""The most sides for which pairs are counted: beyond it a table of pairs has more cells than anybody will fill."""
POOLED: Final = 16
"""Slots and rolls from this number on are counted together."""
RUNS: Final = 3
"""Runs of this length and longer are counted together."""
NOBODY: Final = "nobody"
"""The kind of player that rolls the table's cup and the one that is passed on: owners 0 and 255 are no seats."""
_COUNTED: Final = frozenset(
    f'"type":"{kind}","v":1}}'.encode()
    for kind in (
        *("match.created", "seat.joined", "deal.committed", "deal.ready"),
        *("cup.rolled", "cup.revealed", "deal.closed"),
    )
)
"""How the lines end that say anything of dice; a canonical line ends in its type, so no text in it can look like it."""


class TallyQuestion(NamedTuple):
    """What is counted: of dice with `m` sides, and of which of them."""

    m: int
    what: What
    of: Of
    which: str = ""

    @property
    def cells(self) -> int:
        """How many counts answer it: a side each, a pair each (row by row of the first), two a length of a run."""
        return {"faces": self.m, "runs": 2 * RUNS}.get(self.what, self.m * self.m)


class DiceTally(Struct, frozen=True):
    """Counts.

    Attributes:
        matches: Matches of which at least one deal is counted.
        deals: Deals that are counted.
        counts: The counts of each question that was met.
        waiting: How many more there will be of each question, when the deals that are open publish their secrets.
        shown: The sides of the dice that were shown in deals which never publish their secret, by number of sides.
        dealt: What became of deals, by whose tables they were dealt at.
    """

    matches: int = 0
    deals: int = 0
    counts: dict[TallyQuestion, list[int]] = {}
    waiting: dict[TallyQuestion, int] = {}
    shown: dict[int, list[int]] = {}
    dealt: dict[str, DealCounts] = {}


_Roll = tuple[int, int, dict[int, int]]
"""A cup, the number of the roll, and the moduli by slot."""


class _Before(Struct):
    """What was rolled so far, as much of it as settles which table and row the next die falls into.

    Attributes:
        slots: The sides of the die that was last in each slot of each cup, and what it showed.
        ends: The sides of the last die of each cup, what it showed, and how many equal ones there were in a row.
    """

    slots: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    ends: dict[int, tuple[int, int, int]] = field(default_factory=dict)


class _Open(Struct):
    """A deal until it is closed.

    Attributes:
        rolls: What was rolled, in order.
        told: The dice that were shown.
        before: What was rolled so far, of dice that all show the same.
        waiting: How many there will be of each question.
    """

    number: int
    cups: tuple[Cup, ...]
    ctx: bytes
    mix: bytes = b""
    rolls: list[_Roll] = field(default_factory=list)
    told: set[tuple[int, int, int]] = field(default_factory=set)
    before: _Before = field(default_factory=_Before)
    waiting: dict[TallyQuestion, int] = field(default_factory=dict)


def tally_of_match(lines: Iterable[bytes]) -> DiceTally:
    """Return what the dice of a match came to.

    Args:
        lines: The event lines of a match from its first one on, as far as they go. An audit of layers 1 and 2 has
            found no fault in them: here nothing is checked again.

    Cost: two HMACs for each die that was rolled.
    """
    counting = TallyBuilder()
    for line in lines:
        counting.step(line)
    return counting.tally


def total_of(tallies: Iterable[DiceTally]) -> DiceTally:
    """Return the sum of tallies."""
    matches, deals = 0, 0
    dealt: dict[str, DealCounts] = {}
    counts: dict[TallyQuestion, list[int]] = {}
    waiting: dict[TallyQuestion, int] = {}
    shown: dict[int, list[int]] = {}
    for tally in tallies:
        matches, deals = matches + tally.matches, deals + tally.deals
        for question, cells in tally.counts.items():
            counts[question] = _sum(counts.get(question), cells)
        for question, number in tally.waiting.items():
            waiting[question] = waiting.get(question, 0) + number
        for m, cells in tally.shown.items():
            shown[m] = _sum(shown.get(m), cells)
        dealt = add_deals(dealt, tally.dealt) if tally.dealt else dealt
    return DiceTally(matches, deals, counts, {one: number for one, number in waiting.items() if number}, shown, dealt)


def total_after_moves(total: DiceTally, changes: Iterable[tuple[DiceTally, DiceTally]]) -> DiceTally:
    """Return the total when matches counted in it as the first of each pair are counted as the second."""
    pairs = list(changes)
    return total_of((total, *(after for _, after in pairs), *(_negate(before) for before, _ in pairs)))


def _negate(tally: DiceTally) -> DiceTally:
    return DiceTally(
        -tally.matches,
        -tally.deals,
        {question: [-number for number in cells] for question, cells in tally.counts.items()},
        {question: -number for question, number in tally.waiting.items()},
        {m: [-number for number in cells] for m, cells in tally.shown.items()},
        {host: -counts for host, counts in tally.dealt.items()},
    )


class TallyBuilder:
    """The tally of one match, line by line.

    Attributes:
        players: The player in each seat.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self._match = b""
        self._rules = b""
        self._policy: Policy = "all"
        self.players: dict[int, str] = {}
        self._deal: _Open | None = None
        self._deals = 0
        self._counts: dict[TallyQuestion, list[int]] = {}
        self._shown: dict[int, list[int]] = {}
        self._dealt = DealCounter()

    @property
    def tally(self) -> DiceTally:
        """What the lines so far came to. Cost: a copy."""
        waiting = {} if self._deal is None else dict(self._deal.waiting)
        counts = {question: list(cells) for question, cells in self._counts.items()}
        shown = {m: list(cells) for m, cells in self._shown.items()}
        dealt = add_deals({self._dealt.host: self._dealt.counts})
        return DiceTally(min(self._deals, 1), self._deals, counts, waiting, shown, dealt)

    def step(self, line: bytes) -> bool:
        """Take in the next line, and report whether it said anything of dice."""
        return any([*self.steps(line)])

    def steps(self, line: bytes) -> Iterator[bool]:
        """Take in the next line, and yield after each piece of the work whether it said anything of dice.

        The line that publishes the secret of a deal is a piece for each of its rolls, and a long match has thousands.
        """
        end = line[line.rfind(b'"type":') :]
        of_deals = end in COUNTED and self._dealt.step(line)
        if end not in _COUNTED:
            yield of_deals
            return
        document = canonical.decode(line)
        members = members_of(document["type"], document["data"])
        yield True
        if isinstance(members, DealClosed):
            yield from self._close(members)
        else:
            self._take(members)

    def _take(self, members: Members) -> None:
        match members:
            case MatchCreated():
                self._match = bytes.fromhex(members.match.replace("-", ""))
                self._rules = rules_hash(members.rules)
                self._policy = "all" if members.policy == "all" else "shown"
            case SeatJoined():
                self.players[members.seat] = members.player
            case DealCommitted():
                cups = tuple(Cup(*row) for row in members.cups)
                ctx = context(self._match, members.deal, self._rules, self._policy, cups)
                self._deal = _Open(members.deal, cups, ctx)
            case _:
                # Dice that several tables share would count once for each: they are counted at none.
                if self._deal is not None:
                    self._handle(self._deal, members)

    def _handle(self, deal: _Open, members: Members) -> None:
        match members:
            case DealReady():
                deal.mix = bytes.fromhex(members.mix)
            case Rolled():
                self._roll(deal, (members.cup, members.roll, dict(zip(members.slots, members.m, strict=True))))
            case _:
                assert isinstance(members, Revealed), "no other line says anything of dice"
                self._show(deal, members)

    def _roll(self, deal: _Open, roll: _Roll) -> None:
        """Note a roll. Which questions its dice will answer does not hang on what they show."""
        deal.rolls.append(roll)
        if self._policy == "all":
            for question, _ in self._answers(deal, deal.before, roll, _no_value):
                deal.waiting[question] = deal.waiting.get(question, 0) + 1

    def _close(self, members: DealClosed) -> Iterator[bool]:
        """Count every die of a deal; nothing was rolled in one that was voided, for it was never ready."""
        deal, self._deal = self._deal, None
        assert deal is not None, "a deal is closed that was committed"
        if members.secret is None or not deal.mix:
            return
        dealer = OpenDeal(deal.number, Deal(bytes.fromhex(members.secret), deal.ctx, deal.cups), deal.mix)
        self._deals += 1
        before = _Before()
        for roll in deal.rolls:
            for question, cell in self._answers(deal, before, roll, dealer.value):
                self._counts.setdefault(question, [0] * question.cells)[cell] += 1
            yield True

    def _show(self, deal: _Open, members: Revealed) -> None:
        moduli = next(found for cup, roll, found in deal.rolls if (cup, roll) == (members.cup, members.roll))
        for slot, value in members.values:
            where, m = (members.cup, members.roll, slot), moduli[slot]
            if self._policy == "shown" and m > 1 and where not in deal.told:
                deal.told.add(where)
                self._shown.setdefault(m, [0] * m)[value] += 1

    def _answers(self, deal: _Open, before: _Before, roll: _Roll, value: Value) -> Iterator[tuple[TallyQuestion, int]]:
        """Yield the cell of each question that each die of a roll answers, and note the roll among those before."""
        owner = next(cup.owner for cup in deal.cups if cup.id == roll[0])
        kind = _kind(self.players.get(owner))
        for what, m, slot, cell in _cells(before, roll, value):
            yield TallyQuestion(m, what, "all"), cell
            yield TallyQuestion(m, what, "slot", _pool(slot)), cell
            yield TallyQuestion(m, what, "roll", _pool(roll[1])), cell
            yield TallyQuestion(m, what, "seat", str(owner)), cell
            yield TallyQuestion(m, what, "player", kind), cell


def _cells(before: _Before, rolled: _Roll, value_of: Value) -> Iterator[tuple[What, int, int, int]]:
    """Yield what each die of a roll says, in the order of its slots: of what, its sides, its slot, the cell.

    Which table and which row of it a die falls into is settled by the dice before it; only the cell within the row is
    its own. This is what lets every row be tested by itself (see `evenness`).
    """
    cup, roll, moduli = rolled
    beside = (-1, 0, 0)
    for slot, m in ((slot, m) for slot, m in moduli.items() if m > 1):
        value = value_of(cup, roll, slot, m)
        yield "faces", m, slot, value
        if beside[:2] == (slot - 1, m) and m <= PAIRS_MAX:
            yield "beside", m, slot, beside[2] * m + value
        earlier = before.slots.get((cup, slot))
        if earlier is not None and earlier[0] == m <= PAIRS_MAX:
            yield "after", m, slot, earlier[1] * m + value
        sides, last, length = before.ends.get(cup, (0, 0, 0))
        if sides == m:
            yield "runs", m, slot, 2 * (min(length, RUNS) - 1) + (value == last)
        length = length + 1 if (sides, last) == (m, value) else 1
        beside, before.slots[cup, slot], before.ends[cup] = (slot, m, value), (m, value), (m, value, length)


def _no_value(_cup: int, _roll: int, _slot: int, _m: int) -> int:
    return 0


def _kind(player: str | None) -> str:
    if player is None:
        return NOBODY
    return "person" if is_person(player) else "house"


def _pool(number: int) -> str:
    return str(number) if number < POOLED else f"{POOLED}+"


def _sum(one: list[int] | None, other: list[int]) -> list[int]:
    return list(other) if one is None else [a + b for a, b in zip(one, other, strict=True)]
