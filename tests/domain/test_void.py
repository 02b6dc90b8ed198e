"""Deals that come to nothing, and what else may fail (CUP/1 sections 4.8 and 6), row by row.

Every match here has seats that draw their own seeds, and is audited in all layers whatever became of it.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.fairness.beacons import CHAINS, KNOWN, QUICKNET
from domain.fairness.deal import seed_commitment
from domain.match.ceremony import CEREMONY_MS
from domain.match.dues import due_at
from services.audit.verdict import Verdict
from tests.domain.truth_oracle import Course, Record, judged
from tests.fairness.record_files import audited

POLICIES = pytest.mark.parametrize("policy", ["all", "shown"])
PER = pytest.mark.parametrize("deal_per", ["match", "round"])
BEACON = {"chain": QUICKNET, "genesis": CHAINS[QUICKNET].genesis, "period": CHAINS[QUICKNET].period}
BEACONS = pytest.mark.parametrize("beacon", [None, BEACON], ids=["alone", "beacon"])


class Own(Course):
    """A match of which all seats draw their own seeds, but the last."""

    def __init__(self, policy: str = "all", seats: int = 4, **rules: Any) -> None:
        super().__init__({"dice_per_player": 1}, seats, "void", "common_hand", policy, pause_ms=0, **rules)
        self.at = 1_800_000_000_000
        for seat in range(1, seats + 1):
            self.do(commands.Join(f"p{seat}", "client" if seat < seats else "server"))
        self.do(commands.Start(self.chance()))

    def own(self, seat: int) -> bytes:
        return hashlib.sha256(f"{seat} {self.match.deals}".encode()).digest()

    @property
    def waiting(self) -> tuple[int, ...]:
        return () if self.match.ceremony is None else self.match.ceremony.waiting_for

    @property
    def stage(self) -> str:
        assert self.match.ceremony is not None
        return self.match.ceremony.stage

    def commit(self, *but: int) -> None:
        """Let every seat fix its seed, and the log have the deal."""
        ceremony = self.match.ceremony
        assert ceremony is not None
        for seat in self.waiting:
            if seat not in but:
                made = seed_commitment(self.own(seat), ceremony.ctx, ceremony.root, seat)
                self.do(commands.CommitSeed(seat, ceremony.deal, made.hex()))
        if self.stage == "sealed":
            self.do(commands.LogDeal(ceremony.deal, 0, (), "checkpoint"))

    def open(self, *but: int) -> None:
        """Let every seat but these open its seed."""
        for seat in self.waiting:
            if seat not in but:
                self.do(commands.OpenSeed(seat, self.match.deals - 1, self.own(seat).hex()))

    def withhold(self, *seats: int) -> None:
        """Play the ceremony up to the void that these seats bring about."""
        self.commit()
        self.open(*seats)
        self.advance()

    def advance(self) -> None:
        due = due_at(self.match)
        assert due is not None
        self.do(commands.Advance(self.chance()), max(0, due - self.at))

    def dealt(self) -> None:
        """Play the ceremony that is due to its end."""
        while self.stage != "ready":
            if self.stage in {"closed", "voided"}:
                self.advance()
            elif self.waiting or self.stage == "sealed":
                self.commit()
                self.open()
            else:
                assert self.hears()

    def end(self) -> Verdict:
        """Bring the match to its end and audit it."""
        while not self.match.ended:
            assert self.match.table is not None
            if self.stage != "ready":
                self.dealt()
            self.do(commands.Forfeit(self.match.table.remaining[-1]))
        assert judged(self.record).line is None, judged(self.record)
        return audited(self.record, KNOWN)

    def told(self, kind: type[events.Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def refused(course: Course, command: commands.MatchCommand) -> str:
    with pytest.raises(Refused) as found:
        course.do(command, 0)
    return found.value.code


# ---- who withholds a seed -------------------------------------------------------------------------


@POLICIES
@PER
@BEACONS
@pytest.mark.parametrize("missing", [(2,), (1, 3), (1, 2, 3)])
def test_exactly_those_who_withhold_are_named_and_barred_and_the_secret_is_published(
    missing: tuple[int, ...], policy: str, deal_per: str, beacon: Any
) -> None:
    course = Own(policy, deal_per=deal_per, beacon=beacon)
    assert course.keeper is not None
    secret = course.keeper.secret
    course.withhold(*missing)
    (void,), (closed,) = course.told(events.DealVoided), course.told(events.DealClosed)
    assert (void.seats, void.reason) == (missing, "withheld")
    assert closed.secret == secret.hex()
    assert [left.seat for left in course.told(events.SeatLeft)] == [*missing]
    assert course.match.table is not None
    assert {*course.match.table.out} >= {*missing}
    assert course.end().status == "OK"
    later = course.told(events.DealSealed)[1:]
    assert all({*deal.seats}.isdisjoint(missing) for deal in later)
    assert bool(later) is (len(missing) < 3)


@POLICIES
def test_a_later_deal_is_voided_like_the_first(policy: str) -> None:
    course = Own(policy, deal_per="round")
    course.dealt()
    course.do(commands.Forfeit(4))
    course.advance()
    course.withhold(2)
    assert [void.deal for void in course.told(events.DealVoided)] == [1]
    secrets = [closed.secret is None for closed in course.told(events.DealClosed)]
    assert secrets == [policy == "shown", False]
    assert course.end().status == "OK"


def test_nobody_is_voided_early() -> None:
    course = Own()
    course.commit()
    assert refused(course, commands.Advance(course.chance())) == "wrong_phase"
    course.at += CEREMONY_MS - 20
    assert refused(course, commands.Advance(course.chance())) == "wrong_phase"
    course.open()
    assert course.stage == "ready"


def test_no_seed_is_missing_and_so_nothing_is_voided() -> None:
    course = Own()
    course.dealt()
    course.at += 10 * CEREMONY_MS
    assert due_at(course.match) is None
    assert refused(course, commands.Advance(course.chance())) == "wrong_phase"


def test_a_seed_that_comes_after_the_void_comes_too_late() -> None:
    course = Own()
    course.withhold(2)
    assert refused(course, commands.OpenSeed(2, 0, "0" * 64)) == "not_dealing"
    course.advance()
    assert refused(course, commands.CommitSeed(2, 1, "0" * 64)) == "not_dealing"


def test_who_is_blamed_unfairly_can_show_which_dice_were_thrown_away() -> None:
    course = Own()
    course.withhold(2)
    seeds = {event.seat: event.seed for event in course.told(events.SeedOpened)}
    assert seeds.keys() == {1, 3, 4}
    (closed,) = course.told(events.DealClosed)
    committed = next(event for event in course.told(events.SeedCommitted) if event.seat == 2)
    assert course.keeper is not None
    deal = course.keeper.deal
    seed = hashlib.sha256(b"2 1").digest()
    assert closed.secret == deal.secret.hex()
    assert seed_commitment(seed, deal.ctx, deal.root, 2).hex() == committed.commit


# ---- who fixes no seed ----------------------------------------------------------------------------


@POLICIES
@BEACONS
def test_who_fixes_no_seed_in_time_has_it_drawn_and_the_record_says_so(policy: str, beacon: Any) -> None:
    course = Own(policy, beacon=beacon)
    course.commit(2, 3)
    course.advance()
    assert [event.seat for event in course.told(events.SeedCustody)][1:] == [2, 3]
    verdict = course.end()
    assert verdict.status == "OK"
    assert verdict.seeds.server == (2, 3, 4)  # type: ignore[union-attr]


# ---- lies about a void ----------------------------------------------------------------------------


@POLICIES
@pytest.mark.parametrize(
    ("kind", "members", "code"),
    [
        ("deal.voided", {"seats": [1]}, "E_ABORT"),
        ("deal.voided", {"seats": []}, "E_ABORT"),
        ("deal.voided", {"seats": [1, 2]}, "E_ABORT"),
        ("deal.voided", {"reason": "late"}, "E_RULES"),
        ("deal.voided", {"reason": "bad luck"}, "E_RULES"),
        ("deal.closed", {"secret": None}, "E_WITHHELD"),
        ("deal.closed", {"secret": "0" * 64}, "E_SECRET"),
        ("seat.left", {"seat": 9}, "E_ORDER"),
        ("seat.left", {"reason": "gone"}, "E_RULES"),
    ],
)
def test_a_void_is_told_as_it_was(kind: str, members: dict[str, Any], code: str, policy: str) -> None:
    course = Own(policy)
    course.withhold(2)
    course.end()
    lie, line = changed(course.record, kind, members)
    found = audited(lie)
    assert (found.code, found.line) == (code, line)


def changed(record: Record, kind: str, members: dict[str, Any]) -> tuple[Record, int]:
    at = next(number for number, one in enumerate(record) if one["type"] == kind)
    return [*record[:at], {**record[at], "data": {**record[at]["data"], **members}}, *record[at + 1 :]], at + 1


@POLICIES
def test_a_deal_is_not_thrown_away_for_its_dice(policy: str) -> None:
    course = Own(policy)
    course.dealt()
    record = course.record
    void = {**record[-1], "type": "deal.voided", "data": {"deal": 0, "reason": "withheld", "seats": [2]}}
    assert audited([*record, void]).code == "E_ABORT"


def test_a_secret_that_was_to_stay_one_is_not_published() -> None:
    course = Own("shown")
    course.dealt()
    assert course.keeper is not None
    secret = course.keeper.secret.hex()
    course.end()
    lie, line = changed(course.record, "deal.closed", {"secret": secret})
    assert (audited(lie).code, audited(lie).line) == ("E_ORDER", line)


# ---- cups -----------------------------------------------------------------------------------------


@POLICIES
def test_when_the_cups_are_exhausted_another_deal_begins_in_the_same_match(policy: str) -> None:
    course = Course({"elimination": "none", "dice_per_player": 1}, 2, "long", "common_hand", policy, pause_ms=0)
    course.start()
    while course.match.deals < 2:
        course.do(commands.Bid(turn(course), 1, 2))
        course.do(commands.Challenge(turn(course)))
        course.go_on()
    course.do(commands.Forfeit(turn(course)))
    assert course.match.ended
    assert audited(course.record).status == "OK"


def turn(course: Course) -> int:
    assert course.match.table is not None
    assert course.match.table.turn is not None
    return course.match.table.turn
