"""Deals that publish no more than the dice the rules show (CUP/1 section 5.4), and what can still be proved of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from domain import commands, events
from domain.audit.published import NOTHING, PublishedDeal, PublishedDice, SecretlessDeal
from domain.errors import Refused
from domain.events import Choice
from domain.fairness.faults import Fault
from domain.fairness.openings import DealSecrets, OpenDeal
from domain.fairness.proving import prove_opening
from domain.match.evolve import open_match
from domain.table.places import Handful, Place, candidates
from projections.unshown_openings import unshown_openings
from tests.domain.playing import MATCH, commands_for
from tests.domain.test_lies import changed
from tests.domain.truth_oracle import Course, Record, judged, played_out
from tests.fairness.record_files import audited, bundled

UNSEEN: list[tuple[str, dict[str, Any], str]] = [
    ("liars_poker", {}, "claims are counted over dice that are not shown"),
    ("liars_poker_wizard", {}, "claims are counted over dice that are not shown"),
    ("boss_liars", {"mode": "all_challenge", "loser_may_muck": True}, "the losers of a claim do not show their dice"),
    ("dollar_bill", {}, "a number that was played before is dealt anew unseen"),
    ("german_liar_dice", {}, "all dice are looked at for five aces"),
    ("boss_liars", {"cocked": True}, "dice may lie cocked unseen"),
]


@pytest.mark.parametrize(("game", "options", "why"), UNSEEN)
def test_where_dice_decide_that_nobody_is_shown_their_deal_publishes_them(
    game: str, options: dict[str, Any], why: str
) -> None:
    assert open_match(MATCH, {"game": game, "options": options}).policy == "all"
    with pytest.raises(Refused) as refused:
        open_match(MATCH, {"game": game, "options": options}, "shown")
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", "policy")
    assert str(refused.value.facts["why"]).endswith(why)


def test_a_deal_that_publishes_nothing_may_be_for_one_round_even_where_hands_are_folded() -> None:
    rules = {"game": "individual_hand", "options": {}, "deal_per": "round"}
    assert open_match(MATCH, rules, "shown").rules["deal_per"] == "round"
    with pytest.raises(Refused):
        open_match(MATCH, rules)


@pytest.mark.parametrize("deal_per", ["match", "round"])
def test_what_was_never_shown_stays_so_and_the_three_layers_agree(deal_per: str) -> None:
    course = played(deal_per=deal_per)
    ends = [event for event in course.events if isinstance(event, events.DealClosed)]
    assert ends
    assert {event.secret for event in ends} == {None}
    assert audited(course.record).status == "OK"
    assert (judged(course.record).line, judged(course.record).upto) == (None, len(course.record))


def test_a_choice_among_dice_that_were_never_shown_is_told_to_be_unknown() -> None:
    assert "is not known, " in judged(played().record).why
    assert "is not known" not in judged(played("all").record).why


def test_a_match_that_goes_on_is_judged_as_far_as_it_has_come() -> None:
    for policy, whole in (("shown", True), ("all", False)):
        course = begun(policy)
        course.do(next(command for seat, move in course.offers() for command in commands_for(seat, move)))
        course.do(commands.Arrange(turn(course), roll_inside=(0, 1)))
        assert judged(course.record).line is None
        assert (judged(course.record).upto == len(course.record)) is whole


def test_a_record_that_ends_before_the_dice_of_a_declared_throw_are_shown_is_at_no_fault() -> None:
    course = Course({}, 3, "1", "mexican", "shown", pause_ms=0)
    course.start()
    record = played_out(course, 1).record
    declared = next(at + 1 for at, one in enumerate(record) if one["type"] == "game.declared")
    assert (judged(record[:declared]).line, judged(record[:declared]).upto) == (None, declared - 1)
    assert judged(record[: declared + 1]).line is None


def test_a_choice_that_was_never_opened_rolls_no_die_that_is_shown_later() -> None:
    handled = events.Arranged(1, 1, (), (), 1, 0, 1, "sealed")
    place, before = Place(1, 2, handled=(handled,)), Handful(((0, 0), (0, 1)), ())
    for later, supposed in (((), (0,)), ((0,), (1,)), ((1,), (0,)), ((0, 1), None)):
        told = PublishedDeal(NOTHING, keys={(1, 0, slot): (NOTHING, 50) for slot in later})
        dealer = PublishedDice(0, SecretlessDeal(NOTHING, b"", (), told), NOTHING, told)
        assert dealer.suppose(before, handled, place, 10) is (supposed is not None)
        choice = dealer.unseal("sealed", 1, 2, candidates(before, handled))
        assert (None if choice is None else choice.roll_inside) == supposed
        assert dealer.unseal("sealed", 2, 2, candidates(before, handled)) is None


@pytest.mark.parametrize("policy", ["shown", "all"])
def test_a_seal_that_is_copied_says_nothing_of_the_one_it_is_copied_from(policy: str) -> None:
    fair, lie, line = copied_seal(policy)
    assert (judged(fair).line, judged(fair).upto) == (None, len(fair))
    assert (judged(lie).line, judged(lie).why) == (line, "this seal stands in the deal before")


def copied_seal(policy: str) -> tuple[Record, Record, int]:
    """Return a fair match; one whose server gives a seat the other's seal, to say what that chose; the line of that."""
    fair, lie, line = begun(policy), begun(policy), 0
    for course, lies in ((fair, False), (lie, True)):
        call(course)
        course.do(commands.Arrange(turn(course), roll_inside=(3, 4)))
        call(course)
        if lies:
            copy_seal(course)
        line = len(course.record) + 1
        course.do(commands.Arrange(turn(course), roll_inside=(3, 4)))
        call(course)
        call(course)
        course.do(commands.Challenge(turn(course)))
        course.go_on()
        course.do(commands.Forfeit(1))
        course.go_on()
    said = [one["choices"][0]["roll_inside"] for record in (fair.record, lie.record) for one in shown_choices(record)]
    assert said[0] == [3, 4]
    assert [0, 1] in said
    return fair.record, lie.record, line


