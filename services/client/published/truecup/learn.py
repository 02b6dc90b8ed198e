"""Every game as an environment to learn in, for PettingZoo: the extra `learn`."""

from __future__ import annotations

try:
    from services.learn.environment import TruecupEnv, env
except ModuleNotFoundError as missing:
    what = "truecup.learn comes with an extra: pip install 'truecup[learn]'"
    raise ModuleNotFoundError(f"{what} ({missing.name} is missing)", name=missing.name) from missing

__all__ = ["TruecupEnv", "env"]
