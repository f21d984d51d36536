"""Pages of the interface: what browsers are told of them, and the page of errors with a place a code."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from contest.edge.documentation import page as document_page
from contest.edge.documentation import refusals_page
from contest.edge.guards import policy_of
from contest.edge.pages import POLICY, STYLE
from contest.errors import InvalidAnswerError, family
from contest.refusals import RefusedError
from contest.wire import problem, type_of
from markup_core.texts import Text
from tests.stage import Answered, Program, Stage

PAGES = ("/docs", "/docs/errors")
FETCHED = "/v1/openapi.json"
CHROMIUM = os.environ.get("HURDLE_CHROMIUM") or shutil.which("chromium")
OF_A = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"
"""SHA-256 of the letter a in base64, as ``printf a | openssl dgst -sha256 -binary | base64`` says it."""
CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def test_a_page_may_run_its_own_scripts_and_fetch_for_them_alone() -> None:
    assert policy_of("<style>a</style><p>b</p>") == f"default-src 'none'; style-src {OF_A}; {CLOSED}"
    assert policy_of("<p>a</p>") == f"default-src 'none'; {CLOSED}"
    page = "<style>a</style><script>a</script><script>b\n</script>"
    assert policy_of(page) == (
        f"default-src 'none'; script-src {OF_A} 'sha256-AmOCmYm2/ZVPcrqvL8ZLwuLwHWktTecphuqAj26ZgT8='; "
        f"style-src {OF_A}; img-src 'self' data:; connect-src 'self'; {CLOSED}"
    )


@pytest.mark.parametrize("page", [document_page(), refusals_page()], ids=["document", "errors"])
def test_no_page_lets_through_what_is_inline_and_not_its_own(page: str) -> None:
    policy = policy_of(page)
    assert "unsafe-inline" not in policy
    assert policy.count("'sha256-") == page.count("</script>") + page.count("</style>")


def test_a_reports_page_has_the_policy_of_its_style_alone() -> None:
    assert policy_of(f"<style>{STYLE}</style>") == POLICY
    assert "script" not in POLICY


@pytest.mark.integration
@pytest.mark.parametrize(("path", "page"), [("/docs", document_page), ("/docs/errors", refusals_page)])
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

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


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


@pytest.fixture
def places(stage: Stage) -> dict[str, str]:
    answered = stage.request("GET", "/docs/errors")
    assert (answered.status, answered.headers["content-type"]) == (200, "text/html")
    assert answered.headers["cache-control"] == "public, max-age=300"
    sections = re.findall(r'<section id="([^"]+)"[^>]*>(.*?)</section>', answered.text, re.DOTALL)
    return {place: html.unescape(re.sub(r"<[^>]*>", "", section)) for place, section in sections}


def test_every_code_has_a_place_with_both_languages_and_the_routes_that_refuse_so(places: dict[str, str]) -> None:
    assert set(places) == {item.code for item in family()} | {"refused"}
    for item in family():
        assert item.message.en in places[item.code]
        assert item.message.ru in places[item.code]
        assert f"{item.code} {int(item.status)} {item.status.phrase}" in places[item.code]
    assert "PUT /v1/sessions/{session_id}/files/{number}/answer" in places["invalid_answer"]
    assert "GET /v1/cycle" in places["no_cycle"]
    assert "any other address" in places["unknown_route"]
    assert "GET /v1/earlier/fragment" in places["task_overdue"]
    assert "any other address" not in places["task_overdue"]


def test_a_refusal_leads_to_its_place(places: dict[str, str], red: Program) -> None:
    red.open()
    answer = red.get("files/99").json
    page, _, place = answer["type"].partition("#")
    assert (page, place) == ("/docs/errors", "unknown_file")
    assert answer["error"]["message_ru"] in places[place]
    assert (answer["detail"], answer["detail_ru"]) == ("99 is not from 1 to 4", "99 не от 1 до 4")


def test_a_reason_of_the_organizers_business_leads_to_the_one_place_for_all(places: dict[str, str]) -> None:
    result = problem(RefusedError("run_over", Text("the run is over", "прогон завершён")), "1")
    assert (result.type, result.error.code, result.detail) == (type_of("refused"), "run_over", "the run is over")
    assert "refused" in places


def test_details_are_the_problems_sentences_counted_if_many_and_ids_are_quoted() -> None:
    result = problem(InvalidAnswerError([{"code": "x", "message": "fault", "message_ru": "ошибка"}]), "1")
    assert (result.detail, result.detail_ru) == ("fault", "ошибка")
    details = [{"code": "x", "message": f"fault {number}", "message_ru": f"ошибка {number}"} for number in range(5)]
    result = problem(InvalidAnswerError(details), "a b/ц=")
    assert result.detail == "fault 0; fault 1; fault 2; and 2 more"
    assert result.detail_ru == "ошибка 0; ошибка 1; ошибка 2; и ещё 2"
    assert re.fullmatch(r"urn:hurdle:request:[A-Za-z0-9%=]+", result.instance)
    assert len(result.error.details) == 5


def test_the_sentence_of_a_refusal_names_the_fields_of_the_request(red: Program) -> None:
    refused = red.stage.request("POST", "/v1/sessions", {str(number): 1 for number in range(5)}, red.token).json
    assert [detail["message"] for detail in refused["error"]["details"]] == ["Extra inputs are not permitted"] * 5
    english, russian = "Extra inputs are not permitted", "такого поля нет"
    assert refused["detail"] == f"body.0: {english}; body.1: {english}; body.2: {english}; and 2 more"
    assert refused["detail_ru"] == f"body.0: {russian}; body.1: {russian}; body.2: {russian}; и ещё 2"
    long = red.stage.request("POST", "/v1/sessions", {"ы" * 10_000: 1}, red.token).json
    assert long["detail"] == f"body.{'ы' * 75}: {english}"
