"""Removing any check from layer 3 is seen too: each is taken out of a referee of its own, which is then lied to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from msgspec import Struct

from domain.fairness.records import RecordLine, events_of
from domain.fairness.shared import shared_deal
from tests.domain import test_beacon, test_lies, test_shown
from tests.domain.test_lies import Record, changed, first, twice
from tests.domain.test_lies_of_every_game import TOLD, course_of
from tests.domain.test_referee import shifted
from tests.fairness.mutants import Modules, Sources, Suite, sites_of
from tests.fairness.test_signed_play import lied
from tests.sizes import spread
from tests.tournaments.test_board_audit import (
    FIRST,
    HONEST,
    SOON,
    OtherEnd,
    OtherLine,
    Sooner,
    TooEarly,
    World,
    read,
)

REFEREE = "domain.audit.replay"
REFEREES = (REFEREE, "domain.audit.behind", "domain.audit.signing.signed")
HASH = "0" * 64
ZOO = Path(__file__).parents[1] / "zoo" / "absence"
STOPPED = {"game.seed_custody", "game.absent", "game.end_asked", "deal.committed"}
HANDLED = (0, 4, 6, 11, 24)
"""Courses in which dice are handled: pushed, rolled again unseen, laid open and taken back, with a deal a round."""
WRONG: tuple[dict[str, Any], ...] = (
    {"cup": 99}, {"seat": 9}, {"seat": 9, "cup": 99}, {"seat": 2}, {"seat": 1}, {"outside": [[9, 9]]},
    {"taken": [[9, 9]]}, {"roll_inside": -1}, {"roll_inside": -1, "roll_outside": 2}, {"roll_inside": 99},
    {"roll": None}, {"roll": 99}, {"choice": HASH}, {"choice": None}, {"roll_inside": 99, "roll": 1},
)  # fmt: skip
SAME_LINE = "what is decided anew says it as it should be, and so differs on this very line"
NOBODY = "place is None or match.table is None or match.table.place_of(event.seat) != place or (record.dealer is None)"
LATE = "match.ceremony is not None and match.ceremony.stage == 'logged'"
COUNTS = "min(counts) < 0 or sum(counts) > len(place.dice) or event.roll != _next_roll(match.table, event)"
SAME = {
    "replay: self._note(match, keeper) => pass": "moments are for those who hold refusals against a record",
    "_compare: self.rights.take(after, expected) => pass": "who may see which dice is held against the access record",
    f"_cause_of_void: {LATE} => match.ceremony.stage == 'logged'": "layer 2 finds a void where there is no deal",
    (
        "_join: isinstance(after, events.SeedCustody) and after.seat == event.seat"
        " => isinstance(after, events.SeedCustody)"
    ): "custody of another seat's seed follows from nobody's joining, whoever joined",
    "_advance: _spares(event) and (not is_in_ceremony(match)) => not is_in_ceremony(match)": (
        "whatever else the table does outside a ceremony uses no chance, and no deal begins within two lines of it"
    ),
    (
        f"_arrange: {NOBODY} => place is None or match.table.place_of(event.seat) != place or record.dealer is None"
    ): "a place is on a table",
    f"_arrange: {NOBODY} => place is None or match.table is None or record.dealer is None": SAME_LINE,
    f"_arrange: {COUNTS} => {COUNTS.replace('sum(counts) > len(place.dice) or ', '')}": (
        "nothing can be chosen that has more dice than there are, which is found when the choice is looked for"
    ),
    f"_arrange: {COUNTS} => {COUNTS.removesuffix(' or event.roll != _next_roll(match.table, event)')}": SAME_LINE,
}
"""The checks whose absence nobody can tell from a line, each with its reason."""


class Shared(Struct, frozen=True):
    """A record of a match that shares its dice, and what the record of its board says."""

    match: bytes
    board: bytes


def ruled(record: Record | Shared | bytes, modules: Modules) -> str:
    try:
        ruling = modules[REFEREE].replay(*_given(record))
    except Exception as error:  # noqa: BLE001 - a mutant may stumble over anything
        return type(error).__name__
    return f"{ruling.judged} {ruling.line} {ruling.upto} {ruling.code}"


def _given(record: Record | Shared | bytes) -> tuple[Any, ...]:
    if isinstance(record, bytes):
        return (events_of(record),)
    if isinstance(record, Shared):
        match, board = read(record.match), read(record.board)
        return list(match.lines), shared_deal(board), match.raw
    return ([RecordLine(number, one["type"], one["data"], one["at"]) for number, one in enumerate(record, start=1)],)


def records() -> Iterator[Record | Shared | bytes]:
    yield from (played.file() for played in lied())
    yield from _of_boards()
    yield from _of_the_table()
    yield from _of_two_deals()
    yield from _of_beacons()
    yield from _of_folded_hands()
    yield from _of_declared_throws()
    yield from _of_people_who_stop()
    for number in HANDLED:
        yield from _of_handled_dice(course_of(number).record)


def _of_boards() -> Iterator[Shared]:
    honest = HONEST.board.record.split(b"\n")
    running = next(at for at, line in enumerate(honest) if b'"deal.closed"' in line)
    match = HONEST.tables[FIRST].record
    yield Shared(match, HONEST.board.record)
    yield Shared(match, b"".join(line + b"\n" for line in honest[:running]))
    for kind in (Sooner, OtherLine, TooEarly):
        told = World(kind)
        yield Shared(told.tables[FIRST].record, told.board.record)
    told = World(OtherEnd, SOON)
    yield Shared(told.tables[FIRST].record, told.board.record)


def _of_the_table() -> Iterator[Record]:
    clock = {"bank_ms": 5_000, "increment_ms": 100}
    options = {"spot_on": True, "push": True, "pass_once": True, "challenge_by": "anyone"}
    truth = test_lies.played_out(options, clock=clock)
    yield truth
    yield from (lie(truth)[0] for lie in test_lies.LIES.values())
    yield truth[:-1]
    yield truth[: first(truth, "seat.joined") + 1]
    yield changed(truth, 0, policy="shown")[0]
    yield changed(truth, first(truth, "game.bid"), type="game.bid")[0]
    yield shifted(truth, first(truth, "game.bid", 1), -60_000)[0]
    at = first(truth, "game.judged")
    yield shifted(truth, at, 5, at + 1)[0]
    yield [{"type": "match.created", "data": {"rules": {"game": "liars-dice"}}, "at": 1}]
    for withheld in (True, False):
        yield test_lies.ceremonial(withheld=withheld)


def _of_two_deals() -> Iterator[Record]:
    truth = test_lies.played_out(deal_per="round")
    second = first(truth, "deal.committed", 1)
    yield truth[: second + 4]
    yield truth[: first(truth, "deal.closed", 1)]
    yield twice(truth, first(truth, "game.started"), second)[0][: second + 4]


def _of_beacons() -> Iterator[Record]:
    truth = test_beacon.played().record
    yield truth
    yield shifted(truth, first(truth, "deal.sealed"), 30_000, first(truth, "deal.sealed") + 1)[0]
    yield changed(truth, first(truth, "deal.ready"), beacon=None)[0]
    for missed in ("sealed", "logged"):
        yield test_beacon.late(missed).record


def _of_folded_hands() -> Iterator[Record]:
    truth = test_shown.played().record
    yield truth
    yield from (truth[:end] for end in range(first(truth, "game.arranged"), len(truth), 5))
    yield from test_shown.copied_seal("shown")[:2]


def _of_declared_throws() -> Iterator[Record]:
    number = next(number for number, told in enumerate(TOLD) if told.game == "mexican" and told.policy == "shown")
    truth = course_of(number).record
    declared, called = first(truth, "game.declared"), first(truth, "game.called")
    yield truth[: declared + 1]
    yield [*truth[: declared + 1], *truth[declared + 2 :]]
    yield changed(truth[: called + 1], called, seat=truth[called]["data"]["seat"] % 3 + 1)[0]


def _of_people_who_stop() -> Iterator[Record]:
    for path in sorted(ZOO.glob("*.cup")):
        truth: Record = [json.loads(line) for line in path.read_bytes().splitlines() if line.startswith(b"{")]
        yield truth
        yield from (truth[: at + 1] for at, one in enumerate(truth) if one["type"] in STOPPED)
    number = next(number for number, told in enumerate(TOLD) if "idle" in told.rules)
    truth = course_of(number).record
    yield shifted(truth, first(truth, "game.bid"), -60_000)[0]


def _of_handled_dice(truth: Record) -> Iterator[Record]:
    handled = [at for at, one in enumerate(truth) if one["type"] == "game.arranged"]
    yield truth
    for at in handled:
        yield from (changed(truth, at, **members)[0] for members in WRONG)
    sealed = {"choice": HASH, "outside": [], "taken": [], "roll_inside": 1, "roll_outside": 0}
    for where in [at for at, one in enumerate(truth) if one["type"] == "deal.sealed"]:
        told = [*truth[: where + 1], truth[handled[0]], *truth[where + 1 :]]
        for seat, roll in product((1, 2, 3), range(3)):
            yield changed(told, where + 1, **sealed, seat=seat, roll=roll)[0]


def test_no_check_can_be_taken_out_of_the_referee_unseen() -> None:
    sources = Sources(list(REFEREES))
    suite = Suite(sources, list(records()), ruled)
    sites = [site for module in REFEREES for site in sites_of(sources, module)]
    assert len(sites) > 40, "the checks are found"
    assert SAME.keys() <= {site.text for site in sites}
    some = spread([site for site in sites if site.text not in SAME], 5)
    unseen = [f"{site.line} {site.text}" for site in some if not suite.notices(site)]
    assert unseen == []
