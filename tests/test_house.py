"""The shape of the code itself: short files and functions, a README that tells the truth, nothing left lying about."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct

from domain.errors import CODES, COMMENT_CODES, SEASON_CODES, TOURNAMENT_CODES
from services.http.problems import PROBLEMS

ROOT = Path(__file__).parent.parent
PACKAGES = ("domain", "projections", "infra", "services")
FOLDERS = (*PACKAGES, "tests")
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
DATA = ("tests/fairness/vectors/", "tests/rules/vectors/", "tests/playthroughs/", "services/web/static/vendor/")
"""What is compared or shipped byte by byte, and not read from top to bottom."""
WRITTEN = (".py", ".js", ".css", ".html", ".sql", ".sh", ".md", ".toml", ".svg", ".txt", "")
ENTRY_POINTS = {
    "services.cli.main",  # the command, named in pyproject.toml
    "services.cli.operating.member",  # a process of a set, which the supervisor starts by its name
    "services.client.published.truecup.client",  # what programs of others import, as `truecup.client`
    "services.client.published.truecup.learn",  # the same, as `truecup.learn`
    "services.client.published.truecup.sync",  # the same, as `truecup.client.sync`
    "services.web.static.first_bot",  # what the guide to a first bot shows, for whoever reads it
    "services.cli.bench.rig.bare",  # a program that the bench starts by its name
    "services.cli.bench.profile.profiled",  # another, which no setting of the service reaches
    "infra.store.memory",  # the double that passes the store's contract, for tests
    "infra.feed.memory",  # the double that passes the feed's contract, for tests
    "infra.handoff.memory",  # the double that passes the handoff's contract, for tests
}
"""What no program of ours imports, and why it is there."""
ON_ONE_PAGE = {
    ("tests/test_one_bid.py", "test_one_bid"),  # the whole way of a bid, to be read in one go
}


def files(*suffixes: str) -> Iterator[tuple[str, Path]]:
    """Yield the files people write, with their names from the root."""
    found = [ROOT / "README.md", ROOT / "pyproject.toml", *(ROOT / ".ci").iterdir(), *(ROOT / ".docs").rglob("*")]
    found += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    for path in sorted(found):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and path.suffix in (suffixes or WRITTEN) and not name.startswith(DATA):
            yield name, path


class Source(Struct, frozen=True):
    """What a Python file says: lines of functions, classes, what it imports, raises and is described by, all texts."""

    functions: tuple[tuple[str, int], ...]
    classes: frozenset[str]
    imported: frozenset[str]
    raised: frozenset[str]
    described: str | None
    texts: frozenset[str]


def sources(*folders: str) -> Iterator[tuple[str, Source]]:
    """Yield the Python files below these folders with what they say."""
    for name, path in files(".py"):
        if name.partition("/")[0] in folders:
            yield name, source_of(path)


@cache
def source_of(path: Path) -> Source:
    """Return what a file says, read once for all tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return Source(
        tuple((node.name, (node.end_lineno or 0) - node.lineno + 1) for node in functions),
        frozenset(node.name for node in nodes if isinstance(node, ast.ClassDef)),
        frozenset(imported(nodes)),
        frozenset(name for node in functions for name in raised(node)),
        ast.get_docstring(tree),
        frozenset(texts),
    )