def call(course: Course) -> None:
    course.do(
        next(
            command
            for seat, move in course.offers()
            if seat == turn(course)
            for command in commands_for(seat, move)
            if isinstance(command, commands.ClaimHand)
        )
    )


def shown_choices(record: Record) -> list[dict[str, Any]]:
    return [one["data"] for one in record if one["type"] == "game.choices_revealed"]


def copy_seal(course: Course) -> None:
    """Let the last seal stand for another choice from now on, and the seat in turn have that seal as well."""
    assert course.keeper is not None
    assert course.match.ceremony is not None
    assert course.match.ceremony.mix is not None
    real = course.keeper.open_deal(course.match.ceremony.mix)
    seal = next(event.choice for event in reversed(course.events) if isinstance(event, events.Arranged))
    assert seal is not None
    course.keeper._dealer = Copying(real, turn(course), seal)  # noqa: SLF001 - it is the keeper that lies


class Copying(OpenDeal):
    """A dealer that lies about the choice of one seat, with the help of another."""

    __slots__ = ("cup", "seal")

    def __init__(self, real: OpenDeal, cup: int, seal: str) -> None:
        super().__init__(real.number, real.deal, real.mix)
        self.cup, self.seal = cup, seal

    def seal_of(self, choice: Choice, cup: int, slot: int) -> str:
        return self.seal if cup == self.cup else super().seal_of(choice, cup, slot)

    def unseal(self, seal: str, cup: int, slot: int, candidates: Iterable[Choice]) -> Choice | None:
        return Choice(1, (0, 1), (), ()) if seal == self.seal else super().unseal(seal, cup, slot, candidates)


def test_a_secret_is_there_or_not_whatever_its_bytes_are() -> None:
    for record, line in secrets_of_zeros():
        assert (judged(record).line, judged(record).upto) == (line, line or len(record))


def secrets_of_zeros() -> Iterator[tuple[Record, int | None]]:
    """Yield matches whose server "drew" only zeros: fair ones, and some with a choice that is not the one it was."""
    for policy in ("all", "shown"):
        course = played_out(begun(policy, drawing=Zeros), 1)
        fair = course.record
        yield fair, None
        for at, one in enumerate(fair) if policy == "all" else ():
            if one["type"] == "game.arranged" and one["data"]["choice"] is not None:
                yield changed(fair, at, choice="0" * 64)


class Zeros(Course):
    """A match of a server that calls 32 zero bytes a secret."""

    def chance(self) -> commands.Chance:
        return commands.Chance(bytes(32), dict.fromkeys(range(1, 11), bytes(32)))


# ---- what can still be proved ---------------------------------------------------------------------


def test_an_owner_can_prove_each_of_its_folded_dice_and_nobody_elses() -> None:
    course, folds = played(), 0
    for seat in (1, 2):
        for opening in unshown_openings(course.events, seat, keepers(course)):
            assert opening.cup == seat
            shown = prove_opening(bundled(course.record), events.data_of(opening))
            assert len(shown.values) == len(opening.keys)
            folds += len(shown.values)
    rolled = sum(len(event.slots) for event in course.events if isinstance(event, events.Rolled) and event.cup)
    opened = sum(len(event.keys) for event in course.events if isinstance(event, events.Revealed) and event.cup)
    assert 0 < folds == rolled - opened


def test_what_is_said_to_be_a_folded_die_has_to_be_the_one_that_was_fixed() -> None:
    course = played()
    opening = events.data_of(next(unshown_openings(course.events, 1, keepers(course))))
    slot, value = opening["values"][0]
    other = keepers(course)[0].deal.key(2, 0, 0).hex()
    lies = [
        ("E_VALUE", {"values": [[slot, (value + 1) % 6], *opening["values"][1:]]}),
        ("E_KEY", {"keys": [[slot, other], *opening["keys"][1:]]}),
        ("E_PATH", {"path": opening["path"][1:]}),
        ("E_SLOT", {"roll": 300}),
        ("E_SLOT", {"deal": 7}),
        ("E_FORMAT", {"more": 1}),
    ]
    for code, lie in lies:
        with pytest.raises(Fault) as fault:
            prove_opening(bundled(course.record), {**opening, **lie})
        assert fault.value.code == code


def test_nothing_is_folded_while_the_deal_goes_on_or_where_all_is_published() -> None:
    assert list(unshown_openings(begun("shown").events, 1, keepers(begun("shown")))) == []
    assert list(unshown_openings(played("all").events, 1, keepers(played("all")))) == []
    assert list(unshown_openings(played().events, 1, {})) == []


def keepers(course: Course) -> dict[int, DealSecrets]:
    return {moment.keeper.number: moment.keeper for moment in course.moments if moment.keeper is not None}


# ---- a match -------------------------------------------------------------------------------------


def played(policy: str = "shown", **rules: Any) -> Course:
    return played_out(begun(policy, **rules), 1)


def begun(policy: str, drawing: type[Course] = Course, **rules: Any) -> Course:
    course = drawing({}, 2, "folded", "individual_hand", policy, pause_ms=0, **rules)
    course.start()
    return course


def turn(course: Course) -> int:
    assert course.match.table is not None
    assert course.match.table.turn is not None
    return course.match.table.turn
