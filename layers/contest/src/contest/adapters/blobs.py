"""Objects in S3."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from contest.adapters import aws
from contest.ports import MissingBlobError

_ABSENT: Final = frozenset({"NoSuchKey", "404"})
_PRESENT: Final = frozenset({"PreconditionFailed", "412"})
_CONFLICTS: Final = 3
_AT_ONCE: Final = 16
"""Objects that a process reads at a time where it needs many: a run has up to a thousand files."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"


class S3Blobs:
    """:class:`contest.ports.Blobs` in one bucket."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def get(self, name: str) -> bytes:
        """See the port."""
        try:
            content: bytes = aws.client("s3").get_object(Bucket=self._bucket, Key=name)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] in _ABSENT:
                raise MissingBlobError(name) from error
            raise
        return content

    def get_all(self, names: Sequence[str]) -> Sequence[bytes]:
        """See the port."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(self.get, names))

    def put(self, name: str, content: bytes) -> None:
        """See the port."""
        aws.client("s3").put_object(Bucket=self._bucket, Key=name, Body=content)

    def put_if_absent(self, name: str, content: bytes) -> None:
        """See the port. Two writers at the same instant are told to try again, after which one is first."""
        self._put_first(name, content)

    def publish(self, name: str, content: bytes, media_type: str) -> None:
        """See the port. Whoever asks is told the encoding, and that the object stays as it is."""
        told = {"ContentType": media_type, "ContentEncoding": "gzip", "CacheControl": _FOR_EVER}
        self._put_first(name, gzip.compress(content, mtime=0), **told)

    def _put_first(self, name: str, content: bytes, **told: str) -> None:
        for attempt in range(_CONFLICTS):
            try:
                aws.client("s3").put_object(Bucket=self._bucket, Key=name, Body=content, IfNoneMatch="*", **told)
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code in _PRESENT:
                    return
                if code != "ConditionalRequestConflict" or attempt == _CONFLICTS - 1:
                    raise
            else:
                return

    def names(self, prefix: str) -> Sequence[str]:
        """See the port."""
        pages = aws.client("s3").get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return sorted(each["Key"] for page in pages for each in page.get("Contents", ()))

    def delete(self, name: str) -> None:
        """See the port."""
        aws.client("s3").delete_object(Bucket=self._bucket, Key=name)
