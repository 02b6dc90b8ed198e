"""A format that the house does not have, made of a struct of rules and a row of the table: it is drawn up, paired,
counted, ruled on, audited, rehearsed and shown. Nothing outside this file knows it.
"""

from __future__ import annotations

import ast
import asyncio
import re
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final
from uuid import UUID

import pytest
from msgspec import Meta
from msgspec.structs import replace

from domain.errors import Refused
from domain.log.policies import parse
from domain.tournaments import commands
from domain.tournaments.deciding.supposing import with_supposed_round
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, any_number, bad_option, has_played_all
from domain.tournaments.formats.table import FORMATS
from domain.tournaments.options import rules_from, usual_tiebreaks
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.presets import COMMON, preset
from domain.tournaments.record import stream_of
from domain.tournaments.rules import Size, Stage, TournamentRules, object_of
from infra.store.memory import MemoryStore
from projections.tournaments.brackets import bracket_view
from projections.tournaments.cards import card_of
from projections.tournaments.exports.trf import trf_text
from projections.tournaments.rounds import round_view
from projections.tournaments.standings import standings_view
from projections.tournaments.watching.still_in import survivors
from services.audit.verdict import Evidence, verdict_of
from services.cli.ledger import REHEARSAL, Ledger
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.tables import drawing_from
from services.web.tournaments.wording import rules_of_event
from services.words.catalogue import LANGUAGES, speaking
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.tournaments.events_by_hand import HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of
from tests.tournaments.seen_events import NAMES
from tests.web.event_pages import PATHS, OneTournament
from tests.web.test_event_pages import reader

ROOT: Final = Path(__file__).parents[2]
PATIENCE_S: Final = 60
LAW: Final = "mixer/1"


class Mixer(Stage, frozen=True, tag="mixer"):
    """Every round lots say who sits together, whoever has won before."""

    size: Size = 2
    rounds_least: Annotated[int, Meta(ge=1, le=9)] = 2

    @property
    def table_sizes(self) -> TableSizes:
        """All of one size; who is left over rests."""
        return TableSizes(self.size, self.size, self.size)


