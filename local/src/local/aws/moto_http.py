"""Serve the emulator over HTTP by connections that stay open."""

from __future__ import annotations

import io
import traceback
from contextlib import suppress

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.datastructures import Headers
from werkzeug.test import run_wsgi_app

from local.aws.line import MARK, NOT_HERE


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
        """Serve a connection: the line (see `line`) by its first byte, else HTTP."""
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
