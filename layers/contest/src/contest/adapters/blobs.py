"""Objects in S3, and small answers in the exchange table.

An answer is written once and read four times. Compressed, it is a few kilobytes as a rule, and an item of so many costs
a fraction of an object: the list prices make them equal at some 9 KB.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from functools import cache
from typing import Final

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from pynamodb.attributes import BinaryAttribute
from pynamodb.exceptions import DoesNotExist

from contest.adapters import aws
from contest.adapters.dynamo import ExchangeItem, condition
from contest.ports import LostRaceError, MissingBlobError
from contest.stored_names import ANSWERS

_ABSENT: Final = frozenset({"NoSuchKey", "404"})
_PRESENT: Final = frozenset({"PreconditionFailed", "412"})
_CONFLICTS: Final = 3
_AT_ONCE: Final = 16
"""Fewer than the client keeps connections; one by one, a thousand objects would take half a minute of waiting."""
_A_MINUTE: Final = "public, max-age=60"
_FOR_EVER: Final = "public, max-age=31536000, immutable"

_LEVEL: Final = 6
"""Half the time of the highest level, for three per cent more bytes of an archive of answers."""
_SMALL: Final = 6 * 1024
"""Bytes of a compressed answer that is an item: below the size at which it would cost as much as an object."""


class AnswerItem(ExchangeItem):
    """The content of an answer, compressed."""

    content = BinaryAttribute(legacy_encoding=False)


def _key(name: str) -> tuple[str, str]:
    """Return the key of the item that holds an answer, by the name of its object."""
    session_id, number, content = name.removeprefix(ANSWERS).removesuffix(".json").split("/")
    return f"ANSWERS#{session_id}", f"ANSWER#{int(number):04d}#{content}"


def _small(name: str, content: bytes) -> AnswerItem | None:
    """Return the item that holds an answer; None for one that is too large, and for whatever else is stored."""
    packed = zlib.compress(content) if name.startswith(ANSWERS) else b""
    return AnswerItem(*_key(name), content=packed) if packed and len(packed) <= _SMALL else None


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the process's threads of requests at once, started as they are needed."""
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
            content: bytes = aws.client("s3").get_object(Bucket=self._bucket, Key=name)["Body"].read()
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
        aws.client("s3").put_object(Bucket=self._bucket, Key=name, Body=content)

    def put_if_absent(self, name: str, content: bytes) -> None:
        """Write unless there is one; of two writers at an instant the loser tries again, after which one is first."""
        item = _small(name, content)
        if item is None:
            self._put_first(name, content)
            return
        with suppress(LostRaceError), condition():
            item.save(condition=AnswerItem.pk.does_not_exist())

    def put_all_if_absent(self, objects: Mapping[str, bytes], report: Callable[[str], None]) -> None:
        aws.client("s3")  # there before the threads: at first each would make its own
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
        aws.client("s3")
        return dict(zip(names, _threads().map(self.get, names), strict=True))

    def publish(self, name: str, pieces: Iterable[bytes], media_type: str, *, lasting: bool = True) -> None:
        """Write compressed, which alone is held as a whole.

        The answer to a reader names the encoding, and whether the object stays as it is.
        """
        caching = _FOR_EVER if lasting else _A_MINUTE
        headers = {"ContentType": media_type, "ContentEncoding": "gzip", "CacheControl": caching}
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=_LEVEL, mtime=0) as file:
            file.writelines(pieces)
        self._put_first(name, packed.getvalue(), **headers)

    def _put_first(self, name: str, content: bytes, **headers: str) -> None:
        for attempt in range(_CONFLICTS):
            try:
                aws.client("s3").put_object(Bucket=self._bucket, Key=name, Body=content, IfNoneMatch="*", **headers)
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code in _PRESENT:
                    return
                if code != "ConditionalRequestConflict" or attempt == _CONFLICTS - 1:
                    raise
            else:
                return

    def names(self, prefix: str) -> Sequence[str]:
        return sorted(self.sizes(prefix))

    def sizes(self, prefix: str) -> Mapping[str, int]:
        pages = aws.client("s3").get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return {entry["Key"]: entry["Size"] for page in pages for entry in page.get("Contents", ())}

    def delete(self, name: str) -> None:
        if name.startswith(ANSWERS):
            AnswerItem(*_key(name)).delete()
        aws.client("s3").delete_object(Bucket=self._bucket, Key=name)


class S3Copies(S3Blobs):
    """The locked copies in a bucket that may be another account's."""

    def sizes(self, prefix: str) -> Mapping[str, int]:
        """Return the sizes by name; none where the bucket's owner does not let us look, for nobody can vouch then."""
        try:
            return super().sizes(prefix)
        except ClientError as error:
            if error.response["Error"]["Code"] != "AccessDenied":
                raise
            return {}
