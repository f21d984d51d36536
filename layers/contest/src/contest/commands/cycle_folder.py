"""A cycle's folder, or a set's, on the organizer's machine; what its files mean is read in one place with zips."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from contest.domain.cycle import archive
from contest.faults import Fault
from contest.stored_names import CYCLE_FILE, CYCLE_FILES
from markup_core.speaking import say

NAMES: Final = CYCLE_FILES
_MIB: Final = 1024 * 1024


class FolderError(Exception):
    """The folder's file cannot be read; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message.en)
        self.fault = fault


class Folder:
    """See :class:`contest.services.cycle.folder.Source`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def everything(self) -> Sequence[str]:
        """See :class:`contest.services.cycle.folder.Source`; hidden files are left out, as of zips."""
        found = (each.relative_to(self._path).as_posix() for each in self._path.rglob("*") if each.is_file())
        return sorted(name for name in found if not archive.is_passed_over(name))

    def names(self, folder: str) -> Sequence[str]:
        """See :class:`contest.services.cycle.folder.Source`."""
        place = self._path / folder
        found = (each.name for each in place.iterdir() if each.is_file()) if place.is_dir() else ()
        return sorted(name for name in found if not archive.is_passed_over(name))

    def read(self, name: str) -> bytes:
        """See :class:`contest.services.cycle.folder.Source`."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            raise LookupError(name) from error

    def contents(self) -> dict[str, bytes]:
        """Return all files by their names; refuse, before any is read, what no zip may hold."""
        names = self.everything()
        most, size = archive.BOUNDS.whole, sum((self._path / name).stat().st_size for name in names)
        if size > most or len(names) > archive.BOUNDS.members:
            raise click.ClickException(
                say(
                    f"{self._path} has {len(names)} files, {size // _MIB} MiB; through the interface go at most"
                    f" {archive.BOUNDS.members} files and {most // _MIB} MiB: contest cycle load FOLDER --direct",
                    f"в {self._path} файлов: {len(names)}, МиБ: {size // _MIB}; через интерфейс — не более"
                    f" {archive.BOUNDS.members} файлов и {most // _MIB} МиБ: contest cycle load ПАПКА --direct",
                )
            )
        return {name: self.read(name) for name in names}


def read_head(folder: Path) -> tuple[str, Any]:
    """Name and value of a folder's file; :class:`LookupError` without one, :class:`FolderError` where it has two."""
    from contest.services.cycle import folder as files

    name, value, faults = files.read_head(Folder(folder))
    if faults and faults[0].code == "missing_file":
        raise LookupError(CYCLE_FILE)
    if faults:
        raise FolderError(faults[0])
    return name, value


def read_file(path: Path) -> Any:
    """The value of a JSON or YAML file; :class:`FolderError`."""
    from contest.services.cycle import folder as files

    value, faults = files.value_of(path.name, path.read_bytes())
    if faults:
        raise FolderError(faults[0])
    return value


def read_yaml(text: str) -> Any:
    """The value of a text in YAML that is known to be right."""
    from contest.services.cycle import folder as files

    return files.read_yaml(text)
