"""The five DynamoDB tables, and the meaning of a failed condition (docs/decisions/0001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, Self, TypeVar

from pynamodb.attributes import UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PynamoDBException, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.ports import LostRaceError
from contest.values import SECOND, Millis

Value = TypeVar("Value")
_CONFLICTS: Final = 6
_TRANSIENT: Final = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
_CONDITION: Final = "ConditionalCheckFailed"
_LOST: Final = frozenset({"ConditionalCheckFailedException", "TransactionConflictException"})


class Tables(Protocol):
    """Names of tables; reading one that the process was not given raises an error."""

    @property
    def exchange_table(self) -> str: ...
    @property
    def scores_table(self) -> str: ...
    @property
    def catalogue_table(self) -> str: ...
    @property
    def identity_table(self) -> str: ...
    @property
    def experts_table(self) -> str: ...


class _Table(type):
    """The table of a kind of items; its name is looked up at its first use, and known then."""

    field: str
    tables: Tables

    def bind(cls, tables: Tables) -> None:
        cls.tables = tables
        if "table_name" in vars(cls):
            del cls.table_name

    def __getattr__(cls, name: str) -> str:
        if name != "table_name":
            raise AttributeError(name)
        table: str = getattr(cls.tables, cls.field)
        cls.table_name = table
        return table


# The library makes a client per model, each of which costs a cold start some 50 ms and a connection of its own.
Connection.client = property(lambda _: aws.client("dynamodb"))  # type: ignore[method-assign,assignment]


class _Item(Model):
    """An item whose requests go through the process's one client."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)

    @classmethod
    def one(cls, pk: str, sk: str, read: Callable[[Self], Value]) -> Value | None:
        """Return what is read of an item as last written; None if it is not stored."""
        try:
            item = cls.get(pk, sk, consistent_read=True)
        except DoesNotExist:
            return None
        return read(item)


class ExchangeItem(_Item):
    """An item of the exchange table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind`."""

        field = "exchange_table"


class ScoresItem(_Item):
    """An item of the scores table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind`."""

        field = "scores_table"


class CatalogueItem(_Item):
    """An item of the catalogue table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind`."""

        field = "catalogue_table"


class IdentityItem(_Item):
    """An item of the identity table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind`."""

        field = "identity_table"


class ExpertsItem(_Item):
    """An item of the experts' table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind`."""

        field = "experts_table"


ITEMS: Final = (ExchangeItem, ScoresItem, CatalogueItem, IdentityItem, ExpertsItem)


def bind(tables: Tables) -> None:
    """Say which tables this process works on; the use of one that it was not given raises an error."""
    for item in ITEMS:
        item.Meta.bind(tables)


def expiry(at: Millis, seconds: int) -> int:
    """Return the value of ``expires_at`` for something that may vanish ``seconds`` after ``at``."""
    return at // SECOND + seconds


def write(build: Callable[[TransactWrite], None]) -> None:
    """Commit a transaction; :class:`LostRaceError` when a condition does not hold.

    Transactions that merely meet on an item are tried again after a short random pause: nobody has lost anything.
    """
    connection = Connection()
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
            aws.pause(attempt)
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
