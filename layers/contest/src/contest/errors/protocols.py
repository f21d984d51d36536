"""What can go wrong with protocols of a run: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class SameSignatoryError(ContestError):
    """Whoever signs for the judges does not sign for the commission."""

    code = "same_signatory"
    status = HTTPStatus.CONFLICT
    en = "Whoever signs for one side does not sign for the other: ask another member."
    ru = "За судейскую коллегию и за техническую комиссию подписывают разные люди: обратитесь к другому члену."
