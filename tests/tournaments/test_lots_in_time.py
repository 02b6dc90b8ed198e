"""Lots drawn in time: deals that are begun, waited for, thrown away, used up; and a deal of its own for each lot."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands as of_lots
from domain.events import DealLogged, DealVoided, Rolled, SeedCustody, SeedOpened
from domain.match.ceremony import AHEAD_MS, CEREMONY_MS, OPENED_MS
from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE
from domain.tournaments.formats.format import DueStep
from tests.tournaments.events_by_hand import HOST, STRANGER, EventByHand, player, seed_of
from tests.tournaments.events_for_audit import BEACON, NOON, WrittenEvent, bent, judged, number_of

EACH = {"deal": "each"}
PRIZES = {"unit": "EUR", "amounts": [3, 2]}


def audited(event: WrittenEvent) -> None:
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why


# ---- the ceremony ------------------------------------------------------------------------------------


def test_no_lot_is_drawn_before_there_is_a_deal_or_by_who_draws_none() -> None:
    event = EventByHand().enter(3)
    commit = of_lots.CommitSeed(2, 0, "ab" * 32)
    assert event.code(commit) == "not_dealing"
    event.check_in(draws=(1,)).step()
    assert event.code(of_lots.CommitSeed(3, 0, "ab" * 32)) == "unknown_player"
    assert event.code(of_lots.OpenSeed(1, 0, seed_of(1).hex())) == "server_custody"
    assert event.code(of_lots.CommitSeed(2, 0, "ab")) == "seed_mismatch"
    assert event.code(of_lots.LogDeal(0, 0, (), "")) == "not_dealing"
    assert event.code(of_lots.FixDeal(0, 0, (), "")) == "not_dealing"
    assert event.code(of_lots.HearBeacon(0, 1, "ab")) == "not_dealing"


def test_the_first_sixteen_draw_in_the_order_in_which_they_said_so() -> None:
    event = WrittenEvent().enter(18).open_check_in()
    for number in range(18, 0, -1):
        event.do(commands.CheckIn(by=player(number), number=number, draws=number != 18))
    # Who thinks better of it comes last.
    event.do(commands.CheckIn(by=player(18), number=18, draws=True))
    event.step()
    drawers = event.tournament.drawers
    assert [drawers[seat].player for seat in range(2, 18)] == [player(number) for number in range(17, 1, -1)]
    event.give_seeds().do(commands.Cancel(by=HOST))
    audited(event.close())


def test_a_bot_that_draws_has_its_seed_kept_and_opened_by_the_house() -> None:
    event = WrittenEvent(entry={"bots": "labelled"}).enter(2, bot=True).enter(1)
    event.check_in(draws=(1, 3)).step()
    custody = [each.seat for each in event.events if isinstance(each, SeedCustody)]
    assert custody == [1, 2]
    event.give_seeds_of(3).step()
    audited(event.close())


def test_who_fixes_no_seed_in_time_draws_no_lots() -> None:
    event = WrittenEvent().enter(3).check_in(draws=(1, 2)).do_step()
    assert due(event.tournament) == DueStep("seal", event.at + CEREMONY_MS)
    event.step()
    assert event.ceremony.seats == (1,)
    event.log_deal().step()
    audited(event.close())


def test_who_withholds_a_seed_is_barred_from_drawing_and_plays_on() -> None:
    event = WrittenEvent().enter(3).check_in(draws=(1, 2)).do_step()
    event.do_commits().log_deal()
    assert due(event.tournament) == DueStep("void", event.at + CEREMONY_MS)
    event.do(of_lots.OpenSeed(2, 0, seed_of(2).hex()))
    event.step()
    assert event.tournament.barred == {3}
    assert due(event.tournament) == DueStep("lots", event.at)
    event.step()
    event.give_seeds().step()
    assert event.tournament.entrants[2].plays
    audited(event.close())


def sealed() -> WrittenEvent:
    """Return a tournament whose lots are to wait for a beacon, once the log has the seal."""
    event = WrittenEvent(lots={"beacon": BEACON})
    event.at = NOON
    return event.enter(3).check_in(draws=(1,)).do_step().do_commits()


def beacon() -> WrittenEvent:
    """Return a tournament whose lots wait for a beacon, with all seeds open and on record in the log."""
    event = sealed().log_deal()
    event.do(of_lots.OpenSeed(2, 0, seed_of(2).hex()))
    assert due(event.tournament) is None
    return event


def test_lots_wait_for_their_round_of_the_beacon_and_no_other() -> None:
    event = beacon()
    event.do(of_lots.FixDeal(0, 0, (), ""))
    assert due(event.tournament) is None
    number = event.ceremony.beacon.round
    assert event.code(of_lots.HearBeacon(0, number + 1, "ab")) == "not_dealing"
    event.do(of_lots.HearBeacon(0, number, "ab"))
    event.step()
    audited(event.close())


def test_seeds_that_the_log_has_too_late_are_thrown_away() -> None:
    event = beacon()
    event.at += 10 * CEREMONY_MS
    event.do(of_lots.FixDeal(0, 0, (), ""))
    assert event.ceremony.stage == "closed"
    assert due(event.tournament) == DueStep("lots", event.at)


def test_a_seal_that_the_log_has_too_late_for_the_beacon_opens_no_seed() -> None:
    event = sealed()
    event.at += AHEAD_MS - CEREMONY_MS - OPENED_MS + 1_000
    happened = event.do(of_lots.LogDeal(0, 0, (), ""))
    assert happened[0] == DealVoided(0, "late", ())
    assert due(event.tournament) == DueStep("lots", event.at)
    assert not any(isinstance(each, SeedOpened) for each in event.events)
    event.do(commands.Cancel(by=HOST))
    audited(event.close())


def test_a_record_of_a_house_that_kept_no_time_before_a_beacon_accuses_nobody_and_the_line_is_named() -> None:
    event = sealed()
    event.at += AHEAD_MS - CEREMONY_MS - OPENED_MS + 1_000
    event.tournament = replace(event.tournament, earlier=True)
    happened = event.do(of_lots.LogDeal(0, 0, (), ""))
    assert isinstance(happened[0], DealLogged)
    event.tournament = replace(event.tournament, earlier=False)
    event.do(commands.Cancel(by=HOST))
    ruling = judged(event.close().lines)
    assert (ruling.code, ruling.earlier) == (None, (number_of(event.lines, "deal.logged"),))


def test_lots_that_wait_for_no_beacon_are_not_too_late_for_one() -> None:
    event = WrittenEvent().enter(3).check_in(draws=(1,)).do_step().do_commits().log_deal()
    event.at += CEREMONY_MS
    event.do(event.proceed_of())
    event.do(commands.Cancel(by=HOST))
    lines = event.close().lines
    voided = number_of(lines, "deal.voided")
    ruling = judged(bent(lines, voided, lambda line: line["data"].update(reason="late", seats=[])))
    assert (ruling.code, ruling.line) == ("E_RULES", voided)


def test_no_seed_of_lots_opens_when_the_beacon_is_about_to_speak() -> None:
    event = sealed().log_deal()
    event.at += AHEAD_MS - OPENED_MS + 4_000
    assert event.code(of_lots.OpenSeed(2, 0, seed_of(2).hex())) == "not_dealing"
    # Whoever was waited for had the whole time for it.
    event.do(event.proceed_of())
    assert event.events[-3] == DealVoided(0, "withheld", (2,))
    event.do(commands.Cancel(by=HOST))
    audited(event.close())


def test_lots_that_are_being_sealed_for_a_beacon_end_with_the_tournament() -> None:
    event = sealed()
    event.do(commands.Cancel(by=HOST))
    audited(event.close())
    assert [judged(event.lines[:-cut]).code for cut in (1, 2)] == [None, None]


def test_while_lots_are_drawn_for_new_places_nothing_else_is_due() -> None:
    event = over_with_prizes()
    event.do(commands.Penalise(by=HOST, number=1, kind="points", points="4"))
    assert due(event.tournament) == DueStep("lots", event.at)
    event.step()
    assert due(event.tournament) == DueStep("seal", event.at + CEREMONY_MS)
    event.step()
    assert due(event.tournament) is None
    event.log_deal()
    event.step()
    assert event.tournament.ranking == ((2,), (1,))
    audited(event.close())


def over_with_prizes() -> WrittenEvent:
    """Return a tournament with prizes that is over, each lot of which has a deal of its own."""
    event = WrittenEvent("duel_swiss", prizes=PRIZES, lots=EACH).enter(2).check_in(draws=(1,)).draw()
    return event.do_step().finish()


def test_when_all_rolls_are_used_up_another_deal_begins() -> None:
    event = WrittenEvent("duel_swiss").begin(2)
    while event.tournament.rolled < 64:
        event.pair()
        event.do(commands.Unpair(by=HOST))
    assert event.tournament.rolled == 64
    found = due(event.tournament)
    assert found is not None
    assert found.step == "lots"
    audited(event.close())
    assert event.tournament.deals == 2


# ---- a deal of its own for each lot --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["duel_swiss", "pods_final", "single", "round_robin", "league_day", "knockout"])
def test_an_event_whose_lots_have_deals_of_their_own_audits(name: str) -> None:
    event = WrittenEvent(name, prizes=PRIZES, lots=EACH).begin(5).close()
    audited(event)
    rolls = [each.deal for each in event.events if isinstance(each, Rolled)]
    assert rolls == list(range(event.tournament.deals))


def test_a_pairing_looks_at_the_lines_before_its_deal_and_at_nothing_later() -> None:
    event = WrittenEvent("duel_swiss", lots=EACH).begin(4).play_round().pair()
    paired = event.events[event.line_of(events.TablesPaired) - 1]
    assert isinstance(paired, events.TablesPaired)
    kinds = [type(each).__name__ for each in event.events]
    assert kinds[paired.upto] == "DealCommitted"
    assert paired.upto == event.tournament.dealt_seq - 1
    assert paired.head == event.head_at(paired.upto)
    audited(event.close())


def test_a_lot_is_drawn_when_the_round_before_is_closed_and_a_pairing_is_due() -> None:
    event = WrittenEvent("duel_swiss", lots=EACH).begin(4).play()
    assert not event.tournament.awaits_lot
    event.step()
    assert due(event.tournament) == DueStep("lots", event.at + event.tournament.rules.time.between_ms)


CHANGES: dict[str, commands.AnyCommand] = {
    "register": commands.Register(by=STRANGER, player=STRANGER),
    "withdraw": commands.Withdraw(by=player(1), number=1),
    "return": commands.Return(by=player(4), number=4),
    "request bye": commands.RequestBye(by=player(1), number=1, round=2),
    "drop bye": commands.DropBye(by=player(2), number=2, round=2),
    "approve": commands.Approve(by=HOST, number=1),
    "fix": commands.FixTables(by=HOST, tables=((1, 2),)),
    "forbid": commands.Forbid(by=HOST, numbers=(1, 2)),
    "allow": commands.Allow(by=HOST, line=1),
    "rule": commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=()),
    "penalise": commands.Penalise(by=HOST, number=1, kind="points", points="1"),
    "lift": commands.Lift(by=HOST, line=1),
}


@pytest.fixture(scope="module")
def drawing() -> WrittenEvent:
    """Return a tournament that draws the lot of its second round."""
    event = WrittenEvent("duel_swiss", lots=EACH, entry={"late_rounds": 9}).enter(4).check_in(draws=(1,)).draw()
    event.step()
    event.do(commands.RequestBye(by=player(2), number=2, round=2))
    event.do(commands.Withdraw(by=player(4), number=4))
    event.play_round()
    event.step()
    assert event.ceremony.stage == "committed"
    return event


@pytest.mark.parametrize("what", CHANGES)
def test_while_a_lot_is_drawn_nothing_changes_what_it_decides(what: str, drawing: WrittenEvent) -> None:
    assert drawing.code(CHANGES[what]) == "wrong_phase"


def test_while_a_lot_is_drawn_a_host_does_not_pair_and_may_pause(drawing: WrittenEvent) -> None:
    event = drawing.copy()
    assert event.code(event.proceed_of(HOST)) == "wrong_phase"
    event.do(commands.PauseTournament(by=HOST))
    assert due(event.tournament) is None
    event.do(commands.Resume(by=HOST))
    event.give_seeds()
    event.step()
    assert event.round.number == 2
    event.do(commands.Withdraw(by=player(1), number=1))
    audited(event.close())


def test_no_lot_is_drawn_for_a_round_that_cannot_be_paired() -> None:
    event = WrittenEvent("duel_swiss", lots=EACH).begin(2)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    deals = event.tournament.deals
    assert event.code(event.proceed_of()) == "cannot_pair"
    event.do(commands.Allow(by=HOST, line=event.line_of(events.PairForbidden)))
    event.step()
    assert event.tournament.deals == deals + 1


def test_where_rounds_begin_by_hand_the_host_has_the_lot_drawn_and_the_rest_follows() -> None:
    event = WrittenEvent("duel_swiss", lots=EACH, time={"start": "host"}).begin(4)
    for number in (1, 2, 3):
        assert due(event.tournament) is None
        event.at += 1
        event.hurry(HOST)
        event.give_seeds().step()
        assert event.round.number == number
        paired = event.events[event.line_of(events.TablesPaired) - 1]
        assert paired.by == RULE  # type: ignore[union-attr]
        event.play_round()
    audited(event.close())


def test_a_host_need_not_wait_for_the_lot_of_a_round() -> None:
    event = WrittenEvent("duel_swiss", lots=EACH).begin(4).play_round()
    event.hurry(HOST)
    event.give_seeds().step()
    assert event.round.number == 2
    audited(event.close())


# ---- times -------------------------------------------------------------------------------------------


def test_rounds_wait_for_the_times_that_are_given_and_then_for_the_round_before() -> None:
    given = [NOON, NOON + 10**9]
    event = WrittenEvent("duel_swiss", time={"start": "times", "times": given, "between_ms": 5_000}).begin(4)
    assert due(event.tournament) == DueStep("pair", NOON)
    event.play_round()
    assert due(event.tournament) == DueStep("pair", NOON + 10**9)
    event.play_round()
    # No time is given for the third, which is paired as one is that pairs itself.
    assert due(event.tournament) == DueStep("pair", event.at + 5_000)
    audited(event.close())


def test_the_first_round_of_a_later_stage_waits_as_long_as_any() -> None:
    event = EventByHand("pods_final", time={"between_ms": 5_000}).begin(4)
    event.play_round().play_round().play_round()
    closed = event.at
    event.step()
    event.step()
    assert len(event.tournament.stages) == 2
    assert due(event.tournament) == DueStep("pair", closed + 5_000)


def test_a_round_closes_with_its_last_result_while_the_tournament_is_paused() -> None:
    event = EventByHand("duel_swiss").begin(2).pair()
    event.do(commands.PauseTournament(by=HOST))
    assert due(event.tournament) is None
    event.record()
    assert due(event.tournament) == DueStep("close_round", event.at)
    event.step()
    assert due(event.tournament) is None
    event.do(commands.Resume(by=HOST))
    found: Any = due(event.tournament)
    assert found.step == "pair"
