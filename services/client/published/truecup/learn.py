"""Every game as an environment to learn in, for PettingZoo: the extra `learn`."""

from __future__ import annotations

from services.learn.environment import TruecupEnv, env

__all__ = ["TruecupEnv", "env"]
