"""Settings for commands: the environment, and what the command line says over it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from infra.config import PREFIX, BadConfig, Config, config_of, data_folder
from services.client.house import CannotDo

POLICY: Final = "TRUECUP_POLICY"
"""The file that names whom `truecup audit` believes. It is no setting of the service, which must not choose it."""
POLICY_FILE: Final = "policy.txt"


def settings(**given: object) -> Config:
    """Return the settings of the environment with these over them; None leaves a setting as it is.

    Raises:
        CannotDo: Some settings cannot be meant so; all of them are named.
    """
    over = {
        f"{PREFIX}{name.upper()}": str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
        if value is not None
    }
    try:
        return config_of({**_environment(), **over})
    except BadConfig as error:
        raise CannotDo(f"the settings are not right: {error}") from error


def folder_of(config: Config) -> Path:
    """Return the data folder of these settings."""
    return data_folder(config, os.environ)


def policy_file(named: Path | None) -> Path | None:
    """Return the policy file to read: the one named, or TRUECUP_POLICY's, or the one beside this machine's own data.

    A file that was named must be there; the last one is taken only if it is.
    """
    if named is not None:
        return named
    if os.environ.get(POLICY):
        return Path(os.environ[POLICY])
    own = data_folder(Config(data=os.environ.get(f"{PREFIX}DATA", "")), os.environ) / POLICY_FILE
    return own if own.is_file() else None


def is_policy_named(named: Path | None) -> bool:
    """Report whether somebody says whom to believe, and it is not only that this machine has a log of its own."""
    return named is not None or bool(os.environ.get(POLICY))


def _environment() -> Mapping[str, str]:
    return {name: text for name, text in os.environ.items() if name != POLICY}
