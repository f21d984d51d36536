"""What becomes of a run after its last answer: its record and a final's board, made in steps by workers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SettlingTask:
    """Work on one session of a run, or, without a session, on the whole run. Any number of copies do what one does.

    ``archive``: towards the archive of published results.
    """

    run_id: str
    session_id: str = ""
    archive: bool = False
    errand_id: str = ""
    """Somebody's errand about the run, done instead of a step."""


class Settled(StrEnum):
    """How far the results of a run are made, and what they wait for."""

    RUNNING = "running"
    RECORD = "making_record"
    NO_RESULTS = "no_results"
    UNMARKED = "waiting_for_markups"
    SCORING = "scoring"
    ENTRIES = "making_board"
    VERIFYING = "verifying"
    DIFFERENT = "differences_found"
    READY = "ready"
    PUBLISHED = "published"


REASONS = {
    Settled.RUNNING: ("sessions may still be open", "сессии могут ещё идти"),
    Settled.RECORD: ("the record is being made", "формируется протокол"),
    Settled.NO_RESULTS: ("this run has a record and no results", "у этого прогона есть протокол, результатов нет"),
    Settled.UNMARKED: ("the experts' markups are not taken in", "экспертные разметки не приняты"),
    Settled.SCORING: ("answers wait for their scores", "ответы ждут оценки"),
    Settled.ENTRIES: ("the teams' results and the board are being made", "формируются результаты команд и лидерборд"),
    Settled.VERIFYING: (
        "the results are being recomputed independently",
        "результаты пересчитываются независимо",
    ),
    Settled.DIFFERENT: (
        "the independent recomputation has found differences; contest run shadow RUN shows them",
        "независимый пересчёт нашёл расхождения; их показывает contest run shadow RUN",
    ),
    Settled.READY: (
        "everything is made and recomputed without a difference; the results can be published",
        "всё готово, пересчёт без расхождений; результаты можно опубликовать",
    ),
    Settled.PUBLISHED: ("the results are published", "результаты опубликованы"),
}
"""Why a run stands where it stands, in English and in Russian."""


@dataclass(frozen=True, slots=True)
class SettlingState:
    """How far a run is: of ``teams`` sessions ``made`` have the part that is being made, ``unscored`` answers wait."""

    state: Settled
    teams: int = 0
    made: int = 0
    unscored: int = 0
