"""A beacon of our own: its key, its chain file, and a relay on this machine that speaks drand's HTTP interface."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from infra.drand import SCHEME, chain_hash

DST: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


class Speaker:
    """Whoever holds the key of a beacon."""

    def __init__(self, key: int, genesis: int, period: int = 3, name: str = "fixture") -> None:
        self._key = Scalar(key)
        self.info: dict[str, Any] = {
            "public_key": bytes((G2Point() * self._key).to_compressed_bytes()).hex(),
            "period": period,
            "genesis_time": genesis,
            "groupHash": "ab" * 32,
            "schemeID": SCHEME,
            "metadata": {"beaconID": name},
        }
        self.info["hash"] = self.hash = chain_hash(self.info)

    def file(self, folder: Path) -> Path:
        """Return a file that describes the beacon, as drand's `/info` does."""
        path = folder / "chain.json"
        path.write_text(json.dumps(self.info), encoding="utf-8")
        return path

    def says(self, number: int) -> str:
        """Return the signature of a round, as hex."""
        message = hashlib.sha256(number.to_bytes(8, "big")).digest()
        return bytes((G1Point.hash_to_curve(message, DST) * self._key).to_compressed_bytes()).hex()

    def answer(self, number: int) -> dict[str, Any]:
        """Return what a relay says of a round."""
        signature = self.says(number)
        randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
        return {"round": number, "randomness": randomness, "signature": signature}


class Relay:
    """Serves the rounds of a speaker; `answers` are what it says first, whatever is asked, or who says it."""

    def __init__(self, speaker: Speaker, answers: list[bytes | Speaker]) -> None:
        self.speaker = speaker
        self.answers = answers
        self.asked: list[str] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        self.asked.append(path)
        answer = self.answers.pop(0) if self.answers else self.speaker
        writer.write(answer if isinstance(answer, bytes) else http(json.dumps(self.said(path, answer)).encode()))
        await writer.drain()
        writer.close()

    def said(self, path: str, by: Speaker) -> dict[str, Any]:
        _, chain, _, number = path.split("/")
        return by.answer(int(number)) if chain == self.speaker.hash else {}


def http(body: bytes, status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close"
    return f"{head}\r\n\r\n".encode() + body


@asynccontextmanager
async def relaying(speaker: Speaker, *answers: bytes | Speaker) -> AsyncIterator[Relay]:
    """Serve a speaker's rounds, after these answers."""
    relay = Relay(speaker, list(answers))
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    relay.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield relay
