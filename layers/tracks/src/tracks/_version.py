"""The version of the tracks' scoring code, part of every score's key and fingerprint."""

from typing import Final

__version__: Final = "0.1.0"
