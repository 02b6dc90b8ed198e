"""An attack by mistake: a second program on the same database, with a key of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.conftest import Lasting, lasting, service
from tests.crash.house import Service, Table

__all__ = ["lasting", "service"]


def test_a_program_with_another_key_does_not_touch_the_log_and_the_seals_of_the_first(
    lasting: Lasting, service: Service, tmp_path: Path
) -> None:
    table = Table(service, {"options": {"dice_per_player": 1}})
    table.finish()
    assert table.audited().status == "OK"
    folder = tmp_path / "stranger"
    folder.mkdir()
    stranger = Service(lasting.database_url, lasting.nats_url, folder)
    try:
        with pytest.raises(AssertionError, match="another key"):
            stranger.start()
    finally:
        stranger.kill()
    again = Table(service, {"options": {"dice_per_player": 1}})
    again.finish()
    assert again.audited().status == "OK"
