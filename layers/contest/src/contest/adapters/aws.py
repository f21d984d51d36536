"""AWS clients, the five DynamoDB tables with the meaning of a failed condition (decision 0001), objects in S3.

The clients are those of the plain SDK core: importing boto3 as well would add a third of a second to a cold start.

An answer is written once and read four times. Compressed, it usually has a few kilobytes; an item of this size costs a
fraction of an object, and by list prices both cost the same at some 9 KB. So small answers are in the exchange table.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from typing import Any, Final, Protocol, Self, TypeVar

import botocore.session  # type: ignore[import-untyped]  # the SDK has no types
from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PynamoDBException, TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from contest.ports import LostRaceError, MissingBlobError
from contest.stored_names import ANSWERS
from contest.values import SECOND, Millis, read_as
from markup_core.lazy import dataclass

USER_AGENT: Final = "hurdle"
"""User agent of all requests. The SDK would build its own for every request, which takes longer than signing it."""


@cache
def session() -> Any:
    """Return the process's session.

    Regions, defaults and credentials, which clients have in common, are read once for all. The SDK draws its pauses
    from the module's random numbers, whose state a snapshot copies into every process that is restored from it (AWS
    Lambda developer guide, "Handling uniqueness with Lambda SnapStart"); no session is made before.
    """
    random.seed()
    return botocore.session.get_session()


@cache
def client(service: str, endpoint: str | None = None) -> Any:
    """Return the process's client of a service; region and credentials come from the environment, as does the endpoint
    that is not given."""
    bounds = request_bounds(_timeout_s[0])
    config = Config(
        connect_timeout=_CONNECT_S,
        read_timeout=bounds.read_s,
        retries={"mode": "standard", "total_max_attempts": bounds.tries},
        max_pool_connections=50,
        parameter_validation=False,  # what we send is typed; the service validates it anyway
        user_agent=USER_AGENT,
    )
    return session().create_client(service, endpoint_url=endpoint, config=config)


_CONNECT_S: Final = 1
_READ_S: Final = 3
_LONG_READ_S: Final = 15
"""Longest time that a worker waits for an answer, in seconds; S3 answers once a large object was received."""
_WORKER_S: Final = 120
_TRIES: Final = 4
_timeout_s: Final[list[int | None]] = [None]
"""Time-out of this process's function, in seconds; at most one value."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of a request: longest time without a byte of the answer, in seconds, and largest number of tries."""

    read_s: int
    tries: int

    @property
    def longest_s(self) -> int:
        """Return the seconds of all tries with the pauses between, which the SDK draws up to 1, 2, 4 seconds (botocore
        user guide, "Retries", standard mode)."""
        return self.tries * (_CONNECT_S + self.read_s) + (1 << (self.tries - 1)) - 1


def request_bounds(timeout_s: int | None) -> Patience:
    """Return the bounds of a request within a function's time-out: the last try ends before the function does.

    Without a time-out, as in a command, the bounds are those of the longest time-out.
    """
    read_s = _READ_S if timeout_s is not None and timeout_s < _WORKER_S else _LONG_READ_S
    possible = [Patience(read_s, tries) for tries in range(_TRIES, 0, -1)]
    return next(
        choice for choice in possible if timeout_s is None or choice.longest_s <= timeout_s or choice.tries == 1
    )


def set_time_out(timeout_s: int) -> None:
    """Set the time-out of this process's function, in seconds, before its first client is made."""
    _timeout_s[:] = [timeout_s]


_PROGRAM_S: Final = 70
"""Seconds to wait for the function that runs a declared measure's program; a little more than its time-out."""


def runner_of_measures() -> Any:
    """Return a client of AWS Lambda that waits as long as the program of a declared measure may run."""
    retries = {"mode": "standard", "total_max_attempts": 2}
    bounds = Config(connect_timeout=_CONNECT_S, read_timeout=_PROGRAM_S, retries=retries, user_agent=USER_AGENT)
    return session().create_client("lambda", config=bounds)


_JITTER: Final = random.SystemRandom()
"""Random numbers of the system, whose state no snapshot copies."""


def back_off(attempt: int) -> None:
    """Wait before another attempt (1, 2, …): some 40 ms, 80 ms, …, a random half more or less."""
    time.sleep(_JITTER.uniform(0.5, 1.5) * _PAUSE_S * 2**attempt)


_PAUSE_S: Final = 0.02


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


class HasVersion(Protocol):
    """A value whose version counts its writes."""

    @property
    def version(self) -> int: ...


class _Table(type):
    """Table of a kind of items; its name is looked up at its first use and stored."""

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


# The library makes a client per model; each adds some 50 ms to a cold start and a connection of its own.
Connection.client = property(lambda _: client("dynamodb"))  # type: ignore[method-assign,assignment]


_LONGEST_KEYS: Final = (2048, 1024)
"""Most bytes of an item's two keys (Amazon DynamoDB Developer Guide, Quotas); requests may name longer ones."""


