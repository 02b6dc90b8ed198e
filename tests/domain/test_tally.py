"""The tally of a match, held against what layer 2 of the audit proves of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec import convert

from domain import commands
from domain.fairness.chain import follow
from domain.fairness.dealing import Dealing
from domain.fairness.records import split
from domain.games import GAMES
from domain.match.decide import Decision
from domain.statistics.tallies import (
    POOLED,
    DiceTally,
    TallyBuilder,
    TallyQuestion,
    tally_of_match,
    total_after_moves,
    total_of,
)
from projections.sheets import Sums, sums_of, tally_of
from tests.domain.truth_oracle import Course, played_out

BUNDLES = Path(__file__).parents[1] / "fairness" / "vectors" / "bundles"
GOOD = sorted(path.stem for path in BUNDLES.glob("ok-*.cup"))
Die = tuple[int, int, int, int, int, int]
"""Deal, cup, roll, slot, modulus, value."""


class Bots(Course):
    """A match in which the second seat is the house's."""

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        if isinstance(command, commands.Join) and command.player == "p2":
            command = commands.Join("bot/steady/1", "server")
        return super().do(command, after_ms)


def lines_of_match(game: str, per: str = "match", seed: str = "tally") -> list[bytes]:
    seats = GAMES[game].rules(convert({}, GAMES[game].options)).seats
    course = Bots({}, max(seats[0], min(3, seats[1])), seed, game, pause_ms=0, deal_per=per)
    course.start()
    return played_out(course, 1).lines


def proved(lines: Iterable[bytes]) -> list[Die]:
    """Return every die that layer 2 proves, but for blind ones, cup by cup in the order in which they were rolled."""
    dealing, event = Dealing(), None
    for line in lines:
        event = follow(line, event)
        dealing.step(event)
    dice = [(deal.number, *where, *what) for deal in dealing.deals for where, what in deal.values.items()]
    return sorted(die for die in dice if die[4] > 1)


def counted(tally: DiceTally, what: str, of: str = "all") -> dict[tuple[int, str], list[int]]:
    return {(one.m, one.which): cells for one, cells in tally.counts.items() if (one.what, one.of) == (what, of)}


def cups(dice: Iterable[Die]) -> Iterator[list[Die]]:
    """Yield the dice of each cup of each deal."""
    by_cup: dict[tuple[int, int], list[Die]] = {}
    for die in dice:
        by_cup.setdefault(die[:2], []).append(die)
    yield from by_cup.values()


def as_table(pairs: Counter[tuple[int, int]], m: int) -> list[int]:
    return [pairs[one, other] for one in range(m) for other in range(m)]


# ---- what is counted -----------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_every_die_that_was_rolled_is_counted_once_shown_or_not(game: str) -> None:
    lines = lines_of_match(game)
    tally = tally_of_match(lines)
    sides = Counter((m, value) for *_, m, value in proved(lines))

    assert counted(tally, "faces") == {(m, ""): [sides[m, value] for value in range(m)] for m, _ in sides}
    assert (tally.matches, tally.waiting, tally.shown) == (1, {}, {})
    assert tally.deals == sum(b'"type":"deal.closed"' in line for line in lines)


@pytest.mark.parametrize("game", GAMES)
def test_every_die_is_counted_by_its_slot_its_roll_its_seat_and_its_player(game: str) -> None:
    lines = lines_of_match(game)
    tally, dice = tally_of_match(lines), proved(lines)
    owners = {
        row[0]: row[1] for line in lines if b'"deal.committed"' in line for row in json.loads(line)["data"]["cups"]
    }
    kinds = {owner: {0: "nobody", 255: "nobody", 2: "house"}.get(owner, "person") for owner in owners.values()}

    def sums(of: str) -> dict[tuple[int, str], int]:
        return {key: sum(cells) for key, cells in counted(tally, "faces", of).items()}

    def pooled(number: int) -> str:
        return str(number) if number < POOLED else f"{POOLED}+"

    assert sums("slot") == Counter((die[4], pooled(die[3])) for die in dice)
    assert sums("roll") == Counter((die[4], pooled(die[2])) for die in dice)
    assert sums("seat") == Counter((die[4], str(owners[die[1]])) for die in dice)
    assert sums("player") == Counter((die[4], kinds[owners[die[1]]]) for die in dice)


@pytest.mark.parametrize("game", GAMES)
def test_pairs_are_neighbours_in_a_roll_and_the_same_slot_from_roll_to_roll(game: str) -> None:
    lines = lines_of_match(game)
    beside: Counter[tuple[int, tuple[int, int]]] = Counter()
    after: Counter[tuple[int, tuple[int, int]]] = Counter()
    for dice in cups(proved(lines)):
        for _, _, roll, slot, m, value in dice:
            beside.update((m, (value, die[5])) for die in dice if die[2:5] == (roll, slot + 1, m))
        for slot in {die[3] for die in dice}:
            same = [die for die in dice if die[3] == slot]
            after.update((one[4], (one[5], other[5])) for one, other in pairwise(same) if one[4] == other[4])
    for what, pairs in (("beside", beside), ("after", after)):
        by_sides = {m: Counter({pair: n for (k, pair), n in pairs.items() if k == m}) for m, _ in pairs if m <= 20}
        assert counted(tally_of_match(lines), what) == {(m, ""): as_table(pairs, m) for m, pairs in by_sides.items()}


@pytest.mark.parametrize("game", GAMES)
def test_runs_go_on_or_end_and_every_die_of_a_cup_but_the_first_says_which(game: str) -> None:
    lines = lines_of_match(game)
    told: dict[int, list[int]] = {}
    for dice in cups(proved(lines)):
        rows = [die[4:] for die in dice]
        for at, (one, other) in enumerate(pairwise(rows)):
            if one[0] == other[0]:
                length = next(back for back in range(1, at + 2) if back > at or rows[at - back] != one)
                cell = 2 * (min(length, 3) - 1) + (one == other)
                told.setdefault(one[0], [0] * 6)[cell] += 1
    assert counted(tally_of_match(lines), "runs") == {(m, ""): cells for m, cells in told.items()}


