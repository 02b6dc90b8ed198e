"""The keys of an installation: one of 32 bytes, from which all others are derived.

Without `TRUECUP_KEY` it is made once and kept in the data folder, readable by this user only. Whoever has it and the
database can read the hidden dice of open deals; whoever loses it cannot close them.

A key is changed without a gap: `TRUECUP_KEY_BEFORE` names the keys of before, and while it does, what they closed is
opened, tokens issued under them are good, and the log is signed by all of them.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from infra.config import Config
from infra.entropy import draw
from infra.files.whole import FOR_ITS_OWNER, write_first
from infra.keys import Ed25519Signer
from infra.sealing import KEY_BYTES, Sealing, derive_key
from services.matches.secrets.tokens import TokenIssuer


class Keys(Struct, frozen=True):
    """What the keys open: the secrets in the vault, the tokens they hand out, the log they sign.

    Attributes:
        sealing: Wraps with the newest key and opens what any closed.
        tokens: Issues under the newest key and knows those of all.
        signers: Those of the log, the newest first.
    """

    sealing: Sealing
    tokens: TokenIssuer
    signers: tuple[Ed25519Signer, ...]

    @property
    def signer(self) -> Ed25519Signer:
        """The newest signer of the log."""
        return self.signers[0]


def keys_of(config: Config, folder: Path) -> Keys:
    """Return the keys of this installation, making them the first time."""
    newest = bytes.fromhex(config.key) if config.key else load_or_make_key(folder / "key")
    before = [] if config.key_before is None else config.key_before.split(",")
    keys = tuple(dict.fromkeys((newest, *map(bytes.fromhex, before))))
    return Keys(
        Sealing(*(derive_key(key, "vault") for key in keys)),
        TokenIssuer(*(derive_key(key, "tokens") for key in keys)),
        tuple(Ed25519Signer(derive_key(key, "log")) for key in keys),
    )


def public_keys_of(keys: Keys) -> tuple[bytes, ...]:
    """Return the public halves of what signs the log, the newest first."""
    return tuple(signer.public_key for signer in keys.signers)


def load_or_make_key(path: Path) -> bytes:
    """Return the key of 32 bytes in this file, making it the first time.

    A crash while it is made leaves no file under its name, and of several who make it at once all have the same.
    """
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = write_first(path, f"{draw(KEY_BYTES).hex()}\n".encode(), FOR_ITS_OWNER)
        return bytes.fromhex(made.decode().strip())
