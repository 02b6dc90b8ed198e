"""Records of boards and of their matches, audited: what is in order, and lies that only one of them could tell."""

from __future__ import annotations

import json
from typing import Any, ClassVar
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain import commands
from domain.audit import replay
from domain.fairness.audit import Audited, audit_lines
from domain.fairness.shared import SharedDeal, shared_deal
from domain.log import canonical
from domain.log.policies import parse
from domain.match.record import GENESIS
from domain.tournaments.boards.decide import BoardCommand, CloseBoardRound
from domain.tournaments.boards.due import AtBoard, DueOnBoard
from infra.keys import ed25519_verify
from services.audit.results import hold
from services.audit.tables import BoardRecord, WantedBoard, board_named_in
from services.audit.verdict import Evidence, Verdict, verdict_of
from services.cli.ledger import REHEARSAL, Ledger
from services.cli.tournaments.boards import PlayedBoard
from services.cli.tournaments.tables import PlayedOut, drawing_from
from tests.tournaments.boards_by_hand import AT, board_rules, match_rules

RULES = board_rules(tables=2, seats=2)
FIRST, SECOND = 1, 2


class World:
    """A board that bots have played, and everything an audit is given."""

    def __init__(self, kind: type[PlayedBoard] = PlayedBoard, seed: bytes = b"board") -> None:
        """Play it with this chance."""
        self.ledger, draw = Ledger(REHEARSAL, bytes(32)), drawing_from(seed)
        bots = [f"bot/bold/{number}" for number in range(1, 5)]
        self.board = kind(RULES, [(bot, "server") for bot in bots], self.ledger, draw, AT)
        self.tables = {
            number: PlayedOut(
                UUID(RULES.match_at(number)), match_rules(RULES, number), bots[2 * number - 2 : 2 * number],
                self.ledger, draw, AT,
            )
            for number in (FIRST, SECOND)
        }  # fmt: skip
        self.board.play(self.tables)
        self.policy = parse(self.ledger.policy.encode())

    def verdict(self, table: int = FIRST, board: bytes | None = b"", record: bytes = b"", **more: Any) -> Verdict:
        """Return what an audit says of the match at a table, beside the record of its board."""
        played = self.tables[table]
        beside = Evidence(played.access, board=self.board.record if board == b"" else board)
        return verdict_of(record or played.record, self.policy, beside=beside, **more)

    def shared(self) -> SharedDeal:
        """Return what the record of the board says."""
        return shared_deal(read(self.board.record))


def read(record: bytes) -> Audited:
    """Return a record as layers 1 and 2 read it."""
    return audit_lines(record, None, ed25519_verify)


def found(verdict: Verdict) -> tuple[str, str, str]:
    """Return the status of a verdict, its code, and the type of the line that is at fault."""
    return verdict.status, str(verdict.code or ""), verdict.message


HONEST = World()
SOON = b"e"
"""Chance with which the first match is over a round before the other."""


# ---- what is in order ------------------------------------------------------------------------------


def test_a_match_is_fair_beside_the_record_of_its_board() -> None:
    for table in (FIRST, SECOND):
        verdict = HONEST.verdict(table)
        assert (verdict.status, verdict.shared, verdict.layers) == ("OK", "checked", (1, 2, 3)), verdict.message
        assert isinstance(verdict.deals, dict)
        assert len(verdict.deals["0"]["values"]) > 4, "every die that was shown is proved"
    board = verdict_of(HONEST.board.record, HONEST.policy)
    assert board.status == "OK", board.message
    assert board.board == BoardRecord(RULES.id, board.board.rules, tuple(f"bot/bold/{n}" for n in range(1, 5)))  # type: ignore[union-attr]


def test_without_the_record_of_its_board_a_match_says_what_was_not_checked() -> None:
    verdict = HONEST.verdict(board=None)
    assert (verdict.status, verdict.shared, verdict.layers) == ("INCOMPLETE", "unchecked", (1, 2))
    assert verdict.message.startswith("who won was not checked: its dice are those of a board")
    assert "all dice were fixed" not in verdict.message
    for other in (b"", HONEST.tables[SECOND].record, HONEST.board.record[:-40], _renamed(HONEST.board.record)):
        alone = verdict_of(HONEST.tables[FIRST].record, HONEST.policy, beside=Evidence(board=other))
        assert alone.shared == "unchecked"
    assert HONEST.verdict(layers=(1, 2)).record == "OK"


def _renamed(record: bytes) -> bytes:
    return record.replace(RULES.id.encode(), b"00000000" + RULES.id[8:].encode())


