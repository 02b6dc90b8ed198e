"""The documents: every link leads somewhere, every path and name in them and in docstrings is there."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("domain", "projections", "infra", "services", "tests")
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        *(ROOT / ".docs").rglob("*.md"),
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("README.md")),
    ]
)
WANTED = ("CUP1", "CUP1-continued", "changes", "contributing", "glossary", "http", "operations", "roles")
TOLD_BY_HISTORY = {"changes.md", "tournament-changes.md", "first-changes.md"} | {
    path.name for path in (ROOT / ".docs" / "decisions").glob("*.md")
}
"""What also tells of files that were there once."""

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:domain|projections|infra|services|tests|\.docs|\.ci)/[\w./*-]*[\w*]/?")
_NAME = re.compile(r"(?:domain|projections|infra|services|tests)(?:\.\w+)+")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def text_of(document: Path) -> str:
    """Return what a document says outside of its blocks of code."""
    return _FENCE.sub("", document.read_text(encoding="utf-8"))


@cache
def anchors(document: Path) -> frozenset[str]:
    """Return the anchors of a document's headings, as they are made where the repository is shown."""
    headings = re.findall(r"^#+ (.+)$", text_of(document), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


def is_there(path: str) -> bool:
    """Report whether a path of the repository exists; `*` and `NAME` stand for any name."""
    return any(ROOT.glob(path.rstrip("/").replace("NAME", "*")))


def resolves(name: str) -> bool:
    """Report whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield every docstring of ours, with the file it stands in."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, kinds) else None
            if text:
                yield path.relative_to(ROOT).as_posix(), text


def in_code(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield what stands between backticks, whole, and looks like this."""
    yield from (found for found in _CODE.findall(text) if pattern.fullmatch(found))


def test_the_documents_that_others_need_are_there() -> None:
    assert [name for name in WANTED if not (ROOT / ".docs" / f"{name}.md").is_file()] == []
    assert any((ROOT / ".docs" / "decisions").iterdir())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(document: Path) -> None:
    targets = ["".join(pair) for pair in _LINK.findall(text_of(document))]
    lost = []
    for target in (one for one in targets if "://" not in one):
        path, _, anchor = target.partition("#")
        file = (document.parent / path) if path else document
        if not file.exists() or (anchor and anchor not in anchors(file)):
            lost.append(target)
    assert lost == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_path_and_every_name_in_a_document_is_there(document: Path) -> None:
    text = text_of(document)
    if document.name not in TOLD_BY_HISTORY:
        assert [path for path in in_code(text, _PATH) if not is_there(path)] == []
        assert [name for name in in_code(text, _NAME) if not resolves(name)] == []


def test_every_path_and_every_name_in_a_docstring_is_there() -> None:
    found = list(docstrings())
    assert [(file, path) for file, text in found for path in in_code(text, _PATH) if not is_there(path)] == []
    assert [(file, name) for file, text in found for name in in_code(text, _NAME) if not resolves(name)] == []


def test_every_word_of_the_glossary_leads_to_a_place_in_the_code() -> None:
    rows = re.findall(r"^\| (.+?) \| .+? \| (.+?) \|$", (ROOT / ".docs" / "glossary.md").read_text(), re.MULTILINE)
    words = [(word, place) for word, place in rows if word != "word" and not word.startswith("---")]
    assert len(words) > 50
    assert [word for word, place in words if not _CODE.findall(place)] == []
    assert [name for _, place in words for name in _CODE.findall(place) if not resolves(name)] == []
    assert len({word for word, _ in words}) == len(words)
