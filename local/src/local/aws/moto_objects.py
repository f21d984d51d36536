"""Objects of moto's buckets, many in one call: to write and read a state, without a request for each of them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from moto.s3.models import FakeKey, s3_backends
from requests.structures import CaseInsensitiveDict

from local.environment import ACCOUNT

if TYPE_CHECKING:
    from moto.s3.models import S3Backend

_HEADERS = {
    "ContentType": "content-type",
    "ContentEncoding": "content-encoding",
    "CacheControl": "cache-control",
    "ContentDisposition": "content-disposition",
}
"""Map boto3's names of what is stored beside an object's bytes to moto's."""
_METADATA = "x-amz-meta-"


def some(ask: dict[str, Any]) -> dict[str, Any]:
    """Return objects of `buckets` whose keys begin with `prefix` and follow the place `after`, by bucket and key.

    So many as have `limit` bytes, at least one, if there is one.
    """
    chosen: list[dict[str, Any]] = []
    size = 0
    for bucket, key in _places():
        if bucket not in ask["buckets"] or not key.startswith(ask["prefix"]) or [bucket, key] <= ask["after"]:
            continue
        stored = _backend().get_object(bucket, key)
        assert stored is not None  # noqa: S101 - listed just now, for the type checker
        content = stored.value
        size += len(content)
        if chosen and size > ask["limit"]:
            break
        encoded = b64encode(content).decode()
        chosen.append({"bucket": bucket, "key": key, "headers": _headers(stored), "content": encoded})
    return {"objects": chosen}


def remove_all(_: dict[str, Any]) -> dict[str, Any]:
    """Remove every object of every bucket."""
    for bucket, key in _places():
        _backend().delete_object(bucket, key)
    return {}


def put(ask: dict[str, Any]) -> dict[str, Any]:
    """Put objects as `some` returns them."""
    for entry in ask["objects"]:
        headers = entry["headers"]
        metadata = {_HEADERS[name]: value for name, value in headers.items() if name in _HEADERS}
        metadata |= {_METADATA + name: value for name, value in headers.get("Metadata", {}).items()}
        stored = _backend().put_object(entry["bucket"], entry["key"], b64decode(entry["content"]))
        stored.set_metadata(CaseInsensitiveDict(metadata))
    return {}


def _places() -> list[tuple[str, str]]:
    """List every object that there is, by bucket and key."""
    return sorted(
        (name, key)
        for name, bucket in _backend().buckets.items()
        for key in bucket.keys
        if isinstance(bucket.keys[key], FakeKey)
    )


def _headers(stored: FakeKey) -> dict[str, Any]:
    """Return the headers of an object, as boto3 names them; nothing that is empty."""
    lowered = {name.lower(): value for name, value in stored.metadata.items()}
    headers: dict[str, Any] = {name: lowered[header] for name, header in _HEADERS.items() if lowered.get(header)}
    metadata = {name.removeprefix(_METADATA): value for name, value in lowered.items() if name.startswith(_METADATA)}
    return {**headers, "Metadata": metadata} if metadata else headers


def _backend() -> S3Backend:
    return s3_backends[ACCOUNT]["aws"]
