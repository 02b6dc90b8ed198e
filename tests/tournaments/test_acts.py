"""Acts of officials, the cost of pairings, and what became of rolls, as the audit of a tournament says them."""

from __future__ import annotations

from msgspec import json

from domain.fairness.records import RecordLine
from domain.tournaments import commands
from services.audit.acts import act_sentences, appeal_sentences, facts_of_event, gap_sentence
from services.audit.findings import findings
from services.audit.laws.lots import LotFacts, SharedRoll, SpentRoll, lot_facts
from services.audit.laws.sentences import lot_sentences
from services.audit.seeds import Seeds
from services.audit.verdict import Verdict
from tests.tournaments.events_by_hand import ARBITER, CLOCKED, HOST, player
from tests.tournaments.events_for_audit import WrittenEvent

ARENA = {"format": "arena", "sizes": {"preferred": 2, "min": 2, "max": 2}, "patience_ms": 1_000}


def lines_of(event: WrittenEvent) -> list[RecordLine]:
    read = [json.decode(line) for line in event.lines]
    return [RecordLine(at, line["type"], line["data"], line["at"]) for at, line in enumerate(read, start=1)]


def test_every_ruling_is_said_with_who_and_why() -> None:
    event = WrittenEvent("pods").begin(8).start()
    event.record(1)
    seats = event.table(1).seats
    ranking = tuple((number,) for number in reversed(seats))
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=ranking, reason="wrong_result"))
    event.do(commands.Penalise(by=HOST, number=1, kind="warning", reason="conduct"))
    found = facts_of_event(lines_of(event))
    ruled, penalty = act_sentences(found)
    assert ruled == f"Line {len(event.lines) - 1}: a result was ruled, by {HOST}; the reason given: a wrong result."
    assert penalty.endswith("the reason given: conduct.")
    assert (found.cost, found.bound) == (0, 0)
    assert gap_sentence(found) == "What pairing cost in all rounds: 0; no tables could have cost less than 0."


def test_what_became_of_appeals_and_what_officials_did_besides_is_said() -> None:
    event = WrittenEvent("duel_swiss", match=CLOCKED)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    event.begin(6)
    event.do(commands.Forbid(by=ARBITER, numbers=(1, 2), reason="request"))
    event.do(commands.Allow(by=ARBITER, line=event.tournament.seq))
    event.start()
    event.do(commands.GiveTableTime(by=HOST, table=1, number=event.table().seats[0], ms=1_000, reason="late"))
    event.do(commands.Extend(by=HOST, until=event.at + 1_000, reason="technical"))
    event.do(commands.Withdraw(by=HOST, number=1, reason="conduct"))
    event.do(commands.Withdraw(by=player(2), number=2, reason="request"))
    filed = [event.tournament.seq + each for each in (2, 3, 4, 5)]
    for number in (3, 4, 5, 6):
        event.do(commands.Appeal(by=player(number), number=number, line=3))
    decided = event.tournament.seq + 2
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="upheld", lines=(4, 5)))
    event.do(commands.DecideAppeal(by=HOST, appeal=2, outcome="denied", lines=(4,)))
    event.do(commands.DecideAppeal(by=player(5), appeal=3, outcome="withdrawn"))
    found = facts_of_event(lines_of(event))
    said = [sentence.partition(": ")[2] for sentence in act_sentences(found)]
    assert said == [
        f"two were kept from one table, by {ARBITER}; the reason given: on request.",
        f"two may sit together again, by {ARBITER}.",
        f"time was given back at a table, by {HOST}; the reason given: too late.",
        f"a round was given more time, by {HOST}; the reason given: a technical fault.",
        f"somebody was withdrawn, by {HOST}; the reason given: conduct.",
    ]
    assert appeal_sentences(found) == (
        f"Appeal 1 (line {filed[0]}), against line 4: upheld in line {decided}; done about it: lines 5 and 6.",
        f"Appeal 2 (line {filed[1]}), against line 4: denied in line {decided + 1}; done about it: line 5.",
        f"Appeal 3 (line {filed[2]}), against line 4: withdrawn in line {decided + 2}.",
        f"Appeal 4 (line {filed[3]}), against line 4: open.",
    )


