"""`truecup audit`: records checked, on any machine, without asking anybody."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import to_builtins

from domain.log import policies
from domain.log.notes import Malformed
from domain.log.receipts import split, stream_in
from infra.files.whole import write_whole
from services.audit.beacons import BadChain, BeaconSource, source_of
from services.audit.verdict import LAYERS, Verdict
from services.cli.auditing.held import Held, KeptRecords
from services.cli.auditing.judging import Basis, FileVerdict, Fork, Histories, all_judged
from services.cli.auditing.outside.pins import policy_in
from services.cli.auditing.outside.sights import compare_records
from services.cli.auditing.reports import UNREAD, ReportEntry, entry, fork_words, page, report, summary
from services.cli.auditing.sources import ACCESS, NAMES, STDIN, Unread, names_of, small
from services.cli.exits import CANNOT, FINE, FOUND, INCOMPLETE
from services.cli.screen import say, say_aside, say_json, show_progress
from services.cli.settings import is_policy_named, policy_file
from services.client.house import CannotDo
from services.words.catalogue import CATALOGUE

CODES: Final = {"OK": FINE, "FAULT": FOUND, "INCOMPLETE": INCOMPLETE, UNREAD: CANNOT}
WHOLE_REPORTS_MAX: Final = 8
"""Of more records than that, those that are fair get a line each and not a page."""


def audit(
    records: Annotated[tuple[str, ...], Parameter(allow_leading_hyphen=True, negative=(), required=True)],
    /,
    *,
    policy: Path | None = None,
    layers: str = "1,2,3",
    jobs: Annotated[int | None, Parameter(validator=Number(gte=1, lte=256))] = None,
    html: Path | None = None,
    json: bool = False,
    access: str | None = None,
    receipts: Path | None = None,
    names: str | None = None,
    beacon_chain: Path | None = None,
    seen: Path | None = None,
) -> int:
    """Check records.

    Args:
        records: Record files, folders of them, addresses of matches; - reads one from stdin.
        policy: The file that names the keys of the log and of its witnesses, or another pin of it.
        layers: Which layers to check, separated by commas.
        jobs: How many processes to use; as many as there are cores if nothing is said.
        html: Write the report as one HTML page as well.
        json: Print one JSON document a record.
        access: The access record, which says who saw which hidden dice; the one beside the record if nothing is said.
        receipts: A file of receipts and refusals that the server signed, and of commands that a client kept.
        names: What people are called, to be held against the record; the file beside it if nothing is said.
        beacon_chain: A file that describes one more public beacon to believe, as drand's /info does.
        seen: A folder of what somebody else has seen of the log, to be held against the records.
    """
    asked, believed, beacon = _layers(layers), policy_in(policy_file(policy)), _beacon(beacon_chain)
    files = _files(records, seen, believed, access=access, names=names)
    basis = Basis(believed, asked, beacon, access, _receipts(receipts), is_policy_named(policy), names)
    entries, forks = _all_told(files, basis, jobs, kept := KeptRecords(), json=json)
    stray = _stray(basis, entries)
    events = kept.told(json=json)
    _sum_up(entries, forks, json=json)
    _write(html, entries, forks, believed, events)
    held = _held_against(seen, entries, receipts, believed, json=json)
    return _worst({_code(entries, forks, stray, events), held})


def document(name: str, verdict: Verdict) -> dict[str, Any]:
    """Return the JSON document of a file's audit; it stays as it is, since others script against it."""
    found: dict[str, Any] = {"file": name, **to_builtins(verdict)}
    return found


def _all_told(
    names: list[str], basis: Basis, jobs: int | None, kept: KeptRecords, *, json: bool
) -> tuple[list[ReportEntry], list[Fork]]:
    """Judge the records and tell of each as soon as it is judged; return what to keep of them."""
    entries: list[ReportEntry] = []
    forks: list[Fork] = []
    histories = Histories()
    told = False
    for one in show_progress(all_judged(names, basis, jobs), "audit", len(names)):
        entries.append(entry(one, judged_log=basis.policy is not None and not one.rehearsed))
        _tell(one, entries[-1], json=json, brief=len(names) > WHOLE_REPORTS_MAX)
        if one.rehearsed and not told:
            say_aside(f"truecup: {CATALOGUE['terminal']['tournament']['audit']['rehearsed']}")
            told = True
        kept.keep(one)
        fork = histories.differ(one)
        if fork is not None:
            forks.append(fork)
            say_json(to_builtins(fork)) if json else say(*fork_words(fork))
    return entries, forks


def _tell(one: FileVerdict, told: ReportEntry, *, json: bool, brief: bool) -> None:
    if one.verdict is None:
        say_aside(f"truecup: {one.name} cannot be read: {one.unread}")
    elif json:
        say_json(document(one.name, one.verdict))
    elif brief and told.status == "OK" and not told.found.marked("note"):
        say(f"{one.name}: OK")
    else:
        say(*report(told))


