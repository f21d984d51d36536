"""The library's version, part of every score's fingerprint."""

from typing import Final

__version__: Final = "0.1.0"
