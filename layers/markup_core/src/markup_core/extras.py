"""Packages that the library needs for some results alone, each an extra of its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from markup_core.texts import Text, tr

FORMATS: Final = ("csv", "json", "parquet", "arrow")
BINARY: Final = FORMATS[2:]
"""Formats of tables that pyarrow writes (the extra ``frames``)."""


class ExtraNeededError(ImportError):
    """A package of an extra is not installed; ``text`` says how it comes."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text


def needed(module: str, extra: str) -> Any:
    """Import a module of an extra; raises :class:`ExtraNeededError` where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        sentence = tr(
            "{package} is not installed: pip install 'markup-core[{extra}]'",
            package=module.partition(".")[0],
            extra=extra,
        )
        raise ExtraNeededError(sentence) from error
