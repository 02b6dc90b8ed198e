"""No sentence that reaches people stands outside the catalogue: not in a template, a script, or a terminal's module."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest

import services
from services.web.assets import FOLDER
from services.words.catalogue import LANGUAGES, sentences_in

ROOT: Final = Path(services.__file__).parent
TEMPLATES: Final = ROOT / "web" / "templates"
TERMINAL: Final = (ROOT / "cli" / "playing", ROOT / "cli" / "auditing" / "statistics.py")

WORD: Final = re.compile(r"[^\W\d_]{2,}")
PROSE: Final = re.compile(r"[^\W\d_]{2,},? [^\W\d_]{2,}")
"""Two words with a space between them; a single one may be a name of the protocol."""
JINJA: Final = re.compile(
    r"\{% block (?:kind|here) %\}.*?\{% endblock %\}|\{#.*?#\}|\{%.*?%\}|(?P<hole>\{\{.*?\}\})", re.DOTALL
)
"""What is worked out, and blocks of class names."""
HOLE: Final = "\0"
SPOKEN: Final = frozenset(("aria-label", "title", "placeholder", "alt", "content"))
"""Attributes that people read or hear."""
UNREAD: Final = frozenset(("code", "pre", "style", "script"))
"""Elements that hold what is typed or run, which has no language."""
MESSAGES: Final = frozenset(("say", "say_aside", "plain", "Static", "Option", "Deed", "CannotDo", "LobbyLine", "Text"))
"""What brings a text before somebody at a terminal."""
UNSAID: Final = frozenset(("id", "style", "classes", "kind"))
"""Arguments of it that nobody reads."""
FAULTS: Final = re.compile(r"(?:new \w*Error|console\.\w+)\($")
"""What stands before a text in a script that a developer reads and nobody else."""

NOBODY_READS: Final = "a name for style sheets, selectors, browsers or robots"
ALLOWED: Final = {
    "Truecup": "the name of the house",
    "truecup: ": "the name of the command, before what it has to say",
    "first_bot.py": "a file",
    "acts, then \u2026": "the beginning of some keys of the catalogue",
    **dict.fromkeys(
        (
            *("width=device-width, initial-scale=1", "light dark", "noindex", "website", "image/png"),
            *("summary_large_image", "#f4eee1", 'data-needs="', "button plain-button", "to act", "away out"),
            *("house bot", "has cup", "may start", "in play", "form, label, button, dialog"),
            *(".claim-form input:not(:disabled)", "tc-dice, tc-bid, tc-call", ".stepper input"),
            *(".stepper button:last-child", ".stepper button:first-child", '.bid .face input[value="\u2026"]'),
            *("a, button, input, select, textarea, summary", "a, button, input, select, summary, textarea"),
            'select, textarea, input:not([type="radio"], [type="checkbox"])',
            'input:not([type="range"]), select, textarea, dialog',
        ),
        NOBODY_READS,
    ),
}
"""What stands outside, and why."""
ENGLISH: Final = {
    "templates/reference.html": "the interface is described in English, as in the OpenAPI document of which it is made",
    "static/auditor": "its details are those of the command, in English; people read the sentence of their code",
    "static/client/receipts.js": "a detail of the auditor's, beside the sentence of its code",
    "static/signing/refusals.js": "a detail of the auditor's, beside the sentence of its code",
    "static/client/notes.js": "how a receipt is to be written, told to whoever writes programs",
    "static/rules": "its refusals are details of layer 3, in English; people read the sentence of their code",
    "static/vendor": "written by others",
}
"""Rooms and files that speak English, and why."""


class _Texts(HTMLParser):
    """The texts of a page: what stands between its tags, and in attributes that people meet."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in UNREAD
        self.found += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.found.append(data)


def markup_words(markup: str) -> list[str]:
    """Return the texts of markup that are words of their own and not allowed."""
    texts = _Texts()
    texts.feed(markup)
    texts.close()
    pieces = (piece for text in texts.found for piece in text.split(HOLE))
    stripped = (re.sub(r"\s+", " ", piece).strip(" \u00b7\u2026") for piece in pieces)
    return [text for text in stripped if WORD.search(text) and text not in ALLOWED]


