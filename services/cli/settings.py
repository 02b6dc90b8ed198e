"""Settings for commands: the environment, and what the command line says over it."""

from __future__ import annotations

import os
from pathlib import Path

from infra.config import PREFIX, BadConfig, Config, config_of, data_folder
from services.cli.exits import CannotDo


def settings(**given: object) -> Config:
    """Return the settings of the environment with these over them; None leaves a setting as it is.

    Raises:
        CannotDo: Some settings cannot be meant so; all of them are named.
    """
    over = {f"{PREFIX}{name.upper()}": str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in given.items() if value is not None}
    try:
        return config_of({**os.environ, **over})
    except BadConfig as error:
        raise CannotDo(f"the settings are not right: {error}") from error


def folder_of(config: Config) -> Path:
    """Return the data folder of these settings."""
    return data_folder(config, os.environ)
