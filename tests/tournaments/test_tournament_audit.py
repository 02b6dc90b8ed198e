"""Lies in the record of a tournament, each chained anew: every one is found at its line, with its code."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.tournaments import commands
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import Change, WrittenEvent, bent, judged, number_of, without


@pytest.fixture(scope="module")
def record() -> list[bytes]:
    """Return a record with a bye, a ruling, an appeal, a penalty and prizes, closed."""
    event = WrittenEvent("duel_swiss", prizes={"unit": "EUR", "amounts": [10, 5, 3]}).begin(5).start()
    one, two = event.table().seats
    event.record(1)
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,)), reason="wrong_result"))
    event.do(commands.Penalise(by=HOST, number=one, kind="warning"))
    event.do(commands.Appeal(by=player(one), number=one, line=event.tournament.seq))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    event.absent(2, event.table(2).seats[0])
    return event.play_round().close().lines


def test_the_record_itself_accuses_nobody_and_names_its_matches(record: list[bytes]) -> None:
    ruling = judged(record)
    assert (ruling.code, ruling.upto) == (None, len(record)), ruling.why
    assert {event.how for _, event in ruling.results} == {"played"}


def test_a_record_cut_at_any_line_accuses_nobody(record: list[bytes]) -> None:
    assert [judged(record[:upto]).code for upto in range(1, len(record))] == [None] * (len(record) - 1)


def test_a_record_whose_lots_have_deals_of_their_own_is_judged_as_far_as_they_are_closed() -> None:
    event = WrittenEvent("duel_swiss", prizes={"unit": "EUR", "amounts": [3]}, lots={"deal": "each"}).begin(4).start()
    event.absent(1, event.table().seats[0])
    lines = event.play_round().close().lines
    found = [judged(lines[:upto]) for upto in range(1, len(lines) + 1)]
    assert {each.code for each in found} == {None}
    assert found[-1].upto == len(lines)
    cut = found[number_of(lines, "table.no_show") - 1]
    assert (cut.upto, "in the middle" in cut.why) == (number_of(lines, "table.no_show") - 1, True)


def test_a_check_in_that_leaves_too_few_accuses_nobody() -> None:
    event = WrittenEvent().enter(2).check_in()
    event.do(commands.Withdraw(by=player(1), number=1))
    happened = event.step()
    assert [type(each).__name__ for each in happened] == ["TournamentCancelled"]
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_line_of_a_type_that_there_is_not_is_found(record: list[bytes]) -> None:
    number = number_of(record, "player.checked_in")
    found = judged(bent(record, number, lambda document: document.update(type="player.napped")))
    assert (found.code, found.line) == ("E_RULES", number)


def test_a_host_who_asks_too_soon_stands_for_a_host_that_there_is(record: list[bytes]) -> None:
    number = number_of(record, "official.appointed")
    lie = bent(record, number, of_data(lambda d: d.update(role="arbiter")))
    found = judged(lie)
    assert (found.code, found.line) == ("E_RULES", number)


def turned(items: list[Any]) -> list[Any]:
    return items[::-1]


def swap_tables(data: dict[str, Any]) -> None:
    one, two = data["tables"][0][1], data["tables"][1][1]
    one[0], two[0] = two[0], one[0]


def another_rests(data: dict[str, Any]) -> None:
    seats = data["tables"][1][1]
    data["byes"][0], seats[0] = seats[0], data["byes"][0]


def of_data(change: Any) -> Change:
    return lambda document: change(document["data"])


LIES = {
    "swapped tables": ("tables.paired", swap_tables, "E_PAIRING"),
    "turned seats": ("tables.paired", lambda d: d["tables"][0].__setitem__(1, turned(d["tables"][0][1])), "E_PAIRING"),
    "a bye for another": ("tables.paired", another_rests, "E_PAIRING"),
    "another roll": ("tables.paired", lambda d: d.update(roll=d["roll"] + 1), "E_PAIRING"),
    "another law": ("tables.paired", lambda d: d.update(law="pods/2"), "E_PAIRING"),
    "another cost": ("tables.paired", lambda d: d["certificate"].update(cost=7), "E_PAIRING"),
    "lines not looked at": ("tables.paired", lambda d: d.update(upto=d["upto"] - 1), "E_PAIRING"),
    "other seeds": ("stage.opened", lambda d: d.update(seeds=turned(d["seeds"])), "E_PAIRING"),
    "fewer rounds": ("stage.opened", lambda d: d.update(rounds=d["rounds"] - 1), "E_PAIRING"),
    "a result with a stranger": ("result.recorded", lambda d: d.update(ranking=[[1], [99]]), "E_RESULT"),
    "a result of another match": ("result.recorded", lambda d: d.update(match="0" * 36), "E_RESULT"),
    "a result of another attempt": ("result.recorded", lambda d: d.update(attempt=2), "E_RESULT"),
    "a result of another table": ("result.recorded", lambda d: d.update(table=2), "E_RESULT"),
    "a ruling by a stranger": ("result.ruled", lambda d: d.update(by="o" + "9" * 24), "E_RULES"),
    "a ruling of a stranger": ("result.ruled", lambda d: d.update(ranking=[[1], [99]]), "E_RULES"),
    "an appeal of nobody": ("appeal.filed", lambda d: d.update(number=99), "E_RULES"),
    "an appeal of another number": ("appeal.filed", lambda d: d.update(appeal=2), "E_RULES"),
    "other standings": ("round.closed", lambda d: d.update(standings="0" * 64), "E_STANDING"),
    "other places": ("stage.closed", lambda d: d.update(ranking=turned(d["ranking"])), "E_STANDING"),
    "other prizes": ("tournament.finished", lambda d: d["paid"][0].__setitem__(2, 11), "E_STANDING"),
    "rules not spelled out": ("tournament.created", lambda d: d["rules"].pop("prizes"), "E_RULES"),
    "no rules": ("tournament.created", lambda d: d["rules"].update(stages=[]), "E_RULES"),
    "another member": ("entry.opened", lambda d: d.update(type="x"), "E_RULES"),
    "a member of another type": ("entry.opened", lambda d: d.update(by=7), "E_RULES"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_at_its_line_with_its_code(lie: str, record: list[bytes]) -> None:
    kind, change, code = LIES[lie]
    number = number_of(record, kind)
    ruling = judged(bent(record, number, of_data(change)))
    assert (ruling.code, ruling.line) == (code, number), ruling.why


@pytest.mark.parametrize("lie", ["moved result", "bent ruling"])
def test_a_result_that_could_have_been_is_found_where_standings_differ(lie: str, record: list[bytes]) -> None:
    number = number_of(record, {"moved result": "result.recorded", "bent ruling": "result.ruled"}[lie], -1)
    found = judged(bent(record, number, of_data(lambda d: d.update(ranking=turned(d["ranking"])))))
    assert found.code in {"E_STANDING", "E_PAIRING"}
    assert found.line is not None
    assert found.line > number


def test_another_order_of_tie_breaks_is_found_by_the_standings(record: list[bytes]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["rules"]["tiebreaks"] = turned(data["rules"]["tiebreaks"])

    ruling = judged(bent(record, 1, of_data(change)))
    # The rules go into the context of the lots, so these differ before any standings do.
    assert (ruling.code, ruling.line) == ("E_RULES", number_of(record, "deal.committed"))


def test_time_that_runs_backwards_is_found(record: list[bytes]) -> None:
    number = number_of(record, "tables.paired", 1) - 2
    found = judged(bent(record, number, lambda document: document.update(at=1)))
    assert (found.code, found.line) == ("E_RULES", number)


def test_what_follows_of_itself_follows_at_once(record: list[bytes]) -> None:
    number = number_of(record, "tables.paired")
    found = judged(bent(record, number, lambda document: document.update(at=document["at"] + 1)))
    assert (found.code, found.line) == ("E_RULES", number)


def test_a_line_left_out_is_found(record: list[bytes]) -> None:
    number = number_of(record, "table.no_show")
    found = judged(without(record, number))
    assert (found.code, found.line) == ("E_RESULT", number)
    after = judged(without(record, number + 1))
    assert (after.code, after.line) == ("E_RULES", number)


def test_tables_taken_back_by_nobody_are_found(record: list[bytes]) -> None:
    number = number_of(record, "round.started")
    data = {"stage": 1, "round": 1, "tables": None, "by": "nobody", "reason": "rules", "note": None}
    found = judged(bent(record, number, lambda document: document.update(type="tables.unpaired", data=data)))
    assert (found.code, found.line) == ("E_RULES", number)


def test_entry_closed_before_check_in_and_a_draw_that_a_host_hurries_accuse_nobody() -> None:
    event = WrittenEvent().enter(3)
    event.do(commands.CloseEntry(by=HOST))
    event.at += 1
    event.check_in()
    event.hurry(HOST)
    event.give_seeds().step()
    event.close()
    assert judged(event.lines).upto == len(event.lines)
    assert msgspec.json.decode(event.lines[-1])["type"] == "tournament.closed"