def test_whoever_closes_early_is_named_and_the_law_is_not() -> None:
    event = WrittenEvent("duel_swiss").begin(2).finish()
    early = event.copy()
    early.do(commands.Finish(by=HOST))
    (closed,) = act_sentences(facts_of_event(lines_of(early)))
    assert closed.endswith(f"the tournament was closed before the time for appeals was over, by {HOST}.")
    assert facts_of_event(lines_of(event.close())).acts == ()


def test_where_nothing_is_paired_by_cost_nothing_is_said_of_it() -> None:
    found = facts_of_event(lines_of(WrittenEvent("round_robin").begin(4).start()))
    assert (found.acts, gap_sentence(found)) == ((), None)


def test_the_report_of_a_tournament_speaks_of_lots_and_not_of_hidden_dice() -> None:
    event = facts_of_event(lines_of(WrittenEvent("round_robin").begin(4).start()))
    verdict = Verdict("OK", (1, 2, 3), "", record="OK", rules="", tournament="t", event=event, seeds=Seeds((2,), (1,)))
    told = findings(verdict, judged_log=False)
    assert told.seeds is not None
    assert told.seeds.text.startswith("1 entrant gave a seed of its own")
    assert told.possible[0].startswith("It knew the lots")
    assert not any("access record" in each.text for each in told.findings)


def test_every_roll_that_served_twice_or_for_nothing_is_listed() -> None:
    event = WrittenEvent("arena", stages=[ARENA]).begin(4)
    for number in range(1, 5):
        event.do(commands.WaitForTable(by=player(number), number=number))
    event.play_round().play_round()
    paired = [at for at, line in enumerate(event.lines, start=1) if b'"tables.paired"' in line]
    found = lot_facts(lines_of(event))
    assert found == LotFacts((SharedRoll(0, 1, (paired[0], paired[1])),))
    both = f"{paired[0]} and {paired[1]}"
    told = f"Roll 1 of deal 0 drew more than one round: the pairings in lines {both} share its lots."
    assert list(lot_sentences(found)) == [told]


def test_a_roll_is_used_up_by_a_round_that_is_taken_back_and_not_by_a_table() -> None:
    event = WrittenEvent("pods").begin(8).pair()
    event.do(commands.Unpair(by=HOST, tables=(1,)))
    event.do(commands.FixTables(by=HOST, tables=(tuple(event.round.freed[1]),)))
    assert lot_facts(lines_of(event)) == LotFacts()
    paired = next(at for at, line in enumerate(event.lines, start=1) if b'"tables.paired"' in line)
    event.do(commands.Unpair(by=HOST))
    unpaired = len(event.lines)
    found = lot_facts(lines_of(event.pair()))
    assert found == LotFacts(spent=(SpentRoll(0, 1, paired, unpaired),))
    told = f"the pairing in line {paired} was taken back in line {unpaired}."
    assert list(lot_sentences(found)) == [f"Roll 1 of deal 0 is used up for nothing: {told}"]
    # Lots of a stage serve throughout, whatever is taken back.
    robin = WrittenEvent("round_robin").begin(4).pair()
    robin.do(commands.Unpair(by=HOST))
    assert lot_facts(lines_of(robin)) == LotFacts()


def test_the_groups_of_a_round_share_its_roll_and_that_is_no_second_use() -> None:
    stages = [{"format": "groups", "groups": 2, "inner": {"format": "swiss"}, "through": 1}, {"format": "single"}]
    event = WrittenEvent("groups", match={"game": "common_hand", "options": {}}, stages=stages).begin(8).pair()
    assert sum(b'"tables.paired"' in line for line in event.lines) == 2
    assert lot_facts(lines_of(event)) == LotFacts()


def test_the_report_says_which_lines_follow_earlier_laws_and_what_became_of_rolls() -> None:
    event = WrittenEvent("pods").begin(4).pair()
    event.do(commands.Unpair(by=HOST))
    read = lines_of(event)
    verdict = Verdict(
        "OK", (1, 2, 3), "", record="OK", rules="", tournament="t", event=facts_of_event(read), seeds=Seeds((2,), (1,)),
        lots=lot_facts(read), earlier=(7,), idle=("stages.0.third_place",),
    )  # fmt: skip
    notes = findings(verdict, judged_log=False).marked("note")
    assert sum("used up for nothing" in each for each in notes) == 1
    assert notes[-2].startswith("Line 7 follows the laws of tournaments as they were")
    assert notes[-1].startswith("stages.0.third_place in its rules changed nothing")
