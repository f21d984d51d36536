"""Rules for essays in Russian (subjects ``rus``, ``rus-free``, ``lit``, ``social`` and ``hist``)."""

from __future__ import annotations

from typing import Final

from pku.pilot.rules import BlockRule, ErrorRule, Place, Reach, SubjectRules

RUS_BLOCKS: Final = (
    BlockRule("ПРОБЛЕМА", r"проблем|\?$", Place.FIRST, Reach.RUN, 1, "Проблема текста"),
    BlockRule("СВЯЗЬ", r"оба пример|примеры|сопоставля|противопостав", Place.BODY, comment="Связь примеров"),
    BlockRule("ПОЗИЦИЯ", r"^позиция автора|по мнению|автор (?:хочет|считает|убежд)", Place.BODY),
    BlockRule("ПОЯСНЕНИЕ", r"^(?:эт(?:от|а|и|о) .*показыва|мы понимаем)", Place.BODY, most=2),
    BlockRule("ПРИМЕР", r"автор (?:пишет|рассказывает)|в предложени", Place.BODY, Reach.RUN, 2),
    BlockRule("ОТНОШЕНИЕ", r"соглас[а-я]+ с|нельзя не согласиться", Place.AFTER_FIRST, Reach.RUN),
)

ERRORS: Final = (
    ErrorRule("Р.лишн", r"\b(в \w+) месяце\b", r"\1", "плеон", "Плеоназм"),
    ErrorRule("Р.лишн", r"\bсвободн(\w+) ваканси(\w+)\b", r"ваканси\2", "плеон", "Плеоназм"),
)

RULES_BY_SUBJECT: Final = {
    "rus": SubjectRules(RUS_BLOCKS, ERRORS),
    "rus-free": SubjectRules((), ERRORS),
    "lit": SubjectRules((), ERRORS),
}
