"""A house that serves a log by its tiles, over real HTTP, and lies wherever it is told to."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterable
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from uuid import UUID

from domain.log import canonical, merkle, tiles
from domain.log.checkpoints import sign_checkpoint
from domain.log.notes import ED25519, Key, Malformed
from domain.log.policies import Policy, policy_of
from domain.log.proofs import anchor_entry
from infra.keys import Ed25519Signer

ORIGIN = "dice.example/log"
SIGNER = Ed25519Signer(b"the log of the tests of monitor ")
PATIENCE_S = 60

Answer = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]
Answers = Callable[[BaseHTTPRequestHandler], None]


def policy_text(*signers: Ed25519Signer) -> str:
    """Return the policy that believes these keys of the log."""
    logs = [f"log {Key(ORIGIN, ED25519, signer.public_key)}\n" for signer in signers]
    return "".join([*logs, "quorum none\n"])


POLICY = policy_text(SIGNER)


def policy() -> Policy:
    return policy_of(POLICY)


def match_of(number: int) -> str:
    return str(UUID(int=number))


def type_of(seq: int, length: int) -> str:
    """Return of which type a line is in a match of this length: dealt at line 1, ended at the last."""
    dealt = {0: "match.created", 1: "deal.sealed", 2: "seed.opened"}
    return "match.ended" if seq == length - 1 else dealt.get(seq, "cup.rolled")


def stream_of(number: int) -> str:
    return f"match/{match_of(number)}"


@cache
def lines_of(number: int, length: int = 4, said: str = "") -> list[bytes]:
    """Return the lines of a match, each of which follows the one before it; its last ends it.

    Args:
        number: Which match.
        length: How many lines it has.
        said: What its lines from the first deal on hold, so that two of its histories are different.
    """
    return chained(stream_of(number), [type_of(seq, length) for seq in range(length)], said)


def chained(stream: str, types: Iterable[str], said: str = "") -> list[bytes]:
    """Return lines of these types that follow each other; all but the first hold what is said."""
    lines: list[bytes] = []
    for seq, kind in enumerate(types):
        prev = canonical.head(lines[-1]) if lines else "0" * 64
        lines.append(canonical.line(stream, seq, prev, 1_000, kind, {"said": said if seq else ""}))
    return lines


def head(number: int, seq: int) -> str:
    """Return the head of a line of a match that is as long as most are, or longer if it has to be."""
    return canonical.head(lines_of(number, max(4, seq + 1))[seq])


def entry(number: int, seq: int, kind: str = "live", said: str | None = None) -> bytes:
    """Return what the log says of a line of a match, unless it is to say another head."""
    return anchor_entry(f"match/{match_of(number)}", seq, said or head(number, seq), kind)


def said_of(line: bytes, kind: str) -> bytes:
    """Return the entry that says of this line that it is there."""
    members = canonical.decode(line)
    return anchor_entry(members["stream"], members["seq"], canonical.head(line), kind)


def whole(number: int, length: int = 4) -> list[bytes]:
    """Return the anchors of a match from its first deal to its end."""
    return [entry(number, 1, "sealed"), entry(number, 2, "opened"), entry(number, length - 1, "final")]


class House:
    """What is served; a test changes it between looks.

    Attributes:
        entries: The log.
        lengths: How many lines of a match are served; all 4 if nothing is said.
        records: The lines of matches that are not as most are.
        lies: What is served in place of the truth, by path: an answer, or what is done with the connection.
        asked: The paths that were asked for.
    """

    def __init__(self, entries: list[bytes]) -> None:
        self.entries = entries
        self.lengths: dict[str, int] = {}
        self.records: dict[str, list[bytes]] = {}
        self.lies: dict[str, Answer | Answers] = {}
        self.asked: list[str] = []
        self._kept: dict[str, bytes] = {}
        self.signer = SIGNER
        self.second: Ed25519Signer | None = None
        self.origin = ORIGIN

    def checkpoint(self) -> bytes:
        root = merkle.root([merkle.leaf_hash(one) for one in self.entries])
        signers = [self.signer] if self.second is None else [self.signer, self.second]
        return sign_checkpoint(self.origin, len(self.entries), root, *signers).encode()

    def tile(self, path: str) -> bytes | None:
        try:
            tile = tiles.tile_of(path)
        except Malformed:
            return None
        if not tile.covered_by(len(self.entries)):
            return None
        if tile.level is None:
            first = tile.index * tiles.WIDTH
            return tiles.bundle(self.entries[first : first + tile.width])
        known = merkle.subtrees([merkle.leaf_hash(one) for one in self.entries])
        return b"".join(known[place] for place in tile.places)

    def keep(self) -> None:
        """Work the log out once, because it is long and does not change any more."""
        known = merkle.subtrees([merkle.leaf_hash(one) for one in self.entries])
        named = {
            str(tile): b"".join(known[place] for place in tile.places) for tile in tiles.tiles_of(len(self.entries))
        }
        self._kept = {"checkpoint": self.checkpoint(), **{f"tile/{path}": body for path, body in named.items()}}

    def record(self, match: str) -> bytes:
        lines = self.records.get(match, lines_of(UUID(match).int))[: self.lengths.get(match)]
        return b"".join(one + b"\n" for one in lines) + b"#tlog-proof AAAA\n"

    def answer(self, path: str) -> Answer:
        found = self._kept.get(path.removeprefix("/log/"))
        if found is not None:
            return 200, found
        if path == "/log/checkpoint":
            found = self.checkpoint()
        elif path.startswith("/log/tile/"):
            found = self.tile(path.removeprefix("/log/tile/"))
        elif path.endswith("/record"):
            found = self.record(path.split("/")[-2])
        return (404, b"there is nothing here") if found is None else (200, found)

    # ---- serving ----------------------------------------------------------------------------

    def __enter__(self) -> Self:
        house = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two writes, and the second would wait for an answer

            def do_GET(self) -> None:
                house.asked.append(self.path)
                lie = house.lies.get(self.path)
                if callable(lie):
                    lie(self)
                    self.close_connection = True
                else:
                    self.send(*(lie or house.answer(self.path)))

            def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_trouble: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"


# ---- lies -------------------------------------------------------------------------------------


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send for ever, until the reader has had enough."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"1000\r\n" + b"A" * 4096 + b"\r\n")
    except OSError:
        return


def slow(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then, so that no single read waits long."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    waiting = threading.Event()
    try:
        for _ in range(100 * PATIENCE_S):
            handler.wfile.write(b"1\r\nA\r\n")
            waiting.wait(0.01)
    except OSError:
        return


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "64")
    handler.end_headers()
    handler.wfile.write(b"A" * 32)


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Hang up."""
    handler.close_connection = True


def no_http(handler: BaseHTTPRequestHandler) -> None:
    """Say something that is no HTTP."""
    handler.wfile.write(b"\x00\xff" * 100)


def bomb(size: int) -> Answer:
    """Return an answer that is small, and large when it is unpacked."""
    return 200, gzip.compress(bytes(size)), {"Content-Encoding": "gzip"}
