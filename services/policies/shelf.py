"""The shelf: policy files that are shipped, and those that this machine has solved, by name and hash.

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
from domain.strategy.policies.files import FILE_BYTES_MAX, Policy, cup_of, duel_of, prove, read_policy

SUFFIX: Final = ".policy"
LEVEL: Final = "level1"
ROUND_MODEL: Final = "weighted"
_FILES: Final = resources.files("services") / "policies" / "files"
SHIPPED: Final = tuple(
    sorted(file.name.removesuffix(SUFFIX) for file in _FILES.iterdir() if file.name.endswith(SUFFIX))
)
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

    A file is read and proved when it is first asked for, and kept then: one of a die each takes some milliseconds.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Look in this folder besides, where every file is called by its hash; None for what is shipped alone."""
        self._folder = folder
        self._by_file: dict[str, Shelved] = {}

    def shipped(self) -> Iterator[Shelved]:
        """Yield what is shipped, by name."""
        for name in SHIPPED:
            yield self._named(name)

    def kept(self) -> Iterator[Shelved]:
        """Yield what this machine keeps, by hash.

        Raises:
            BadPolicy: A file there is not what it is called by.
        """
        if self._folder is not None and self._folder.is_dir():
            for path in sorted(self._folder.glob(f"*{SUFFIX}")):
                yield self._at(path.stem, path)

    def find(self, asked: str) -> Shelved:
        """Return the policy of this name, hash, or both with `@` between.

        Raises:
            NotFound: There is none.
            BadPolicy: The file is not what it is called by.
        """
        name, _, digest = asked.rpartition("@")
        if not name and digest in SHIPPED:
            return self._named(digest)
        for one in (*self.shipped(), *self.kept()):
            if asked in {one.policy.name, one.policy.digest, one.policy.id}:
                return one
        raise NotFound(f"no policy here is called {asked}")

    def default(self, what: str, facts: Facts) -> Policy:
        """Return what is taken where nobody says: for `play` or for `rounds`, in a round of these facts."""
        names = [self._duel_name(facts) if name == "solved" else name for name in DEFAULTS[what]]
        policies = (self._named(name).policy for name in names if name in SHIPPED)
        return next(policy for policy in policies if policy.fits(facts))

    def solved(self, facts: Facts) -> Policy | None:
        """Return what has solved a round of these facts; None where nothing that is shipped has."""
        found = self.default("play", facts)
        return found if found.kind == "solved" else None

    def blueprint(self, facts: Facts) -> BlueprintTable | None:
        """Return the blueprint that is shipped for a round of these facts; None where there is none.

        Nothing is read or weighed by it unless somebody names it: a blueprint plays.
        """
        name = blueprint_name(self._duel_name(facts))
        found = self._named(name).policy if name in SHIPPED else None
        if found is None or not found.fits(facts):
            return None
        assert isinstance(found.content, BlueprintTable), "it is called so"
        return found.content

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
        # Whoever is stopped here leaves a file that nobody takes for a policy.
        beside = path.with_suffix(".new")
        beside.write_bytes(data)
        beside.replace(path)
        return path

    def _named(self, name: str) -> Shelved:
        if name not in self._by_file:
            data = (_FILES / f"{name}{SUFFIX}").read_bytes()
            self._by_file[name] = Shelved(_proved(data), data)
        return self._by_file[name]

    def _at(self, digest: str, path: Path) -> Shelved:
        if digest not in self._by_file:
            data = read_file(path)
            self._by_file[digest] = Shelved(_proved(data, digest), data)
        return self._by_file[digest]

    @staticmethod
    def _duel_name(facts: Facts) -> str:
        try:
            return cup_of(facts).name if facts["tokens"] == "SharedCup" else duel_of(facts).name
        except BadPolicy:
            return ""


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