def test_before_its_dice_are_published_a_match_is_judged_up_to_them() -> None:
    lines = HONEST.board.record.split(b"\n")
    cut = next(at for at, line in enumerate(lines) if b'"deal.closed"' in line)
    running = b"".join(line + b"\n" for line in lines[:cut])
    verdict = HONEST.verdict(board=running)
    assert (verdict.status, verdict.shared) == ("INCOMPLETE", "checked")
    assert "not published yet" in verdict.message
    board = verdict_of(running, HONEST.policy)
    assert (board.status, board.rules) == ("INCOMPLETE", "the dice of the board are not published yet")
    assert shared_deal(read(running)).keeper() is None
    young = b"".join(line + b"\n" for line in lines[:4])
    assert shared_deal(read(young)).dice is None


def test_the_board_of_a_match_is_looked_for_by_its_first_line() -> None:
    assert board_named_in(HONEST.tables[FIRST].record) == RULES.id
    assert board_named_in(b"nothing") is None
    assert board_named_in(HONEST.board.record) is None
    first = json.loads(HONEST.tables[FIRST].lines[0])
    first["data"]["rules"]["board"]["id"] = "../policy"
    assert board_named_in(canonical.encode(first)) is None


# ---- lies of a board -------------------------------------------------------------------------------


class OtherMix(PlayedBoard):
    """A server that tells its matches of other seeds."""

    said: ClassVar[dict[str, Any]] = {"mix": "0" * 64}

    def _share(self) -> commands.ShareDeal:
        return replace(super()._share(), **self.said)


class OtherHead(OtherMix):
    """A server that names another line of the board."""

    said: ClassVar[dict[str, Any]] = {"head": "1" * 64}


class OtherRoot(OtherMix):
    """A server that names another root."""

    said: ClassVar[dict[str, Any]] = {"root": "2" * 64}


class Sooner(PlayedBoard):
    """A server that lets rounds be judged by a line that closes none."""

    def _release(self) -> commands.ReleaseRound:
        return replace(super()._release(), seq=3, head=self._head_at(3))


class OtherLine(PlayedBoard):
    """A board that names lines which its matches do not have."""

    def _do(self, command: BoardCommand) -> None:
        if isinstance(command, CloseBoardRound):
            rows = tuple((table, match, seq, "3" * 64) for table, match, seq, _head in command.tables)
            command = replace(command, tables=rows)
        super()._do(command)


class OtherEnd(PlayedBoard):
    """A board that names another line of a match which is over, and so waits for nothing any more."""

    def _proceed(self, step: DueOnBoard, seen: list[AtBoard], told: list[PlayedOut]) -> None:
        if step.step == "close_round":
            seen = [replace(each, head="3" * 64) if each.over else each for each in seen]
        super()._proceed(step, seen, told)


class TooEarly(PlayedBoard):
    """A board that names a line of each match at which the round was still played."""

    def _proceed(self, step: DueOnBoard, seen: list[AtBoard], told: list[PlayedOut]) -> None:
        if step.step == "close_round":
            seen = [replace(each, seq=each.seq - 2, head=self.before[each.match]) for each in seen]
        super()._proceed(step, seen, told)

    before: dict[str, str] = {}

    def play(self, tables: Any) -> None:
        for table in tables.values():
            take = table._decide  # noqa: SLF001 - what it writes is looked at

            def decided(command: commands.MatchCommand, table: PlayedOut = table, take: Any = take) -> None:
                take(command)
                self.before[str(table.match.id)] = canonical.head(table.lines[-3])

            table._decide = decided  # noqa: SLF001 - the same
        super().play(tables)


LIES: dict[type[PlayedBoard], tuple[str, str]] = {
    OtherMix: ("E_MIX", "these are not the dice of the board"),
    OtherHead: ("E_MIX", "these are not the dice of the board"),
    OtherRoot: ("E_MIX", "these are not the dice of the board"),
    Sooner: ("E_RULES", "the board has closed no such round in this line"),
    OtherLine: ("E_RULES", "the board names another line of this match"),
    TooEarly: ("E_RULES", "the board closed the round before it was over here"),
}


@pytest.mark.parametrize("kind", LIES)
def test_a_lie_about_a_board_has_its_code(kind: type[PlayedBoard]) -> None:
    world, (code, why) = World(kind), LIES[kind]
    verdict = world.verdict()
    assert (verdict.status, verdict.code) == ("FAULT", code), verdict.message
    assert why in verdict.message


def test_a_board_names_no_other_line_of_a_match_that_is_over_than_its_last() -> None:
    world = World(OtherEnd, SOON)
    first, second = world.verdict(FIRST), world.verdict(SECOND)
    assert (first.status, first.code, second.status) == ("FAULT", "E_RULES", "OK"), first.message
    assert "the board names another line of this match" in first.message


