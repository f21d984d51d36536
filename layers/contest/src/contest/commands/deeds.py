"""What the audit log says was done, in Russian: an entry keeps its English words, people read theirs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from contest.commands.words import code
from markup_core.speaking import RU, language

RUSSIAN: Final[Mapping[str, str]] = MappingProxyType(
    {
        # cycle, sets, parameters, the kit, announcements
        "cycle loaded": "цикл загружен",
        "import begun": "импорт начат",
        "import sent": "импорт отправлен",
        "set imported": "выборка импортирована",
        "set published": "выборка опубликована",
        "set unpublished": "публикация выборки отменена",
        "parameters changed": "параметры изменены",
        "parameters withdrawn": "изменение параметров отозвано",
        "kit published": "модуль опубликован",
        "announcement drafted": "составлен черновик объявления",
        "announcement published": "объявление опубликовано",
        "announcement corrected": "объявление исправлено",
        "announcement withdrawn": "объявление отозвано",
        # teams and people
        "team added": "команда добавлена",
        "team applied": "команда подала заявку",
        "team rejected": "заявка отклонена",
        "team approved": "команда допущена",
        "team suspended": "команда приостановлена",
        "team withdrawn": "команда отозвана",
        "team disqualified": "команда дисквалифицирована",
        "application corrected": "заявка исправлена",
        "captaincy handed over": "капитан сменён",
        "invitation revoked": "приглашение отозвано",
        "member invited": "приглашён участник команды",
        "member joined": "участник вошёл в команду",
        "member left": "участник вышел из команды",
        "token issued": "токен выпущен",
        "token revoked": "токен отозван",
        "staff invited": "приглашён сотрудник",
        "role given": "назначена роль",
        "staff dismissed": "сотрудник отстранён",
        "staff reinstated": "сотрудник восстановлен",
        # runs
        "run planned": "прогон запланирован",
        "run amended: pause": "прогон приостановлен",
        "run amended: resume": "прогон продолжен",
        "run amended: stop": "прогон остановлен",
        "run amended: void": "файлы аннулированы для всех",
        "run amended: replace": "файлы заменены резервными",
        "run amended: rule": "принято решение о причине",
        "run amended: admit": "команда допущена с опозданием",
        "run amended: undo": "решение о прогоне отменено",
        "run marked": "разметки экспертов приняты",
        "protocol recorded": "протокол записан",
        "run results published": "результаты опубликованы",
        "run results hidden": "результаты скрыты",
        "mass failure dismissed": "предложение о массовом сбое отклонено",
        # results
        "board hidden": "лидерборд скрыт",
        "board published": "лидерборд опубликован",
        "board frozen": "лидерборд заморожен",
        "conclusion annulled": "заключение аннулировано",
        "conclusion not_ready": "заключение: программа не готова",
        "conclusion verified": "заключение верифицировано",
        "conclusion rejected": "заключение отклонено",
        "conclusion awaits_judges": "заключение ждёт судей",
        "conclusion awaits_commission": "заключение ждёт комиссии",
        "team admitted to the final": "команда допущена к финалу",
        "team not admitted to the final": "команда не допущена к финалу",
        "set annulled": "выборка аннулирована",
        "set restored": "аннулирование выборки отменено",
        "session annulled": "сессия аннулирована",
        "session restored": "аннулирование сессии отменено",
        "result annulled": "результат аннулирован",
        "result restored": "аннулирование результата отменено",
        "rescoring begun": "перерасчёт начат",
        "rescoring accepted": "перерасчёт принят",
        "rescoring discarded": "перерасчёт отклонён",
        # experts and clinicians
        "expert added": "эксперт добавлен",
        "expert changed": "сведения об эксперте изменены",
        "marking begun": "проверка начата",
        "essays assigned": "эссе распределены",
        "assignment opened": "задание открыто",
        "assignment handed in": "задание сдано",
        "assignment handed back": "задание возвращено",
        "assignment extended": "срок задания продлён",
        "assignment released": "задание снято",
        "assignment reassigned": "задание передано другому",
        "calibration begun": "калибровка начата",
        "calibration assigned": "задание калибровки выдано",
        "replay begun": "воспроизведение начато",
        "round opened": "раунд открыт",
        "replay closed": "воспроизведение закрыто",
        # submissions and operations
        "declaration confirmed": "сведения о модели подтверждены",
        "declaration refused": "сведения о модели не подтверждены",
        "submission run again": "программа запущена ещё раз",
        "private test published": "закрытый тест опубликован",
        "dead letter redriven": "недоставленное сообщение отправлено снова",
        "dead letter dropped": "недоставленное сообщение удалено",
        "stuck work mended": "застрявшая работа возобновлена",
    }
)
"""What was done by the entry's own words; the site's ``web/src/ui/deeds.json`` has the same."""


def deed(what: str) -> str:
    """What was done, in the language of the present call; behind a colon stands a role, or somebody's own words."""
    if language() != RU:
        return what
    done, colon, more = what.partition(": ")
    return RUSSIAN.get(what) or f"{RUSSIAN.get(done, done)}{colon}{code(more)}"


def known(what: str) -> bool:
    """Whether there are Russian words for it."""
    return what in RUSSIAN