class _Item(Model):
    """An item whose requests go through the process's one client."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)

    @classmethod
    def one(cls, pk: str, sk: str, reader: Callable[[Self], Value]) -> Value | None:
        """Return an item as last written, read by ``reader``; None if it is not stored, as none with so long a key."""
        lengths = (len(key.encode("utf-8", "surrogatepass")) for key in (pk, sk))
        if any(length > most for length, most in zip(lengths, _LONGEST_KEYS, strict=True)):
            return None
        try:
            item = cls.get(pk, sk, consistent_read=True)
        except DoesNotExist:
            return None
        return reader(item)

    @classmethod
    def find(cls, pk: str, sk: str, kind: type[Value]) -> Value | None:
        """Return the value of an item as last written; None if it is not stored."""
        return cls.one(pk, sk, lambda item: item.value(kind))

    def value(self, kind: type[Value]) -> Value:
        """Return the value that the item's attributes hold."""
        return read_as(kind, item_fields(self))


class Versioned(_Item):
    """Item that holds a value as JSON, with the version that the conditions of its writes check."""

    body = UnicodeAttribute()
    version = NumberAttribute()

    @classmethod
    def values(cls, kind: type[Value], pk: str, under: Condition | None = None) -> list[Value]:
        """List the values of a partition, or of its items that meet a condition, in the order of their keys."""
        return [item.value(kind) for item in cls.query(pk, under, consistent_read=True)]

    @classmethod
    def of(cls, pk: str, sk: str, value: HasVersion, **others: Any) -> Self:
        """Return the item of a dataclass."""
        body = json.dumps(asdict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)  # type: ignore[call-overload]
        return cls(pk, sk, body=body, version=value.version, **others)

    @classmethod
    def follows(cls, version: int) -> Condition:
        """Return the condition of a write of this version: the previous one is stored; before the first, none is."""
        return cls.version == version - 1 if version > 1 else cls.pk.does_not_exist()

    @classmethod
    def unchanged(cls, before: HasVersion | None) -> Condition:
        """Return the condition that an item is unchanged since it was read, or still not stored (None)."""
        return cls.pk.does_not_exist() if before is None else cls.version == before.version

    def value(self, kind: type[Value]) -> Value:
        return read_as(kind, json.loads(self.body))


def item_fields(item: Model) -> dict[str, Any]:
    """Return an item's attributes by their names, without its keys."""
    return {name: getattr(item, name) for name in item.get_attributes() if name not in ("pk", "sk")}


class ExchangeItem(_Item):
    """An item of the exchange table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind_tables`."""

        field = "exchange_table"


class ScoresItem(_Item):
    """An item of the scores table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind_tables`."""

        field = "scores_table"


class CatalogueItem(_Item):
    """An item of the catalogue table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind_tables`."""

        field = "catalogue_table"


class IdentityItem(_Item):
    """An item of the identity table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind_tables`."""

        field = "identity_table"


class ExpertsItem(_Item):
    """An item of the experts' table."""

    class Meta(metaclass=_Table):
        """Bound by :func:`bind_tables`."""

        field = "experts_table"


ITEMS: Final = (ExchangeItem, ScoresItem, CatalogueItem, IdentityItem, ExpertsItem)


def bind_tables(tables: Tables) -> None:
    """Set the tables of this process; the use of a table without a name raises an error."""
    for item in ITEMS:
        item.Meta.bind(tables)


def expiry(at: Millis, seconds: int) -> int:
    """Return the value of ``expires_at`` for something that may vanish ``seconds`` after ``at``."""
    return at // SECOND + seconds


@contextmanager
def atomic_writes() -> Iterator[TransactWrite]:
    """Commit the writes added inside as one transaction; :class:`LostRaceError` when a condition does not hold.

    Transactions that merely conflict on an item are retried after a short random pause: no write was lost.
    """
    transaction = TransactWrite(connection=Connection())
    yield transaction
    for attempt in range(_CONFLICTS):
        try:
            with transaction:
                pass  # leaving it commits
        except TransactWriteError as error:
            codes = {reason.code for reason in error.cancellation_reasons if reason is not None}
            if _CONDITION in codes:
                raise LostRaceError from error
            if error.cause_response_code != "TransactionInProgressException" and not codes & _TRANSIENT:
                raise
            back_off(attempt)
        else:
            return
    raise LostRaceError


@contextmanager
def conditional_write() -> Iterator[None]:
    """Turn a single write's failed condition into :class:`LostRaceError`."""
    try:
        yield
    except PynamoDBException as error:
        if error.cause_response_code in _LOST:
            raise LostRaceError from error
        raise


_ABSENT: Final = frozenset({"NoSuchKey", "404", "KeyTooLongError"})
"""Error codes of a missing object; one with a longer name than S3 takes is missing, too."""
_PRESENT: Final = frozenset({"PreconditionFailed", "412"})
_PUT_CONFLICTS: Final = 3
_AT_ONCE: Final = 16
"""Parallel requests, fewer than the client's connections; one by one, a thousand objects would take half a minute."""
_A_MINUTE: Final = "public, max-age=60"
_FOR_EVER: Final = "public, max-age=31536000, immutable"

