"""The report of an audit as text, and as one HTML page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, get_args

from jinja2 import Environment, PackageLoader
from msgspec import UNSET, Struct, structs, to_builtins

from domain.log.policies import Policy
from infra.printable import printable
from services.audit.findings import Findings, Mark, findings
from services.cli.auditing.judging import FileVerdict, Fork
from services.words.catalogue import CATALOGUE, say, spoken

UNREAD: Final = "not read"


class ReportEntry(Struct, frozen=True):
    """What is kept of a record: of a whole tournament's, the dice would be too many.

    Attributes:
        status: `OK`, `FAULT`, `INCOMPLETE` or `not read`.
        message: What was found, or why it was not read.
        stream: What it says it is of; empty if that cannot be read.
        head: The hash of its last line; empty after a fault.
    """

    name: str
    status: str
    message: str
    found: Findings
    stream: str = ""
    head: str = ""


def entry(judged: FileVerdict, *, judged_log: bool) -> ReportEntry:
    """Return what to keep of a record.

    Args:
        judged: The record and what the audit found.
        judged_log: Whether a policy said whom to believe about the log.
    """
    if judged.verdict is None:
        return ReportEntry(judged.name, UNREAD, judged.unread, Findings(UNREAD))
    verdict = judged.verdict
    found = findings(verdict, judged_log=judged_log)
    head = "" if verdict.head is UNSET else verdict.head
    return ReportEntry(judged.name, verdict.status, verdict.message, found, judged.stream, head)


def report(entry: ReportEntry) -> list[str]:
    """Return the report of one record, line by line."""
    found = entry.found
    lines = [f"{entry.name}: {found.status}", f"  {entry.message}"]
    lines += [f"  {head_words(entry)}"] if entry.head else []
    for title, sentences in sections(found):
        lines += [f"  {title}:", *(f"    - {sentence}" for sentence in sentences)]
    return lines


def head_words(entry: ReportEntry) -> str:
    """Return what is said of the hash of the last line."""
    return say(CATALOGUE["audit"]["report"]["head"], {"head": entry.head})


def sections(found: Findings) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sentences about a record under their titles, without the empty ones."""
    seeds = () if found.seeds is None else (found.seeds,)
    whole = structs.replace(found, findings=(*found.findings, *seeds, *found.served))
    titles, marks = CATALOGUE["audit"]["sections"], get_args(Mark)
    titled = [(title, whole.marked(mark)) for mark, title in titles.items() if mark in marks]
    return [(title, sentences) for title, sentences in (*titled, (titles["possible"], found.possible)) if sentences]


def fork_words(fork: Fork) -> list[str]:
    """Return what it means that two records of one match differ, on two lines."""
    words, facts = CATALOGUE["audit"]["fork"], {name: str(value) for name, value in to_builtins(fork).items()}
    return [say(words["differs"], facts), f"  {words['meaning']}"]


def summary(entries: Sequence[ReportEntry], forks: Sequence[Fork]) -> str:
    """Return one line about many records."""
    counts = Counter(one.status for one in entries)
    parts = [f"{counts[status]} {status}" for status in ("OK", "FAULT", "INCOMPLETE", UNREAD) if counts[status]]
    words = CATALOGUE["audit"]["report"]
    more = [say(words["forks"], {"count": str(len(forks))})] if forks else []
    return say(words["summary"], {"count": str(len(entries)), "parts": ", ".join(parts + more)})


def page(
    entries: Sequence[ReportEntry], forks: Sequence[Fork], policy: Policy | None, results: Sequence[str] = ()
) -> str:
    """Return the report of all these records as one HTML page without scripts, fonts or pictures from elsewhere."""
    environment = Environment(
        loader=PackageLoader("services.cli.auditing", "."), autoescape=True, trim_blocks=True, finalize=_safe_text
    )
    return environment.get_template("report.html").render(
        lang=spoken(),
        words=CATALOGUE["audit"],
        summary=summary(entries, forks),
        entries=entries,
        forks=[fork_words(fork) for fork in forks],
        results=results,
        results_title=CATALOGUE["terminal"]["tournament"]["audit"]["title"],
        trust=trust(policy),
        sections=sections,
        head_words=head_words,
    )


def _safe_text(value: object) -> object:
    """Return what the page shows: direction marks in the name of a file would turn the sentence round it."""
    return printable(value) if isinstance(value, str) else value


def trust(policy: Policy | None) -> list[str]:
    """Return in sentences whom a policy believes."""
    words = CATALOGUE["audit"]["trust"]
    if policy is None:
        return [words["nobody"]]
    found = [say(words["log"], {"key": str(key)}) for key in policy.logs]
    found += [say(words["witness"], {"key": str(key)}) for key in policy.witnesses.values()]
    return [*found, say(words["quorum"], {"quorum": policy.quorum})]
