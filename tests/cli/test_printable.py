"""Others' words on a terminal of ours: seen, and never obeyed."""

from __future__ import annotations

import json
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import close, fsencode, read
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.printable import printable, printable_json
from services.audit.findings import Findings
from services.cli import screen
from services.cli.auditing.reports import UNREAD, ReportEntry, page
from services.cli.main import run
from services.cli.operating.checkup.checks import CheckFinding
from services.cli.operating.checkup.doctor import table
from tests.cli.altering_server import altering_server
from tests.cli.conftest import PATIENCE_S, PROGRAM, ROOT, documents, environment

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
FAIR = VECTORS / "bundles" / "ok-liars.cup"

TITLE = "\x1b]0;pwned\x07"
"""What renames the window of a terminal."""
NASTY = f"{TITLE}\x1b[2J\x9b31m\x7f\r\nThe match is over.\u2028\u202e\u2066\u200b\u3164\u00ad\ue000"
SHOWN = "\\x1b]0;pwned\\x07\\x1b[2J\\x9b31m\\x7f\\r\\nThe match is over.\\u2028\\u202e\\u2066\\u200b\\u3164\\xad\\ue000"
ANY = st.text(st.characters(exclude_categories=()))


def check(text: str) -> None:
    """Expect that a terminal obeys nothing of this output but its own line breaks."""
    odd = [ascii(one) for one in text if one != "\n" and (unicodedata.category(one)[0] == "C" or one in "\u2028\u2029")]
    assert odd == [], text


# ---- the law ----------------------------------------------------------------------------------


@given(ANY)
def test_whatever_is_made_printable_stays_one_line_of_what_can_be_seen(text: str) -> None:
    made = printable(text)

    assert made.isprintable()
    assert printable(made) == made
    assert len(made.splitlines()) <= 1


@given(st.text(st.characters(exclude_categories=("C", "Z"), max_codepoint=0xFF), min_size=1))
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(st.recursive(ANY, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY, inner, max_size=3)))
def test_a_json_document_made_printable_says_the_same(document: object) -> None:
    made = printable_json(json.dumps(document, ensure_ascii=False))

    assert made.isprintable()
    assert json.loads(made) == json.loads(json.dumps(document)), "two halves of a character are one in JSON"


@pytest.mark.parametrize("text", ["Zoë", "Ünal", "李小龙", "Δημήτρης", "نور", "नमस्ते", "😀 ❤️", "[red]Ada[/]", "C:\\x1b"])
def test_people_of_all_alphabets_are_called_by_their_names(text: str) -> None:
    assert printable(text) == text


def test_every_kind_of_what_is_obeyed_or_unseen_is_spelled_out() -> None:
    assert printable(NASTY) == SHOWN
    assert printable("a\u00a0b\u3000c") == "a b c"
    assert printable("\udcff\U000e0041\u0378") == "\\udcff\\U000e0041\\u0378"


def test_text_leaves_for_a_terminal_in_one_place() -> None:
    elsewhere = {
        "services/cli/main.py": "sys.stdout.fileno()",  # closed behind a reader that has gone
        "services/cli/auditing/export.py": "sys.stdout.buffer",  # a record for a program, byte by byte
        "services/cli/bench/rig/bare.py": "print(",  # a program that only ours reads
        "services/web/static/first_bot.py": "print(",  # a program that the guide shows, and no part of ours
        "services/cli/analysing/engine.py": "sys.stdout.buffer",  # lines of a protocol, for the program that hosts it
        "services/engines/cell.py": "sys.stderr",  # a file, of which the cell knows nothing of this house
        "infra/telemetry.py": "sys.stderr",  # log lines, made printable there
    }
    # A program that takes the whole terminal writes to it as well: it is handed over in the same place, and shows
    # nothing but texts that are made there (tests/cli/test_felt.py seats a name that a terminal would obey).
    writes = re.compile(r"\bprint\(|sys\.std(?:out|err)|Console\(|\.run_async\(|\bapp\.run\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("services", "infra", "projections", "domain")
        for path in (ROOT / folder).rglob("*.py")
        if writes.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"services/cli/screen.py", *elsewhere}
    assert all(part in (ROOT / name).read_text(encoding="utf-8") for name, part in elsewhere.items())


