"""What can go wrong with exports: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from contest.refusals import ContestError


class NoArchiveError(ContestError):
    """Only a final that counts has an archive; a semifinal's data wait until the final's results are out (D 14.5)."""

    code = "no_archive"
    status = HTTPStatus.NOT_FOUND
    en = (
        "This run has no archive: it is made of finals that count, after their results are published; a semifinal's "
        "after the results of its final."
    )
    ru = (
        "У этого прогона нет архива: он формируется для зачётных финалов после публикации результатов, для "
        "полуфинала — после публикации результатов финала."
    )


class ArchiveNotMadeError(ContestError):
    """The results are published, and workers are still making the archive."""

    code = "archive_not_made"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    en = "The archive is being made; ask again in a minute."
    ru = "Архив формируется; повторите запрос через минуту."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class ExportTooLargeError(ContestError):
    """What was asked for is larger than one answer may be."""

    code = "export_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    en = "This is too large for one answer. Accept gzip, or ask for one team's part."
    ru = "Это больше, чем вмещает один ответ. Примите сжатие gzip или запросите часть одной команды."

    @classmethod
    def of(cls, size: int, limit: int) -> ExportTooLargeError:
        """The error with both sizes in bytes."""
        said = {"message": f"{size} bytes of at most {limit}", "message_ru": f"байт: {size}, допускается {limit}"}
        return cls([{"code": "size", **said, "size": size, "limit": limit}])


class NoTablesError(ContestError):
    """The contest has no tables over all teams, or nobody is on the board."""

    code = "no_tables"
    status = HTTPStatus.NOT_FOUND
    en = "There are no tables over all teams: the contest has none, or nobody has a result on this board."
    ru = "Таблиц по всем командам нет: их нет в этом конкурсе, или ни у кого нет результата в этой таблице."
