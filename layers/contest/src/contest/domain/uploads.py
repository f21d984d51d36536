"""Uploads: what somebody brings in parts, each announced by its SHA-256 and put at an address of its own (T13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PART: Final = 64 * 1024 * 1024
"""Bytes of every part but the last one."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What is to come: its bytes, its SHA-256, and that of each of its parts, of :data:`PART` bytes but the last."""

    size: int
    sha256: str
    parts: tuple[str, ...]

    def is_whole(self) -> bool:
        """Whether there are as many parts as the size needs."""
        return len(self.parts) == -(-self.size // PART)

    def size_of(self, number: int) -> int:
        """Bytes of part ``number``, from 1."""
        return min(PART, self.size - (number - 1) * PART)
