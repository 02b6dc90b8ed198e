"""The keys of an installation: one of 32 bytes, from which all others are derived.

Without `TRUECUP_KEY` it is made once and kept in the data folder, readable by this user only. Whoever has it and the
database can read the hidden dice of open deals; whoever loses it cannot close them.
"""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from infra.config import Config
from infra.entropy import draw
from infra.keys import Ed25519Signer
from infra.sealing import KEY_BYTES, Sealing, derived
from services.tokens import Tokens


class Keys(Struct, frozen=True):
    """What the key opens: the secrets in the vault, the tokens it hands out, the log it signs."""

    sealing: Sealing
    tokens: Tokens
    signer: Ed25519Signer


def keys_of(config: Config, folder: Path) -> Keys:
    """Return the keys of this installation, making them the first time."""
    key = bytes.fromhex(config.key) if config.key else kept(folder / "key")
    return Keys(Sealing(derived(key, "vault")), Tokens(derived(key, "tokens")), Ed25519Signer(derived(key, "log")))


def kept(path: Path) -> bytes:
    """Return the key of 32 bytes in this file, making it the first time.

    A crash while it is made leaves no file under its name.
    """
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made, new = draw(KEY_BYTES), path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(made.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
        return made
