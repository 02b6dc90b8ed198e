"""Acts of officials, and the cost of pairings, as the audit of a tournament's record says them."""

from __future__ import annotations

from msgspec import json

from domain.fairness.records import RecordLine
from domain.tournaments import commands
from services.audit.acts import act_sentences, facts_of_event, gap_sentence
from services.audit.findings import findings
from services.audit.seeds import Seeds
from services.audit.verdict import Verdict
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent


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
