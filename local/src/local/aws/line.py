"""The line to the emulator: requests without HTTP messages, on its own port.

A request is ``MARK``, the key that signs, the operation, the length of its parameters in JSON, a line feed, and these.
The answer is the length of the result in JSON, a line feed and the result, or ``NOT_HERE``: only the service's own way
can answer. No request by HTTP begins with ``MARK``. An object's content is base64; that it is there already, or is not,
is a result, too (``REFUSED``).
"""

from __future__ import annotations

import base64
import socket
from typing import Any, Final

from local.environment import HOST

ITEM_OPERATIONS: Final = frozenset(
    {
        *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"),
        *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
    }
)
OBJECT_HEADERS: Final = {
    "ContentType": "content-type",
    "ContentEncoding": "content-encoding",
    "CacheControl": "cache-control",
    "ContentDisposition": "content-disposition",
}
"""Map the SDK's names of what is stored beside an object's content to those of headers."""
OBJECT_PARAMETERS: Final = {
    "GetObject": frozenset({"Bucket", "Key"}),
    "PutObject": frozenset({"Bucket", "Key", "Body", "IfNoneMatch", *OBJECT_HEADERS}),
    "ListObjectsV2": frozenset({"Bucket", "Prefix"}),
}
"""Parameters of operations on objects that the line takes; a request with any other goes the service's own way."""
OPERATIONS: Final = {
    "dynamodb": ITEM_OPERATIONS,
    "sqs": frozenset({"SendMessage", "SendMessageBatch"}),
    "s3": frozenset(OBJECT_PARAMETERS),
}
"""Operations that are answered on the line, by the SDK's names of services."""
REFUSED: Final = "Error"
"""Member of a result that is a refusal: its code and message, beside the status."""
MARK: Final = b"\0"
NOT_HERE: Final = b"-\n"


class Line:
    """A connection to the emulator, for one request at a time."""

    def __init__(self, port: int, timeout_s: float) -> None:
        """Connect. OSError when nobody listens."""
        with socket.create_connection((HOST, port), timeout_s) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._file = connection.makefile("rwb")

    def ask(self, key: str, operation: str, parameters: bytes) -> bytes | None:
        """Return the result; None where only the service's own way can answer. OSError when the connection ends."""
        self._file.write(b"%b%b %b %d\n%b" % (MARK, key.encode(), operation.encode(), len(parameters), parameters))
        self._file.flush()
        length = self._file.readline()
        if length == NOT_HERE:
            return None
        if not length.strip().isdigit():
            raise ConnectionResetError("the emulator has hung up")
        return self._file.read(int(length))

    def close(self) -> None:
        """Close the connection."""
        self._file.close()


def with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    """Return an attribute's value with its bytes decoded, anything else as it is."""
    if len(value) == 1:
        match value:
            case {"B": str(content)}:
                return {"B": base64.b64decode(content)}
            case {"BS": [str(), *_] as members}:
                return {"BS": [base64.b64decode(member) for member in members]}
    return value


def to_base64(content: bytes) -> str:
    """Return bytes as JSON carries them."""
    return base64.b64encode(content).decode()