_LEVEL: Final = 6
"""Compression level: half the time of the highest level, for three per cent more bytes of an archive of answers."""
_SMALL: Final = 6 * 1024
"""Largest compressed answer that is stored as an item, in bytes: below the size at which an object costs the same."""


class AnswerItem(ExchangeItem):
    """The content of an answer, compressed."""

    content = BinaryAttribute(legacy_encoding=False)


def _key(name: str) -> tuple[str, str]:
    """Return the key of the item that holds an answer, by the name of its object."""
    session_id, number, content = name.removeprefix(ANSWERS).removesuffix(".json").split("/")
    return f"ANSWERS#{session_id}", f"ANSWER#{int(number):04d}#{content}"


def _small(name: str, content: bytes) -> AnswerItem | None:
    """Return the item that holds an answer; None for an answer that is too large, and for every other object."""
    packed = zlib.compress(content) if name.startswith(ANSWERS) else b""
    return AnswerItem(*_key(name), content=packed) if packed and len(packed) <= _SMALL else None


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the process's pool of threads for parallel requests, started on demand."""
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="blobs")


class S3Blobs:
    """:class:`contest.ports.Blobs` in one bucket; small answers are items of the exchange table."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def get(self, name: str) -> bytes:
        if name.startswith(ANSWERS):
            try:
                return zlib.decompress(AnswerItem.get(*_key(name), consistent_read=True).content)
            except DoesNotExist:
                pass  # it was too large for an item
        try:
            content: bytes = client("s3").get_object(Bucket=self._bucket, Key=name)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] in _ABSENT:
                raise MissingBlobError(name) from error
            raise
        return content

    def put(self, name: str, content: bytes) -> None:
        item = _small(name, content)
        if item is not None:
            item.save()
            return
        self._put_object(name, content)

    def put_if_absent(self, name: str, content: bytes) -> None:
        """Write an object unless it exists; of two simultaneous writers the loser retries, after which one is first."""
        item = _small(name, content)
        if item is None:
            self._put_first(name, content)
            return
        with suppress(LostRaceError), conditional_write():
            item.save(condition=AnswerItem.pk.does_not_exist())

    def put_all_if_absent(self, objects: Mapping[str, bytes], report: Callable[[str], None]) -> None:
        client("s3")  # there before the threads: at first each would make its own
        under_way = {_threads().submit(self._put_first, name, objects[name]): name for name in objects}
        try:
            for request in as_completed(under_way):
                request.result()
                report(under_way[request])
        except BaseException:
            for request in under_way:
                request.cancel()
            wait(under_way)
            raise

    def get_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        client("s3")
        return dict(zip(names, _threads().map(self.get, names), strict=True))

    def publish(
        self, name: str, pieces: Iterable[bytes], media_type: str, *, lasting: bool = True, anew: bool = False
    ) -> None:
        """Write an object compressed; only its compressed bytes are held in memory as a whole.

        The answer to a reader names the encoding, and whether the object stays as it is.
        """
        caching = _FOR_EVER if lasting else _A_MINUTE
        headers = {"ContentType": media_type, "ContentEncoding": "gzip", "CacheControl": caching}
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=_LEVEL, mtime=0) as file:
            file.writelines(pieces)
        put = self._put_object if anew else self._put_first
        put(name, packed.getvalue(), **headers)

    def _put_object(self, name: str, content: bytes, **headers: str) -> None:
        client("s3").put_object(Bucket=self._bucket, Key=name, Body=content, **headers)

    def _put_first(self, name: str, content: bytes, **headers: str) -> None:
        for attempt in range(_PUT_CONFLICTS):
            try:
                self._put_object(name, content, IfNoneMatch="*", **headers)
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code in _PRESENT:
                    return
                if code != "ConditionalRequestConflict" or attempt == _PUT_CONFLICTS - 1:
                    raise
            else:
                return

    def names(self, prefix: str) -> Sequence[str]:
        return sorted(self.sizes(prefix))

    def sizes(self, prefix: str) -> Mapping[str, int]:
        pages = client("s3").get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return {entry["Key"]: entry["Size"] for page in pages for entry in page.get("Contents", ())}

    def delete(self, name: str) -> None:
        if name.startswith(ANSWERS):
            AnswerItem(*_key(name)).delete()
        client("s3").delete_object(Bucket=self._bucket, Key=name)


class S3Copies(S3Blobs):
    """The locked copies in a bucket that may be another account's."""

    def sizes(self, prefix: str) -> Mapping[str, int]:
        """Return the sizes by name; empty if the bucket's owner denies listing, since nothing can be verified then."""
        try:
            return super().sizes(prefix)
        except ClientError as error:
            if error.response["Error"]["Code"] != "AccessDenied":
                raise
            return {}
