"""A public beacon over HTTP, and the check of its signatures where the extra `beacon` is installed.

Sources: drand's HTTP interface, version 1, which every relay has (`/<chain>/public/<round>`); its scheme
bls-unchained-g1-rfc9380: BLS signatures in G1 of BLS12-381 over the SHA-256 of the round's number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Final

import httpx

FETCH_S: Final = 5.0
BODY_MAX: Final = 4_096
"""An answer has about 300 bytes."""
_DST: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
SCHEME: Final = "bls-unchained-g1-rfc9380"


class Silent(Exception):  # noqa: N818 - named for what happened
    """The beacon did not answer, or not in its own words."""


def verifier() -> Callable[[str, int, bytes], bool] | None:
    """Return what reports whether a key (as hex) made this signature of a round; None without the extra."""
    try:
        from py_arkworks_bls12381 import GT, G1Point, G2Point  # noqa: PLC0415 - an extra, loaded where it is there
    except ImportError:
        return None

    def verify(public_key: str, number: int, signature: bytes) -> bool:
        message = hashlib.sha256(number.to_bytes(8, "big")).digest()
        try:
            key, made = (
                G2Point.from_compressed_bytes(bytes.fromhex(public_key)),
                G1Point.from_compressed_bytes(signature),
            )
        except ValueError:
            return False
        # The two pairings are equal exactly if the secret behind the key made the signature.
        return bool(GT.pairing_check([G1Point.hash_to_curve(message, _DST), -made], [key, G2Point()]))

    return verify


async def fetch_signature(client: httpx.AsyncClient, url: str, chain: str, number: int) -> bytes:
    """Return the signature that a beacon's relay gives for a round, unchecked.

    Raises:
        Silent: It is not reached, has no such round yet, or says something else.
    """
    try:
        async with client.stream("GET", f"{url.rstrip('/')}/{chain}/public/{number}", timeout=FETCH_S) as response:
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) > BODY_MAX:
                    raise Silent("the answer is too long")
    except httpx.HTTPError as error:
        raise Silent(f"not reached: {type(error).__name__}") from error
    if response.status_code != httpx.codes.OK:
        raise Silent(f"it answers {response.status_code}")
    return _signature(body, number)


def _signature(body: bytes, number: int) -> bytes:
    try:
        said = json.loads(body)
        if said["round"] != number:
            raise Silent("it answers for another round")
        return bytes.fromhex(said["signature"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Silent("it does not answer in its own words") from error


def chain_hash(info: dict[str, object]) -> str:
    """Return the hash of a chain from its description, as drand's `/info` has it: whoever changes it is another chain.

    Source: drand, `chain.Info.Hash`.

    Raises:
        ValueError: It is no description of a chain.
    """
    try:
        period, genesis = info["period"], info["genesis_time"]
        key, seed = bytes.fromhex(str(info["public_key"])), bytes.fromhex(str(info["groupHash"]))
        name = info["metadata"]["beaconID"]  # type: ignore[index]
        numbers = int(str(period)).to_bytes(4, "big") + int(str(genesis)).to_bytes(8, "big")
    except (KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"something is missing: {error}") from error
    if info.get("schemeID") != SCHEME:
        raise ValueError(f"its scheme is not {SCHEME}")
    named = b"" if name == "default" else str(name).encode()
    return hashlib.sha256(numbers + key + seed + named).hexdigest()
