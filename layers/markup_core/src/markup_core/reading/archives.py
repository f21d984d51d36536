"""Exceptions of a ZIP archive that cannot be read, one list for all who read one from a stranger."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from typing import Final

BROKEN_ARCHIVE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),  # OSError: bzip2's damage, too
    *(RuntimeError, ValueError, OverflowError, struct.error),
)
"""Includes RuntimeError for encrypted members, NotImplementedError, a kind of it, for unknown compressions; ValueError
for names that are not UTF-8.
"""
