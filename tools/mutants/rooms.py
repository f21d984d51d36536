"""Which tests answer for a source file: the folder of tests that mirrors its folder, its room."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "markup_core": "layers/markup_core/src",
    "tracks": "layers/tracks/src",
    "contest": "layers/contest/src",
    "shadow": "layers/shadow/src",
}


# The contest's floors that are divided by notions; its tests are divided by the notions alone.
FLOORS = (["domain"], ["services"])
# Wire models are one file for each notion, named after what they carry.
CONTRACTS = {
    "cycle_file": ["cycle"],
    "exchange": ["exchange"],
    "file_parts": ["cycle"],
    "held_cycle": ["conduct"],
    "public": ["run"],
    "receipts": ["session"],
    "results": ["results"],
    "runs": ["run"],
    "wire": ["edge"],
}


@dataclass(frozen=True, slots=True)
class Source:
    """A source file: its path from the root, and the name it is imported by."""

    path: Path
    module: str


def sources(package: str) -> list[Source]:
    """Every module of ``package``, in the order of their paths."""
    base = ROOT / PACKAGES[package]
    return [
        Source(path.relative_to(ROOT), ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__"))
        for path in sorted((base / package).rglob("*.py"))
    ]


def room(source: Source) -> Path:
    """The folder of the tests that answer for ``source``, from the root: one for each folder of a package.

    Folders within such a folder share its room, and the modules that stand in none have the package's.
    """
    package, *folder, name = source.path.relative_to(PACKAGES[source.module.partition(".")[0]]).with_suffix("").parts
    if package == "contest":
        folder = CONTRACTS.get(name, []) if folder == ["contracts"] else folder
        folder = ["adapters"] if folder == ["ports"] else folder  # the same checks hold adapters and fakes to a port
        folder = folder[1:] if folder[:1] in FLOORS else folder
    return Path("tests", package, *folder[:1])


def tests_of(source: Source) -> tuple[list[Path], list[Path]]:
    """The test files of the room of ``source``: those that import the module or bear its name, then the others."""
    name = source.path.stem
    near: list[Path] = []
    far: list[Path] = []
    for path in test_files(room(source)):
        words = path.stem.removeprefix("test_")
        mirrors = words == name or words.startswith(f"{name}_")
        (near if mirrors or source.module in imported(path) else far).append(path)
    return sorted(near, key=lambda path: path.stem != f"test_{name}"), far


def test_files(folder: Path) -> list[Path]:
    """The test files of a room, from the root: a package's own stand in the folder itself, others also below."""
    whole = ROOT / folder
    found = whole.glob("test_*.py") if len(folder.parts) == 2 else whole.rglob("test_*.py")  # tests/package
    return [path.relative_to(ROOT) for path in sorted(found)]


@cache
def imported(test: Path) -> frozenset[str]:
    """The modules a test file imports, and what it takes out of them, by full names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / test).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return frozenset(found)
