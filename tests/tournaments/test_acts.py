"""Acts of officials, the cost of pairings, and what became of rolls, as the audit of a tournament says them."""

from __future__ import annotations

from msgspec import json

from domain.fairness.records import RecordLine
from domain.tournaments import commands
from services.audit.acts import act_sentences, facts_of_event, gap_sentence
from services.audit.findings import findings
from services.audit.laws.lots import LotFacts, SharedRoll, SpentRoll, lot_facts
from services.audit.laws.sentences import lot_sentences
from services.audit.seeds import Seeds
from services.audit.verdict import Verdict
from tests.tournaments.events_by_hand import HOST, player
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