def test_dice_of_another_board_are_no_dice_of_this_one() -> None:
    shared = HONEST.shared()
    assert shared.dice is not None
    other = replace(shared.dice, number=1)
    assert audit_lines(HONEST.tables[FIRST].record, None, ed25519_verify, shared=other).report.code == "E_ORDER"
    foreign = replace(shared.dice, board="0" * 36)
    assert audit_lines(HONEST.tables[FIRST].record, None, ed25519_verify, shared=foreign).report.code == "E_ORDER"
    rolled = replace(shared.dice, ctx=bytes(32))
    assert audit_lines(HONEST.tables[FIRST].record, None, ed25519_verify, shared=rolled).report.code == "E_KEY"
    narrow = replace(shared.dice, cups=tuple(replace(cup, width=1) for cup in shared.dice.cups))
    assert audit_lines(HONEST.tables[FIRST].record, None, ed25519_verify, shared=narrow).report.code == "E_SLOT"


def _forged(record: bytes, forge: Any) -> bytes:
    """Return the event lines of a record with others in their place, chained again."""
    documents = [json.loads(line) for line in record.split(b"\n") if line.startswith(b"{")]
    lines, head = [], GENESIS
    for seq, each in enumerate(forge(documents)):
        line = canonical.line(each["stream"], seq, head, each["at"], each["type"], each["data"])
        head = canonical.head(line)
        lines.append(line + b"\n")
    return b"".join(lines)


def _after(kind: str, *said: tuple[str, dict[str, Any]], first: bool = False) -> Any:
    """Return what puts lines behind the first line of a type, or in its place."""

    def forge(documents: list[Any]) -> list[Any]:
        at = next(seq for seq, each in enumerate(documents) if each["type"] == kind)
        more = [{**documents[at], "type": name, "data": data} for name, data in said]
        return [*documents[: at + (not first)], *more, *documents[at + 1 :]]

    return forge


SHARED = ("deal.shared", {"deal": 0, "board": RULES.id, "root": "0" * 64, "mix": "0" * 64, "head": "0" * 64})
COMMITTED = ("deal.committed", {"deal": 1, "cups": [[1, 1, 1, 1]], "root": "0" * 64})
VOIDED = ("deal.voided", {"deal": 0, "reason": "late", "seats": []})
CLOSED = ("deal.closed", {"deal": 0, "secret": "0" * 64})


@pytest.mark.parametrize("said", [SHARED, COMMITTED, VOIDED, CLOSED])
def test_who_shares_a_deal_has_no_other_and_does_not_end_it(said: tuple[str, dict[str, Any]]) -> None:
    record = _forged(HONEST.tables[FIRST].record, _after("deal.shared", said))
    report = read(record).report
    assert (report.status, report.code) == ("FAULT", "E_ORDER"), report.message


@pytest.mark.parametrize("keys", [[], [[0, "00" * 32], [0, "00" * 32]], [[200, "00" * 32]]])
def test_without_its_board_a_match_still_shows_no_dice_that_were_not_rolled(keys: list[Any]) -> None:
    def forge(documents: list[Any]) -> list[Any]:
        shown = next(each for each in documents if each["type"] == "cup.revealed")
        shown["data"] |= {"keys": keys}
        return documents

    assert read(_forged(HONEST.tables[FIRST].record, forge)).report.code == "E_SLOT"
    rolled = ("cup.revealed", {"deal": 0, "cup": 9, "roll": 0, "com": [], "path": [], "keys": [], "values": []})
    assert read(_forged(HONEST.tables[FIRST].record, _after("deal.shared", rolled))).report.code == "E_SLOT"


def test_a_match_whose_line_the_board_never_had_is_at_fault_where_it_ends() -> None:
    shared, record = HONEST.shared(), read(HONEST.tables[FIRST].record)
    last = max(shared.rounds)
    beyond = replace(shared, rounds={**shared.rounds, last + 1: replace(shared.rounds[last], lines={})})
    ruling = replay.replay(list(record.lines), beyond, record.raw)
    assert (ruling.line, ruling.why) == (len(record.lines), "the board names another line of this match")


def test_an_event_asks_for_its_boards() -> None:
    record = BoardRecord("b", "rules", ("one", "two"))
    wanted = (WantedBoard(7, record),)
    assert hold((), {}, wanted).unchecked == ("b",)
    assert hold((), {}, wanted, {"b": record}).differences == ()
    for other in (replace(record, rules="others"), replace(record, players=("two", "one"))):
        told = hold((), {}, wanted, {"b": other})
        assert [(each.line, each.match, each.what) for each in told.differences] == [(7, "b", "board")]


def test_positions_that_are_exchanged_are_no_rules_of_a_match() -> None:
    def forge(documents: list[Any]) -> list[Any]:
        documents[0]["data"]["rules"]["board"]["positions"] = {"1": 2, "2": 1}
        return documents

    verdict = HONEST.verdict(record=_forged(HONEST.tables[FIRST].record, forge))
    assert (verdict.status, verdict.code, verdict.line) == ("FAULT", "E_RULES", 1), verdict.message
    assert "position" in verdict.message or "option" in verdict.message
