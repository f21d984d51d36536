"""Scoring of essay markups: the contest's matcher, metrics and grading.

The documented names are loaded when they are first used, so that a command that needs one of them starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from markup_core.accuracy import score_essay, score_pair
    from markup_core.command.loading import load, load_folder, loads, score
    from markup_core.criteria import grade
    from markup_core.extras import __version__
    from markup_core.interrater import agreement, third_expert
    from markup_core.matching.match import match
    from markup_core.model import Fragment, Markup
    from markup_core.notation import parse, render
    from markup_core.params import ScoringParams
    from markup_core.reading.validation import validate
    from markup_core.sample import nominations, score_sample

__all__ = [
    "Fragment",
    "Markup",
    "ScoringParams",
    "__version__",
    "agreement",
    "grade",
    "load",
    "load_folder",
    "loads",
    "match",
    "nominations",
    "parse",
    "render",
    "score",
    "score_essay",
    "score_pair",
    "score_sample",
    "third_expert",
    "validate",
]

_HOMES: Final = {
    "Fragment": "model",
    "Markup": "model",
    "ScoringParams": "params",
    "__version__": "extras",
    "agreement": "interrater",
    "grade": "criteria",
    "load": "command.loading",
    "load_folder": "command.loading",
    "loads": "command.loading",
    "match": "matching.match",
    "nominations": "sample",
    "parse": "notation",
    "render": "notation",
    "score": "command.loading",
    "score_essay": "accuracy",
    "score_pair": "accuracy",
    "score_sample": "sample",
    "third_expert": "interrater",
    "validate": "reading.validation",
}


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'markup_core' has no attribute {name!r}")
    return getattr(import_module(f"markup_core.{_HOMES[name]}"), name)
