"""Words of the command's tables, and Russian words of the platform's codes; English output has the codes themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from rich.table import Table

from markup_core.speaking import RU, language

_HEADINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "about": "о чём",
        "side": "сторона",
        "clause": "пункт",
        "required": "обязателен",
        "stands at": "состояние",
        "finds": "вывод",
        "text": "текст",
        "number": "№",
        "active": "занят",
        "added": "добавлено",
        "admitted": "допуск",
        "after": "стало",
        "algorithmic": "алгоритмическая",
        "announced": "объявлено",
        "announcement": "объявление",
        "annulled": "аннулировано",
        "answered": "ответы",
        "applied": "применено",
        "at": "когда",
        "before": "было",
        "by": "кем",
        "begun": "начат",
        "behind": "отставание",
        "board": "лидерборд",
        "changed": "изменено",
        "check": "проверка",
        "conflict groups": "группы конфликта",
        "count": "количество",
        "created_at": "создано",
        "declared": "заявлено",
        "delay": "задержка",
        "difference": "разность",
        "dismissed_at": "отстранён",
        "effective": "действует с",
        "email": "почта",
        "error": "ошибка",
        "expert": "эксперт",
        "expires_at": "действует до",
        "fault, where": "нарушение, место",
        "field": "поле",
        "figure": "величина",
        "file": "файл",
        "file, code": "файл, код",
        "files": "файлы",
        "finding": "что застряло",
        "first": "впервые",
        "grade": "итог",
        "handed in": "принято",
        "heard of": "связь",
        "items": "файлы",
        "kind": "вид",
        "languages": "языки",
        "last": "в последний раз",
        "letter": "задание",
        "made": "готово",
        "markups": "разметки",
        "mode": "вид прогона",
        "name": "название",
        "new": "новое",
        "old": "прежнее",
        "oldest": "старейший",
        "open": "открыто",
        "opens": "откроется",
        "per million": "за миллион",
        "person_id": "лицо",
        "place": "место",
        "places": "места",
        "platform": "платформа",
        "published": "опубликовано",
        "qualified": "квалификация",
        "reason": "обоснование",
        "recomputed": "пересчитано",
        "relative accuracy": "ОТАР",
        "removed": "удалено",
        "rescoring": "перерасчёт",
        "result": "результат",
        "revoked_at": "отозван",
        "role": "роль",
        "roubles": "рублей",
        "run": "прогон",
        "session": "сессия",
        "set": "выборка",
        "share": "доля",
        "since": "с",
        "solution": "решение",
        "start": "начало",
        "state": "состояние",
        "status": "состояние",
        "subject": "предмет изменения",
        "submission": "посылка",
        "subjects": "предметы",
        "team": "команда",
        "team_id": "команда",
        "technical": "техническая",
        "times": "раз",
        "title": "заголовок",
        "trial": "запуск",
        "token_id": "токен",
        "used_at": "использован",
        "value": "значение",
        "version": "версия",
        "void": "аннулировано",
        "waiting answers": "ответов ждёт",
        "was": "было",
        "what": "что",
        "what to do": "что делать",
        "who": "кто",
        "why": "почему",
        "would be": "станет",
        "would open": "открылся бы",
        "states": "задания",
        "without_markup": "без разметки",
    }
)
_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # runs, sessions, files
        "planned": "запланирован",
        "running": "идёт",
        "paused": "приостановлен",
        "finished": "завершён",
        "stopped": "остановлен",
        "session.finished": "завершена",
        "protocol.none": "нет",
        "protocol.positive": "подтверждено",
        "protocol.negative": "возражение",
        "protocol.outdated": "устарел",
        "protocol.results": "результаты",
        "protocol.mass_failure": "массовый сбой",
        "protocol.judges": "Судейская коллегия",
        "protocol.commission": "Техническая комиссия",
        "session.stopped": "остановлена",
        "open": "идёт",
        "aborted": "прервана",
        "timed_out": "закрыта по времени",
        "algorithmic": "алгоритмическая квалификация",
        "technical": "техническая квалификация",
        "final": "финал",
        "question.preliminary": "предварительный диагноз",
        "question.requests": "запросы исследований",
        "question.final": "заключительный диагноз",
        "team_late": "опоздание команды",
        "team_invalid": "неверный ответ",
        "network": "сеть",
        "platform": "платформа",
        "organizer_decision": "решение Оргкомитета",
        # decisions
        "pause": "пауза",
        "resume": "конец паузы",
        "stop": "остановка",
        "void": "аннулирование для всех",
        "replace": "замена файлов",
        "admit": "допуск опоздавшей команды",
        "rule": "решение о причине",
        "undo": "отмена решения",
        # sets
        "training": "обучающая",
        "test": "тестовая",
        "reserve": "резервная",
        # announcements, parameters, boards
        "parameters": "параметры",
        "sets": "выборки",
        "modules": "модули",
        "schedule": "расписание",
        "results": "результаты",
        "general": "общее",
        "draft": "черновик",
        "published": "опубликовано",
        "corrected": "исправлено",
        "withdrawn": "отозвано",
        "discarded": "удалено",
        "former": "прежняя",
        "in_force": "действует",
        "pending": "ожидает срока",
        "frozen": "заморожен",
        "hidden": "скрыт",
        "live": "обновляется",
        # teams and people
        "applied": "заявка подана",
        "approved": "допущена",
        "rejected": "отклонено",
        "suspended": "приостановлена",
        "disqualified": "дисквалифицирована",
        "expert": "эксперт",
        "judge": "судья",
        "commission": "член комиссии",
        "organizer": "организатор",
        "participant": "участник",
        "captain": "капитан",
        # conclusions on readiness
        "awaits_judges": "ждёт Судейскую коллегию",
        "awaits_commission": "ждёт Техническую комиссию",
        "verified": "подтверждено",
        "not_ready": "не готово",
        "annulled": "аннулировано",
        # rescorings, errands, assignments, letters
        "recomputing": "пересчитывается",
        "scoring": "ответы оцениваются",
        "rescoring.open": "ждёт решения",
        "rescoring.discarded": "отклонён",
        "accepted": "принят",
        "assigned": "назначено",
        "assignment.opened": "в работе",
        "handed_in": "сдано",
        "expired": "вышло время",
        "handed_back": "возвращено экспертом",
        "reassigned": "передано другому",
        "released": "снято",
        "letter.open": "ждёт решения",
        "failure.open": "ждёт решения",
        "failure.dismissed": "отклонён",
        "failure.accepted": "файлы аннулированы",
        "dropped": "списано",
        "redriven": "отправлено снова",
        "refused": "отказано",
        # submissions
        "submission.uploading": "передаётся",
        "submission.checking": "проверяется",
        "submission.refused": "отклонено",
        "submission.queued": "в очереди",
        "submission.running": "выполняется",
        "submission.scoring": "оценивается",
        "submission.scored": "оценено",
        "submission.failed": "не выполнено",
        "failed.image": "образ",
        "failed.exit_code": "код завершения",
        "failed.timeout": "вышло время",
        "failed.out_of_memory": "не хватило памяти",
        "failed.no_output": "нет ответов",
        "failed.bad_output": "негодные ответы",
        "failed.platform": "вина платформы",
        # checks
        "ok": "в порядке",
        "warning": "предупреждение",
        "failed": "нарушение",
        "unknown": "неизвестно",
        # settlement
        "making_record": "составляется протокол",
        "no_results": "результатов не будет",
        "waiting_for_markups": "ждёт разметок экспертов",
        "making_board": "составляется лидерборд",
        "verifying": "проверяется",
        "differences_found": "найдены расхождения",
        "ready": "готово к публикации",
    }
)


_FACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mode": "вид прогона",
        "set": "выборка",
        "state": "состояние",
        "language": "язык",
        "starts_at": "начало",
        "ends_at": "конец",
        "interval_s": "интервал, с",
        "files": "файлов",
        "total_files": "файлов с заменами",
        "available": "есть файлов",
        "limits": "пределы",
        "trial": "пробный",
        "admitted": "допущены",
        "parameters_version": "версия параметров",
        "reserve": "в резерве",
        "root": "корень обязательства",
        "mass_failure": "массовый технический сбой",
        "standing": "предложение",
        "settlement": "подведение итогов",
        "opened": "открыто",
        "expected_end": "ожидаемый конец",
        "title": "название",
        "planned_at": "запланирован",
        "planned_by": "кем запланирован",
        "notices": "предупреждения",
        "paused_ms": "в паузах, мс",
        "closed_at": "завершён",
        "published_at": "опубликован",
        "restarted_as": "перезапущен как",
        "restart_of": "перезапуск прогона",
        "teams": "команд",
        "made": "готово",
        "unscored": "ответов без оценки",
        "missing_markups": "нет разметок",
        "reason_ru": "почему",
        "message_ru": "сообщение",
        "numbers": "файлы",
        "sessions": "сессий",
        "published": "опубликован",
        "version": "версия",
        "request": "на запрос, мс",
        "answer": "на ответ, мс",
        "total": "всего, мс",
        "join": "на вход, мс",
        "interval_ms": "интервал, мс",
        "begun_at": "с",
        "decided_at": "решено",
        "decided_by": "кем решено",
        "proposed_at": "предложено",
        "effective_at": "действует с",
        "code": "код",
        "clause": "пункт",
    }
)


def fact(english: str) -> str:
    """Return the word for a fact about a run, by its name in the interface."""
    if language() == RU:
        return _FACTS.get(english, english)
    return _FACTS_IN_ENGLISH.get(english, english.replace("_ms", ", ms").replace("_", " "))


_FACTS_IN_ENGLISH: Final = {"limits": "limits, ms", "total_files": "files with replacements"}
"""Where the interface's name does not say it."""


