"""What a submission wrote into ``output/``: plain files alone, looked at when none of its processes is left."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from local.submissions.job import Limits

_MOST_FILES: Final = 1000
_BLOCK: Final = 4096


class BadOutputError(ValueError):
    """The folder holds something that nobody should open."""


def collect(folder: Path, limits: Limits) -> tuple[Path, ...]:
    """The files of a folder by name. Raises :class:`BadOutputError` for a link, folder or special file, for a second
    name of a file elsewhere (a hard link shows what stands outside), for files too big or too many.

    Clause: F output
    """
    found, total = list[Path](), 0
    with os.scandir(folder) as entries:
        for entry in entries:
            seen = entry.stat(follow_symlinks=False)
            total += seen.st_size
            if not stat.S_ISREG(seen.st_mode) or seen.st_nlink != 1:
                raise BadOutputError(f"{entry.name} is no plain file")
            if seen.st_size > limits.file or total > limits.outputs or len(found) == _MOST_FILES:
                raise BadOutputError(f"{entry.name} is one too many, or too big")
            found.append(folder / entry.name)
    return tuple(sorted(found))


def is_over(folder: Path, limits: Limits) -> bool:
    """Whether what somebody is writing below a folder takes more of the disk than all outputs may.

    Every name counts as a block at least, so that empty files have their bound, too; no more of them are looked at
    than it takes to know. Links are not followed.
    """
    total = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                total += max(_BLOCK, os.lstat(f"{place}/{name}").st_blocks * 512)
            if total > limits.outputs:
                return True
    return False
