"""Servers of the endurance suites; those that are killed are those of `tests/crash`."""

from __future__ import annotations

from tests.crash.conftest import lasting, mortal, service, service_of_mortals

__all__ = ["lasting", "mortal", "service", "service_of_mortals"]
