"""The five DynamoDB tables, and the meaning of a failed condition (docs/decisions/0001)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pynamodb.attributes import UnicodeAttribute
from pynamodb.connection import Connection, TableConnection
from pynamodb.exceptions import PynamoDBException, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.ports import LostRaceError
from contest.values import SECOND, Millis

_CONFLICTS: Final = 6
_PAUSE_S: Final = 0.02
_TRANSIENT: Final = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
_CONDITION: Final = "ConditionalCheckFailed"
_LOST: Final = frozenset({"ConditionalCheckFailedException", "TransactionConflictException"})


class _Item(Model):
    """An item whose requests go through the process's one client.

    The library makes a client per model, each of which costs a cold start some 50 ms and a connection of its own.
    """

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        connection.connection._client = aws.client("dynamodb")
        return connection


class ExchangeItem(_Item):
    """An item of the exchange table."""

    class Meta:
        """Bound by :func:`bind`."""

        table_name = ""


class ScoresItem(_Item):
    """An item of the scores table."""

    class Meta:
        """Bound by :func:`bind`."""

        table_name = ""


class CatalogueItem(_Item):
    """An item of the catalogue table."""

    class Meta:
        """Bound by :func:`bind`."""

        table_name = ""


class IdentityItem(_Item):
    """An item of the identity table."""

    class Meta:
        """Bound by :func:`bind`."""

        table_name = ""


class ExpertsItem(_Item):
    """An item of the experts' table."""

    class Meta:
        """Bound by :func:`bind`."""

        table_name = ""


def bind(exchange: str, scores: str, catalogue: str, identity: str, experts: str) -> None:
    """Say which tables this process works on."""
    ExchangeItem.Meta.table_name = exchange
    ScoresItem.Meta.table_name = scores
    CatalogueItem.Meta.table_name = catalogue
    IdentityItem.Meta.table_name = identity
    ExpertsItem.Meta.table_name = experts


def expiry(at: Millis, seconds: int) -> int:
    """Return the value of ``expires_at`` for something that may vanish ``seconds`` after ``at``."""
    return at // SECOND + seconds


def write(build: Callable[[TransactWrite], None]) -> None:
    """Commit a transaction; :class:`LostRaceError` when a condition does not hold.

    Transactions that merely meet on an item are tried again after a short random pause: nobody has lost anything.
    """
    connection = Connection()
    connection._client = aws.client("dynamodb")
    for attempt in range(_CONFLICTS):
        try:
            with TransactWrite(connection=connection) as transaction:
                build(transaction)
        except TransactWriteError as error:
            codes = {reason.code for reason in error.cancellation_reasons if reason is not None}
            if _CONDITION in codes:
                raise LostRaceError from error
            if error.cause_response_code != "TransactionInProgressException" and not codes & _TRANSIENT:
                raise
            time.sleep(random.uniform(0.5, 1.5) * _PAUSE_S * 2**attempt)  # noqa: S311 -- jitter, not a secret
        else:
            return
    raise LostRaceError


@contextmanager
def condition() -> Iterator[None]:
    """Turn a single write's failed condition into :class:`LostRaceError`."""
    try:
        yield
    except PynamoDBException as error:
        if error.cause_response_code in _LOST:
            raise LostRaceError from error
        raise
