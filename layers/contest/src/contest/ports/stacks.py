"""The stacks of deployed cycles, for the organizer's command alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class NoStackError(Exception):
    """A cycle's stack cannot be asked; the message says why in both languages."""

    def __init__(self, stack: str, why_en: str, why_ru: str) -> None:
        super().__init__(f"the stack {stack} cannot be asked: {why_en}\nстек {stack} не спросить: {why_ru}")


class Stacks(Protocol):
    """What a cycle's stack says."""

    def variables(self, stack: str, output: str) -> Mapping[str, str]:
        """The variables of the function that this output of the stack names; :class:`NoStackError`."""
