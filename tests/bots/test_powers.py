"""House bots at a table whose host has powers."""

from __future__ import annotations

from domain import commands
from services.bots.player import turn_of
from tests.domain.absence_tables import start
from tests.domain.test_host_powers import hosted


def test_no_bot_has_a_turn_in_a_pause() -> None:
    played = hosted()
    start(played, "bot/bold/1", "bot/bold/2", "bot/bold/3")
    assert turn_of(played.match, 0) is not None
    played.do(commands.PauseTable("break"))
    assert turn_of(played.match, 0) is None
    played.do(commands.ResumeTable())
    assert turn_of(played.match, 0) is not None
