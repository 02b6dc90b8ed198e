"""What is killed here is what is killed in `tests/crash`."""

from __future__ import annotations

from tests.crash.conftest import lasting, mortal, service, service_of_mortals

__all__ = ["lasting", "mortal", "service", "service_of_mortals"]
