"""A page of the interface tells browsers what it was built with; nothing else runs in it. A real one shows it so."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from contest.edge import error_page, published_document
from contest.edge.guards import policy_of
from contest.edge.pages.page import POLICY, STYLE
from tests.stage import Answered, Stage

PAGES = ("/docs", "/docs/errors")
FETCHED = "/v1/openapi.json"
CHROMIUM = os.environ.get("HURDLE_CHROMIUM") or shutil.which("chromium")
OF_A = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"
"""SHA-256 of the letter a in base64, as ``printf a | openssl dgst -sha256 -binary | base64`` says it."""
CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def test_a_page_without_scripts_may_fetch_nothing_and_run_nothing() -> None:
    assert policy_of("<style>a</style><p>b</p>") == f"default-src 'none'; style-src {OF_A}; {CLOSED}"
    assert policy_of("<p>a</p>") == f"default-src 'none'; {CLOSED}"


def test_each_script_of_a_page_has_its_hash_and_may_ask_the_interface() -> None:
    page = "<style>a</style><script>a</script><script>b\n</script>"
    assert policy_of(page) == (
        f"default-src 'none'; script-src {OF_A} 'sha256-AmOCmYm2/ZVPcrqvL8ZLwuLwHWktTecphuqAj26ZgT8='; "
        f"style-src {OF_A}; img-src 'self' data:; connect-src 'self'; {CLOSED}"
    )


@pytest.mark.parametrize("page", [published_document.page(), error_page.page()], ids=["document", "errors"])
def test_no_page_lets_through_what_is_inline_and_not_its_own(page: str) -> None:
    policy = policy_of(page)
    assert "unsafe-inline" not in policy
    assert policy.count("'sha256-") == page.count("</script>") + page.count("</style>")


def test_a_reports_page_has_the_policy_of_its_style_alone() -> None:
    assert policy_of(f"<style>{STYLE}</style>") == POLICY
    assert "script" not in POLICY


@pytest.mark.integration
@pytest.mark.parametrize(("path", "page"), [("/docs", published_document.page), ("/docs/errors", error_page.page)])
def test_the_pages_of_the_interface_go_out_with_their_policy(stage: Stage, path: str, page: object) -> None:
    told = stage.request("GET", path).headers
    assert callable(page)
    assert told["content-security-policy"] == policy_of(page())
    assert (told["x-content-type-options"], told["referrer-policy"]) == ("nosniff", "no-referrer")


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_the_document_under_its_policy(stage: Stage, tmp_path: Path) -> None:
    """The script runs, fetches the document and makes every operation; nothing is refused."""
    served = {path: stage.request("GET", path) for path in (*PAGES, FETCHED)}
    with served_at(served) as address:
        shown, said = looked_at(f"{address}/docs", tmp_path)
        errors, of_errors = looked_at(f"{address}/docs/errors", tmp_path)
    operations = sum(len(each) for each in served[FETCHED].json["paths"].values())
    assert shown.count('class="opblock opblock-') == operations
    assert "unknown_session" in errors
    assert [line for line in f"{said}\n{of_errors}".splitlines() if "CONSOLE" in line] == []


@contextmanager
def served_at(answers: dict[str, Answered]) -> Iterator[str]:
    """Answers with their own headers, under an address of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path)
            self.send_response(404 if found is None else found.status)
            for name, value in (found.headers if found else {}).items():
                if name not in {"content-length", "content-encoding", "connection", "date"}:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(found.text.encode("utf-8") if found else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def looked_at(address: str, profile: Path) -> tuple[str, str]:
    """Load a page; return it after its scripts have run, with the browser's complaints."""
    words = [f"--user-data-dir={profile}", "--virtual-time-budget=20000", "--enable-logging=stderr", "--dump-dom"]
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", *words, address],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    return done.stdout, done.stderr