def _stray(basis: Basis, entries: Sequence[ReportEntry]) -> bool:
    """Report whether receipts belong to none of the records, and say which: they were held against nothing."""
    stray = sorted(basis.receipts.keys() - {one.stream for one in entries})
    for stream in stray:
        say_aside(
            f"truecup: {len(basis.receipts[stream])} of the receipts are of {stream}, which is not among the records"
        )
    return bool(stray)


def _code(
    entries: Sequence[ReportEntry],
    forks: Sequence[Fork],
    stray: bool,  # noqa: FBT001 - one more finding
    events: Sequence[Held],
) -> int:
    """Return the exit code: that a record was not read outweighs all, a fault outweighs what is missing."""
    codes = {CODES[one.status] for one in entries} | ({FOUND} if forks else set()) | ({INCOMPLETE} if stray else set())
    codes |= {CODES[event.status] for event in events}
    return _worst(codes)


def _worst(codes: Collection[int]) -> int:
    return next((code for code in (CANNOT, FOUND, INCOMPLETE) if code in codes), FINE)


def _held_against(
    seen: Path | None,
    entries: Sequence[ReportEntry],
    receipts: Path | None,
    believed: policies.Policy | None,
    *,
    json: bool,
) -> int:
    """Hold the records that have no fault against what somebody else has seen, if that was named."""
    if seen is None or believed is None:
        return FINE
    sound = [one.name for one in entries if one.status in {"OK", "INCOMPLETE"}]
    return compare_records(sound, receipts, seen, believed, json=json)


def _files(
    records: tuple[str, ...], seen: Path | None, believed: policies.Policy | None, **beside: str | None
) -> list[str]:
    """Return the records, unless something was named to lie beside one, and there are several."""
    files = names_of(_names(records))
    if seen is not None and (believed is None or STDIN in files):
        raise CannotDo("--seen takes records that can be read twice, and a policy that says whom to believe")
    given = next((option for option, file in beside.items() if file is not None), None)
    if given is not None and len(files) > 1:
        file = {"access": ACCESS, "names": NAMES}[given]
        raise CannotDo(
            f"--{given} belongs to one record; beside several, each has its own: match{file} beside match.cup"
        )
    return files


def _names(records: tuple[str, ...]) -> tuple[str, ...]:
    """Return the records, unless one of them was meant as an option."""
    unknown = next((name for name in records if name.startswith("-") and name != STDIN), None)
    if unknown is not None:
        raise CannotDo(f"{unknown} is no option of `truecup audit`; a file of that name is ./{unknown}")
    return records


def _sum_up(entries: Sequence[ReportEntry], forks: Sequence[Fork], *, json: bool) -> None:
    if len(entries) > 1 and not json:
        say(summary(entries, forks))


def _write(
    path: Path | None,
    entries: Sequence[ReportEntry],
    forks: Sequence[Fork],
    believed: policies.Policy | None,
    events: Sequence[Held],
) -> None:
    """Write the page of the report, if one was asked for."""
    if path is None:
        return
    text = page(entries, forks, believed, [sentence for event in events for sentence in event.words])
    try:
        write_whole(path, text.encode())
    except OSError as trouble:
        raise CannotDo(f"{path} cannot be written: {trouble.strerror}") from trouble


def _layers(text: str) -> tuple[int, ...]:
    asked = tuple(sorted({int(part) for part in text.split(",") if part.strip() in {"1", "2", "3"}}))
    if not asked or len(asked) != len(text.split(",")) or asked != LAYERS[: len(asked)]:
        raise CannotDo(
            f"--layers {text}: there are 1, 2 and 3, and each stands on those before it: 1, or 1,2, or 1,2,3"
        )
    return asked


def _beacon(path: Path | None) -> BeaconSource | None:
    try:
        return None if path is None else source_of(path)
    except BadChain as trouble:
        raise CannotDo(str(trouble)) from trouble


def _receipts(path: Path | None) -> dict[str, tuple[str, ...]]:
    """Return the receipts in a file, by their stream."""
    found: dict[str, list[str]] = {}
    if path is None:
        return {}
    try:
        for note in split(small(path).decode()):
            found.setdefault(stream_in(note), []).append(note)
    except Unread as trouble:
        raise CannotDo(f"the receipts {path} cannot be read: {trouble}") from trouble
    except (Malformed, UnicodeDecodeError) as trouble:
        raise CannotDo(f"the receipts {path} are none: {trouble}") from trouble
    if not found:
        raise CannotDo(f"the receipts {path} are none: the file is empty")
    return {stream: tuple(notes) for stream, notes in found.items()}
