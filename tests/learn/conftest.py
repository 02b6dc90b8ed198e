"""The tests of environments to learn in, but under a Python newer than PettingZoo asks for: it is not there then."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("pettingzoo") else ["test_environment.py"]
