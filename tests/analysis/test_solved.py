"""Solved tables: what is shipped is proved anew, each breaks if made worse, and replies are the worst there are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import commands
from domain.rules.orders import ORDERS
from domain.rules.rules import PIPS, Counting, Faces
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.best_reply import Guarantees, guarantees_of
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import WEIGHT_MAX, Key, Moves, SolvedTable, read_table, weigh_solved, write_table
from domain.strategy.policies.files import prove, read_policy
from domain.strategy.sight import Sight
from services.policies.shelf import SHIPPED, Shelf
from tests.analysis.positions import opened, standing_on
from tests.analysis.test_policies import common_hand
from tests.sizes import cases

SHELF = Shelf()
TABLES = tuple(name for name in SHIPPED if name.startswith("1v1"))
BYTES_MAX = 5 * 2**20


def table_of(name: str) -> SolvedTable:
    table = SHELF.find(name).policy.content
    assert isinstance(table, SolvedTable)
    return table


def test_every_duel_of_a_die_each_is_shipped() -> None:
    plain = [Counting(order, wild=wild) for order in ORDERS for wild in ("never", "always", "unless_opened")]
    dear = [Counting(order, wild="always", aces=aces) for order in ORDERS for aces in ("no", "half_double")]
    bar = [Counting(order, wild="unless_opened", natural=True) for order in ORDERS]
    high = [Counting(order, rank="ace_high", wild="always") for order in ORDERS]
    names = {Duel((1, 1), PIPS, counting).name for counting in (*plain, *dear, *bar, *high)}
    assert names <= set(TABLES)


def test_all_that_is_shipped_is_small() -> None:
    assert sum(one.size for one in SHELF.shipped()) < BYTES_MAX
    largest = {"solved": BYTES_MAX // 100, "blueprint": BYTES_MAX // 8}
    assert all(one.size < largest.get(one.kind, 1_000) for one in SHELF.shipped())


@pytest.mark.parametrize("name", TABLES)
def test_a_shipped_table_is_proved_and_breaks_if_it_is_made_worse(name: str) -> None:
    shipped = SHELF.find(name)
    found = prove(shipped.policy)
    assert found == shipped.policy.certificate
    assert found.lower == found.upper
    line = shipped.data.index(b"\n") + 1
    altered = (shipped.data[:line] + write_table(records) for records in made_worse(table_of(name)))
    assert "certificate_not_met" in map(fault_of, altered)


def fault_of(data: bytes) -> str:
    """Return the code with which a file is refused; empty if its certificate is met all the same."""
    try:
        prove(read_policy(data))
    except BadPolicy as fault:
        return fault.code
    return ""


def made_worse(table: SolvedTable) -> Iterator[Mapping[Key, Moves]]:
    """Yield the table with one weight changed, of a move that is played beside others, or of one never played."""
    for key, moves in table.records.items():
        if len(moves) > 1:
            (move, weight), *others = moves
            yield {**table.records, key: ((move, WEIGHT_MAX - weight), *others)}
    for key in table.records:
        # A challenge of the smallest claim there is: whoever has what it says loses by it.
        if len(key[1]) == 1 and CHALLENGE not in dict(table.records[key]):
            yield {**table.records, key: (*table.records[key], (CHALLENGE, WEIGHT_MAX))}


@pytest.mark.parametrize("name", TABLES)
def test_the_bytes_of_a_table_are_the_only_ones_it_has(name: str) -> None:
    table, data = table_of(name), SHELF.find(name).data
    body = data[data.index(b"\n") + 1 :]
    assert write_table(table.records) == body
    assert read_table(table.duel, body) == table


# ---- the worst reply, by trying all of them -----------------------------------------------------

SMALL = (
    Duel((1, 1), Faces(1, 2), Counting()),
    Duel((1, 1), Faces(1, 2), Counting("face_first", wild="always")),
    Duel((1, 1), Faces(1, 2), Counting("no_decrease", wild="unless_opened")),
)


def information_sets(duel: Duel, place: int) -> list[bytes]:
    """Return the claims that a seat may be faced with."""
    found = [b""]
    for made in found:
        found += [made + bytes([move]) for move in duel.replies(made) if move != CHALLENGE]
    return [made for made in found if len(made) % 2 == place]


def outcome(duel: Duel, made: bytes, hands: tuple[int, int]) -> int:
    """Return who wins a challenge of the last claim: 1 the opener, -1 the other one."""
    return duel.verdicts(made)[hands[0]][hands[1]] * (1 if len(made) % 2 else -1)


def worth_against(table: SolvedTable, place: int, hands: tuple[int, int], reply: Mapping[bytes, int]) -> Fraction:
    """Return the opener's worth with these hands, the seat going by the table and the other one by a plan."""

    def worth(made: bytes) -> Fraction:
        if len(made) % 2 != place:
            return after(made, reply[made])
        moves = table.records[hands[place], made]
        total = sum(weight for _, weight in moves)
        return sum((Fraction(weight, total) * after(made, move) for move, weight in moves if weight), Fraction(0))

    def after(made: bytes, move: int) -> Fraction:
        if move == CHALLENGE:
            return Fraction(outcome(table.duel, made, hands))
        return worth(made + bytes([move]))

    return worth(b"")


