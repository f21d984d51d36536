"""Rules for essays in English (subjects ``eng`` and ``eng-free``)."""

from __future__ import annotations

from typing import Final

from pku.pilot.rules import BlockRule, ErrorRule, Place, Reach, SubjectRules

BLOCKS: Final = (
    BlockRule("ПРОБЛЕМА", r"\w", Place.FIRST, Reach.PARAGRAPH),
    BlockRule("ВЫВОД", r"\w", Place.LAST, Reach.PARAGRAPH),
    BlockRule(
        "ЛМНЕНИЕ", r"\b(?:I (?:\w+ )?(?:think|believe|convinced|sure|suppose)|my (?:opinion|view))\b", Place.BODY
    ),
    BlockRule(
        "ПРМНЕНИЕ",
        r"\b(?:(?:some|other|many) (?:people|parents)|others|opponents?|there (?:are|is) )",
        Place.BODY,
        Reach.PARAGRAPH,
    ),
    BlockRule("АРГУМЕНТ", r"^(?:first|second|third|to begin|what is more|moreover|finally)", Place.BODY, Reach.RUN, 4),
    BlockRule("ОБОСНОВАНИЕ", r"\bI (?:\w+ )?(?:\w+['’]t|not|disagree)\b", Place.BODY, Reach.PARAGRAPH),
)

ERRORS: Final = (
    ErrorRule("А.стиль", r"\bcan['’]t\b", "cannot", "стяж", "Contraction", "Contractions are informal."),
    ErrorRule("А.стиль", r"\b(\w+)n['’]t\b", r"\1 not", "стяж", "Contraction", "Contractions are informal."),
    ErrorRule("А.грамм", r"\bmore (\w+er)\b", r"\1", "сравн", "Double comparative"),
    ErrorRule("А.грамм", r"\bin the other hand\b", "on the other hand", "пред", "Preposition"),
    ErrorRule("А.грамм", r"\b(depends?|dependent) from\b", r"\1 on", "пред", "Preposition"),
)

RULES: Final = SubjectRules(BLOCKS, ERRORS)
