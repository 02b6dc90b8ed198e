"""What many tests stand on: real servers, started once a run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import monotonic, sleep

import hypothesis
import pytest
import pytest_asyncio

from services.local.servers import LocalServers
from tests.sizes import LINE, LONG

ROOT = Path(__file__).parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

# No test asserts a time: a machine that is shared may be slow at any moment.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile(LINE, PATIENT, max_examples=50)
hypothesis.settings.register_profile(LONG, PATIENT, max_examples=1_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="try random suites whole, and what is marked as long")
    parser.addoption("--vectors", metavar="DIR", help="run the rules' vectors of this folder")
    parser.addoption("--update-playthroughs", action="store_true", help="write the playthroughs anew")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile(LONG if config.getoption("--long") else LINE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked as long, unless it was asked for."""
    if not config.getoption("--long"):
        left = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


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
def service_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real program, as a person starts it, with bots that do not pretend to think."""
    data = tmp_path_factory.mktemp("service")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    environment |= {"TRUECUP_BOT_PAUSE_MS": "0", "TRUECUP_LOG_LEVEL": "info"}
    argv = [sys.executable, "-m", "services.cli.main", "up", "--port", "0", "--no-demo", "--data", str(data)]
    with (data / "service.log").open("wb") as output:
        program = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield told_address(program, data)
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(timeout=20)


def told_address(program: subprocess.Popen[bytes], data: Path) -> str:
    """Wait until a program says where it is."""
    deadline = monotonic() + 60
    while monotonic() < deadline and program.poll() is None:
        if (data / "url").exists() and (data / "url").read_text().endswith("\n"):
            return (data / "url").read_text().strip()
        sleep(0.05)
    pytest.fail("the program did not start:\n" + (data / "service.log").read_text())


@pytest.fixture(scope="session")
def chromium_path() -> str:
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    if MAC.exists():
        return str(MAC)
    pytest.fail("the browser tests need Chrome or Chromium: install either, or run tests/setup.sh where apt-get is")
