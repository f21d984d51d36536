"""Serve the emulator over HTTP by connections that stay open, with AWS's refusals as they go over the wire.

Requests beyond AWS's documented limits (`request_limits`) are refused, and throttles of tables are injected: the next
requests of a table are refused as DynamoDB refuses beyond its capacity.
"""

from __future__ import annotations

import io
import json
import traceback
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.datastructures import Headers
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Response

from local.aws.emulator import MARK, NOT_HERE
from local.aws.moto_corrections import key_names
from local.aws.request_limits import Refusal, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping


class RequestHandler(MotoRequestHandler):
    """Keeps connections open: werkzeug closes each after one request, which costs clients a third of their rate."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer goes out in one piece: each write to a socket is a good part of a request's whole time

    def handle_expect_100(self) -> bool:
        """Send "100 Continue" at once: the client waits for it before it sends its body."""
        goes_on = super().handle_expect_100()
        self.wfile.flush()
        return goes_on

    def handle(self) -> None:
        """Serve a connection: the line (see `emulator`) by its first byte, else HTTP."""
        try:
            if self.rfile.peek(1)[:1] == MARK:  # type: ignore[attr-defined]  # it is buffered
                self._serve_line()
            else:
                super().handle()
        except ConnectionError as error:  # its client has ended
            self.connection_dropped(error)

    def finish(self) -> None:
        """Write what is left to be written, if its client is there."""
        with suppress(ConnectionError):
            super().finish()

    def _serve_line(self) -> None:
        while head := self.rfile.readline():
            who, operation, length = head[len(MARK) :].decode("ascii").split(" ")
            body = self.rfile.read(int(length))
            if len(body) < int(length):  # its client has ended
                return
            content = None
            try:
                content = self.server.app.answer(who, operation, body)  # type: ignore[attr-defined]  # our application
            except Exception:  # noqa: BLE001 - as below
                traceback.print_exc()
            self.wfile.write(NOT_HERE if content is None else b"%d\n%b" % (len(content), content))
            self.wfile.flush()

    def run_wsgi(self) -> None:
        """Read the whole request, run the application, send the whole response."""
        environ = self.make_environ()
        # Without a length there is no body, unless make_environ has wrapped the stream of a chunked one.
        chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        length = -1 if chunked else int(environ.get("CONTENT_LENGTH") or 0)
        received = environ["wsgi.input"].read(length)
        if len(received) < length:
            self.close_connection = True  # the client ended within its body: nobody waits for an answer
            return
        environ["wsgi.input"] = io.BytesIO(received)
        try:
            body, status, headers = run_wsgi_app(self.server.app, environ, buffered=True)
            content = b"".join(body)
        except Exception:  # noqa: BLE001 - a fault of moto's own: say so in both places, and go on serving
            traceback.print_exc()
            content, status, headers = b"", "500 Internal Server Error", Headers()
        code, _, reason = status.partition(" ")
        self.send_response_only(int(code), reason)
        for name, value in headers.items():
            if name.lower() not in {"transfer-encoding", "connection"}:
                self.send_header(name, value)
        if "content-length" not in headers and int(code) not in {204, 304} and self.command != "HEAD":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing: the clients see every answer."""


_SERVICES: Final = {
    "DynamoDB_20120810": "dynamodb",
    "AmazonSQS": "sqs",
    "AWSEvents": "events",
    "secretsmanager": "secretsmanager",
}
"""The SDK's names of services, by the beginning of a request's target."""
_METADATA: Final = "HTTP_X_AMZ_META_"
_JOBS: Final = "/v1/submitjob"


def refused(environ: Mapping[str, Any], body: bytes) -> Response | None:
    """Return AWS's refusal of a request, None for one within the limits.

    `body` matters where the request has a target or submits a job.
    """
    target, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
    if target:
        service = _SERVICES.get(target)
        reason = refusal(service, operation, json.loads(body), key_names) if service else None
        return None if reason is None else _of_limits(service or "", reason)
    if environ["PATH_INFO"] == _JOBS:
        reason = refusal("batch", "SubmitJob", json.loads(body), key_names)
        return None if reason is None else _of_limits("batch", reason)
    reason = refusal("s3", *_about_object(environ), key_names)
    if reason is None:
        return None
    return as_xml(reason.code, reason.message, 400)


def as_xml(code: str, text: str, status: int) -> Response:
    """Return a refusal as S3 words it."""
    content = f"<Error><Code>{code}</Code><Message>{escape(text)}</Message></Error>"
    return Response(content, status=status, mimetype="application/xml")


def as_json(code: str, text: str, status: int = 400) -> Response:
    """Return a refusal as the services with targets word it."""
    content = json.dumps({"__type": code, "message": text})
    return Response(content, status=status, mimetype="application/x-amz-json-1.0")


def is_job(environ: Mapping[str, Any]) -> bool:
    """Return whether a request without a target submits a job."""
    return bool(environ["PATH_INFO"] == _JOBS)


def _about_object(environ: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
    bucket, _, key = path.removeprefix("/").partition("/")
    metadata = {name.removeprefix(_METADATA): value for name, value in environ.items() if name.startswith(_METADATA)}
    operation = "Other"
    if environ["REQUEST_METHOD"] == "PUT" and not environ.get("QUERY_STRING"):
        operation = "PutObject" if key else "CreateBucket"
    size = environ.get("CONTENT_LENGTH") or 0
    return operation, {"Bucket": bucket, "Key": key, "Metadata": metadata, "ContentLength": size}


def _of_limits(service: str, reason: Refusal) -> Response:
    response = as_json(reason.code.rpartition(".")[2], reason.message)
    response.headers["x-amzn-errortype"] = reason.code
    if service == "sqs":
        response.headers["x-amzn-query-error"] = f"{reason.code};Sender"
    return response


READS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
_CODE: Final = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"


class Throttling:
    """Count requests by table that are to be refused, and those refused since the last look."""

    def __init__(self) -> None:
        self._left: Counter[str] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def inject(self, refusals: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse so many requests of a table."""
        self._left[refusals["table"]] += refusals["requests"]
        return {}

    def refused(self, _: Mapping[str, Any]) -> list[tuple[str, str, int]]:
        """Return table, metric and number of the requests refused since the last look."""
        counts = [(*key, count) for key, count in self._refused.items()]
        self._refused.clear()
        return counts

    def is_due(self) -> bool:
        """Return whether any request is to be refused."""
        return any(self._left.values())

    def refusal(self, operation: str, body: bytes) -> Response | None:
        """Return the refusal of a request to a table that is to refuse, None of any other."""
        if not self.is_due():
            return None
        request = json.loads(body)
        parts = (part for action in request.get("TransactItems", ()) for part in action.values())
        named = [request.get("TableName", ""), *request.get("RequestItems", {}), *(part["TableName"] for part in parts)]
        for table in named:
            if self._left[table] > 0:
                self._left[table] -= 1
                self._refused[table, "ReadThrottleEvents" if operation in READS else "WriteThrottleEvents"] += 1
                return as_json(_CODE, "The level of configured provisioned throughput was exceeded.")
        return None