def value_in_words(name: str, value: Any) -> str:
    """Return a fact's value: a code in words; several values one after another."""
    if isinstance(value, str):
        return code(value, "failure" if name == "standing" else "") if name in _CODED else value
    if isinstance(value, bool):
        return yes(value)
    if isinstance(value, Mapping):
        other = _ENGLISH if language() == RU else _RUSSIAN
        parts = {inner: part for inner, part in value.items() if part not in (None, [], {}) and inner not in other}
        return "; ".join(f"{fact(inner)}: {value_in_words(inner, part)}" for inner, part in parts.items())
    if isinstance(value, list):
        return ", ".join(value_in_words(name, part) for part in value)
    return as_json(value).replace(".", "," if language() == RU else ".")


_CODED: Final = frozenset({"mode", "state", "standing"})


_ENGLISH: Final = frozenset({"reason", "message"})
"""Parts that have their Russian beside them."""
_RUSSIAN: Final = frozenset(f"{name}_ru" for name in _ENGLISH)


def heading(english: str) -> str:
    """Return the heading of a column."""
    return _HEADINGS.get(english, english) if language() == RU else english


def code(value: str, subject: str = "") -> str:
    """Return a code of the platform in words; the code itself in English, and if it is unknown here.

    ``subject``: the kind of object that the code describes (``session``), where it has words of its own.
    """
    return _CODES.get(f"{subject}.{value}", _CODES.get(value, value)) if language() == RU else value


def table(*headings: str, **more: Any) -> Table:
    """Return a table with these columns."""
    return Table(*map(heading, headings), **more)


def in_language(body: Mapping[str, Any], name: str = "message") -> str:
    """Return a sentence of the interface in the present language; the Russian one has ``_ru`` behind its name."""
    return str(body[f"{name}_ru"] if language() == RU else body[name])


def yes(value: bool) -> str:
    """Return the yes or no of a table."""
    return ("да" if value else "нет") if language() == RU else ("yes" if value else "no")


def as_json(value: Any) -> str:
    """Write a value as JSON with every character as it is."""
    return json.dumps(value, ensure_ascii=False)