def raised(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return what the docstring of a function says that it raises."""
    section = (ast.get_docstring(function) or "").partition("Raises:\n")[2]
    return re.findall(r"^    (\w+):", section, re.MULTILINE)


def imported(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield every name that may be a module a file imports, commands loaded by `module:name` among them."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
            yield node.value.partition(":")[0]


# ---- what can be read -------------------------------------------------------------------------


def test_no_file_is_longer_than_can_be_read_in_one_go() -> None:
    long = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in files()}
    assert {name: lines for name, lines in long.items() if lines > FILE_LINES_MAX} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        (name, function): lines for name, source in sources(*FOLDERS, ".ci") for function, lines in source.functions
    }
    assert {one for one, lines in long.items() if lines > FUNCTION_LINES_MAX} == ON_ONE_PAGE


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"])
def test_no_work_is_left_for_later(word: str) -> None:
    found = re.compile(rf"\b{word}\b")
    assert [name for name, path in files() if found.search(path.read_text(encoding="utf-8"))] == []


def test_no_file_knows_a_path_of_somebodys_machine() -> None:
    paths = re.compile(r"(?<![\w.$}>])/(?:work|root|tmp|home|mnt|opt|Users)/")
    told = {name: paths.findall(path.read_text(encoding="utf-8")) for name, path in files()}
    assert {name: found for name, found in told.items() if found} == {}


# ---- what the README says ---------------------------------------------------------------------


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def block(heading: str) -> str:
    """Return what stands under a heading of the README."""
    return readme().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_map_is_the_tree() -> None:
    mapped = re.findall(r"^(\w+)/ ", block("The map"), re.MULTILINE)
    there = [path.name for path in ROOT.iterdir() if path.is_dir() and re.match(r"[a-z]", path.name)]
    assert sorted(mapped) == sorted(name for name in there if not name.endswith((".egg-info", "build", "dist")))
    assert sorted(mapped) == sorted(FOLDERS)


def test_one_bid_goes_through_six_files_that_are_there() -> None:
    steps = re.findall(r"^\d\. .*", block("One bid, in six files"), re.MULTILINE)
    named = [re.findall(r"`((?:domain|projections|infra|services)/[\w/.]+)`", step) for step in steps]
    assert [len(found) for found in named] == [1] * 6
    assert [path for (path,) in named if not (ROOT / path).is_file()] == []


def test_every_path_the_readme_names_is_there() -> None:
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w/.]*)`", readme())
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_first_block_of_the_readme_is_two_lines_each_standing_alone() -> None:
    lines = readme().split("```")[1].strip("\n").split("\n")
    assert len(lines) == 2
    assert [line.endswith("\\") for line in lines] == [False, False]


def test_the_domain_names_all_its_files() -> None:
    listed = set(re.findall(r"\w+", (ROOT / "domain" / "__init__.py").read_text(encoding="utf-8")))
    there = {path.stem for path in (ROOT / "domain").iterdir() if not path.name.startswith("__")}
    assert there - listed == set()


# ---- what is used -----------------------------------------------------------------------------


def module_of(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def users(*folders: str) -> dict[str, set[str]]:
    """Return by module who imports it, out of these folders."""
    found: dict[str, set[str]] = {}
    for name, source in sources(*folders):
        for module in source.imported:
            found.setdefault(module, set()).add(name)
    return found


def test_every_module_is_imported_by_another() -> None:
    used = users(*PACKAGES)
    modules = {module_of(name): name for name, _ in sources(*PACKAGES) if not name.endswith("__init__.py")}
    assert {module for module, name in modules.items() if not used.get(module, set()) - {name}} == ENTRY_POINTS


def test_what_tests_stand_on_is_used_by_a_test() -> None:
    used = users("tests")
    texts = texts_in("tests")
    stands = [name for name, _ in sources("tests") if not re.fullmatch(r"test_\w+|conftest", Path(name).stem)]
    run_by_name = {name for name in stands if Path(name).name in texts}
    assert {name for name in stands if module_of(name) not in used} - run_by_name == set()


def test_every_file_a_page_is_made_of_is_named_by_another() -> None:
    web = [(name, path) for name, path in files() if name.startswith("services/web/")]
    texts = {name: path.read_text(encoding="utf-8") for name, path in web}
    pieces = [name for name in texts if "/static/" in name or "/templates/" in name]
    unnamed = [
        name for name in pieces if not any(Path(name).name in text for other, text in texts.items() if other != name)
    ]
    assert unnamed == []


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "infra" / "store" / "migrations").glob("*.sql"))]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))


def test_nothing_shadows_our_packages() -> None:
    for name in PACKAGES:
        homes = {
            Path(entry).resolve()
            for entry in sys.path
            if (Path(entry) / name).is_dir() or (Path(entry) / f"{name}.py").is_file()
        }
        assert homes == {ROOT}, name


# ---- what is refused --------------------------------------------------------------------------


_ABOUT_CODES = {"domain/errors.py", "services/words/details.py"}


def texts_in(*folders: str) -> set[str]:
    """Return every text that stands in code below these folders, but for the tables of codes."""
    return {text for name, source in sources(*folders) if name not in _ABOUT_CODES for text in source.texts}


def test_every_refusal_is_made_somewhere() -> None:
    assert set(CODES) - texts_in("domain", "services") == set()


def test_every_refusal_is_provoked_by_a_test() -> None:
    assert set(CODES) - texts_in("tests") == set()


def test_every_code_is_made_somewhere_and_provoked_by_a_test() -> None:
    of_rules = {*CODES, *TOURNAMENT_CODES, *SEASON_CODES, *COMMENT_CODES}
    assert set(PROBLEMS) - of_rules - texts_in("services") == set()
    assert set(PROBLEMS) - texts_in("tests") == set()


def test_a_module_is_described_by_something_one_could_look_up() -> None:
    indirect = re.compile(r"(?:What|How|Who|Whom|Whose|Why|Whether|Where|When|Which|That)\b")
    told = {name: source.described for name, source in sources(*FOLDERS, ".ci")}
    assert [name for name, text in told.items() if text is None or indirect.match(text)] == []


def test_what_a_docstring_says_is_raised_is_a_class_that_there_is() -> None:
    said = [source for _, source in sources(*FOLDERS, ".ci")]
    known = {*dir(builtins), "NotFoundException"}.union(*(source.classes for source in said))
    assert set().union(*(source.raised for source in said)) <= known
