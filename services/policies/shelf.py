"""The shelf: policy files that are shipped, and those that this machine has solved, by name and hash.

What is shipped stands in a list of hashes beside the files, so that nothing is read before somebody asks for it, and a
file that is not the one of its hash is refused by whoever asks first.

The defaults stand here, in one table. They come from what is shipped and from nothing else: what a machine happens to
have solved changes no result, unless it is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.blueprint import BlueprintTable, blueprint_name
from domain.strategy.policies.facts import Facts
from domain.strategy.policies.files import Policy, cup_of, duel_of, prove, read_policy
from domain.strategy.policies.headers import FILE_BYTES_MAX, PolicyHeader, read_header
from infra.files.whole import write_whole

SUFFIX: Final = ".policy"
SUMS: Final = "SHA256SUMS"
"""The list of hashes, as `sha256sum *.policy` writes it."""
LEVEL: Final = "level1"
ROUND_MODEL: Final = "weighted"
FILES: Final = resources.files("services") / "policies" / "files"
DIGESTS: Final = {
    file.removesuffix(SUFFIX): digest
    for digest, file in map(str.split, (FILES / SUMS).read_text(encoding="ascii").splitlines())
}
"""What is shipped: the hash of each file, in hex, by the name of its policy."""
SHIPPED: Final = tuple(sorted(DIGESTS))
"""The names of what is shipped."""
DEFAULTS: Final = {"play": ("solved", LEVEL), "rounds": (ROUND_MODEL,)}
"""By what is asked for, the first that fits is taken; `solved` is the table of the duel that is played."""


class NotFound(LookupError):  # noqa: N818 - says what became of it
    """Nothing on the shelf is called like this."""


class Shelved(Struct, frozen=True):
    """A policy with the bytes of its file."""

    policy: Policy
    data: bytes


class Shelf:
    """What is shipped, and what lies in a folder of this machine.

    A file is read when it is first asked for and kept then: proved, where it is a table of a die each in some
    milliseconds, or its first line alone, where nobody asks for more.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Look in this folder besides, where every file is called by its hash; None for what is shipped alone."""
        self._folder = folder
        self._headers: dict[str, PolicyHeader] = {}
        self._policies: dict[str, Policy] = {}

    def shipped(self) -> Iterator[PolicyHeader]:
        """Yield what is shipped, by name.

        Raises:
            BadPolicy: A file is not what was shipped.
        """
        for name in SHIPPED:
            yield self._header(name)

    def kept(self) -> Iterator[PolicyHeader]:
        """Yield what this machine keeps, by hash.

        Raises:
            BadPolicy: A file there is not what it is called by.
        """
        for path in self._kept():
            yield read_header(read_file(path), path.stem)

    def find(self, asked: str) -> Shelved:
        """Return the policy of this name, hash, or both with `@` between.

        Raises:
            NotFound: There is none.
            BadPolicy: The file is not what it is called by, or guarantees less than it says.
        """
        for name, digest in DIGESTS.items():
            if asked in {name, digest, f"{name}@{digest}"}:
                return Shelved(self._named(name), bytes_of(name))
        for path in self._kept():
            data = read_file(path)
            header = read_header(data, path.stem)
            if asked in {header.name, header.digest, header.id}:
                return Shelved(self._proved(data, header.digest), data)
        raise NotFound(f"no policy here is called {asked}")

    def file(self, digest: str) -> bytes:
        """Return the file that is shipped under this hash, of which no more than the first line is looked into.

        Raises:
            NotFound: There is none.
            BadPolicy: It is not what was shipped.
        """
        name = next((name for name, shipped in DIGESTS.items() if shipped == digest), None)
        if name is None:
            raise NotFound(f"no policy here has the hash {digest}")
        data = bytes_of(name)
        read_header(data, digest)
        return data

    def default(self, what: str, facts: Facts) -> Policy:
        """Return what is taken where nobody says: for `play` or for `rounds`, in a round of these facts."""
        names = [self._duel_name(facts) if name == "solved" else name for name in DEFAULTS[what]]
        return self._named(next(name for name in names if self._fits(name, facts)))

    def solved(self, facts: Facts) -> Policy | None:
        """Return what has solved a round of these facts; None where nothing that is shipped has."""
        found = self.default("play", facts)
        return found if found.kind == "solved" else None

    def blueprint(self, facts: Facts) -> BlueprintTable | None:
        """Return the blueprint that is shipped for a round of these facts; None where there is none.

        Nothing is read or weighed by it unless somebody names it: a blueprint plays.
        """
        name = blueprint_name(self._duel_name(facts))
        if not self._fits(name, facts):
            return None
        found = self._named(name).content
        assert isinstance(found, BlueprintTable), "it is called so"
        return found

    def keep(self, data: bytes) -> Path:
        """Put a policy into the folder, under its hash; return where it is.

        Raises:
            BadPolicy: It is none, or guarantees less than it says.
            OSError: It cannot be written.
        """
        assert self._folder is not None
        policy = _proved(data)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{policy.digest}{SUFFIX}"
        write_whole(path, data)
        return path

    def _kept(self) -> list[Path]:
        return [] if self._folder is None else sorted(self._folder.glob(f"*{SUFFIX}"))

    def _fits(self, name: str, facts: Facts) -> bool:
        return name in DIGESTS and self._header(name).fits(facts)

    def _header(self, name: str) -> PolicyHeader:
        if name not in self._headers:
            self._headers[name] = read_header(bytes_of(name), DIGESTS[name])
        return self._headers[name]

    def _named(self, name: str) -> Policy:
        return self._policies.get(DIGESTS[name]) or self._proved(bytes_of(name), DIGESTS[name])

    def _proved(self, data: bytes, digest: str) -> Policy:
        if digest not in self._policies:
            self._policies[digest] = _proved(data, digest)
        return self._policies[digest]

    @staticmethod
    def _duel_name(facts: Facts) -> str:
        try:
            return cup_of(facts).name if facts["tokens"] == "SharedCup" else duel_of(facts).name
        except BadPolicy:
            return ""


def ids_for_judging() -> list[str]:
    """Return the ids of what rounds may be judged by where nobody names policies; a blueprint plays, and no more."""
    return [f"{name}@{DIGESTS[name]}" for name in SHIPPED if not name.endswith(blueprint_name(""))]


def bytes_of(name: str) -> bytes:
    """Return the file of what is shipped under this name, whatever it has come to be."""
    return (FILES / f"{name}{SUFFIX}").read_bytes()


def read_file(path: Path) -> bytes:
    """Return a file, and no more of it than shows that it is too long for a policy.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(FILE_BYTES_MAX + 1)


def policy_in(path: Path) -> Shelved:
    """Return the policy of a file that somebody names, proved.

    Raises:
        BadPolicy: It is none, or guarantees less than it says.
        OSError: It cannot be read.
    """
    data = read_file(path)
    return Shelved(_proved(data), data)


def _proved(data: bytes, digest: str | None = None) -> Policy:
    policy = read_policy(data, digest)
    if policy.certificate is not None:
        prove(policy)
    return policy


@cache
def shelf() -> Shelf:
    """Return what is shipped."""
    return Shelf()
