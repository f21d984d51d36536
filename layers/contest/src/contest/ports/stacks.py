"""The stacks of deployed cycles, for the organizer's command alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class NoStackError(Exception):
    """A cycle's stack cannot be asked; ``en`` and ``ru`` say why."""

    def __init__(self, stack: str, why_en: str, why_ru: str) -> None:
        self.en = f"the stack {stack} cannot be asked: {why_en}"
        self.ru = f"не удаётся получить сведения о стеке {stack}: {why_ru}"
        super().__init__(self.en)


class Stacks(Protocol):
    """What a cycle's stack says."""

    def variables(self, stack: str, output: str) -> Mapping[str, str]:
        """The variables of the function that this output of the stack names; :class:`NoStackError`."""
