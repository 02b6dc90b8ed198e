"""Injection of handlers' arguments by name: checked once where they are made, not again at every request."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from litestar.di import NamedDependency
from litestar.params import SkipValidation

T = TypeVar("T")

Injected: TypeAlias = NamedDependency[SkipValidation[T]]
"""Mark a parameter that is given by its name, as it is."""