# ---- dice that wait ------------------------------------------------------------------------------


def of_all(numbers: dict[TallyQuestion, int]) -> int:
    return sum(number for one, number in numbers.items() if (one.what, one.of) == ("faces", "all"))


@pytest.mark.parametrize("per", ["match", "round"])
def test_a_die_waits_from_its_roll_until_its_deal_publishes_its_secret_and_nothing_tells_it_before(per: str) -> None:
    lines = lines_of_match("common_hand", per)
    counting, rolled, closed = TallyBuilder(), 0, 0
    for line in lines:
        if b'"type":"cup.rolled"' in line:
            rolled += len(json.loads(line)["data"]["slots"])
        if b'"type":"deal.closed"' in line:
            closed = rolled
        spoke = counting.step(line)
        tally = counting.tally
        assert of_all({one: sum(cells) for one, cells in tally.counts.items()}) == closed
        assert of_all(tally.waiting) == rolled - closed
        assert spoke or b'"type":"cup.' not in line
    assert closed == rolled > 0


@pytest.mark.parametrize("game", GAMES)
def test_what_waits_of_each_question_is_what_comes_of_it_later(game: str) -> None:
    lines = lines_of_match(game)
    last = max(at for at, line in enumerate(lines) if b'"type":"cup.rolled"' in line)
    before, after = tally_of_match(lines[: last + 1]), tally_of_match(lines)
    for question, cells in after.counts.items():
        known = sum(before.counts.get(question, [0]))
        assert known + before.waiting.get(question, 0) == sum(cells), question


def test_the_line_that_publishes_all_dice_is_counted_a_roll_at_a_time() -> None:
    counting, rolled = TallyBuilder(), 0
    for line in lines_of_match("common_hand"):
        pieces = list(counting.steps(line))
        rolled += b'"type":"cup.rolled"' in line
        assert len(pieces) == 1 + (rolled if b'"type":"deal.closed"' in line else 0)
    assert rolled > 1


# ---- records of others -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOOD)
def test_of_a_published_record_what_its_deals_published_is_counted_and_the_rest_is_only_told(name: str) -> None:
    lines = split((BUNDLES / f"{name}.cup").read_bytes()).lines
    tally, dice = tally_of_match(lines), proved(lines)
    sides: dict[int, list[int]] = {}
    for *_, m, value in dice:
        sides.setdefault(m, [0] * m)[value] += 1
    keeps = json.loads(lines[0])["data"]["policy"] == "shown"

    assert tally.shown == (sides if keeps else {})
    assert counted(tally, "faces") == ({} if keeps else {(m, ""): cells for m, cells in sides.items()})


def test_dice_that_play_has_shown_wait_with_all_others_until_the_secret_is_published() -> None:
    lines = split((BUNDLES / "incomplete-truncated.cup").read_bytes()).lines
    tally = tally_of_match(lines)
    rolled = sum(m > 1 for line in lines if b'"cup.rolled"' in line for m in json.loads(line)["data"]["m"])
    assert proved(lines), "some were shown"
    assert (tally.deals, tally.counts, of_all(tally.waiting)) == (0, {}, rolled)


def test_both_policies_are_among_the_published_records() -> None:
    policies = {json.loads(split((BUNDLES / f"{name}.cup").read_bytes()).lines[0])["data"]["policy"] for name in GOOD}
    assert policies == {"all", "shown"}


def test_a_die_that_is_shown_twice_is_told_once() -> None:
    shown = next(
        (name for name in GOOD if tally_of_match(split((BUNDLES / f"{name}.cup").read_bytes()).lines).shown), None
    )
    assert shown is not None
    lines = list(split((BUNDLES / f"{shown}.cup").read_bytes()).lines)
    at = next(at for at, line in enumerate(lines) if b'"type":"cup.revealed"' in line)

    assert tally_of_match([*lines[: at + 1], *lines[at:]]) == tally_of_match(lines)


def test_what_is_only_told_adds_up_as_well() -> None:
    both = [tally_of_match(split((BUNDLES / f"{name}.cup").read_bytes()).lines) for name in GOOD]
    told = [tally.shown.get(6, [0] * 6) for tally in both]
    assert total_of(both).shown[6] == [sum(sides) for sides in zip(*told, strict=True)]


# ---- sums ----------------------------------------------------------------------------------------


def test_tallies_add_up_in_any_order_and_one_can_be_taken_for_another() -> None:
    one, other = tally_of_match(lines_of_match("finska")), tally_of_match(lines_of_match("common_hand"))
    half = tally_of_match(lines_of_match("finska")[:30])

    assert total_of((one, other)) == total_of((other, one))
    assert total_of(()) == DiceTally()
    assert total_after_moves(total_of((half, other)), [(half, one)]) == total_of((one, other))


@pytest.mark.parametrize("game", GAMES)
def test_a_tally_is_read_from_its_sheet_as_it_was_written(game: str) -> None:
    lines = lines_of_match(game)
    for upto in (10, len(lines) // 2, len(lines)):
        tally = tally_of_match(lines[:upto])
        written = msgspec.json.encode(sums_of(tally))
        assert tally_of(msgspec.json.decode(written, type=Sums)) == tally


def test_no_tally_is_changed_by_adding_it() -> None:
    one = tally_of_match(lines_of_match("finska"))
    again = tally_of_match(lines_of_match("finska"))
    total_of((one, one))
    assert one == again
