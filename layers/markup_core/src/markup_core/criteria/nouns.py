"""What the grading counts, named in two languages with the forms that numerals need.

Nouns: ru one, few, many; en singular, plural.
"""

from __future__ import annotations

from typing import Final

from markup_core.criteria.wording import Noun, Text

PROBLEM: Final = Noun(
    "f",
    *("формулировка проблемы", "формулировки проблемы", "формулировок проблемы"),
    *("problem statement", "problem statements"),
)
EXAMPLE: Final = Noun("m", "пример", "примера", "примеров", "example", "examples")
EXPLANATION: Final = Noun("n", "пояснение", "пояснения", "пояснений", "explanation", "explanations")
LINK: Final = Noun("f", "связь", "связи", "связей", "link", "links")
POSITION: Final = Noun(
    "f",
    *("позиция автора", "позиции автора", "позиций автора"),
    *("author's position", "author's positions"),
)
ATTITUDE: Final = Noun("n", "отношение", "отношения", "отношений", "attitude", "attitudes")
ARGUMENT: Final = Noun("m", "аргумент", "аргумента", "аргументов", "argument", "arguments")
NOTION: Final = Noun("n", "понятие", "понятия", "понятий", "notion", "notions")
THEORY: Final = Noun(
    "n",
    *("теоретическое положение", "теоретических положения", "теоретических положений"),
    *("theoretical proposition", "theoretical propositions"),
)
IDEA: Final = Noun("f", "идея", "идеи", "идей", "idea", "ideas")
REASONING: Final = Noun("n", "рассуждение", "рассуждения", "рассуждений", "piece of reasoning", "pieces of reasoning")
PUBLIC_EXAMPLE: Final = Noun(
    "m",
    *("общественный пример", "общественных примера", "общественных примеров"),
    *("public example", "public examples"),
)
PERSONAL_EXAMPLE: Final = Noun(
    "m",
    *("личный пример", "личных примера", "личных примеров"),
    *("personal example", "personal examples"),
)
HISTORICAL_EXAMPLE: Final = Noun(
    "m",
    *("исторический пример", "исторических примера", "исторических примеров"),
    *("historical example", "historical examples"),
)
EVENT: Final = Noun("n", "событие", "события", "событий", "event", "events")
PERSON: Final = Noun("f", "личность", "личности", "личностей", "person", "persons")
CAUSAL_LINK: Final = Noun(
    "f",
    *("причинно-следственная связь", "причинно-следственные связи", "причинно-следственных связей"),
    *("cause–effect link", "cause–effect links"),
)
ASSESSMENT: Final = Noun("f", "оценка", "оценки", "оценок", "assessment", "assessments")
MISSING_ASPECT: Final = Noun(
    "m",
    *("нераскрытый аспект", "нераскрытых аспекта", "нераскрытых аспектов"),
    *("missing aspect", "missing aspects"),
)
PLAN_FAULT: Final = Noun("n", "нарушение плана", "нарушения плана", "нарушений плана", "plan fault", "plan faults")

GRAMMAR: Final = Noun(
    "f",
    *("грамматическая ошибка", "грамматические ошибки", "грамматических ошибок"),
    *("grammar error", "grammar errors"),
)
SPEECH: Final = Noun("f", "речевая ошибка", "речевые ошибки", "речевых ошибок", "speech error", "speech errors")
LOGIC: Final = Noun("f", "логическая ошибка", "логические ошибки", "логических ошибок", "logic error", "logic errors")
FACT: Final = Noun(
    "f",
    *("фактическая ошибка", "фактические ошибки", "фактических ошибок"),
    *("factual error", "factual errors"),
)
ETHICS: Final = Noun("f", "этическая ошибка", "этические ошибки", "этических ошибок", "ethical error", "ethical errors")

NO_SPELLING: Final = Text("орфография в этом конкурсе не учитывается", "spelling is not counted in this contest")
NO_PUNCTUATION: Final = Text("пунктуация в этом конкурсе не учитывается", "punctuation is not counted in this contest")
