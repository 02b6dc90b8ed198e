"""Blueprints as they are learnt: what is remembered of a round, how good it gets, and what is said of that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain import commands
from domain.rules.orders import Count
from domain.rules.rules import Counting, Faces
from domain.strategy.duels.best_reply import guarantees_of
from domain.strategy.duels.blueprint import BlueprintTable
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import Key, Moves, SolvedTable
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.policies.files import prove, read_policy
from domain.strategy.sight import Sight
from services.solver.blueprint import blueprint_of
from services.solver.contexts import contexts_of
from services.solver.local_reply import gives_away
from services.solver.regrets import HANDS_MAX, Regrets
from services.solver.solving import policy_of
from tests.analysis.positions import counting_rules, opened, standing_on
from tests.sizes import cases

SMALL = Duel((1, 1), Faces(1, 3), Counting(wild="always", aces="no"))
HALVES = Duel((1, 2), Faces(1, 3), Counting("no_decrease", wild="always", aces="half_double"))


def learnt(duel: Duel, passes: int, seed: bytes = b"\0", once_in: int | None = None) -> bytes:
    regrets = Regrets(contexts_of(duel), seed)
    for _ in range(passes):
        regrets.go_through()
    return blueprint_of(regrets, once_in)


def table_in(data: bytes) -> BlueprintTable:
    table = read_policy(data).content
    assert isinstance(table, BlueprintTable)
    return table


def rows_of(duel: Duel, most: int) -> Iterator[bytes]:
    """Yield the rows of claims of a round, the shorter ones first, with so many claims at most."""
    ahead = [b""]
    for made in ahead:
        yield made
        if len(made) < most:
            ahead += [made + bytes([move]) for move in duel.replies(made) if move != CHALLENGE]


@pytest.mark.parametrize("duel", [SMALL, HALVES])
def test_every_row_of_claims_leads_to_the_context_of_its_last_three(duel: Duel) -> None:
    contexts = contexts_of(duel)
    met: set[tuple[int, int]] = set()
    for made in rows_of(duel, cases(5, 8)):
        at, row = 0, 0
        for place, claim in enumerate(made):
            after = contexts.groups[at].onward[contexts.groups[at].moves.index(claim)]
            assert after.group > at, place
            at, row = after.group, after.row
        group = contexts.groups[at]
        assert (group.turn, group.claims(row), group.moves) == (len(made) % 2, made[-3:], duel.replies(made))
        met.add((at, row))
    every = {(at, row) for at, group in enumerate(contexts.groups) for row in range(len(group.earlier))}
    # Whatever is remembered comes about in so many claims, but for what is late in a round.
    assert met <= every
    assert met == every or duel is HALVES


def whole_table(table: BlueprintTable) -> SolvedTable:
    """Return how a blueprint plays after every row of claims, with level 1 where it says nothing."""
    duel, records = table.duel, dict[Key, Moves]()
    for made in rows_of(duel, duel.tokens * duel.faces.count):
        for hand, faces in enumerate(duel.hands(len(made) % 2).hands):
            own = (hand, made[:-2])
            if len(made) < 2 or dict(records.get(own, ())).get(made[-2], 0):
                records[hand, made] = table.moves(faces, made) or by_odds(duel, faces, made)
    return SolvedTable(duel, records)


def by_odds(duel: Duel, faces: tuple[int, ...], made: bytes) -> Moves:
    counting = duel.counting
    case = {
        "faces": [*range(1, duel.faces.count + 1)],
        "order": counting.order,
        "rank": counting.rank,
        "wild": counting.wild,
        "natural": counting.natural,
        "aces": counting.aces,
    }
    place = len(made) % 2
    state = opened(counting_rules(case, max(duel.dice)), {1: duel.dice[place], 2: duel.dice[1 - place]}, (1, 2))
    claims = [duel.claim(number) for number in made]
    if claims:
        first, last = claims[0], claims[-1]
        state = standing_on(state, (last.quantity, last.face), (first.quantity, first.face))
    options = weigh(Sight(state, 1, {1: faces}), LEVEL_ONE).options
    return tuple(sorted((number_of(duel, option.command), option.weight) for option in options))


def number_of(duel: Duel, command: commands.Play) -> int:
    return duel.number(Count(command.quantity, command.face)) if isinstance(command, commands.Bid) else CHALLENGE


def test_what_is_learnt_comes_near_to_what_cannot_be_beaten() -> None:
    value = prove(read_policy(policy_of(SMALL))).lower
    widths = []
    for passes in (1, 20, 400):
        found = guarantees_of(whole_table(table_in(learnt(SMALL, passes))))
        assert found.lower <= value <= found.upper
        widths.append(found.upper - found.lower)
    assert widths == sorted(widths, reverse=True)
    # A round is worth 2 between won and lost.
    assert widths[-1] < 2 / 20


@pytest.mark.parametrize("passes", [1, 5, 100])
def test_no_reply_wins_more_than_the_best_one_against_the_whole_table(passes: int) -> None:
    table = table_in(learnt(SMALL, passes))
    given, proved = gives_away(table), guarantees_of(whole_table(table))
    assert given.opening <= float(proved.upper) + 1e-9
    assert given.answering <= -float(proved.lower) + 1e-9
    # With at most five claims three of them are nearly all there is to remember.
    assert given.mean >= float(proved.upper - proved.lower) / 2 * 0.9


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_hands() -> None:
    large = Duel((4, 1), Faces(1, 4), Counting(wild="always", aces="no"))
    assert len(large.hands(0)) > HANDS_MAX
    found = learnt(large, 2)
    assert found == learnt(large, 2)
    assert table_in(found).records != table_in(learnt(large, 2, b"\1")).records
    # Where all hands are gone through, nothing is drawn.
    assert table_in(learnt(SMALL, 2, b"\0")).records == table_in(learnt(SMALL, 2, b"\1")).records


def test_what_a_hand_hardly_ever_comes_to_may_be_left_out() -> None:
    whole, small = (table_in(learnt(HALVES, 20, once_in=once_in)) for once_in in (None, 200))
    left_out = set(whole.records) - set(small.records)
    assert small.records == {context: moves for context, moves in whole.records.items() if context not in left_out}
    # Every hand opens, and no claims are left out that any hand comes to often.
    assert {hand for _, hand, claims in small.records if not claims} == set(range(len(HALVES.hands(0))))
    assert len(whole.records) // 3 < len(left_out) < len(whole.records)
