"""What the doctor may find, what each means, and what can be done about it (platform §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from contest.domain.moments import MINUTE, Millis

PATIENCE: Final[Millis] = 3 * MINUTE
"""What is younger than this is under way: the minute timer does it, and has missed two visits at most."""
RESULTS_PATIENCE: Final[Millis] = 15 * MINUTE
"""The same for records and boards, which workers make in steps."""
IMPORT_PATIENCE: Final[Millis] = 40 * MINUTE
"""The same for an import without a dead letter: longer than all its tries take together."""


class Ailment(StrEnum):
    """Something that is stuck."""

    TIMER_SILENT = "timer_silent"
    SESSION_OVERDUE = "session_overdue"
    ANSWERS_WAITING = "answers_waiting"
    SCORES_LOST = "scores_lost"
    REPORT_MISSING = "report_missing"
    RECORD_MISSING = "record_missing"
    RESULTS_MISSING = "results_missing"
    PROPOSAL_OPEN = "proposal_open"
    ASSIGNMENT_OVERDUE = "assignment_overdue"
    RULE_NOT_ASKED = "rule_not_asked"
    THIRD_EXPERT_LACKING = "third_expert_lacking"
    IMPORT_STUCK = "import_stuck"
    ERRAND_LOST = "errand_lost"
    ARCHIVE_MISSING = "archive_missing"
    RESCORING_STUCK = "rescoring_stuck"
    SUBMISSION_STUCK = "submission_stuck"
    DEAD_LETTERS = "dead_letters"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Words:
    """What an ailment means and what is done about it, in both languages; ``mendable``: by the platform itself."""

    cause: str
    cause_ru: str
    action: str
    action_ru: str
    mendable: bool = True


WORDS: Final[Mapping[Ailment, Words]] = {
    Ailment.TIMER_SILENT: Words(
        "a timer has not ticked for minutes",
        "таймер не срабатывал несколько минут",
        "look at its log and its dead letters; until it ticks, mend does most of its work",
        "посмотрите его журнал и недоставленные; пока он молчит, бóльшую часть его работы делает исправление",
        mendable=False,
    ),
    Ailment.SESSION_OVERDUE: Words(
        "a session's time is over and it is not closed",
        "время сессии истекло, а она не закрыта",
        "close it, as the minute timer would",
        "закрыть, как это сделал бы минутный таймер",
    ),
    Ailment.ANSWERS_WAITING: Words(
        "answers have waited for their scores for minutes",
        "ответы ждут оценки несколько минут",
        "put them into the scoring queue again",
        "снова поставить их в очередь оценки",
    ),
    Ailment.SCORES_LOST: Words(
        "answers of a closed session have no score, and nothing asks for one",
        "у ответов закрытой сессии нет оценок, и никто их не запрашивает",
        "ask for the scores",
        "запросить оценки",
    ),
    Ailment.REPORT_MISSING: Words(
        "a session is closed and scored and has no report",
        "сессия закрыта и оценена, а отчёта нет",
        "make the report",
        "сформировать отчёт",
    ),
    Ailment.RECORD_MISSING: Words(
        "a run is over and has no record",
        "прогон закончился, а протокола нет",
        "send workers for what is missing of it",
        "отправить за недостающими частями",
    ),
    Ailment.RESULTS_MISSING: Words(
        "the experts' markups are taken in and the results are not made, or not recomputed",
        "экспертные разметки приняты, а результаты не сформированы или не пересчитаны независимо",
        "ask for lost scores and send workers for what is missing",
        "запросить потерянные оценки и отправить за недостающими частями",
    ),
    Ailment.PROPOSAL_OPEN: Words(
        "all teams missed the same files, and nobody has decided about the proposal",
        "все команды пропустили одни и те же файлы, решения по предложению нет",
        "the commission decides: contest run show, then replace or dismiss",
        "решает комиссия: contest run show, затем замена или отклонение",
        mendable=False,
    ),
    Ailment.ASSIGNMENT_OVERDUE: Words(
        "an expert's time is over and nobody has written it down",
        "время эксперта истекло, но это не записано",
        "write it down, as the minute timer would",
        "записать, как это сделал бы минутный таймер",
    ),
    Ailment.RULE_NOT_ASKED: Words(
        "both markups of an essay are in and the rule for a third expert was not asked",
        "обе разметки эссе готовы, а правило о третьем эксперте не применено",
        "ask the rule, and assign the third expert where it says so",
        "применить правило и назначить третьего эксперта, если оно этого требует",
    ),
    Ailment.THIRD_EXPERT_LACKING: Words(
        "the rule has called a third expert for an essay, and nobody has it",
        "правило назначило эссе третьего эксперта, но оно ни у кого",
        "give it to an expert who may have it, if there is one",
        "передать его подходящему эксперту, если такой есть",
    ),
    Ailment.IMPORT_STUCK: Words(
        "an import waits, and nobody is at it: its worker failed for good or was lost",
        "импорт ждёт, но им никто не занят: обработчик окончательно не справился или потерян",
        "send another worker; it begins anew, what was stored is not stored twice",
        "отправить другого обработчика; он начнёт заново, сохранённое дважды не сохраняется",
    ),
    Ailment.ERRAND_LOST: Words(
        "somebody has asked for a verification or for markups to be taken in, and nobody is at it",
        "запрошены проверка или приём разметок, но этим никто не занят",
        "send for it once more",
        "отправить поручение ещё раз",
    ),
    Ailment.ARCHIVE_MISSING: Words(
        "a final's results are published and its archive is not there",
        "результаты финала опубликованы, а архива нет",
        "send workers for what is missing of it",
        "отправить за недостающими частями",
    ),
    Ailment.RESCORING_STUCK: Words(
        "sessions of a rescoring are not scored anew, or do not go by it though it is accepted",
        "сессии перерасчёта не оценены заново или ещё не следуют принятому перерасчёту",
        "send once more for what is not done of it",
        "ещё раз отправить за тем, что не сделано",
    ),
    Ailment.SUBMISSION_STUCK: Words(
        "a submission waits, and nobody is at it: its worker failed for good, or its run takes longer than any may",
        "посылка ждёт, но ею никто не занят: обработчик окончательно не справился или запуск идёт дольше допустимого",
        "send another worker; it goes on where the last one stopped",
        "отправить другого обработчика; он продолжит с того места, где остановился прежний",
    ),
    Ailment.DEAD_LETTERS: Words(
        "jobs have failed for good and nobody has decided about them",
        "задания окончательно не выполнены, решения по ним нет",
        "do their work again; what fails once more comes back",
        "выполнить их заново; что не удастся снова, вернётся",
    ),
    Ailment.UNREADABLE: Words(
        "this could not be looked at",
        "это не удалось проверить",
        "read the Operate function's log",
        "посмотрите журнал функции Operate",
        mendable=False,
    ),
}
"""By ailment."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is stuck: ``subject`` names it, ``since`` when it should have been done, where that is known."""

    ailment: Ailment
    subject: str
    since: Millis | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """What it means and what can be done."""
        return WORDS[self.ailment]


def is_silent(ticked_at: Millis | None, now: Millis) -> bool:
    """Whether a timer that ticks every minute has missed more visits than may be."""
    return ticked_at is None or now > ticked_at + PATIENCE
