"""Fixtures of many tests: real servers, started once a run."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import pytest_asyncio
import structlog
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from infra import clock
from tests.counted import counts_branches, forget_what_is_known, import_what_counts
from tests.hosting import TEMPLATE, Host, a_database, ask, tell_of
from tests.sizes import LINE, LONG, is_long

HOST = pytest.StashKey[Host]()
ROOT = Path(__file__).parent
LONGEST = (
    "simulation/test_simulation.py",
    "malformed/test_nonsense.py",
    "web/test_accessibility.py",
    "crash/test_between_events.py",
    "director/test_every_format.py",
    "web/test_every_game.py",
    "fairness/test_rules_in_javascript.py",
    "domain/test_lies_of_every_game.py",
    "simulation/test_planted.py",
    "web/test_one_screen.py",
    "crash/test_killed.py",
    "fairness/test_two_auditors.py",
    "fairness/test_every_check_in_javascript.py",
    "web/test_event_console.py",
    "analysis/test_documents.py",
    "fairness/test_every_check.py",
    "crash/test_hung.py",
    "api/test_schema.py",
    "program/test_processes.py",
    "web/test_signed_seats.py",
    "web/test_lobby.py",
    "web/test_people_who_stop.py",
    "crash/test_two_versions.py",
    "bots/test_player.py",
    "web/test_sixteen.py",
    "crash/test_log_killed.py",
    "web/test_ladder_card.py",
    "store/test_away.py",
    "analysis/test_hints.py",
    "handoff/test_nodes_killed.py",
    "domain/test_every_ruling.py",
    "domain/test_secrecy.py",
    "web/test_one_file.py",
    "web/test_trust.py",
    "web/test_analysis.py",
    "store/test_hung.py",
    "web/test_one_voice.py",
    "cli/test_live.py",
    "door/test_heads.py",
    "cli/test_bench.py",
    "idle/test_live.py",
    "analysis/test_vectors.py",
    "cli/test_felt.py",
    "cli/test_play.py",
    "cli/test_first_bot.py",
    "local/test_servers.py",
    "crash/test_over_socket.py",
    "web/test_event_cards.py",
    "monitor/test_monitor.py",
    "cli/test_over_socket.py",
    "web/test_pages.py",
    "web/test_show.py",
    "web/test_socket.py",
    "web/test_families.py",
    "fairness/test_beside.py",
    "engines/test_hosting.py",
    "web/test_stages.py",
    "relay/test_feed.py",
    "web/test_teaching.py",
    "cli/test_play_engine.py",
)
"""The files that take longest, the longest first: what comes last is short, and no worker waits for another."""
UNDIVIDED = (
    "domain/test_every_ruling.py",
    "fairness/test_every_check.py",
    "fairness/test_every_check_in_javascript.py",
)
"""Files with a test of minutes where they run whole: they begin then, and nobody can help with them."""
APART = frozenset(
    {
        "director/test_every_format.py",
        "domain/test_lies_of_every_game.py",
        "fairness/test_rules_in_javascript.py",
        "fairness/test_two_auditors.py",
        "simulation/test_simulation.py",
        "web/test_accessibility.py",
        "web/test_every_game.py",
        "web/test_one_screen.py",
    }
)
"""Files with minutes of tests that share nothing, where they run whole: these are handed out one by one, in the end."""
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Commands of the browser, the best first: the shell is Chromium without windows, and half as dear."""
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

# No test asserts a time: a machine that is shared may be slow at any moment.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile(LINE, PATIENT, max_examples=30)
hypothesis.settings.register_profile(LONG, PATIENT, max_examples=1_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="try random suites whole, and what is marked as long")
    parser.addoption("--vectors", metavar="DIR", help="run the rules' vectors of this folder")
    parser.addoption("--update-playthroughs", action="store_true", help="write the playthroughs anew")
    parser.addoption("--update-screens", action="store_true", help="write the screens of the terminal anew")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run one file in the program that was started, and more than one side by side, in two workers more than cores.

    Many tests wait, for a browser, for a program that starts or for a server that hangs.
    """
    files = {argument.partition("::")[0] for argument in config.args}
    return 0 if len(files) == 1 and files.pop().endswith(".py") else (os.cpu_count() or 1) + 2


def pytest_configure(config: pytest.Config) -> None:
    """Size the suites, and hold the run's servers in the program that was started; its workers are told where."""
    # What a terminal says depends on the language of whoever runs the tests; so do the programs that they start.
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        os.environ.pop(name, None)
    os.environ["LANG"] = "C.UTF-8"
    # With the values of every frame, which is what it does by itself, a fault takes seconds to be told of.
    shown = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], shown])
    hypothesis.settings.load_profile(LONG if config.getoption("--long") else LINE)
    if not hasattr(config, "workerinput"):
        config.stash[HOST] = Host()
    elif tracer := _tracer(config):
        # A worker is given a controller of its own when its session starts: left alone, this one traces all there is.
        tracer.pause()
    tell_of(address_of(config))
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        # Where nothing may be written beside the code, the many programs of a run share what they compile.
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(address_of(config)).parent / "compiled")
    _begin_elsewhere(config)


