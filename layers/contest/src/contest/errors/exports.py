"""What can go wrong with exports: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


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
