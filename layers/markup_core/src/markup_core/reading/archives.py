"""Exceptions of a ZIP archive that cannot be read and their sentences, for all who read one from a stranger."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from typing import Final

from markup_core.texts import Text, tr

BROKEN_ARCHIVE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),  # OSError: bzip2's damage, too
    *(RuntimeError, ValueError, OverflowError, struct.error),
)
"""Includes RuntimeError for encrypted members, NotImplementedError, a kind of it, for unknown compressions; ValueError
for names that are not UTF-8.
"""


def of_archive(error: Exception) -> Text:
    """Word an exception of :data:`BROKEN_ARCHIVE`: the archive's fault and the remedy."""
    if isinstance(error, NotImplementedError):
        return tr("it is compressed in a way that is not read; pack it as an ordinary zip (deflate)")
    if isinstance(error, RuntimeError):
        return tr("it has a password; pack it without one")
    if isinstance(error, zipfile.BadZipFile) and "CRC" in str(error):
        return tr("its checksum is another one: the file was damaged; pack it again")
    return tr("it is damaged or cut off; pack it again")
