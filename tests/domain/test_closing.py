"""A host closes a table at which nobody has begun to play."""

from __future__ import annotations

import msgspec
import pytest

from domain import commands
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness.records import RecordLine
from projections.lobby import row_of, state_of
from projections.view import view_of
from tests.domain.playing import Played
from tests.fairness.record_files import audited


def test_a_match_that_has_not_started_can_be_closed_and_nobody_comes_in_any_more() -> None:
    played = Played(seats=3)
    played.do(commands.Join("ada", "server"))
    played.do(commands.CloseSession())
    assert played.match.ended
    for command in (commands.Join("bob", "server"), commands.Start(played.chance()), commands.CloseSession()):
        with pytest.raises(Refused) as refused:
            played.do(command)
        assert refused.value.code == "game_over"


def test_a_closed_table_is_finished_for_everybody() -> None:
    played = Played(seats=3)
    played.do(commands.CloseSession())
    view = view_of(played.written, None, None, {})
    assert view.phase == "finished"
    assert state_of(row_of(view)) == "closed"


def test_the_audit_knows_that_a_table_was_closed() -> None:
    played = Played(seats=3)
    played.do(commands.Join("ada", "server"))
    played.do(commands.CloseSession())
    documents = [msgspec.json.decode(line) for line in played.lines]
    ruled = replay([RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(documents, start=1)])
    assert (ruled.line, ruled.upto) == (None, len(documents))


def test_the_record_of_a_closed_table_is_whole() -> None:
    played = Played(seats=3)
    played.do(commands.CloseSession())
    assert audited([msgspec.json.decode(line) for line in played.lines]).status == "OK"
