"""Sentences of this package in two languages (:mod:`markup_core.texts`): English in the code, Russian in ``ru.po``."""

from __future__ import annotations

from typing import Final

from markup_core.texts import Catalogue

CATALOGUE: Final = Catalogue(__file__)
tr, tr_in, say = CATALOGUE.tr, CATALOGUE.tr_in, CATALOGUE.say