def template_words(source: str) -> list[str]:
    """Return the words of a template that come from no catalogue."""
    return markup_words(JINJA.sub(lambda found: HOLE if found["hole"] else "", source))


# ---- scripts --------------------------------------------------------------------------------------

TOKEN: Final = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<regex>(?<=[(,=:\[!&|?{};>])\s*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"""
    r"""|(?P<tick>`)|(?P<open>\{)|(?P<close>\})""",
    re.DOTALL,
)
INSIDE: Final = re.compile(r"(?P<escape>\\.)|(?P<tick>`)|(?P<hole>\$\{)", re.DOTALL)


class Open(NamedTuple):
    """What is open in a script: a template with its pieces, or a brace, which has none."""

    pieces: list[str] | None = None
    before: str = ""


def keys_of(node: Any) -> set[str]:
    """Return every key and every case of a catalogue."""
    if not isinstance(node, dict):
        return set()
    return {*node}.union(*map(keys_of, node.values()))


KEYS: Final = keys_of(sentences_in("en"))


def literals(source: str) -> Iterator[tuple[str, str]]:
    """Yield each string and template of a script with what stands before it; what a template works out is `\u2026`."""
    at, open_ones = 0, [Open()]
    while at < len(source):
        inner = open_ones[-1]
        found = (TOKEN if inner.pieces is None else INSIDE).search(source, at)
        if found is None:
            return
        if inner.pieces is not None:
            inner.pieces.append(source[at : found.start()])
        at, kind = found.end(), found.lastgroup
        before = source[max(0, found.start() - 40) : found.start()].rstrip()
        if kind == "string":
            yield found[0][1:-1], before
        elif kind == "tick" and inner.pieces is not None:
            open_ones.pop()
            yield "\u2026".join(inner.pieces), inner.before
        elif kind == "tick":
            open_ones.append(Open([], before))
        elif kind in {"open", "hole"}:
            open_ones.append(Open())
        elif kind == "close" and len(open_ones) > 1:
            open_ones.pop()


def script_words(source: str) -> list[str]:
    """Return the words of a script that come from no catalogue."""
    found: list[str] = []
    for text, before in literals(source):
        if re.search(r"\b(?:html|svg)$", before):
            found += markup_words(text.replace("\u2026", HOLE))
        elif PROSE.search(text) and not FAULTS.search(before) and text not in ALLOWED and text not in KEYS:
            found.append(text)
    return found


# ---- terminals ------------------------------------------------------------------------------------


def terminal_words(source: str) -> list[str]:
    """Return the words that a module brings before somebody at a terminal without the catalogue."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in MESSAGES:
            given = [*node.args, *(each.value for each in node.keywords if each.arg not in UNSAID)]
            found += [text for value in given for text in _texts(value) if WORD.search(text) and text not in ALLOWED]
    return found


def _texts(value: ast.expr) -> Iterator[str]:
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


# ---- what is looked at ----------------------------------------------------------------------------


def doubled(source: str) -> list[str]:
    """Return the keys that one object of a JSON text has more than once: all but the last would be thrown away."""
    found: list[str] = []

    def members(pairs: list[tuple[str, object]]) -> None:
        names = [name for name, _ in pairs]
        found.extend(sorted({name for name in names if names.count(name) > 1}))

    json.loads(source, object_pairs_hook=members)
    return found


def is_english(path: Path) -> bool:
    """Report whether a file may speak English."""
    place = path.relative_to(ROOT / "web").as_posix()
    return any(place == name or place.startswith(f"{name}/") for name in ENGLISH)


def outside(paths: Iterable[Path], words: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """Return what is said outside the catalogue, by file."""
    found = {path.name: words(path.read_text(encoding="utf-8")) for path in paths}
    return {name: texts for name, texts in found.items() if texts}


def test_no_sentence_of_a_template_stands_outside_the_catalogue() -> None:
    paths = [path for path in TEMPLATES.iterdir() if not is_english(path)]
    assert paths
    assert outside(paths, template_words) == {}


def test_no_sentence_of_a_script_stands_outside_the_catalogue() -> None:
    paths = [path for path in FOLDER.rglob("*.js") if not is_english(path)]
    assert paths
    assert outside(paths, script_words) == {}


def test_no_sentence_of_a_terminal_stands_outside_the_catalogue() -> None:
    paths = [path for place in TERMINAL for path in ([place] if place.is_file() else place.rglob("*.py"))]
    assert paths
    assert outside(paths, terminal_words) == {}


def test_pages_load_what_their_scripts_say_and_nothing_that_only_the_server_says() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js"))
    loaded = [msgspec.json.decode((FOLDER / "words" / f"{language}.json").read_bytes()) for language in LANGUAGES]
    for words in loaded:
        assert set(re.findall(r"CATALOGUE\.(\w+)", scripts)) - words.keys() == set()
        assert [section for section in words if not re.search(rf"\b{section}\b", scripts)] == []
        assert words.keys() < sentences_in("en").keys()


def test_no_sentence_has_the_key_of_another() -> None:
    paths = [ROOT / "web" / "static" / "words", ROOT / "words"]
    texts = {path: path.read_text(encoding="utf-8") for folder in paths for path in folder.glob("*.json")}
    assert len(texts) == len(paths) * len(LANGUAGES)
    assert {str(path): keys for path, source in texts.items() if (keys := doubled(source))} == {}
    for language in LANGUAGES:
        told, written = (json.loads(texts[folder / f"{language}.json"]).keys() for folder in paths)
        assert told & written == set(), "what the server reads last would be said in both places"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('{"a": "one", "b": "two"}', []),
        ('{"a": {"b": "one"}, "c": [{"b": "two"}, {"b": "three"}]}', []),
        ('{"a": "one", "b": "two", "a": "one"}', ["a"]),
        ('{"a": {"b": "one", "c": "two", "b": "three"}}', ["b"]),
        ('{"a": [{"b": {}, "c": {}, "b": {}, "c": {}}]}', ["b", "c"]),
    ],
)
def test_a_planted_double_is_found(source: str, found: list[str]) -> None:
    assert doubled(source) == found


@pytest.mark.parametrize(
    ("words", "source", "found"),
    [
        (template_words, '<p>{{ say("a.b") }} Sit down</p>', ["Sit down"]),
        (template_words, '<a title="Your seat" class="two words">{{ name }}</a>', ["Your seat"]),
        (template_words, "{% if a %}Yes{% endif %}{# a note to us #}<code>truecup up</code>", ["Yes"]),
        (script_words, "const a = html`<p>${b ? html`<b>Bet</b>` : nothing} now</p>`;", ["Bet", "now"]),
        (script_words, "const a = html`<input aria-label='Your bid' placeholder=${words('bid')}>`;", ["Your bid"]),
        (script_words, "this.say('Your turn has come'); // a note to us", ["Your turn has come"]),
        (script_words, "this.say(`${name} has won`);", ["\u2026 has won"]),
        (script_words, "throw new TypeError('no such thing'); a.replace(/'/g, 'x'); const b = 'owned in part';", []),
        (terminal_words, 'say(f"{name} sits down")', [" sits down"]),
        (terminal_words, 'Static(phrase("again"), id="title")', []),
        (terminal_words, 'raise CannotDo("nobody answers")', ["nobody answers"]),
    ],
)
def test_a_planted_sentence_is_found(words: Callable[[str], list[str]], source: str, found: list[str]) -> None:
    assert words(source) == found


def test_what_is_allowed_stands_there() -> None:
    paths = [*TEMPLATES.iterdir(), *FOLDER.rglob("*.js"), *ROOT.joinpath("cli").rglob("*.py")]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    assert [text for text in ALLOWED if re.split('\u2026|""', text)[0] not in texts] == []
    assert [place for place in ENGLISH if not (ROOT / "web" / place).exists()] == []