def _rounds(stage: Mixer, entrants: int) -> int:
    return stage.rounds or max(stage.rounds_least, entrants // stage.size)


def _draw(field: StageField, lots: Lots, number: int) -> DrawnRound:
    assert isinstance(field.rules, Mixer)
    order, size = lots.order(field.playing(number)), field.rules.size
    tables = [tuple(order[at : at + size]) for at in range(0, len(order) - size + 1, size)]
    return DrawnRound(LAW, tuple(tables), tuple(sorted(order[len(tables) * size :])))


def _check(rules: TournamentRules, stage: Mixer, option: str) -> None:
    if rules.entry.max < stage.size:
        raise bad_option(f"{option}.size", "a table takes as many")


MIXER: Final = Format(
    _rounds, _draw, has_played_all, StageField.ranking,
    rolls=True, check=_check, check_rounds=any_number, sized_by="size",
    title="Mixer", about="Every round lots say who sits together.",
)  # fmt: skip
KIND: Final[type[Stage]] = Mixer
STAGE: Final[dict[str, Any]] = {"format": "mixer", "rounds": 3}


@pytest.fixture(autouse=True)
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the row into the table, which is all that a house does for a format."""
    monkeypatch.setitem(FORMATS, KIND, MIXER)


def mixer(**members: Any) -> WrittenEvent:
    return WrittenEvent("single", **{"stages": [STAGE], "entry": {"late_rounds": 2}, **members})


def test_its_rules_are_read_spelled_out_and_refused_by_name() -> None:
    rules = rules_from(preset("single", stages=[{"format": "mixer"}]))
    spelled = object_of(rules)["stages"][0]
    assert (spelled["format"], spelled["size"], spelled["rounds_least"], spelled["rounds"]) == ("mixer", 2, 2, None)
    assert object_of(rules_from(object_of(rules))) == object_of(rules)
    assert rules.tiebreaks == usual_tiebreaks(rules.stages) == ("DE", "BH-C1", "BH", "SB", "WIN")
    for option, stage, more in (
        ("stages.0.rounds_least", {"rounds_least": 10}, {}),
        ("stages.0.size", {"size": 3}, {"match": {"game": "stud_liars", "options": {}}}),
        ("stages.0.size", {"size": 3}, {"entry": {"max": 2}}),
        ("stages.0.best_of", {"size": 3, "best_of": 3}, {}),
    ):
        asked = {"match": COMMON, "stages": [{"format": "mixer", **stage}], **more}
        with pytest.raises(Refused) as refusal:
            rules_from(asked)
        assert refusal.value.facts["option"] == option


def test_without_its_row_there_is_no_such_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FORMATS, KIND)
    with pytest.raises(Refused) as refusal:
        rules_from(preset("single", stages=[STAGE]))
    assert refusal.value.facts["option"] == "stages.0.format"


def test_its_rounds_are_paired_counted_and_closed_and_its_record_audits() -> None:
    event = mixer().begin(5)
    supposed = with_supposed_round(event.tournament).stages[0].rounds[1]
    assert (len(supposed.tables), len(supposed.byes)) == (2, 1)
    event.play_round()
    assert event.code(commands.Rule(by=HOST, stage=1, round=1, table=9, ranking=(), absent=(), reason="other")) == (
        "unknown_table"
    )
    event.enter(1)
    event.do(commands.RequestBye(by=player(1), number=1, round=2, kind="half"))
    event.play_round().close()
    field = StageField(event.tournament, 1)
    assert {held.law for held in field.stage.rounds.values()} == {LAW}
    assert [len(held.tables) for held in field.stage.rounds.values()] == [2, 2, 3]
    rests = [bye for bye in field.byes if bye.round == 1]
    assert [(bye.kind, bye.number == 6) for bye in rests] == [("pairing", False), ("half", True)]
    scores = sum((row.score for row in field.rows), Fraction(0))
    assert scores == 7 + sum(Fraction(1) if bye.kind == "pairing" else Fraction(1, 2) for bye in field.byes)
    assert event.tournament.ranking == field.ranking()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why


def test_a_table_that_was_swapped_is_found() -> None:
    event = mixer().begin(4).close()

    def swap(document: dict[str, Any]) -> None:
        (one, first), (other, second) = document["data"]["tables"]
        document["data"]["tables"] = [[one, [first[0], second[1]]], [other, [second[0], first[1]]]]

    line = number_of(event.lines, "tables.paired")
    assert judged(bent(event.lines, line, swap)).code == "E_PAIRING"


def test_officials_set_its_rounds_by_hand_as_a_whole() -> None:
    event = mixer().begin(4)
    some = commands.FixTables(by=HOST, tables=((1, 4),), reason="other", note="a" * 64)
    assert event.code(some) == "bad_tables"
    event.do(commands.FixTables(by=HOST, tables=((1, 4), (2, 3)), reason="other", note="a" * 64))
    event.pair()
    assert [table.seats for table in event.round.tables.values()] == [(1, 4), (2, 3)]
    assert judged(event.close().lines).code is None


def test_it_is_shown_as_rounds_tables_and_standings() -> None:
    event = mixer().begin(5).play_round()
    view = standings_view(event.tournament, NAMES)
    assert (view.by_score, view.ordered_by, len(view.rows)) == (True, None, 5)
    assert len(round_view(event.tournament, NAMES, 1, 1).tables) == 2
    assert card_of(event.tournament, NAMES, 1).now == "wait_for_round"
    assert "Individual: Knock-Out" in trf_text(event.tournament, NAMES, "mixer")
    with pytest.raises(Refused) as refusal:
        bracket_view(event.tournament, NAMES, 1)
    assert refusal.value.code == "not_paired"


def _has_lost(field: StageField, number: int) -> bool:
    return any(number not in result.ranking[0] for result in field.results if number in result.numbers)


def test_where_it_says_who_is_out_nobody_comes_back_and_it_is_shown_who_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, KIND, replace(MIXER, is_out=_has_lost))
    event = mixer().begin(4).play_round()
    found = survivors(event.tournament, NAMES)
    assert found is not None
    losers = {max(table.seats) for table in event.round.tables.values()}
    assert {line.number for line in found.lines} == {1, 2, 3, 4} - losers
    gone = min(losers)
    assert card_of(event.tournament, NAMES, gone).now == "out"
    event.do(commands.Withdraw(by=player(gone), number=gone, reason="request"))
    assert event.code(commands.Return(by=player(gone), number=gone, reason="request")) == "too_late"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_called_as_it_says_where_no_catalogue_has_words(language: str) -> None:
    with speaking(language):
        told = rules_of_event(rules_from(preset("single", stages=[STAGE])))[0].lines[0]
    assert re.match(r"Mixer\. Every round lots say who sits together\. \S", told)


async def test_every_page_has_it() -> None:
    site = OneTournament(mixer().begin(5).play_round().pair(), "A mixer")
    async with reader(site) as client:
        for path in PATHS:
            answer = await client.get(f"/t/{TOURNAMENT}{path}")
            assert answer.status_code == 200, path
        assert "Mixer" in (await client.get("/tournaments")).text


def test_a_whole_event_of_bots_is_played_and_no_record_of_it_is_at_fault() -> None:
    rules = rules_from(preset("single", stages=[STAGE], entry={"bots": "only"}))
    ledger = Ledger(REHEARSAL, bytes(32))
    rehearsal = Rehearsal(UUID(int=9, version=4), rules, 1_800_000_000_000, ledger, drawing_from(b"mixer"))
    rehearsal.enter(3)
    assert len(list(rehearsal.rounds())) == 3
    found = verdict_of(rehearsal.record(), parse(ledger.policy.encode()))
    assert (found.status, found.anchored) == ("OK", True), found.message
    for played in rehearsal.matches.values():
        found = verdict_of(played.record, parse(ledger.policy.encode()), beside=Evidence(played.access))
        assert (found.status, found.anchored) == ("OK", True), found.message


async def test_a_house_holds_it_to_its_end() -> None:
    house = EventHouse(MemoryStore())
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        await house.announce(stages=[STAGE], entry={"bots": "only"})
        await house.enter_bots(3)
        await house.check_in()
        while not (await house.tournament()).ended:
            await asyncio.sleep(0.01)
    raw = await house.store.read(stream_of(house.id))
    assert len((await house.tournament()).stages[0].rounds) == 3
    assert (judged(raw).code, judged(raw).upto) == (None, len(raw))


# ---- nobody else asks --------------------------------------------------------------------------------


OF_ONE: Final = {
    "domain/tournaments/deciding/ladders.py": "challenges, which no other format has",
    "projections/tournaments/brackets.py": "brackets, as they are drawn",
    "projections/tournaments/formats/ladders.py": "the card of a ladder",
    "projections/tournaments/watching/still_in.py": "what goes along from table to table",
    "services/audit/dutch.py": "the package that pairs by FIDE's book",
    "services/cli/tournaments/challengers.py": "bots that challenge on a ladder",
    "services/cli/tournaments/rehearsal.py": "bots that challenge on a ladder",
}
"""Files that are of one format, and what for; every other asks a format and not which it is."""


def test_which_format_a_stage_is_nobody_asks_but_what_is_its_own() -> None:
    kinds = {kind.__name__ for kind in FORMATS}
    ask = {
        str(path.relative_to(ROOT))
        for room in ("domain", "projections", "services", "infra")
        for path in (ROOT / room).rglob("*.py")
        if _imports(path.read_text(encoding="utf-8"), kinds)
    }
    assert {each for each in ask if not each.startswith("domain/tournaments/formats/")} == OF_ONE.keys()


def _imports(text: str, kinds: set[str]) -> bool:
    if "domain.tournaments.rules" not in text:
        return False
    found = (node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom))
    return any(
        node.module == "domain.tournaments.rules" and kinds & {each.name for each in node.names} for node in found
    )
