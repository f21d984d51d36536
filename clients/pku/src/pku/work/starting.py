"""Starter kits: a folder with a baseline, its tests and a program that plays a session, in a team's own language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from markup_core.lazy import dataclass
from pku.errors import PkuError, of_system

_TEMPLATES: Final = Path(__file__).parents[1] / "starter-kits"
_COMMON: Final = "common"


@dataclass(frozen=True, slots=True)
class _Kit:
    """Words of a kit's README: what it needs, and the lines that install, test, play and solve."""

    needs: str
    install: str
    test: str
    play: str
    solve: str


_KITS: Final[Mapping[str, _Kit]] = {
    "python": _Kit(
        "Python 3.11, httpx",
        'pip install "httpx>=0.28,<0.29"',
        "python -m unittest",
        "python play.py",
        "python solver.py",
    ),
    "node": _Kit("Node.js 22", "node --version", "node --test", "node play.mjs", "node solver.mjs"),
    "r": _Kit(
        "R 4.2, httr2, jsonlite",
        'Rscript -e \'install.packages(c("httr2", "jsonlite"))\'',
        "Rscript test_solver.R",
        "Rscript play.R",
        "Rscript solver.R",
    ),
}
KITS: Final = tuple(_KITS)


def write_kit(folder: Path, kit: str) -> tuple[str, ...]:
    """Write the starter kit of a programming language into a new or empty folder; return the names of its files.

    Raises :class:`PkuError`: ``kit_folder_in_use``, ``not_written``.
    """
    values = {name: str(getattr(_KITS[kit], name)) for name in _Kit.__slots__} | {"name": folder.resolve().name}
    sources = [path for place in (_COMMON, kit) for path in sorted((_TEMPLATES / place).iterdir()) if path.is_file()]
    # A .gitignore among the templates would hide files of theirs from Git and from the wheel.
    targets = [folder / (".gitignore" if source.name == "gitignore" else source.name) for source in sources]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise PkuError("kit_folder_in_use", path=folder)
        for source, target in zip(sources, targets, strict=True):
            content = source.read_text("utf-8")
            for name, value in values.items() if source.suffix == ".md" else ():
                content = content.replace(f"@{name}@", value)
            target.write_text(content, "utf-8")
    except OSError as error:
        raise PkuError("not_written", path=folder, why=of_system(error)) from None
    return tuple(target.name for target in targets)
