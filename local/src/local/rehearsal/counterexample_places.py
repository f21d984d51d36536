"""Where a rehearsal's counterexamples were found, in both languages, as templates."""

from __future__ import annotations

from typing import Final

PLACES: Final[tuple[tuple[str, str], ...]] = (
    ("stranger, call {call} ({what})", "посторонний, запрос {call} ({what})"),
    ("{file}, send {send} ({status}), call {call}", "{file}, отправка {send} ({status}), запрос {call}"),
    ("{team}, file {number}, call {call}", "{team}, файл {number}, запрос {call}"),
    ("{team}, file {number}, answer {digest}", "{team}, файл {number}, ответ {digest}"),
    ("{team}, file {number}", "{team}, файл {number}"),
    ("{team}, call {call} ({what})", "{team}, запрос {call} ({what})"),
    ("{team}, call {call}", "{team}, запрос {call}"),
    ("the trial", "пробный прогон"),
    ("the run begun anew", "перезапущенный прогон"),
    ("the run that experts marked up", "прогон, размеченный экспертами"),
    ("the private board {key}", "лидерборд закрытого теста {key}"),
    ("the prizes of the sum", "призы за сумму"),
    ("the prizes of {key}", "призы {key}"),
    ("{team}, {name}", "{team}, {name}"),
    ("the board {key}, {team}", "лидерборд {key}, {team}"),
    ("the board {key}", "лидерборд {key}"),
    ("RELEASE#{number}", "выпуск {number}"),
    ("session {session}", "сессия {session}"),
)
"""Where something was found: what stands before the first colon."""
