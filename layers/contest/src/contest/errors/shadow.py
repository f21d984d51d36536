"""What can go wrong with the independent recomputation of a final: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class NoBoardError(ContestError):
    """There is nothing to recompute yet."""

    code = "no_board"
    status = HTTPStatus.CONFLICT
    en = "This run's board is not made, so nothing is recomputed: only a closed final with markups has one."
    ru = "Таблица этого прогона не сформирована, пересчитывать нечего: она есть у завершённого финала с разметками."
