"""What many tests stand on: real servers, started once a run."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.local.servers import LocalServers

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServers]:
    async with LocalServers(tmp_path_factory.mktemp("servers")) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_dsn(servers: LocalServers) -> str:
    return servers.database_url


@pytest.fixture(scope="session")
def nats_url(servers: LocalServers) -> str:
    return servers.nats_url


@pytest.fixture(scope="session")
def chromium_path() -> str:
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    if MAC.exists():
        return str(MAC)
    pytest.fail("the browser tests need Chrome or Chromium: install either, or run tests/setup.sh where apt-get is")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--vectors", metavar="DIR", help="run the rules' vectors of this folder")
    parser.addoption("--update-playthroughs", action="store_true", help="write the playthroughs anew")
