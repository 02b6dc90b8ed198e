"""Requests that are almost right: made from the service's own description, then changed in one place or in several."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import Struct

from services.api.reference.examples import BODIES as BODIES_OF

Json = Any

EDGES: Final[tuple[Json, ...]] = (
    *(None, True, False, 0, -1, 1, 7, 255, 2**31, 2**53, 2**63 - 1, -(2**63), 2**63, 10**30, 1.5, -0.0, 1e308),
    *("", " ", "0", "-1", "1e9", "null", "\x00", "\u202e", "\U0001f3b2" * 9, "a" * 41, "a" * 20_000, "%s%n", "../../"),
    *([], {}, [[]], [None] * 300, list(range(300)), {"": ""}, {"type": "bid"}, {"a": {"b": {"c": []}}}),
)
"""Values of other types, and those at the edges of types."""
TEXTS: Final = (
    *("", "0", "-1", "1", "00", "1.0", "1e3", "NaN", "inf", "true", "null", "[]", "9" * 19, "9" * 400, "\x00", "\n"),
    *(
        "\u0661",
        "a" * 3_000,
        "' or 1=1 --",
        "<script>",
        "../../etc/passwd",
        "..%2f",
        "\U0001f3b2",
        "1,2,,3",
        "1/0",
        "-",
    ),
)
HEADERS: Final[tuple[tuple[str, bytes], ...]] = (
    ("Accept", b";;;,*/*;q=x"),
    ("Accept", b"text/event-stream"),
    ("Accept", b"image/png"),
    ("Accept-Encoding", b"\xff"),
    ("Authorization", b"Bearer " + b"x" * 4_000),
    ("Authorization", b"Basic \xff"),
    ("Content-Encoding", b"gzip"),
    ("Content-Type", b"application/json; charset=utf-7"),
    ("Content-Type", b"\xff/\xff"),
    ("Content-Type", b"multipart/form-data; boundary="),
    ("Cookie", b"a=b; " * 500),
    ("Expect", b"100-continue"),
    ("Host", b"127.0.0.1:99999"),
    ("Host", b"[::1"),
    ("Idempotency-Key", b"short"),
    ("Idempotency-Key", b"k" * 16),
    ("Idempotency-Key", b"\xe4" * 20),
    ("If-Match", b'"v1", "v2"'),
    ("If-Match", b'W/"v1"'),
    ("If-Match", b'"v99999999999999999"'),
    ("If-Match", b"*"),
    ("If-None-Match", b'"v1", *, W/"\xff"'),
    ("Last-Event-ID", b"-1"),
    ("Last-Event-ID", b"9" * 30),
    ("Origin", b"http://[::1"),
    ("Origin", b"null"),
    ("Origin", b"https://elsewhere.example"),
    ("Range", b"bytes=9-1"),
    ("Referer", b"\xff"),
    ("Sec-Fetch-Site", b"sideways"),
    ("Upgrade", b"h2c"),
    ("X-Forwarded-For", b"A" * 4_000),
    ("X-HTTP-Method-Override", b"DELETE"),
)
BODIES: Final[tuple[bytes, ...]] = (
    *(b"", b" ", b"null", b"[]", b"0", b'""', b"{}", b"{", b"[" * 8_000, b'{"a":' * 3_000, b"\xef\xbb\xbf{}", b"NaN"),
    *(
        b'{"type":"bid","type":"pass"}',
        b'{"type":"bid","quantity":1e400,"face":2}',
        b"\x1f\x8b\x08\x00",
        b"\xff\xfe{\x00",
    ),
    *(b'{"name":"\\ud800"}', b'{"name":"\xff"}', b"{}" * 100, b'{"count":' + b"9" * 5_000 + b"}", b"x" * 40_000),
)
"""Bodies that are no requests at all."""


METHODS: Final = ("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "DELETE", "POST", "GET")
WRITES: Final = 4
"""How many times as often as a read a write is asked for: they have more to be wrong about."""


class Place(Struct, frozen=True):
    """A match of the service, with its tokens: the host's, the seats', and those of another match.

    Attributes:
        elsewhere: Tokens for what is no match, such as a tournament; those of the match, if there are none.
        parts: What else stands in addresses, by the names they have there.
    """

    match: str
    tokens: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    parts: dict[str, str] = {}


class Asked(Struct, frozen=True):
    """A request.

    Attributes:
        operation: The description of what is asked for; None for a page, or where an address was changed.
        match: The match it is about, if it is about one that is there.
    """

    method: str
    target: str
    headers: tuple[tuple[str, bytes], ...]
    body: bytes | None
    operation: Json
    match: str | None


class Mutator:
    """Makes requests from a description of the interface, the same ones from the same chance."""

    def __init__(
        self, described: Json, places: list[Place], pages: list[str], options: list[Json], odds: list[Json]
    ) -> None:
        """Ask for these operations and pages, at these matches, with options of games and questions about odds."""
        self._schemas = described["components"]["schemas"]
        self._operations = [
            (method.upper(), path, operation)
            for path, operations in described["paths"].items()
            for method, operation in operations.items()
            for _ in range(WRITES if method != "get" else 1)
        ]
        self._places, self._pages, self._options, self._odds = places, pages, options, odds

    def asked(self, drawn: random.Random) -> Asked:
        """Return a request with a few things changed."""
        place = drawn.choice(self._places)
        if drawn.random() < 0.1:
            return self._page(drawn, place)
        method, path, operation = drawn.choice(self._operations)
        changed = self._changes(drawn)
        target, is_there = self._target(drawn, path, place, changed)
        body = self._body(drawn, operation, changed) if "requestBody" in operation else None
        tokens = (place.tokens if "{match_id}" in path else place.elsewhere) or place.tokens
        headers = self._headers(drawn, tokens, changed, _kinds(operation)[0])
        if "method" in changed:
            method, is_there = drawn.choice(METHODS), False
        told = place.match if place.match in target else None
        return Asked(method, target, headers, body, operation if is_there else None, told)

    def _changes(self, drawn: random.Random) -> set[str]:
        """Return what is changed: mostly one thing, so that the rest is right and carries it far."""
        places = ("path", "query", "header", "token", "body", "body", "method")
        return {drawn.choice(places) for _ in range(drawn.choice((0, 1, 1, 1, 2, 3)))}

    def _page(self, drawn: random.Random, place: Place) -> Asked:
        target = drawn.choice(self._pages).replace("MATCH", place.match)
        if drawn.random() < 0.5:
            target += drawn.choice(("/", "?", "/../", "/%2e%2e/", "?before=", "//")) + quote(drawn.choice(TEXTS))
        return Asked("GET", target, self._headers(drawn, place.tokens, {"header"}), None, None, None)

    def _target(self, drawn: random.Random, path: str, place: Place, changed: set[str]) -> tuple[str, bool]:
        known = {"match_id": place.match, "question": drawn.choice(self._odds)["name"], "path": "0/000", **place.parts}
        parts = {name: drawn.choice(TEXTS) if "path" in changed else text for name, text in known.items()}
        for name, text in parts.items():
            path = path.replace(f"{{{name}}}", quote(text, safe="/" if name == "path" else ""))
        query: list[tuple[str, str]] = []
        if "/odds/" in path:
            query = [(name, drawn.choice(("1", "2", "5", "1/3", "true", "1,2,3"))) for name in self._questions(drawn)]
        if "query" in changed or drawn.random() < 0.2:
            names = ("state", "limit", "before", "version", "after", "x", *dict(query))
            query += [(drawn.choice(names), drawn.choice(TEXTS)) for _ in range(drawn.randint(1, 3))]
        return path + (f"?{urlencode(query)}" if query else ""), "path" not in changed

    def _questions(self, drawn: random.Random) -> list[str]:
        return list(drawn.choice(self._odds)["parameters"].get("properties", {}))

    def _headers(
        self, drawn: random.Random, tokens: tuple[str, ...], changed: set[str], kind: str = "application/json"
    ) -> tuple[tuple[str, bytes], ...]:
        found: dict[str, bytes] = {"Content-Type": kind.encode()}
        if drawn.random() < 0.8:
            token = drawn.choice(tokens)
            if "token" in changed:
                at = drawn.randrange(len(token))
                token = drawn.choice((token[:at], token[:at] + "_" + token[at + 1 :], token.upper(), token + token))
            found["Authorization"] = b"Bearer " + token.encode()
        if "header" in changed:
            found |= dict(drawn.sample(HEADERS, drawn.randint(1, 3)))
        return tuple(found.items())

    # ---- bodies -----------------------------------------------------------------------------------

    def _body(self, drawn: random.Random, operation: Json, changed: set[str]) -> bytes:
        document = self._document(drawn, operation)
        if "rules" in (document or {}) and drawn.random() < 0.7:
            document["rules"] = {**drawn.choice(self._options), "pause_ms": 0}
        if "body" not in changed:
            return json.dumps(document).encode()
        if drawn.random() < 0.2:
            return drawn.choice(BODIES)
        text = json.dumps(self._changed(drawn, document))
        return drawn.choice(SPELLINGS)(drawn, text.encode())

    def _document(self, drawn: random.Random, operation: Json) -> Json:
        """Return a document as the operation takes it: one of its examples, or one that its schema allows."""
        shown, asked = BODIES_OF.get(operation["operationId"], {}), operation["requestBody"]["content"]
        if shown and drawn.random() < 0.5:
            return copy.deepcopy(drawn.choice(list(shown.values())))
        return self._sample(drawn, asked["application/json"]["schema"]) if "application/json" in asked else {}

    def _changed(self, drawn: random.Random, document: Json) -> Json:
        """Return a document with one value replaced, left out or put in, somewhere in it."""
        if isinstance(document, dict) and document and drawn.random() < 0.8:
            name = drawn.choice(list(document))
            way = drawn.random()
            if way < 0.1:
                return {key: value for key, value in document.items() if key != name}
            if way < 0.2:
                return {**document, drawn.choice(("seat", "x", "", "__proto__", name + " ")): drawn.choice(EDGES)}
            return {**document, name: self._changed(drawn, document[name])}
        if isinstance(document, list) and document and drawn.random() < 0.5:
            at = drawn.randrange(len(document))
            return [*document[:at], self._changed(drawn, document[at]), *document[at + 1 :]]
        return drawn.choice(EDGES)

    def _sample(self, drawn: random.Random, schema: Json) -> Json:
        """Return a document that a schema allows."""
        if "$ref" in schema:
            return self._sample(drawn, self._schemas[schema["$ref"].rpartition("/")[2]])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._sample(drawn, drawn.choice(schema[several]))
        if "enum" in schema:
            return drawn.choice(schema["enum"])
        if "examples" in schema:
            return drawn.choice(schema["examples"])
        kind = schema.get("type", "object")
        return self._of_kind(drawn, schema, drawn.choice(kind) if isinstance(kind, list) else kind)

    def _of_kind(self, drawn: random.Random, schema: Json, kind: str) -> Json:
        match kind:
            case "object":
                needed = schema.get("required", [])
                named = schema.get("properties", {}).items()
                return {
                    key: self._sample(drawn, value) for key, value in named if key in needed or drawn.random() < 0.3
                }
            case "array":
                return [self._sample(drawn, schema.get("items", {})) for _ in range(drawn.randint(0, 3))]
            case "integer":
                return drawn.choice((0, 1, 2, 3, 5, 6, schema.get("minimum", -1), schema.get("maximum", 9)))
            case "string":
                return (
                    "ab" * 32 if schema.get("maxLength") == 64 else drawn.choice(("Ada", "5x3", "liar", "common_hand"))
                )
            case "boolean":
                return drawn.random() < 0.5
            case _:
                return None


def _kinds(operation: Json) -> list[str]:
    """Return the types of body that an operation takes; the usual one where it takes none."""
    return list(operation.get("requestBody", {}).get("content", {})) or ["application/json"]


def _twice(drawn: random.Random, text: bytes) -> bytes:
    return (
        text[:-1] + drawn.choice((b',"type":"pass"}', b',"rules":{}}', b',"name":"b"}')) if text[-1:] == b"}" else text
    )


SPELLINGS: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    *[lambda _, text: text] * 6,
    _twice,
    lambda drawn, text: text[: drawn.randrange(len(text) + 1)],
    lambda drawn, text: text + drawn.choice((b"\x00", b"}", b"{}", b" " * 17_000, b"//")),
    lambda _, text: text.decode().encode("utf-16"),
    lambda drawn, text: text.replace(b'"', drawn.choice((b"'", b"\xff", b'\\"'))),
)
"""Ways to write a document down; most of them the right one."""
