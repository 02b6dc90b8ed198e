"""The licence: Apache-2.0 in the repository and in the wheel, with the licences of what others wrote."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LICENCE = ".docs/LICENSE"
PUBLISHED = "services/client/published/"
OTHERS = "services/web/static/vendor/LICENSES.txt"
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as an installer gets it, built by the backend that `pyproject.toml` names."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run([sys.executable, "-c", BUILD, folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return folder / built.stdout.split()[-1]


def test_the_text_of_the_licence_is_whole() -> None:
    text = (ROOT / LICENCE).read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert [clause for clause in range(1, 10) if f"\n   {clause}. " not in text] == []
    assert "END OF TERMS AND CONDITIONS" in text


def test_a_wheel_carries_our_licence_and_those_of_others(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (info,) = [name.rpartition("/")[0] for name in names if name.endswith(".dist-info/METADATA")]
        about = Parser().parsestr(packed.read(f"{info}/METADATA").decode())
        for file in (LICENCE, OTHERS):
            assert packed.read(f"{info}/licenses/{file}") == (ROOT / file).read_bytes()
    assert about["License-Expression"] == "Apache-2.0"
    assert sorted(about.get_all("License-File") or []) == sorted([LICENCE, OTHERS])


def test_a_wheel_carries_what_programs_of_others_import_with_its_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        assert {"truecup/__init__.py", "truecup/client.py", "truecup/py.typed"} <= set(packed.namelist())


def test_a_wheel_carries_what_programs_read_beside_their_modules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    folders = ("domain", "projections", "infra", "services")
    files = {
        path.relative_to(ROOT).as_posix().removeprefix(PUBLISHED)
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files - names == set()
