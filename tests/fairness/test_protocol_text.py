"""The text of CUP/1, held against the code: codes, members, constants, examples, and the sections that are cited."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import fields

from domain.audit import access
from domain.fairness import records, shapes
from domain.fairness.beacons import CHAINS, MARGIN_S
from domain.fairness.faults import CODES
from domain.fairness.signing.forms import FORMS
from domain.fairness.signing.keyed_seats import QUIET, RECOVERY_MS
from domain.log.policies import is_signed, policy_of
from domain.log.receipts import RECEIPTS_MAX, ReceiptComparison, compare, receipt_of
from infra.keys import ed25519_verify

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "fairness" / "vectors"
FIRST, CONTINUED = ((ROOT / ".docs" / name).read_text(encoding="utf-8") for name in ("CUP1.md", "CUP1-continued.md"))
FROM_RECEIPTS = {"E_RECEIPT"}
"""What no record is at fault with: a receipt beside it is."""
ACCESS = {
    access.CREATED: ("match",),
    access.SERVED: tuple(each.name for each in fields(access.Served)),
    access.CLOSED: ("version",),
}

_HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)*)\.? .*$", re.MULTILINE)
_CITED = re.compile(r"CUP/1,? sections? ([\d.]+\d|\d)((?:(?:, | and | to )[\d.]*\d)*)")


def sections() -> dict[str, str]:
    """Return what each numbered section says."""
    found: dict[str, str] = {}
    for page in (FIRST, CONTINUED):
        _, *parts = _HEADING.split(page)
        found.update(zip(parts[::2], parts[1::2], strict=True))
    return found


def citations() -> Iterator[tuple[str, str]]:
    """Yield the sections of CUP/1 that our Python and JavaScript cite, with the file that does."""
    for folder in ("domain", "projections", "infra", "services", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".js"} and "vendor" not in path.parts:
                text = re.sub(r"\s*\n\s*(?:\*|#|//)?\s*", " ", path.read_text(encoding="utf-8"))
                for first, more in _CITED.findall(text):
                    for number in re.findall(r"\d+(?:\.\d+)*", first + more):
                        yield path.relative_to(ROOT).as_posix(), number


def is_section(number: str) -> bool:
    """Report whether a section of this number is there, or the item of a section's list."""
    if number in sections():
        return True
    section, _, item = number.rpartition(".")
    return re.search(rf"^{item}\. ", sections().get(section, ""), re.MULTILINE) is not None


def rows_of(section: str) -> dict[str, tuple[str, ...]]:
    """Return the members that a table of types names, in their order, by type."""
    rows = re.findall(r"^\| ([a-z]+\.[a-z]+) \| (.+?) \|$", sections()[section], re.MULTILINE)
    return {kind: tuple(re.findall(r"`([a-z]+)`", members)) for kind, members in rows}


def blocks_of(section: str) -> list[str]:
    """Return the blocks of code in a section."""
    return re.findall(r"^```\n(.*?)^```", sections()[section], re.MULTILINE | re.DOTALL)


def test_the_text_names_the_codes_that_audits_have_and_no_others() -> None:
    assert set(re.findall(r"\bE_[A-Z]+\b", FIRST + CONTINUED)) == set(CODES) | FROM_RECEIPTS
    (listed,) = re.findall(r"Codes: (.*?)\. ", FIRST, re.DOTALL)
    assert set(re.findall(r"E_[A-Z]+", listed)) == set(CODES) | FROM_RECEIPTS


def test_the_text_gives_every_type_of_event_with_its_members_in_their_order() -> None:
    members = {kind: tuple(each.name for each in fields(shape)) for kind, shape in shapes.KINDS.items()}
    assert rows_of("4.15") == members


def test_the_catalogue_has_every_type_of_event() -> None:
    first = re.findall(r"^\| ([a-z]+\.[a-z]+)(?: / ([a-z]+\.[a-z]+))? \|", sections()["4.5"], re.MULTILINE)
    assert {kind for row in first for kind in row if kind} == set(shapes.KINDS)


def test_the_text_gives_every_type_of_access_line_with_its_members() -> None:
    assert {kind: set(members) for kind, members in rows_of("4.18").items()} == {
        kind: set(members) for kind, members in ACCESS.items()
    }


def test_the_text_gives_the_constants_of_every_beacon_known() -> None:
    (block,) = blocks_of("4.16")
    for name, chain in CHAINS.items():
        assert name in block
        assert chain.public_key in "".join(block.split())
        assert f"{chain.genesis:,} + (r \N{MINUS SIGN} 1) · {chain.period}, in Unix seconds" in block
    assert f"due \N{MINUS SIGN} {MARGIN_S}" in sections()["4.16"]


def test_the_receipt_in_the_text_is_believed_and_borne_out() -> None:
    (text,) = blocks_of("4.17")
    policy = policy_of((VECTORS / "policy.txt").read_text(encoding="utf-8"))
    lines = records.split((VECTORS / "bundles" / "ok-liars.cup").read_bytes()).lines
    assert is_signed(receipt_of(text).note, policy, ed25519_verify)
    assert compare(lines, [text], policy, ed25519_verify) == ReceiptComparison(1, 0, (), ())
    assert f"at most {RECEIPTS_MAX:,}" in sections()["4.17"]


def test_the_text_counts_the_published_records() -> None:
    bundles = json.loads((VECTORS / "bundles.json").read_text(encoding="utf-8"))["bundles"]
    count = Counter(each["result"]["status"] for each in bundles)
    said = " ".join(sections()["8"].split())
    assert f"{count.total()} whole match records, {count['OK']} good (`ok-*`), {count['INCOMPLETE']} incomplete" in said
    assert f"{count['FAULT']} with exactly one lie each" in said


def test_the_text_counts_the_published_records_of_seats_with_keys() -> None:
    bundles = json.loads((VECTORS / "seat_keys.json").read_text(encoding="utf-8"))["bundles"]
    count = Counter(each["result"]["status"] for each in bundles)
    said = " ".join(sections()["8"].split())
    told = f"{count.total()} records for 4.14: {count['OK']} good, {count['INCOMPLETE']} incomplete, {count['FAULT']}"
    assert told in said


def test_the_text_names_every_command_and_the_lines_it_leads_to() -> None:
    rows = re.findall(r"^\| ([a-z_, /]+) \| ((?:game|seat|seed|cup)\..+?) \|", sections()["4.14.3"], re.MULTILINE)
    commands = [command for names, _ in rows for command in re.split(r", | / ", names)]
    assert sorted(commands) == sorted(FORMS)
    told = {line for _, lines in rows for line in re.findall(r"[a-z]+\.[a-z_]+", lines)}
    assert told == {line for form in FORMS.values() for line in form.lines}


def test_the_text_names_every_quiet_line() -> None:
    (quiet,) = re.findall(r"\*Quiet\* are: (.*?)\. ", sections()["4.14.2"])
    assert set(quiet.split(", ")) == QUIET
    assert f"at least {RECOVERY_MS:,} ms" in sections()["4.14.4"]


def test_every_section_that_is_cited_is_there() -> None:
    cited = list(citations())
    assert len(cited) > 60
    assert [(file, number) for file, number in cited if not is_section(number)] == []


@pytest.mark.parametrize("number", ["4.14.9", "4.99", "14.10", "99"])
def test_a_section_that_is_not_there_is_told_from_one_that_is(number: str) -> None:
    assert not is_section(number)
