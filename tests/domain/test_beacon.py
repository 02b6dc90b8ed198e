"""Deals that wait for a public beacon (CUP/1 sections 4.5, 5.3 and 6): nobody can know what it says while anybody can
still decide whether the deal counts.
"""

from __future__ import annotations

from itertools import count
from typing import Any, cast

import pytest
from msgspec import UNSET

from domain import commands, events
from domain.errors import Refused
from domain.fairness.beacons import (
    CHAINS,
    KNOWN,
    QUICKNET,
    Beacons,
    Chain,
    SignatureCheck,
    check_signatures,
    first_round_after,
    round_due_at,
)
from domain.fairness.deal import seed_commitment
from domain.fairness.records import RecordLine
from domain.match import ceremony
from domain.match.dues import beacon_due_at, due_at
from domain.match.evolve import open_match
from domain.match.settings import rules_object, settings_of
from projections.view import view_of
from services.audit.verdict import verdict_of
from tests.domain.playing import MATCH, Played
from tests.domain.truth_oracle import Course, Record, judged, played_out
from tests.fairness.record_files import audited, bundled
from tests.fairness.scripted_server import POLICY

BEACON = {"chain": QUICKNET, "genesis": CHAINS[QUICKNET].genesis, "period": CHAINS[QUICKNET].period}
NOON = 1_800_000_000_000


class Waiting(Course):
    """A match at a time when the beacon speaks, in which the first seat draws its own seeds."""

    def __init__(self, *given: Any, **rules: Any) -> None:
        super().__init__(*given, beacon=BEACON, pause_ms=0, **rules)
        self.at = NOON

    def sealed(self, custody: str = "server") -> None:
        self.do(commands.Join("p1", custody))  # type: ignore[arg-type]
        self.do(commands.Join("p2", "server"))
        self.do(commands.Start(self.chance()))
        if custody == "client":
            self.do(commands.CommitSeed(1, 0, commitment(self)))

    @property
    def left_ms(self) -> int:
        """How long it is until the beacon speaks."""
        at = beacon_due_at(self.match)
        assert at is not None
        return at - self.at

    @property
    def stage(self) -> str:
        assert self.match.ceremony is not None
        return self.match.ceremony.stage


SEED = "5e" * 32


def commitment(course: Course) -> str:
    ceremony = course.match.ceremony
    assert ceremony is not None
    return seed_commitment(bytes.fromhex(SEED), ceremony.ctx, ceremony.root, 1).hex()


LOG = commands.LogDeal(0, 0, (), "checkpoint")
FIX = commands.FixDeal(0, 0, (), "checkpoint")


# ---- rounds --------------------------------------------------------------------------------------


def test_a_round_is_due_a_period_after_the_one_before() -> None:
    chain = Chain(100, 3)
    assert [round_due_at(chain, number) for number in (1, 2, 3)] == [100, 103, 106]
    assert [first_round_after(chain, at) for at in (0, 100, 101, 103, 104)] == [1, 1, 2, 2, 3]


def test_the_round_of_a_deal_is_far_enough_ahead_when_it_is_sealed() -> None:
    course = Waiting(seats=2)
    course.sealed()
    assert 60_000 <= course.left_ms < 64_000


# ---- the way of a deal ----------------------------------------------------------------------------


def test_a_deal_is_ready_only_when_all_is_fixed_and_the_beacon_has_spoken() -> None:
    course = Waiting(seats=2)
    course.sealed()
    course.do(LOG)
    assert (course.stage, due_at(course.match)) == ("logged", None)
    course.do(FIX)
    assert (course.stage, due_at(course.match)) == ("fixed", None)
    number = ceremony_round(course)
    for wrong in (commands.HearBeacon(0, number + 1, "ab"), commands.HearBeacon(1, number, "ab"), FIX, LOG):
        assert refused(course, wrong) == "not_dealing"
    course.do(commands.HearBeacon(0, number, "ab"))
    ready = next(event for event in course.events if isinstance(event, events.DealReady))
    assert ready.beacon is not None
    assert (ready.beacon.round, ready.beacon.signature) == (number, "ab")


def ceremony_round(course: Course) -> int:
    assert course.match.ceremony is not None
    assert course.match.ceremony.beacon is not None
    return course.match.ceremony.beacon.round


def refused(course: Played, command: commands.MatchCommand) -> str:
    before = course.match
    with pytest.raises(Refused) as found:
        course.do(command, 0)
    assert course.match is before
    return found.value.code


def test_where_no_beacon_is_asked_none_is_heard() -> None:
    course = Played(seats=2)
    assert refused(course, FIX) == "not_dealing"
    course.start()
    assert {refused(course, FIX), refused(course, commands.HearBeacon(0, 1, "ab"))} == {"not_dealing"}


@pytest.mark.parametrize("policy", ["all", "shown"])
@pytest.mark.parametrize("deal_per", ["match", "round"])
def test_a_match_with_a_beacon_is_fair_in_all_layers(policy: str, deal_per: str) -> None:
    course = played(policy, deal_per)
    assert audited(course.record, KNOWN).status == "OK"
    assert judged(course.record).line is None
    assert all(event.beacon for event in course.events if isinstance(event, events.DealReady))
    assert audited(course.record, KNOWN).beacons == "unchecked"


def played(policy: str = "all", deal_per: str = "match") -> Waiting:
    course = Waiting({"dice_per_player": 1}, 2, "noon", "common_hand", policy, deal_per=deal_per)
    course.start()
    played_out(course, 3)
    return course


def test_what_follows_a_command_happens_at_its_time_where_time_decides_the_round() -> None:
    record = played().record
    at = next(number for number, one in enumerate(record) if one["type"] == "deal.sealed")
    later: Record = [{**one, "at": one["at"] + (30_000 if number == at else 0)} for number, one in enumerate(record)]
    assert judged(later).line == at + 1


def test_a_deal_does_not_wait_for_a_round_of_its_own_choice() -> None:
    record = played().record
    at = next(number for number, one in enumerate(record) if one["type"] == "deal.sealed")
    beacon = {**record[at]["data"]["beacon"], "round": record[at]["data"]["beacon"]["round"] + 5}
    for lie in (beacon, None):
        told = {**record[at], "data": {**record[at]["data"], "beacon": lie}}
        assert judged([*record[:at], told, *record[at + 1 :]]).line == at + 1
    ready = next(number for number, one in enumerate(record) if one["type"] == "deal.ready")
    unheard = {**record[ready], "data": {**record[ready]["data"], "beacon": None}}
    assert judged([*record[:ready], unheard, *record[ready + 1 :]]).line == ready + 1


# ---- what goes wrong -------------------------------------------------------------------------------


def test_a_seat_that_withholds_its_seed_is_named_and_barred_before_the_beacon_speaks() -> None:
    course = Waiting(seats=2)
    course.sealed("client")
    course.do(LOG)
    due = due_at(course.match)
    assert due is not None
    course.do(commands.Advance(course.chance()), due - course.at)
    assert course.left_ms > 6_000
    void = next(event for event in course.events if isinstance(event, events.DealVoided))
    assert (void.reason, void.seats) == ("withheld", (1,))
    assert judged(course.record).line is None


def test_no_seed_is_opened_any_more_when_the_beacon_is_near() -> None:
    course = Waiting(seats=2)
    course.sealed("client")
    course.do(LOG)
    course.at += course.left_ms - 14_999
    assert refused(course, commands.OpenSeed(1, 0, SEED)) == "not_dealing"
    course.at -= 10_000
    course.do(commands.OpenSeed(1, 0, SEED))
    assert course.match.ceremony is not None
    assert course.match.ceremony.waiting_for == ()


def late(stage: str, policy: str = "all") -> Waiting:
    """Return a match whose first deal reached this stage, and then the log was too late for the beacon."""
    course = Waiting({"dice_per_player": 1}, 2, policy=policy)
    course.sealed()
    if stage == "logged":
        course.do(LOG)
        course.do(FIX, course.left_ms - 5_999)
    else:
        course.do(LOG, course.left_ms - 44_999)
    assert [events.type_of(event) for event in course.events[-2:]] == ["deal.voided", "deal.closed"]
    course.go_on()
    return cast(Waiting, played_out(course, 1))


def test_a_deal_that_the_log_has_too_late_is_dealt_anew_and_nobody_is_to_blame() -> None:
    course = late("sealed")
    assert course.match.deals == 2
    assert judged(course.record).line is None
    assert audited(course.record, KNOWN).status == "OK"


