"""What can go wrong with what people ask workers for: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class UnknownErrandError(ContestError):
    """Nobody asked for this."""

    code = "unknown_errand"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such errand; ask for the work anew."
    ru = "Такого поручения нет; запросите работу заново."