# ---- tables, pages, faults, log lines ---------------------------------------------------------


def test_square_brackets_in_a_table_are_no_markup_and_an_escape_is_no_escape(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen.draw(table([CheckFinding("database", "wrong", f"[red]{TITLE}", "[link=file:x]look[/link]")]))

    said = capsys.readouterr().out
    check(said)
    assert "[red]\\x1b]0;pwned\\x07" in said
    assert "[link=file:x]look[/link]" in said


def test_the_html_page_of_an_audit_turns_no_line_round() -> None:
    made = page([ReportEntry("\u202epuc.\udcff<b>", UNREAD, NASTY, Findings(UNREAD))], [], None)

    check(made)
    assert "\\u202epuc.\\udcff&lt;b&gt;" in made


def test_the_message_of_a_fault_of_ours_is_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    fault = ValueError(NASTY)

    screen.say_fault(type(fault), fault, None)

    check(capsys.readouterr().err)


def test_a_log_line_for_people_is_not_obeyed() -> None:
    story = (
        "import logging, structlog; from infra.telemetry import set_up; set_up('info', 'console');"
        f"structlog.get_logger('story').warning('api.broken', path={NASTY!r}); logging.getLogger('x').error({NASTY!r})"
    )
    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=True, cwd=ROOT)
    check(done.stderr)
    assert SHOWN in done.stderr
    assert done.stderr.count("pwned") == 2


# ---- files with hostile names -----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of records with names that a terminal would obey, one of them in no alphabet at all."""
    folder = tmp_path / "records"
    folder.mkdir()
    for name in (f"{NASTY}.cup".encode(), fsencode("\udcff\udcfe.cup"), b"[red].cup"):
        Path(str(folder), name.decode(errors="surrogateescape")).write_bytes(FAIR.read_bytes())
    (folder / f"{TITLE}broken.cup").write_bytes(b"{}\n")
    return folder


@pytest.mark.parametrize("command", [["audit"], ["audit", "--json"], ["statistics"], ["statistics", "--json"]])
def test_the_names_of_files_are_shown_and_not_obeyed(truecup, folder: Path, command: list[str]) -> None:
    said = truecup(command[0], folder, *command[1:], *(["--html", folder / "page.html"] if "audit" in command else []))

    check(said.stdout)
    check(said.stderr)
    assert said.returncode == 1, said.stderr
    if command == ["audit"]:
        assert f"{SHOWN}.cup" in said.stdout
        assert "\\udcff\\udcfe.cup" in said.stdout
        assert "/[red].cup" in said.stdout
    if command == ["audit", "--json"]:
        assert {one["file"] for one in documents(said.stdout)} == {str(path) for path in folder.glob("*.cup")}
    if "audit" in command:
        check((folder / "page.html").read_text())


def test_a_file_that_is_not_there_is_named_without_being_obeyed(truecup) -> None:
    said = truecup("audit", f"{TITLE}.cup")

    assert said.returncode == 3
    check(said.stderr)
    assert "\\x1b]0;pwned\\x07.cup cannot be read" in said.stderr


# ---- servers that lie -------------------------------------------------------------------------


def naughty(_path: str, line: bytes) -> bytes:
    """Put what a terminal would obey into every name and every title."""
    told = json.dumps(NASTY).encode()[1:-1]
    return re.sub(rb'"(name|title|words|reason)":"[^"]*', rb'"\1":"' + told.replace(b"\\", rb"\\"), line)


@pytest.mark.parametrize("command", [["watch"], ["replay"], ["watch", "--json"], ["replay", "--json"]])
def test_a_match_told_by_a_server_that_lies_is_not_obeyed(truecup, running, finished, command: list[str]) -> None:
    with altering_server(running.url) as liar:
        liar.lie = naughty
        said = truecup(command[0], finished, *command[1:], "--url", liar.url)

    assert said.returncode == 0, said.stderr
    check(said.stdout)
    if "--json" in command:
        assert NASTY in {seat["name"] for one in documents(said.stdout) for seat in _view(one)["seats"]}
    else:
        assert SHOWN in said.stdout
        assert said.stdout.splitlines().count("The match is over.") <= 1


