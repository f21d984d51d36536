"""Sentences of this package in two languages (:mod:`markup_core.texts`): English in the code, Russian in ``ru.po``."""

from __future__ import annotations

from typing import Final

from markup_core.texts import Catalogue, Text

CATALOGUE: Final = Catalogue(__file__)
tr, tr_in, say = CATALOGUE.tr, CATALOGUE.tr_in, CATALOGUE.say


def code_in_words(code: str, subject: str = "") -> Text:
    """Return a code of the platform with its Russian words: those of the subject that it describes, where it has them.

    In English, and where the code is unknown here, the code itself.
    """
    particular = CATALOGUE.word("code", f"{subject}.{code}")
    return Text(code, CATALOGUE.word("code", code).ru if particular.ru == particular.en else particular.ru)
