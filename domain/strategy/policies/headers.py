"""The first line of a policy: what it is called, of what it says something, for which rounds, what it guarantees.

    {"applies":{...},"certificate":null|{"lower":"-1/9","upper":"-1/9"},"format":"truecup-policy/1",
     "kind":"level"|"rounds"|"solved"|"blueprint","name":...,"params":{...}}

It is read without what follows it, which is what takes long: so policies are listed, and looked through for one that
fits. The bytes behind it are held against their hash all the same.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from domain.faults import fault_of
from domain.log import canonical
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.best_reply import Guarantees
from domain.strategy.policies.facts import Facts

FORMAT: Final = "truecup-policy/1"
FILE_BYTES_MAX: Final = 2**26

Kind = Literal["level", "rounds", "solved", "blueprint"]
Kept = TypeVar("Kept")


class PolicyHeader(Struct, frozen=True):
    """What a policy says of itself.

    Attributes:
        name: What it is called.
        digest: The SHA-256 of the file, as hex.
        size: How many bytes the file has.
        kind: What it says something of.
        applies: The facts of a round that it is for; none fits all.
        certificate: What it claims to guarantee.
    """

    name: str
    digest: str
    size: int
    kind: Kind
    applies: Facts
    certificate: Guarantees | None

    @property
    def id(self) -> str:
        """The id: `name@digest`."""
        return f"{self.name}@{self.digest}"

    def fits(self, facts: Facts) -> bool:
        """Report whether it is for a round of these facts, compared member by member."""
        return all(member in facts and facts[member] == asked for member, asked in self.applies.items())


class _CertificateWritten(Struct, frozen=True, forbid_unknown_fields=True):
    """A certificate as it is written."""

    lower: Annotated[str, Meta(pattern=r"\A(0|-?[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?)\Z")]
    upper: Annotated[str, Meta(pattern=r"\A(0|-?[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?)\Z")]


class FirstLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line as it is written."""

    applies: dict[str, Any]
    certificate: _CertificateWritten | None
    format: str
    kind: Kind
    name: Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9._-]{0,63}\Z")]
    params: dict[str, Any]


def read_header(data: bytes, digest: str | None = None) -> PolicyHeader:
    """Return what the policy that these bytes are says of itself; what follows is not looked into.

    Args:
        data: The file, whole.
        digest: The SHA-256 it was named by, as hex; None where it was not.

    Raises:
        BadPolicy: The first line is none of a policy, or the file is not the one that was named.
    """
    return split_policy(data, digest)[0]


def split_policy(data: bytes, digest: str | None) -> tuple[PolicyHeader, FirstLine, bytes]:
    """Return what the first line says, how it is written, and what follows.

    Raises:
        BadPolicy: The first line is none of a policy, or the file is not the one that was named.
    """
    if len(data) > FILE_BYTES_MAX:
        raise BadPolicy("too_long", f"byte {FILE_BYTES_MAX}")
    found = hashlib.sha256(data).hexdigest()
    if digest is not None and digest != found:
        raise BadPolicy("wrong_hash", found)
    line, newline, body = data.partition(b"\n")
    if not newline:
        raise BadPolicy("not_a_policy", f"byte {len(data)}")
    said = _first_line_of(line)
    bounds = None if said.certificate is None else _bounds(said.certificate)
    return PolicyHeader(said.name, found, len(data), said.kind, said.applies, bounds), said, body


def converted(said: object, kind: type[Kept], where: str) -> Kept:
    """Return what a member of a header says.

    Raises:
        BadPolicy: It says what no policy says; names the member.
    """
    try:
        return msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise BadPolicy("bad_header", where + fault.where[1:], fault.why) from error


def _first_line_of(line: bytes) -> FirstLine:
    try:
        said = canonical.decode(line)
    except canonical.NotCanonical as error:
        raise BadPolicy("not_a_policy", "byte 0", str(error)) from error
    if said.get("format") != FORMAT:
        raise BadPolicy("not_a_policy", "$.format", f"this is to be {FORMAT}")
    return converted(said, FirstLine, "$")


def _bounds(certificate: _CertificateWritten) -> Guarantees:
    found = Guarantees(Fraction(certificate.lower), Fraction(certificate.upper))
    if (str(found.lower), str(found.upper)) != (certificate.lower, certificate.upper):
        raise BadPolicy("bad_header", "$.certificate", "fractions stand in lowest terms")
    return found
