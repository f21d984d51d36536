"""What a cycle's fields are called, and sentences for those that are told together."""

from __future__ import annotations

from typing import Final

_TIMES: Final = (
    "{files} files, one every {interval_s} s; {request_s} s to ask for a file, {answer_s} s to answer it, "
    "{total_s} s in all; joining until {join_s} s after the start"
)
_TIMES_RU: Final = (
    "файлов: {files}, каждые {interval_s} с; {request_s} с на запрос файла, {answer_s} с на ответ, "
    "{total_s} с всего; присоединиться можно до {join_s} с после старта"
)
CYCLE: Final = {
    "cycle.language": ("language", "язык"),
    "cycle.document": ("knowledge base", "база знаний"),
    "cycle.stage": ("stage", "этап"),
    "cycle.set": ("set", "выборка"),
    "cycle.version": ("version of the parameters", "версия параметров"),
    "cycle.nomination": ("nomination", "номинация"),
    "cycle.not_held": ("none in this cycle", "в этом цикле не проводятся"),
    "cycle.yes": ("yes", "да"),
    "cycle.no": ("no", "нет"),
    "stage.selection": ("selection", "отбор"),
    "stage.qualification": ("qualification", "квалификация"),
    "stage.final": ("final", "финал"),
    "stage.results": ("results", "подведение итогов"),
    "parameter.answer_bytes": ("bytes of an answer, at most", "байтов в ответе, не более"),
    "parameter.log_bytes": ("bytes of a log, at most", "байтов в журнале, не более"),
    "parameter.files_per_session": ("files of a session, at most", "файлов в сессии, не более"),
    "parameter.sessions_per_day": ("sessions a day", "сессий в день"),
    "parameter.sessions_per_day_on.training": (
        "sessions a day on training sets, counted apart",
        "сессий в день на обучающих выборках, отдельно",
    ),
    "parameter.sessions_per_day_on.test": (
        "sessions a day on test sets, counted apart",
        "сессий в день на тестовых выборках, отдельно",
    ),
    "parameter.time_limit_s": ("time for an answer", "время на ответ"),
    "parameter_value.time_limit_s": (
        "{min} to {max} s, {default} s where nothing is said",
        "от {min} до {max} с, без указания {default} с",
    ),
    "parameter.idle_timeout_s": ("silence that ends a session, s", "молчание, завершающее сессию, с"),
    "parameter.sends_per_file": ("answers looked at per file", "рассматриваемых ответов на файл"),
    "parameter.requests_per_second": ("requests per second", "запросов в секунду"),
    "parameter.readiness_min_files": ("files for readiness, at least", "файлов для готовности, не менее"),
    "parameter.readiness_min_share": (
        "share of them answered rightly, at least",
        "доля правильно составленных ответов, не менее",
    ),
    "parameter.least_hidden_items": (
        "items of a hidden set that totals are told of, at least",
        "заданий скрытой выборки, по которым сообщаются итоги, не менее",
    ),
    "parameter.bootstrap_seed": ("seed of the intervals", "начальное число интервалов"),
    "parameter.modules_demanded": (
        "sessions that count for published modules alone",
        "зачётные сессии только с опубликованными модулями",
    ),
    "parameter.technical": ("technical qualification", "техническая квалификация"),
    "parameter_value.technical": (
        f"{_TIMES}; every {{every_hours}} hours, announced {{lead_s}} s before",
        f"{_TIMES_RU}; раз в {{every_hours}} ч, объявляется за {{lead_s}} с",
    ),
    "parameter.final": ("final", "финал"),
    "parameter_value.final": (_TIMES, _TIMES_RU),
    "parameter.experts.limit_s": ("an expert's time for an essay, s", "время эксперта на эссе, с"),
    "parameter.experts.autosave_s": ("between two savings of a draft, s", "между сохранениями черновика, с"),
    "parameter.track.weights": ("weights of M1 … M7", "веса M1 … M7"),
    "parameter.track.hardness": ("hardness H", "параметр жёсткости H"),
    "parameter.track.separate_groups": (
        "errors and semantic blocks are matched apart",
        "ошибки и смысловые блоки сопоставляются отдельно",
    ),
    "parameter.track.paraphrase": ("how paraphrases are found", "как находится парафраз"),
    "parameter.track.limits.max_bytes": ("bytes of a markup, at most", "байтов в разметке, не более"),
    "parameter.track.limits.max_fragments": ("fragments of a markup, at most", "фрагментов в разметке, не более"),
    "parameter.track.limits.max_code_points": ("characters of an essay, at most", "символов в эссе, не более"),
    "parameter.track.limits.max_depth": ("nesting of a markup's JSON, at most", "вложенность JSON разметки, не более"),
}
