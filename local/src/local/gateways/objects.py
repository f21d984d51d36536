"""What the distribution serves of buckets: objects as they are stored, with the headers that are stored with them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # ships no types

from local.gateways.channel import goes_to
from local.gateways.gateway import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.aws.emulator import Emulator

_METHODS = ("GET", "HEAD")
_TOLD = (("ContentType", "content-type"), ("ContentEncoding", "content-encoding"), ("CacheControl", "cache-control"))
_DENIED = HttpResponse(403, (("content-type", "application/xml"),), b"<Error><Code>AccessDenied</Code></Error>")


class Objects:
    """The buckets behind the front, each with the paths that go to it."""

    def __init__(self, buckets: Sequence[tuple[str, Sequence[str]]], emulator: Emulator) -> None:
        self._buckets = buckets
        self._emulator = emulator

    def bucket_of(self, path: str) -> str | None:
        """Return the bucket that a path goes to."""
        return next((bucket for bucket, paths in self._buckets if goes_to(paths, path)), None)

    async def answer(self, bucket: str, request: HttpRequest) -> HttpResponse:
        """Return an object. What is not there is denied: the distribution may not list the bucket."""
        if request.method not in _METHODS:
            return _DENIED
        name = unquote(request.encoded_path).removeprefix("/")
        try:
            found = await asyncio.to_thread(self._read, bucket, name)
        except ClientError:
            return _DENIED
        headers = tuple((header, str(found[key])) for key, header in _TOLD if found.get(key))
        return HttpResponse(200, headers, found["content"] if request.method == "GET" else b"")

    def _read(self, bucket: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._emulator.client("s3").get_object(Bucket=bucket, Key=name)
        return {**found, "content": found["Body"].read()}
