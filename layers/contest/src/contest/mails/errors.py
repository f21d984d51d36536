"""Errors of mails, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError
from contest.texts import tr


class UnknownUnsubscriptionError(ContestError):
    """The link was not made by the platform, or its key is gone."""

    code = "unknown_unsubscription"
    status = HTTPStatus.NOT_FOUND
    message = tr("This link stops no mails any more: choose your mails in the cabinet.")
