"""Counts of what came as answers and made no send: one item a session, counted up by single writes that meet nobody.

They are no part of a delivery, so that no number of refusals keeps an answer waiting, and no transaction, so that they
cancel none. Closing the session closes the item in the same transaction: afterwards nothing is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pynamodb.attributes import BooleanAttribute

from contest.adapters import aws
from contest.adapters.dynamo import ExchangeItem
from contest.domain.session.delivery import Bodies

BODIES: Final = "BODIES"
"""Sort key, under the session's partition; among what is noted of files, see the query of their facts."""
_REFUSED: Final = "refused_"
_CODE: Final = "code_"
_REPEATED: Final = "repeated_"


class BodiesItem(ExchangeItem):
    """The item as the session's end writes it; its counts are attributes named by the files' numbers."""

    closed = BooleanAttribute(null=True)


def count_refused(session_key: str, number: int, code: str) -> None:
    """Count a refused body of a file."""
    names = {"#count": f"{_REFUSED}{number}", "#code": f"{_CODE}{number}"}
    _count(session_key, "ADD #count :one SET #code = :code", names, {":code": {"S": code}})


def count_repeated(session_key: str, number: int) -> None:
    """Count a valid body of a file that made no send."""
    _count(session_key, "ADD #count :one", {"#count": f"{_REPEATED}{number}"}, {})


def bodies_of(raw: Mapping[str, Any] | None) -> dict[int, Bodies]:
    """The domain's values, by file."""
    found = raw or {}
    numbers = {int(name.rpartition("_")[2]) for name in found if name.startswith((_REFUSED, _REPEATED))}
    return {
        number: Bodies(
            refused=int(found.get(f"{_REFUSED}{number}", {}).get("N", 0)),
            refused_code=found.get(f"{_CODE}{number}", {}).get("S"),
            repeated=int(found.get(f"{_REPEATED}{number}", {}).get("N", 0)),
        )
        for number in sorted(numbers)
    }


def _count(session_key: str, update: str, names: dict[str, str], values: dict[str, Any]) -> None:
    client = aws.client("dynamodb")
    try:
        client.update_item(
            TableName=ExchangeItem.Meta.table_name,
            Key={"pk": {"S": session_key}, "sk": {"S": BODIES}},
            UpdateExpression=update,
            ConditionExpression="attribute_not_exists(#closed)",
            ExpressionAttributeNames={"#closed": "closed", **names},
            ExpressionAttributeValues={":one": {"N": "1"}, **values},
        )
    except (client.exceptions.ConditionalCheckFailedException, client.exceptions.TransactionConflictException):
        return  # the session is closed, or is being closed in this instant
