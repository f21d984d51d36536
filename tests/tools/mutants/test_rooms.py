"""Every module has a room of tests that reach it, and what is said of mutants is said of lines that exist."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from tools.mutants import rooms
from tools.mutants.rooms import PACKAGES, ROOT

PLACES = (*PACKAGES.values(), "functions", ".")
EVERY = [source for package in PACKAGES for source in rooms.sources(package) if source.path.name != "__main__.py"]
ENTRIES = tomllib.loads((ROOT / "tools" / "mutants" / "equivalent.toml").read_text("utf-8"))["equivalent"]
LAZY = {
    "markup_core": "layers/markup_core/src/markup_core/*.py",
    "tracks.command.cli": "layers/tracks/src/tracks/*/commands.py",
    "tracks.command.operations": "layers/tracks/src/tracks/*/operations.py",
    "tests.stage_services": "functions/*/*.py",
}
"""Modules that load others by a name they put together."""


@cache
def files_of(name: str) -> frozenset[Path]:
    """The project's files that importing ``name`` loads by itself: the module and the packages it stands in."""
    parts = name.split(".")
    stems = [Path(place, *parts[:size]) for place in PLACES for size in range(1, len(parts) + 1)]
    found = {file for stem in stems for file in (stem.with_suffix(".py"), stem / "__init__.py")}
    if name in LAZY:
        found |= {path.relative_to(ROOT) for path in ROOT.glob(LAZY[name])}
    return frozenset(file for file in found if (ROOT / file).is_file())


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """The project's files that a file imports."""
    return frozenset[Path]().union(*(files_of(name) for name in rooms.imported(path)))


def reached(paths: list[Path]) -> set[Path]:
    """The project's files that running ``paths`` may load, at whatever depth."""
    found: set[Path] = set()
    waiting = set(paths)
    while waiting:
        found |= waiting
        waiting = set().union(*map(imports_of, waiting)) - found
    return found


@cache
def reached_in(room: Path) -> set[Path]:
    """What the tests of a room load."""
    return reached(rooms.test_files(room))


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_has_a_room_whose_tests_reach_it(package: str) -> None:
    unreached = [
        f"{source.module}: no test in {rooms.room(source)}"
        for source in EVERY
        if source.module.split(".")[0] == package and source.path not in reached_in(rooms.room(source))
    ]
    assert unreached == []


def test_a_room_reaches_no_module_that_nothing_imports() -> None:
    """The rule above can fail."""
    assert Path("layers/contest/src/contest/settings.py") not in reached([Path("tests/markup_core/test_words.py")])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['module']} {entry['after']}")
def test_a_mutant_said_to_be_equivalent_changes_a_line_there_is(entry: dict[str, str]) -> None:
    (source,) = (source for source in EVERY if source.module == entry["module"])
    lines = {line.strip() for line in (ROOT / source.path).read_text("utf-8").splitlines()}
    assert entry["before"] in lines
    assert entry["after"] != entry["before"]
    assert entry["why"].endswith(".")
