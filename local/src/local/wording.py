"""Expected failures of the local cloud as the command tells them."""

from __future__ import annotations

from markup_core.speaking import language
from markup_core.texts import in_language
from pku.errors import PkuError


def in_words(error: BaseException) -> str:
    """Return an error's text in the spoken language: the kit's own, or one whose message carries its Russian."""
    if isinstance(error, PkuError):
        return error.text(language())
    message = error.args[-1] if error.args else None
    return in_language(message, language()) if isinstance(message, str) else str(error)
