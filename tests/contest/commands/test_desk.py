"""The command's side of the interface: files that lie elsewhere, and what came compressed."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click
import pytest

from contest import routes
from contest.commands.connection import Desk, Login
from contest.results import commands as boards

ARCHIVE = b"PK\x03\x04 an archive \xff"
ASKED: list[tuple[str, str | None]] = []
PUT: list[bytes] = []
PUT_ANSWERS: list[int | None] = []
"""What becomes of each body that is put: a status, or no answer at all."""


class Answering(BaseHTTPRequestHandler):
    """A platform that sends to where the archive is, and has it there, compressed."""

    def do_PUT(self) -> None:
        ASKED.append((self.path, self.headers.get("Authorization")))
        content = self.rfile.read(int(self.headers["Content-Length"]))
        status = PUT_ANSWERS.pop(0)
        if status is None:
            self.close_connection = True
            return
        PUT.append(content)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        ASKED.append((self.path, self.headers.get("Authorization")))
        if "/imports/" in self.path:
            told = json.dumps({"address": f"/uploads/{len(ASKED)}?Signature=x"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)
            return
        if self.path.startswith("/v1/"):
            self.send_response(307)
            self.send_header("Location", self.path.replace("/v1/runs/", "/published/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = gzip.compress(ARCHIVE)
        self.send_response(404 if "nowhere" in self.path else 200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def desk() -> Iterator[Desk]:
    ASKED.clear()
    PUT.clear()
    PUT_ANSWERS.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield Desk("demo", Login(url, f"{url}/token", "client", "refresh", "access", 1e12))
        server.shutdown()


def test_what_a_route_sends_to_is_fetched_unpacked_without_the_token_and_told_where_it_is_missing(desk: Desk) -> None:
    assert desk.published(routes.RUN_ARCHIVE, run_id="r1") == ARCHIVE
    assert ASKED == [("/v1/runs/r1/archive", "Bearer access"), ("/published/r1/archive", None)]
    with pytest.raises(click.ClickException) as refused:
        desk.published(routes.RUN_ARCHIVE, run_id="nowhere")
    assert "/published/nowhere/archive" in refused.value.message


def test_bytes_go_where_a_route_says_to_another_address_each_time_and_without_the_token(desk: Desk) -> None:
    PUT_ANSWERS.extend([403, None, 200])
    desk.put_there(routes.IMPORT_PART, b"a part", import_id="i1", part="2")
    asked = ("/v1/imports/i1/parts/2", "Bearer access")
    places = [("/uploads/1?Signature=x", None), ("/uploads/3?Signature=x", None), ("/uploads/5?Signature=x", None)]
    assert [asked, places[0], asked, places[1], asked, places[2]] == ASKED
    assert PUT == [b"a part", b"a part"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [([403] * 3, "the address is over"), ([None] * 3, "broke off"), ([503] * 3, "HTTP 503"), ([413] * 3, "HTTP 413")],
)
def test_bytes_not_taken_are_told(desk: Desk, answers: list[int | None], said: str) -> None:
    PUT_ANSWERS.extend(answers)
    with pytest.raises(click.ClickException, match=said):
        desk.put_there(routes.IMPORT_PART, b"a part", import_id="i1", part="2")
    assert PUT_ANSWERS == []


class NotPublished(BaseHTTPRequestHandler):
    """A platform whose final has no results yet."""

    def do_GET(self) -> None:
        code = "results_not_published" if "run=r1" in self.path else "unknown_run"
        said = {"code": code, "message": "Not yet.", "message_ru": "Ещё нет.", "details": [], "request_id": "r"}
        body = json.dumps({"error": said}).encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def test_a_board_before_its_day_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), NotPublished) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        at = Desk("demo", Login(url, f"{url}/token", "client", "refresh", "access", 1e12))
        boards.show_asked(at, routes.FINAL_BOARD, {"run": "r1"})
        assert capsys.readouterr().out.strip() in {"Not yet.", "Ещё нет."}
        with pytest.raises(click.ClickException, match="unknown_run"):
            boards.show_asked(at, routes.FINAL_BOARD, {"run": "r2"})
        server.shutdown()