def by_trying(table: SolvedTable, place: int) -> Fraction:
    """Return what the opener has, at least or at most, by trying every plan of the other one for each of its hands."""
    duel, whole = table.duel, Fraction(0)
    sets = information_sets(duel, 1 - place)
    plans = [dict(zip(sets, moves, strict=True)) for moves in product(*(duel.replies(made) for made in sets))]
    for theirs in range(len(duel.hands(1 - place))):
        worths = []
        for plan in plans:
            pairs = [(own, theirs) if place == 0 else (theirs, own) for own in range(len(duel.hands(place)))]
            worths.append(sum((worth_against(table, place, hands, plan) for hands in pairs), Fraction(0)))
        whole += min(worths) if place == 0 else max(worths)
    return whole / duel.faces.count**duel.tokens


@settings(max_examples=cases(12, 300))
@given(duel=st.sampled_from(SMALL), data=st.data())
def test_no_reply_does_better_than_the_one_that_is_reckoned_with(duel: Duel, data: st.DataObject) -> None:
    records: dict[Key, Moves] = {}
    for made in sorted((*information_sets(duel, 0), *information_sets(duel, 1)), key=len):
        for hand in range(len(duel.hands(len(made) % 2))):
            if len(made) < 2 or dict(records.get((hand, made[:-2]), ())).get(made[-2], 0):
                weights = data.draw(
                    st.lists(
                        st.integers(0, 5), min_size=len(duel.replies(made)), max_size=len(duel.replies(made))
                    ).filter(any)
                )
                records[hand, made] = tuple(zip(duel.replies(made), weights, strict=True))
    table = read_table(duel, write_table(records))
    assert guarantees_of(table) == Guarantees(by_trying(table, 0), by_trying(table, 1))


# ---- a table at a table -------------------------------------------------------------------------


def test_a_seat_plays_what_its_table_says() -> None:
    name = Duel((1, 1), PIPS, Counting(wild="always", aces="no")).name
    table = table_of(name)
    state = opened(common_hand(), {1: 1, 2: 1}, (1, 2))
    opening = weigh_solved(table, Sight(state, 1, {1: (6,)}), b"")
    assert opening is not None
    assert [option.command for option in opening.options] == [
        commands.Bid(1, claim.quantity, claim.face) for claim in map(table.duel.claim, dict(table.records[5, b""]))
    ]
    assert opening.legal == 10
    assert sum(option.worth for option in opening.options) == 1
    made = bytes([table.duel.number(table.duel.claim(5))])
    faced = weigh_solved(table, Sight(standing_on(state, [1, 6], [1, 6]), 1, {1: (2,)}), made)
    assert faced is not None
    assert {type(option.command) for option in faced.options} <= {commands.Bid, commands.Challenge}
    assert faced.legal == 6
    # What its own play never comes to is not in it, and neither is a hand that nobody holds.
    assert weigh_solved(table, Sight(state, 1, {1: (2,)}), bytes([11, 1, 2])) is None
    assert table.moves((2, 2), b"") is None


def test_replies_to_seats_that_play_everything_alike_are_as_good_as_elsewhere() -> None:
    elsewhere = json.loads((Path(__file__).parent / "vectors" / "values.json").read_text(encoding="utf-8"))["uniform"]
    duel = Duel((1, 1), PIPS, Counting(rank="ace_high", wild="always"))
    records: dict[Key, Moves] = {
        (hand, made): tuple((move, 1) for move in duel.replies(made))
        for place in (0, 1)
        for made in information_sets(duel, place)
        for hand in range(len(duel.hands(place)))
    }
    assert len(records) == elsewhere["information_sets"]
    found = guarantees_of(SolvedTable(duel, records))
    best = [Fraction(text) for text in elsewhere["best_replies_quantity_first"]]
    assert abs(found.upper - best[0]) < Fraction(1, 10**12)
    assert abs(-found.lower - best[1]) < Fraction(1, 10**12)
    assert abs(found.upper - found.lower - Fraction(elsewhere["quantity_first"])) < Fraction(1, 10**12)


@pytest.mark.parametrize("name", TABLES)
def test_by_its_own_table_no_move_with_weight_is_worse_than_another(name: str) -> None:
    table = table_of(name)
    for (hand, made), moves in table.records.items():
        reached = [(theirs, came_here(table, theirs, made)) for theirs in range(6)]
        worths = {
            sum(
                (
                    chance * worth_after(table, made, move, hands_of(made, hand, theirs))
                    for theirs, chance in reached
                    if chance
                ),
                Fraction(0),
            )
            for move, weight in moves
            if weight
        }
        assert len(worths) == 1


def hands_of(made: bytes, own: int, theirs: int) -> tuple[int, int]:
    """Return the hands of opener and other, of which the one to move has its own."""
    return (own, theirs) if len(made) % 2 == 0 else (theirs, own)


def came_here(table: SolvedTable, hand: int, made: bytes) -> Fraction:
    """Return how likely the seat that is not to move brings these claims about with a hand, as far as it can."""
    chance = Fraction(1)
    for length in range(1 - len(made) % 2, len(made), 2):
        moves = dict(table.records.get((hand, made[:length]), ()))
        chance *= Fraction(moves.get(made[length], 0), sum(moves.values()) or 1)
    return chance


def worth_after(table: SolvedTable, made: bytes, move: int, hands: tuple[int, int]) -> Fraction:
    """Return what a move comes to for the opener if both go on by their tables."""
    if move == CHALLENGE:
        return Fraction(outcome(table.duel, made, hands))
    after = made + bytes([move])
    moves = table.records[hands[len(after) % 2], after]
    total = sum(weight for _, weight in moves)
    return sum(
        (Fraction(weight, total) * worth_after(table, after, each, hands) for each, weight in moves if weight),
        Fraction(0),
    )
