"""The service of the interface's own tests, and a socket to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.conftest import Service, match, service, table
from tests.socket.speaking import Speaker, speaking

__all__ = ["match", "service", "speaker", "table"]


@pytest.fixture
def speaker(service: Service) -> Iterator[Speaker]:
    """Return a socket."""
    with speaking(service) as opened:
        yield opened