def _view(item: dict) -> dict:
    return item.get("snapshot") or item.get("view") or {"seats": []}


class Answer(BaseHTTPRequestHandler):
    """The same answer to everything."""

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.send_response(cast("Hostile", self.server).status, "\x9b31m no")
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Odd", "\x9b31m")
        self.end_headers()
        self.wfile.write(cast("Hostile", self.server).body)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


class Hostile(ThreadingHTTPServer):
    """A server that knows one answer."""

    daemon_threads = True

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.status, self.body = status, body
        self.url = f"http://127.0.0.1:{self.server_port}"


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """Lend the address of a server that answers like this."""
    with Hostile(status, body) as server:
        serving = Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            serving.join()


MATCH = "018f4e6a-7c00-4000-8000-000000000001"
BODIES = {
    "a problem": json.dumps({"code": NASTY, "title": NASTY, "detail": NASTY, "option": NASTY, "why": NASTY}),
    "a title": json.dumps({"title": NASTY}),
    "no words": "{}",
    "no object": "[1]",
    "no JSON": NASTY,
    "deep": "[" * 100_000,
    "an answer": json.dumps({"match": NASTY, "token": NASTY, "version": NASTY, "head": NASTY, "receipt": NASTY}),
    "a way out": json.dumps({"match": "../../escaped", "token": "t", "version": 1, "head": "h", "receipt": "r"}),
    "frames": json.dumps({"frames": [{"at": 1, "event": {"type": NASTY}, "view": {"title": NASTY}}]}),
    "a snapshot": json.dumps({"snapshot": {"version": 1, "title": NASTY, "seats": 5}}),
    "an item": json.dumps({"version": NASTY, "event": NASTY}),
}


@pytest.mark.parametrize(
    ("status", "body"), [*((200, body) for body in BODIES), *((500, body) for body in ("a problem", "a title", "deep"))]
)
def test_an_answer_that_is_none_is_said_in_one_sentence_that_is_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], status: int, body: str
) -> None:
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "a" / "b" / "data"))
    commands: list[list[str]] = [
        ["watch", MATCH, "--url"],
        ["replay", MATCH, "--url"],
        ["replay", MATCH, "--json", "--url"],
        ["play", "--url"],
        ["play", MATCH, "--url"],
        ["monitor", "--once", "--folder", str(tmp_path / "seen"), "--policy", str(VECTORS / "policy.txt")],
        ["audit"],
    ]
    with answering(status, BODIES[body].encode()) as url:
        for command in commands:
            code = run([*command, url])
            said = capsys.readouterr()
            check(said.out)
            check(said.err)
            # An event of tomorrow is named, for it may well be one.
            assert code in {1, 2, 3} or (command[0], body) == ("replay", "frames"), (command, said.out)
    assert list(tmp_path.rglob("escaped*")) == []


def test_a_record_printed_on_a_terminal_is_not_obeyed_and_in_a_pipe_is_the_same_bytes(tmp_path: Path) -> None:
    record = f"{NASTY}\n".encode() + b"\xff\n"
    with answering(200, record) as url:
        command = [*PROGRAM, "export", MATCH, "--out", "-", "--url", url]
        kept: dict[str, Any] = {"cwd": ROOT, "env": environment(tmp_path), "timeout": PATIENCE_S}
        assert subprocess.run(command, stdout=subprocess.PIPE, check=True, **kept).stdout == record
        ours, theirs = pty.openpty()
        subprocess.run(command, stdout=theirs, check=True, **kept)
        close(theirs)
        said = read(ours, 65_536).decode()
        close(ours)
    check(said.replace("\r\n", "\n"))
    assert "\\x1b]0;pwned\\x07" in said
    assert "\\\\xff" in said or "\\xff" in said