@pytest.mark.parametrize("policy", ["all", "shown"])
def test_a_beacon_that_was_missed_is_the_houses_fault_and_the_audit_says_so(policy: str) -> None:
    course = late("logged", policy)
    assert judged(course.record).line is None
    assert audited(course.record, KNOWN).code == "E_ABORT"


def test_while_the_beacon_is_late_the_table_waits_and_nobody_acts() -> None:
    course = Waiting(seats=2)
    course.sealed()
    course.do(LOG)
    course.do(FIX)
    course.at += 86_400_000
    assert refused(course, commands.Advance(course.chance())) == "wrong_phase"
    assert refused(course, commands.Forfeit(1)) == "wrong_phase"
    view = view_of(course.written, None, None, {})
    assert view.deal is not None
    assert (view.phase, view.deal.stage, view.deal.beacon_at) == ("dealing", "fixed", beacon_due_at(course.match))


# ---- settings ------------------------------------------------------------------------------------


def test_a_match_without_a_beacon_has_the_rules_object_it_always_had() -> None:
    rules = {"game": "finska", "options": {}}
    assert "beacon" not in open_match(MATCH, rules).rules
    assert open_match(MATCH, {**rules, "beacon": None}) == open_match(MATCH, rules)
    assert rules_object(settings_of({**rules, "beacon": BEACON}))["beacon"] == BEACON


@pytest.mark.parametrize("wrong", [{"chain": "x"}, {"period": 0}, {"genesis": -1}, {"more": 1}])
def test_a_beacon_is_described_or_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused) as found:
        open_match(MATCH, {"game": "finska", "options": {}, "beacon": {**BEACON, **wrong}})
    assert str(found.value.facts["option"]).startswith("beacon")


# ---- signatures ------------------------------------------------------------------------------------


def test_a_signature_that_the_beacons_key_did_not_make_is_found_on_its_line() -> None:
    course = played(deal_per="round")
    ready = [at for at, one in enumerate(course.record, start=1) if one["type"] == "deal.ready"]
    rounds = [one["data"]["beacon"]["round"] for one in course.record if one["type"] == "deal.ready"]

    def all_but(last: int) -> Beacons:
        return Beacons(CHAINS, lambda chain, number, signature: bool(chain and signature) and number != last)

    assert audited(course.record, all_but(0)).beacons == "checked"
    for line, number in zip(ready, rounds, strict=True):
        found = audited(course.record, all_but(number))
        assert (found.code, found.line) == ("E_BEACON", line)


def test_a_record_without_a_beacon_says_nothing_of_beacons() -> None:
    assert audited(short().record).beacons is UNSET


def short() -> Course:
    course = Course({"dice_per_player": 1}, 2, pause_ms=0)
    course.start()
    return played_out(course, 1)


def test_a_beacon_nobody_here_knows_is_not_checked() -> None:
    answer = {"chain": "0" * 64, "round": 1, "randomness": "0" * 64, "signature": "ab"}
    lines = [RecordLine(9, "deal.ready", {"deal": 0, "mix": "0" * 64, "beacon": answer}, 1)]
    assert check_signatures(lines, Beacons({}, lambda _chain, _number, _signature: False)) == SignatureCheck(
        checked=False
    )


def test_a_beacon_of_one_deal_vouches_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """As only layer 3 asks for a beacon in every deal, layers 1 and 2 say which deals had none."""
    ahead, asked = ceremony.round_ahead, count()  # a server that leaves the beacon out
    monkeypatch.setattr(ceremony, "round_ahead", lambda chosen, at: None if next(asked) else ahead(chosen, at))
    course = Waiting({"dice_per_player": 2}, 2, "noon", "common_hand", "all", deal_per="round")
    course.start()
    record = bundled(played_out(course, 3).record)
    believed = Beacons(KNOWN.chains, lambda *_: True)

    found = verdict_of(record, POLICY, (1, 2), believed)
    assert (found.status, found.beacons) == ("OK", "checked")
    assert found.alone is not UNSET
    assert 1 in found.alone
    assert 0 not in found.alone
    assert verdict_of(record, POLICY, (1, 2, 3), believed).code == "E_RULES"
