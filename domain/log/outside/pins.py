r"""Pins: a trust policy as text of the domain name system, for who does not believe the house's own word for it.

    "cup1 log dice.example/log+8ee2bf1f+AQ...; witness w1 w1.example/witness+3b12a752+BB..." "; quorum w1"

One TXT record has the policy, its lines parted by `; `, without what is only for people. Strings of a record have at
most 255 bytes and are read as one. `dig +short TXT NAME` prints each record on a line, its strings in quotation marks,
with `\"`, `\\` and `\DDD` in them for what is none of the usual characters. Other records of the name are passed over.

A name is worth what its resolver is: whoever answers for the house can pin what he likes, unless the answer is signed
(DNSSEC) or is the one that others got. It comes another way than the record does, and that is what a policy needs.

Source: RFC 1035 sections 3.3.14 and 5.1 for TXT and its text; C2SP tlog-policy for what stands in it.
"""

from __future__ import annotations

import re
from typing import Final

from domain.log.notes import Malformed

TAG: Final = b"cup1 "
STRING_BYTES_MAX: Final = 255
TXT_BYTES_MAX: Final = 65_535
"""The data of a record has no more."""
_BREAK: Final = b"; "
_STRING: Final = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
_BYTE: Final = 256
_PRINTABLE: Final = range(32, 127)


def txt_of(policy: bytes) -> str:
    r"""Return the TXT record of a policy, as a zone file has it.

    Raises:
        Malformed: It is too long for one, or a line has a `;`, or it says nothing.
    """
    lines = [b" ".join(line.split()) for line in policy.splitlines()]
    said = [line for line in lines if line and not line.startswith(b"#")]
    if not said or any(b";" in line for line in said):
        raise Malformed("a policy that is to be a record says something, and has no semicolon")
    whole = TAG + _BREAK.join(said)
    if len(whole) > TXT_BYTES_MAX:
        raise Malformed("the policy is too long for a record")
    parts = (whole[first : first + STRING_BYTES_MAX] for first in range(0, len(whole), STRING_BYTES_MAX))
    return " ".join(f'"{_escape(part)}"' for part in parts)


def is_txt(answer: bytes) -> bool:
    """Report whether this is what `dig +short TXT` prints, and no policy: none begins with a quotation mark."""
    return answer.lstrip().startswith(b'"')


def policy_in_txt(answer: bytes) -> bytes:
    """Return the policy in an answer of the domain name system.

    Raises:
        Malformed: None of its records is one, or more than one.
    """
    records = [_record(line) for line in answer.splitlines() if line.strip()]
    found = [record.removeprefix(TAG) for record in records if record.startswith(TAG)]
    if len(found) != 1:
        raise Malformed(f"{len(found)} of the records of this name begin with cup1, and one should")
    return b"".join(line.strip() + b"\n" for line in found[0].split(_BREAK.strip()))


def _record(line: bytes) -> bytes:
    strings = _STRING.findall(line)
    if _STRING.sub(b"", line).strip():
        raise Malformed("a line of the answer is none of quoted strings")
    return b"".join(_ESCAPE.sub(_plain, string) for string in strings)


def _plain(found: re.Match[bytes]) -> bytes:
    said = found[1]
    if len(said) == 1:
        return said
    if int(said) >= _BYTE:
        raise Malformed("a byte of the answer is none")
    return bytes([int(said)])


def _escape(part: bytes) -> str:
    return "".join(
        f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if byte in _PRINTABLE else f"\\{byte:03}" for byte in part
    )
