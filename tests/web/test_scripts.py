"""The scripts of the pages: each in its room, rooms on one another and never in a circle, nothing that nobody uses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest
from msgspec import Struct
from msgspec.structs import fields

from domain import events
from domain.match.powers import OpenPowers
from domain.rules.laws import LAWS
from projections.around import DealView
from projections.frames import Frame
from projections.lobby import LobbyRow
from projections.view import ClaimView, DieView, SeatView, View
from services.web.assets import FOLDER
from services.web.onefile.page import ENTRY, START

TESTS = Path(__file__).parent.parent
TEMPLATES = FOLDER.with_name("templates")
FILES_MAX = 12
"""In a room, so that one look is enough to know it."""
PROGRAM = "auditor/cli.js"
"""What is run by Node, and loaded by no page."""
LAYERS = (
    ("pages/", "onefile/"),
    ("entrant/",),
    ("watch/",),
    ("analysis/",),
    ("hosting/", "holding/"),
    ("forms/",),
    ("show/",),
    ("table/",),
    ("words/",),
    # The verdict joins the auditor to the rules, which stand on the auditor's formulas, and to what a player keeps.
    (PROGRAM, "auditor/verdict.js"),
    ("signing/",),
    ("client/",),
    ("rules/",),
    ("cup1.js",),
    ("auditor/",),
    ("bytes.js", "qr.js", "vendor/"),
)
"""What stands on what, highest first: a script imports from its own layer and from those below."""
ROOMS = {"pages", "onefile", "entrant", "watch", "analysis", "hosting", "holding", "forms", "show", "table", "words"}
ROOMS |= {"client", "signing"}
LAID_OUT = {"rules", "rules/games", "rules/table", "rules/match", "rules/audit"}
"""As the rooms of `domain` are, whose second version they are."""
LINES = "client/lines"
"""What is heard as it happens, in a room of its own: that of `client` is full."""
PROGRAM_OF_CUP1 = "auditor"
"""With more files than a room: a file a subject of the protocol, which is one specification."""

_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
_FROM = re.compile(r"(?:\bfrom |\bimport |\bimport\()'(\.[^']*)'")
_NAMES = re.compile(r"\{([^{}]*)\} (?:= await (?:needed\(|brought\(\(\) => )?import\(|from )'(\.[^']*)'")
_WHOLE = re.compile(r"import \* as (\w+) from '(\.[^']*)'")
_TYPE = re.compile(r"import\('(\.[^']*)'\)\.(\w+)")
_EXPORT = re.compile(r"^export (?:async )?(?:const|function\*?|class) (\w+)", re.MULTILINE)


@cache
def scripts() -> dict[str, str]:
    """Return the text of every script of ours without its comments, by its name below the folder."""
    paths = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.js")}
    return {
        name: _COMMENT.sub("", path.read_text(encoding="utf-8"))
        for name, path in sorted(paths.items())
        if not name.startswith("vendor/")
    }


@cache
def imports() -> dict[str, set[str]]:
    """Return what each script imports, statically or when it is needed."""
    return {
        name: {normpath(join(dirname(name), found)) for found in _FROM.findall(text)}
        for name, text in scripts().items()
    }


def layer_of(name: str) -> int:
    """Return the layer of a file: that of its own name, or else that of its folder."""
    named = [at for at, layer in enumerate(LAYERS) if name in layer]
    return (named or [at for at, layer in enumerate(LAYERS) if f"{name.partition('/')[0]}/" in layer])[0]


def loaded() -> set[str]:
    """Return the scripts that templates load."""
    texts = [path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html")]
    return {name for text in texts for name in re.findall(r"asset\('([^']+\.js)'\)", text)}


@cache
def taken() -> dict[str, set[str]]:
    """Return the names that scripts import from each other, be it only to say of which type something is."""
    found = defaultdict[str, set[str]](set)
    for other, text in scripts().items():
        beside = dirname(other)
        for address, one in _TYPE.findall((FOLDER / other).read_text(encoding="utf-8")):
            found[normpath(join(beside, address))].add(one)
        for names, address in _NAMES.findall(text):
            found[normpath(join(beside, address))].update(re.findall(r"(?:^|,)\s*(\w+)", names))
        for whole, address in _WHOLE.findall(text):
            found[normpath(join(beside, address))].update(re.findall(rf"\b{whole}\.(\w+)", text))
    return found


def test_the_rooms_that_are_written_down_are_those_that_are_enforced() -> None:
    contributing = (TESTS.parent / ".docs" / "contributing.md").read_text(encoding="utf-8")
    table = contributing.partition("\n`services/web/static`: ")[2].partition("|---|---|\n")[2].partition("\n\n")[0]
    rooms = [set(re.findall(r"`([\w/.]+)`", row.split("|")[1])) for row in table.splitlines()]
    assert rooms == [{name.rstrip("/") for name in layer} for layer in LAYERS]


def test_pages_are_what_templates_load() -> None:
    assert loaded() == {name for name in scripts() if name.startswith("pages/")}


def test_every_script_stands_in_a_room_that_one_look_takes_in() -> None:
    counts = Counter(dirname(name) for name in scripts())
    assert counts.keys() == {"", *ROOMS, *LAID_OUT, PROGRAM_OF_CUP1, f"{PROGRAM_OF_CUP1}/signing", LINES}
    assert [folder for folder in counts if counts[folder] > FILES_MAX] == [PROGRAM_OF_CUP1]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Die", DieView),
        ("Seat", SeatView),
        ("Claim", ClaimView),
        ("Deal", DealView),
        ("Verdict", events.Judged),
        ("Hosting", OpenPowers),
        ("View", View),
        ("Frame", Frame),
        ("LobbyRow", LobbyRow),
    ],
)
def test_scripts_know_the_members_that_the_server_sends(name: str, sent: type[Struct]) -> None:
    told = (FOLDER / "client" / "view.d.ts").read_text(encoding="utf-8")
    body = told.partition(f"export interface {name} {{\n")[2].partition("\n}")[0]

    assert re.findall(r"^  readonly (\w+)\??:", body, re.MULTILINE) == [field.encode_name for field in fields(sent)]


def test_every_import_is_of_a_file_that_is_there() -> None:
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js*")}
    assert {name: found - there for name, found in imports().items() if found - there} == {}


def test_scripts_import_from_their_own_layer_and_those_below() -> None:
    upwards = [
        (name, other) for name, found in imports().items() for other in found if layer_of(other) < layer_of(name)
    ]
    assert upwards == []


def test_no_script_imports_itself_by_a_detour() -> None:
    order = list(TopologicalSorter(imports()).static_order())
    assert set(scripts()) <= set(order)


def test_every_script_is_loaded_or_imported() -> None:
    used = {other for found in imports().values() for other in found}
    assert set(scripts()) - used - loaded() == {PROGRAM, ENTRY, START}


def test_every_export_is_used_by_another_script_or_by_a_test() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*") if path.suffix in {".py", ".js"}]
    loaded_there = {word for text in texts if "import(" in text for word in re.findall(r"[\w$]+", text)}
    unused = [
        (name, one)
        for name, text in scripts().items()
        for one in _EXPORT.findall(text)
        if one not in taken()[name] and one not in loaded_there
    ]
    assert unused == []


@pytest.mark.parametrize("name", LAWS)
def test_no_script_of_a_page_asks_for_a_law_of_handling_by_its_name(name: str) -> None:
    asking = [script for script, text in scripts().items() if script.partition("/")[0] in ROOMS and f"'{name}'" in text]
    assert asking == []
