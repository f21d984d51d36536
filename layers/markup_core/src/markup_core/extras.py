"""The library's version, packages that it needs for some results alone (extras), and formats that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from markup_core.texts import Text, tr

__version__: Final = "0.1.0"
"""The library's version, part of every score's fingerprint."""

EXTRAS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "formats": ("markup-core", ("defusedxml",)),
        "frames": ("markup-core", ("pyarrow",)),
        "pictures": ("markup-core", ("resvg_py",)),
        "significance": ("markup-core", ("scipy",)),
        "gamma": ("hurdle-contest", ("pygamma_agreement", "pyannote.core")),
    }
)
"""Modules of each extra, and the package that has it."""
FORMATS: Final = ("csv", "json", "parquet", "arrow")
BINARY: Final = FORMATS[2:]
"""Formats of tables that pyarrow writes (the extra ``frames``)."""

TARGETS: Final = ("json", "notation", "brat", "web-annotation", "doccano", "spacy", "conll", "csv")
"""Annotation formats that can be written."""
LABEL_SET: Final = "labels"
"""Subject of a label set if none is named."""


class ExtraNeededError(ImportError):
    """A package of an extra is not installed; ``text`` says how to install it."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text


def require(extra: str) -> None:
    """Refuse work before it begins where a package of an extra is missing; raises :class:`ExtraNeededError`."""
    for module in EXTRAS[extra][1]:
        needed(module, extra)


def needed(module: str, extra: str) -> Any:
    """Import a module of an extra; raises :class:`ExtraNeededError` where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        sentence = tr(
            "{package} is not installed: pip install '{ours}[{extra}]'",
            package=module.partition(".")[0],
            ours=EXTRAS[extra][0],
            extra=extra,
        )
        raise ExtraNeededError(sentence) from error
