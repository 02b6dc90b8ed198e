"""The decisions: numbered pages of one shape, each on the README's list, and nothing in them that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / ".docs" / "decisions").glob("*.md"))
LINKING = [*PAGES, ROOT / "README.md"]
PARTS = ["Context", "Decision", "What follows", "What was tried"]
ROOMS = "domain|projections|infra|services|tests"


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [path.name[:4] for path in PAGES] == [f"{number:04}" for number in range(1, len(PAGES) + 1)]


def test_the_readme_lists_every_decision_in_order() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Decisions\n")[2].partition("\n## ")[0]
    assert re.findall(r"^- \[.+\]\(\.docs/decisions/(.+?)\): ", section, re.MULTILINE) == names(PAGES)


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_a_decision_has_its_parts_and_names_files_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == PARTS
    assert text.startswith(f"# {int(page.name[:4])}. ")
    named = re.findall(rf"`((?:{ROOMS})/[\w/.-]+)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", LINKING, ids=names(LINKING))
def test_links_from_decisions_and_to_them_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []
