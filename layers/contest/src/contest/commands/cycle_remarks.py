"""Remarks of a new cycle's file: what every parameter means, between which limits, and what holds without it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from contest.contracts import cycle_file
from tracks import registry

_TIMES: Final = {
    "request_s": "Секунд на запрос файла от открытия",
    "answer_s": "Секунд на ответ от выдачи файла",
    "total_s": "Секунд на ответ от открытия",
    "join_s": "Секунд на открытие сессии от старта",
    "late_join": "Кто может открыть сессию позже: until_end — все, by_decision — кого допустит организатор "
    "(contest run admit), refused — никто; без него — как в конкурсе",
    "most_replaced": "Сколько заданий можно заменить резервными (D 8.12); без него — как в конкурсе",
}
RUSSIAN: Final[Mapping[str, str]] = {
    "sessions_per_day": "Сессий команды в день (R 6.4); без него — как в конкурсе",
    "sessions_per_day_on": "То же по видам выборок, где оно другое и считается отдельно; без него — как в конкурсе",
    "submissions_per_day": "Оценённых посылок команды в день; без него — как в конкурсе",
    "unscored_per_day": "Посылок в день, отклонённых или не выполненных по вине команды; без него — как в конкурсе",
    "time_limit_s": "Секунд на ответ в сессии алгоритмической квалификации (R 6.4).",
    "time_limit_s.min": "Наименьшее время, которое может выбрать программа; без него — как в конкурсе",
    "time_limit_s.max": "Наибольшее время, которое может выбрать программа; без него — как в конкурсе",
    "time_limit_s.default": "Время, если программа его не называет; без него — как в конкурсе",
    "idle_timeout_s": "Секунд молчания, после которых сессия завершается",
    "sends_per_file": "Ответов на файл, которые рассматриваются (R 11.5); без него — как в конкурсе",
    "requests_per_second": "Запросов команды в секунду (D 12.8)",
    "refusals_per_file": "Отклонённых ответов на файл, которые не задерживает предел частоты",
    "body_s": "Секунд, за которые тело любого ответа должно прийти после заголовков",
    "body_bytes_per_s": "Байт тела ответа, которые приходят за секунду не реже этого",
    "readiness_min_files": "Файлов, по которым делается заключение о готовности",
    "readiness_min_share": "Доля файлов с правильно составленным ответом",
    "bootstrap_seed": "Начальное число для интервалов в отчётах",
    "least_hidden_items": "Из скольких заданий скрытой выборки, не меньше, складываются итоги и их разности (T10)",
    "modules_demanded": "Открываются ли зачётные сессии только с опубликованными модулями (R 4.3, D 6.14)",
    "technical": "Когда проходят технические квалификации и из каких границ выбираются их объём и интервал (R 6.6).",
    "technical.enabled": "Проводятся ли они",
    "technical.every_hours": "Часов от одной до следующей",
    "technical.lead_s": "За сколько секунд они объявляются",
    "technical.files": "Наименьшее и наибольшее число файлов",
    "technical.interval_s": "Наименьшее и наибольшее время между открытиями, секунд",
    "final": "Как проходят финальные испытания (R 7.5).",
    "final.interval_s": "Секунд между открытиями",
    "experts": "Как эксперты размечают эссе (R 7.10).",
    "experts.limit_s": "Секунд на проверку от её начала",
    "experts.limits_s": "То же по предметам, где оно другое",
    "experts.autosave_s": "Наименьшее время между сохранениями черновика, секунд",
    "nominations": "Лидерборды финала, кроме общего и по языкам",
    **{f"{part}.{name}": said for part in ("technical", "final") for name, said in _TIMES.items()},
}
"""The Russian of the descriptions in the file's JSON Schema, by the parameter's name."""


def described() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every parameter of the platform by its name, those of a part as ``final.interval_s``, as the schema has them."""
    schema = cycle_file.schema()

    def below(path: str, part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, said in part.get("properties", {}).items():
            whole = {**_followed(schema, said), **said}
            yield path + name, whole
            yield from below(f"{path}{name}.", whole)

    return below("", _followed(schema, schema["properties"]["parameters"]))


def parameters(language: str) -> str:
    """The remarks, a line a parameter, indented as they stand under ``parameters:``."""
    lines = []
    for path, said in described():
        *parts, name = path.split(".")
        words = RUSSIAN[path] if language == "ru" else said["description"]
        lines.append(f"#{'  ' * (len(parts) + 1)}{name}:{_value(said)} {words}")
    return "\n".join(lines)


def notices(track: str, language: str) -> str:
    """The contest's own notice periods, a line each, with their clauses; one line where it has none."""
    periods = registry.get(track).notice_periods()
    none, days, working = ("нет", "дн.", "раб. дн.") if language == "ru" else ("none", "days", "working days")
    lines = [
        f"#   {each.occasion.value}: {each.days} {working if each.working else days} ({each.clause})"
        for each in periods
    ]
    return "\n".join(lines or [f"#   {none}"])


def _value(said: Mapping[str, Any]) -> str:
    """What holds without it, and the limits: `` 900 (1…86400).``"""
    value = f" {json.dumps(said['default'])}" if "default" in said and said["default"] != {} else ""
    limits = f" ({said['minimum']}…{said['maximum']})" if "minimum" in said and "maximum" in said else ""
    without = " —" if value or limits else ""
    return f"{value}{limits}{without}"


def _followed(schema: Mapping[str, Any], said: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in said:
        said = schema["$defs"][said["$ref"].rpartition("/")[2]]
    return said
