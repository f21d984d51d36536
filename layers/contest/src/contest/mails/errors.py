"""Errors of mails, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from contest.refusals import ContestError
from contest.texts import tr


class UnknownUnsubscriptionError(ContestError, code="unknown_unsubscription", status=404):
    message = tr("This link stops no mails any more: choose your mails in the cabinet.")
