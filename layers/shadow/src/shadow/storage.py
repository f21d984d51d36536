"""The cloud's storage, read without models: items as dictionaries, objects as bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

from shadow.source import Item

_ANSWERS = "answers/"
_ABSENT = frozenset({"NoSuchKey", "404"})


@cache
def _session() -> Any:
    """Return the process's session; the SDK is loaded with the first client, as other functions do."""
    import botocore.session  # type: ignore[import-untyped]  # the SDK has no types

    return botocore.session.get_session()


def client(service: str) -> Any:
    """Create a client of an AWS service."""
    return _session().create_client(service)


class CloudSource:
    """:class:`shadow.source.Source` on DynamoDB and S3. ``tables`` maps Exchange, Scores, Catalogue to their names."""

    def __init__(self, tables: Mapping[str, str], bucket: str) -> None:
        self._tables = tables
        self._bucket = bucket
        self._answers: tuple[str, Mapping[str, bytes]] = ("", {})
        """The small answers of the session of which one was read last: a query packs their bytes into its units."""

    def forget(self) -> None:
        """Forget what was read: another job reads it as it stands then."""
        self._answers = ("", {})

    @cached_property
    def _dynamo(self) -> Any:
        return client("dynamodb")

    @cached_property
    def _s3(self) -> Any:
        return client("s3")

    def items(self, table: str, pk: str, prefix: str = "") -> Sequence[Item]:
        """See the protocol."""
        condition, values = "pk = :pk", {":pk": {"S": pk}}
        if prefix:
            condition, values = f"{condition} AND begins_with(sk, :prefix)", {**values, ":prefix": {"S": prefix}}
        pages = self._dynamo.get_paginator("query").paginate(
            TableName=self._tables[table],
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
        )
        return [{name: value_of(stored) for name, stored in item.items()} for page in pages for item in page["Items"]]

    def read(self, name: str) -> bytes | None:
        """See the protocol. A small answer is an item of the exchange table, compressed."""
        if name.startswith(_ANSWERS):
            session_id, number, content_sha256 = name.removeprefix(_ANSWERS).removesuffix(".json").split("/")
            if self._answers[0] != session_id:
                packed = {item["sk"]: item["content"] for item in self.items("Exchange", f"ANSWERS#{session_id}")}
                self._answers = session_id, packed
            small = self._answers[1].get(f"ANSWER#{int(number):04d}#{content_sha256}")
            if small is not None:
                return zlib.decompress(small)
        try:
            content: bytes = self._s3.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        except self._s3.exceptions.ClientError as error:
            if error.response["Error"]["Code"] in _ABSENT:
                return None
            raise
        return content

    def tags(self, prefix: str) -> Mapping[str, str]:
        """See the protocol."""
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return {entry["Key"]: entry["ETag"] for page in pages for entry in page.get("Contents", ())}

    def write(self, name: str, content: bytes) -> None:
        """See the protocol."""
        self._s3.put_object(Bucket=self._bucket, Key=name, Body=content)


def value_of(stored: Mapping[str, Any]) -> Any:
    """Return the value of an attribute as DynamoDB writes it: a number is an int where it is whole, else a float.

    Raises ValueError for a set, which nothing of a session or a run has.
    """
    ((kind, value),) = stored.items()
    match kind:
        case "S" | "B" | "BOOL":
            return value
        case "NULL":
            return None
        case "N":
            number = Decimal(value)
            return int(number) if number == number.to_integral_value() else float(number)
        case "L":
            return [value_of(part) for part in value]
        case "M":
            return {name: value_of(part) for name, part in value.items()}
    raise ValueError(f"no value of the platform has the type {kind}")