def _begin_elsewhere(config: pytest.Config) -> None:
    """Let each worker collect from another folder on: what one has compiled the others need not, and they all would."""
    worker, asked = getattr(config, "workerinput", None), [Path(argument) for argument in config.args]
    if worker is None or not all(path.exists() for path in asked):
        return
    if [path.resolve() for path in asked] == [ROOT]:
        asked = sorted(path for path in ROOT.iterdir() if path.is_dir() or path.match("test_*.py"))
    first = int(worker["workerid"].removeprefix("gw")) * len(asked) // int(worker["workercount"])
    config.args[:] = map(str, asked[first:] + asked[:first])


def address_of(config: pytest.Config) -> str:
    """Return where the run's servers can be asked for."""
    given = getattr(config, "workerinput", None)
    return config.stash[HOST].address if given is None else given["host"]


def pytest_configure_node(node: Any) -> None:
    node.workerinput["host"] = node.config.stash[HOST].address


def pytest_unconfigure(config: pytest.Config) -> None:
    if HOST in config.stash:
        config.stash[HOST].end()


class OneByOne(LoadFileScheduling):
    """Hands out files, and tests of files whose tests share nothing one by one."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file.removeprefix("tests/") in APART else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneByOne | None:
    """Let no worker end with a whole suite of minutes while the others have nothing to do."""
    return OneByOne(config, log) if is_long() else None


@cache
def _place_of(path: Path) -> int:
    """Return when the tests of a file start, among those of all files."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    apart = APART if is_long() else frozenset[str]()
    first = [*(UNDIVIDED if is_long() else ()), *(file for file in LONGEST if file not in apart)]
    return first.index(name) if name in first else len(first) + (name in apart)


def _tracer(config: pytest.Config) -> Any:
    """Return what counts branches, with `--cov`."""
    plugin = config.pluginmanager.getplugin("_cov")
    return None if plugin is None else plugin.cov_controller


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Trace nothing from here on but the tests that count branches, and first import what they count, once a run."""
    if tracer := _tracer(session.config):
        if not hasattr(session.config, "workerinput"):
            import_what_counts()
        tracer.pause()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Trace the tests that count branches, with their fixtures, and those of a file that follow without a break.

    A thread that is there before tracing goes on is not traced any more, and servers of a file are threads.
    """
    tracer = _tracer(item.config) if item.get_closest_marker("counted") else None
    if tracer and not tracer.started:
        forget_what_is_known()
        tracer.resume()
    try:
        return (yield)
    finally:
        if tracer and not _goes_on_counting(item, nextitem):
            tracer.pause()


def _goes_on_counting(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Report whether the next test is one of the same file, and counts as well."""
    return nextitem is not None and nextitem.path == item.path and nextitem.get_closest_marker("counted") is not None


def _mark_what_counts(items: list[pytest.Item]) -> None:
    for item in items:
        test = item.nodeid.rpartition("::")[2].partition("[")[0]
        if item.path.is_relative_to(ROOT) and counts_branches(item.path.relative_to(ROOT), test):
            item.add_marker("counted")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked as long, unless it was asked for, and begin with the files that take longest."""
    if config.getoption("cov_source"):
        _mark_what_counts(items)
    left = {item for item in items if item.get_closest_marker("long") and not config.getoption("--long")}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: (_place_of(item.path), item.path))  # a stable sort: within a file nothing changes


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never among what was imported: a tenth of a run would be spent on it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


# ---- servers, one of each for all workers of a run ----------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _clock_of_this_machine() -> Iterator[None]:
    """Let the clock of the house go as this machine's again, whatever a file has made of it."""
    yield
    clock.HOUSE = clock.Clock()


@pytest.fixture(scope="session")
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Return where something is that the run shares."""
    folder = tmp_path_factory.getbasetemp()
    is_worker = hasattr(request.config, "workerinput")
    return partial(ask, address_of(request.config), folder=folder.parent if is_worker else folder)


@pytest.fixture(scope="session")
def postgres_dsn(shared: Callable[[str], Any]) -> str:
    """The run's Postgres, by the address of a database that is nobody's."""
    return shared("servers")["postgres"]


@pytest.fixture(scope="session")
def nats_url(shared: Callable[[str], Any]) -> str:
    return shared("servers")["nats"]


@pytest.fixture(scope="session")
def service_url(shared: Callable[[str], Any]) -> str:
    """The address of the real program, at which other tests play as well."""
    return shared("service")["url"]


@pytest.fixture(scope="session")
def service_folder(shared: Callable[[str], Any]) -> Path:
    """The data folder of the real program."""
    return Path(shared("service")["folder"])


@pytest_asyncio.fixture
async def database(postgres_dsn: str) -> AsyncIterator[str]:
    """A database of the test's own, with our schema in it."""
    async with a_database(postgres_dsn, TEMPLATE) as dsn:
        yield dsn


@pytest_asyncio.fixture
async def empty_database(postgres_dsn: str) -> AsyncIterator[str]:
    """A database of the test's own, with nothing in it."""
    async with a_database(postgres_dsn, "template1") as dsn:
        yield dsn


@pytest.fixture(scope="session")
def chromium_path() -> str:
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    if MAC.exists():
        return str(MAC)
    pytest.fail("the browser tests need Chrome or Chromium: install either, or run tests/setup.sh where apt-get is")
