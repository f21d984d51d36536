"""Choice of the platform that ``contest`` works on, and its HTTP client: files elsewhere, compressed answers."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest

from contest import routes, settings
from contest.commands import connection
from contest.commands.connection import Desk, Login
from contest.commands.main import main
from contest.operations.store import DeployedParameters
from contest.people import commands
from contest.ports import NoDeploymentError
from contest.results import commands as boards
from markup_core.texts import Text
from tests.contest.commands.stage_desk import run

NAMED = {settings.CYCLE: "spring", settings.BUCKET: "b"}
AWAY = Login("http://127.0.0.1:1", "http://127.0.0.1:1/token", "client", "refresh")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(settings.HOME, str(tmp_path))
    for name in settings.OF_COMMAND:
        monkeypatch.delenv(name, raising=False)
    # What a command takes on is gone after the test.
    for name in NAMED:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return tmp_path / "hurdle"


def within(obj: str | None) -> click.Context:
    return click.Context(main, obj=obj)


@pytest.mark.parametrize("words", [("team", "list"), ("cycle", "show"), ("cycle", "load", "--direct", ".")])
def test_a_command_without_a_local_cloud_names_make_up_in_both_languages(words: tuple[str, ...]) -> None:
    refused = run("--local", *words)
    assert refused.exit_code == 1
    assert "make up" in refused.output
    russian = run("--lang", "ru", "--local", *words).output
    assert "не запущено" in russian
    assert "no local cloud" not in russian


def test_a_refused_connection_is_reported_in_both_languages() -> None:
    connection.save_login("spring", AWAY)
    assert "cannot be reached: connection refused" in run("team", "list").output
    assert "в соединении отказано" in run("--lang", "ru", "team", "list").output
    russian = run("--lang", "ru", "login", AWAY.url, "--no-browser")
    assert (russian.exit_code, "в соединении отказано" in russian.output) == (1, True)


def test_a_deployed_cycle_is_asked_without_a_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters: list[str] = []

    def variables(_: Any, parameter: str) -> Mapping[str, str]:
        parameters.append(parameter)
        return NAMED

    monkeypatch.setattr(DeployedParameters, "variables", variables)
    with within("spring"):
        assert connection.is_direct()
        connection.take_on()
        assert settings.is_deployment_named()
    assert parameters == ["/hurdle/spring/command"]


def test_who_has_signed_in_to_the_cycle_asks_its_interface_and_a_renewed_sign_in_changes_no_usual_platform() -> None:
    connection.save_login("spring", AWAY)
    with within("spring"):
        assert not connection.is_direct()
        assert commands.desk() is not None
    with within(None):
        assert not connection.is_direct()
    connection.save_login("autumn", AWAY)
    connection.save_login("spring", AWAY)
    connection.save_login("autumn", AWAY, latest=False)
    assert connection.load_login(None) == ("spring", AWAY)
    connection.forget_login("autumn")
    assert connection.load_login(None) == ("spring", AWAY)


def test_an_unreadable_parameter_is_reported_with_its_cause_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    def variables(_: Any, parameter: str) -> Mapping[str, str]:
        raise NoDeploymentError(parameter, Text("no such parameter", "нет такого параметра"))

    monkeypatch.setattr(DeployedParameters, "variables", variables)
    refused = run("--cycle", "spring", "cycle", "show")
    assert refused.exit_code == 1
    assert "/hurdle/spring/command cannot be read: no such parameter" in refused.output
    assert "нет такого параметра" in run("--lang", "ru", "--cycle", "spring", "cycle", "show").output


def test_all_missing_variables_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NAMED.items():
        monkeypatch.setenv(name, value)
    refused = run("cycle", "show")
    assert refused.exit_code == 1
    for name in settings.OF_COMMAND:
        assert (name in refused.output.replace("\n", " ")) == (name not in NAMED), name
    assert run("--local", "--cycle", "spring", "cycle", "show").exit_code == 2


ARCHIVE = b"PK\x03\x04 an archive \xff"
ASKED: list[tuple[str, str | None]] = []
PUT: list[bytes] = []
PUT_ANSWERS: list[int | None] = []
"""Status that answers each uploaded body, in order; None: no answer at all."""


class Server(BaseHTTPRequestHandler):
    def answer(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Answering(Server):
    """A platform that sends to where the archive is, and has it there, compressed."""

    def do_PUT(self) -> None:
        ASKED.append((self.path, self.headers.get("Authorization")))
        content = self.rfile.read(int(self.headers["Content-Length"]))
        status = PUT_ANSWERS.pop(0)
        if status is None:
            self.close_connection = True
            return
        PUT.append(content)
        self.answer(status)

    def do_GET(self) -> None:
        ASKED.append((self.path, self.headers.get("Authorization")))
        if "/imports/" in self.path:
            self.answer(200, json.dumps({"address": f"/uploads/{len(ASKED)}?Signature=x"}).encode())
        elif self.path.startswith("/v1/"):
            self.answer(307, Location=self.path.replace("/v1/runs/", "/published/"))
        else:
            self.answer(404 if "nowhere" in self.path else 200, gzip.compress(ARCHIVE), Content_Encoding="gzip")


@contextmanager
def listening(handler: type[Server]) -> Iterator[str]:
    """Yield the address of a platform that answers in this way."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def served(handler: type[Server]) -> Iterator[Desk]:
    """Yield a desk at such a platform."""
    with listening(handler) as url:
        yield Desk("demo", Login(url, f"{url}/token", "client", "refresh", "access", 1e12))


class LocalCloud(Server):
    """A local cloud whose every answer names its address as its cycle."""

    def do_GET(self) -> None:
        self.answer(200, json.dumps({"cycle": self.headers["Host"]}).encode())

    def do_POST(self) -> None:
        self.answer(200, json.dumps({"access_token": "access", "expires_in": 900}).encode())


def start_local(monkeypatch: pytest.MonkeyPatch, url: str, cycle: str) -> None:
    """Leave what a local cloud leaves when it starts."""
    with monkeypatch.context() as variables:
        for name, value in {**NAMED, settings.CYCLE: cycle, "AWS_ENDPOINT_URL": "http://127.0.0.1:2"}.items():
            variables.setenv(name, value)
        connection.keep_local(url, f"{url}/token", "client", "refresh")


def test_a_local_cloud_leaves_its_name_to_its_owner(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(LocalCloud) as at:
        start_local(monkeypatch, at, "spring")
        stored = json.loads((home / "local.json").read_bytes())["clouds"][0]["environment"]
        assert stored.items() >= NAMED.items()
        assert settings.HOME not in stored
        assert {path.stat().st_mode & 0o777 for path in home.iterdir()} == {0o600}
        shown = run("--local", "cycle", "show")
        assert json.loads(shown.stdout) == {"cycle": at.removeprefix("http://")}
        assert shown.stderr == "", "a single local cloud needs no words"
    assert connection.load_login(None) is None, "a local cloud takes nobody's usual platform away"


def test_of_several_local_clouds_the_latest_is_taken_and_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(LocalCloud) as first, listening(LocalCloud) as second:
        start_local(monkeypatch, first, "spring")
        start_local(monkeypatch, AWAY.url, "killed")
        start_local(monkeypatch, second, "autumn")
        shown = run("--local", "cycle", "show")
        assert json.loads(shown.stdout) == {"cycle": second.removeprefix("http://")}
        assert shown.stderr.count("2 local clouds run") == 1
        assert f"the one started last, {second} (autumn). For another one, {first} (spring): " in shown.stderr
        assert "killed" not in shown.stderr
        assert "запущенным последним" in run("--lang", "ru", "--local", "cycle", "show").stderr
        connection.forget_local(second)
        alone = run("--local", "cycle", "show")
        assert json.loads(alone.stdout) == {"cycle": first.removeprefix("http://")}
        assert alone.stderr == ""


def test_traces_of_a_local_cloud_that_was_killed_are_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_local(monkeypatch, AWAY.url, "killed")
    for words in (("cycle", "load", "--direct", "."), ("team", "list")):
        refused = run("--local", *words)
        assert refused.exit_code == 1
        assert "no local cloud runs" in refused.output
    connection.forget_local(AWAY.url)
    assert not (home / "local.json").exists()
    assert json.loads((home / "contest.json").read_bytes())["logins"] == {}


@pytest.fixture
def desk() -> Iterator[Desk]:
    ASKED.clear()
    PUT.clear()
    PUT_ANSWERS.clear()
    with served(Answering) as at:
        yield at


def test_a_redirect_is_followed_without_the_token_and_an_absent_target_is_reported_with_its_address(desk: Desk) -> None:
    assert desk.published(routes.RUN_ARCHIVE, run_id="r1") == ARCHIVE
    assert ASKED == [("/v1/runs/r1/archive", "Bearer access"), ("/published/r1/archive", None)]
    with pytest.raises(click.ClickException) as refused:
        desk.published(routes.RUN_ARCHIVE, run_id="nowhere")
    assert "/published/nowhere/archive" in refused.value.message


def test_a_malformed_id_is_refused_before_any_request(desk: Desk) -> None:
    for name in ("", "..", "a/b"):
        with pytest.raises(click.ClickException, match="no id or name"):
            desk.get(routes.TEAM, team_id=name)
    assert ASKED == []


def test_bytes_go_where_a_route_says_to_another_address_each_time_and_without_the_token(desk: Desk) -> None:
    PUT_ANSWERS.extend([403, None, 200])
    desk.put_there(routes.IMPORT_PART, b"a part", import_id="i1", part="2")
    request = ("/v1/imports/i1/parts/2", "Bearer access")
    places = [("/uploads/1?Signature=x", None), ("/uploads/3?Signature=x", None), ("/uploads/5?Signature=x", None)]
    assert [request, places[0], request, places[1], request, places[2]] == ASKED
    assert PUT == [b"a part", b"a part"]


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [([403] * 3, "the address is over"), ([None] * 3, "broke off"), ([503] * 3, "HTTP 503"), ([413] * 3, "HTTP 413")],
)
def test_an_upload_that_fails_thrice_is_reported(desk: Desk, answers: list[int | None], complaint: str) -> None:
    PUT_ANSWERS.extend(answers)
    with pytest.raises(click.ClickException, match=complaint):
        desk.put_there(routes.IMPORT_PART, b"a part", import_id="i1", part="2")
    assert PUT_ANSWERS == []


class NotPublished(Server):
    """A platform whose final has no results yet."""

    def do_GET(self) -> None:
        code = "results_not_published" if "run=r1" in self.path else "unknown_run"
        refusal = {"code": code, "message": "Not yet.", "message_ru": "Ещё нет.", "details": [], "request_id": "r"}
        self.answer(403, json.dumps({"error": refusal}).encode())


def test_a_board_before_its_day_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    with served(NotPublished) as at:
        boards.show_asked(at, routes.FINAL_BOARD, {"run": "r1"})
        assert capsys.readouterr().out.strip() in {"Not yet.", "Ещё нет."}
        with pytest.raises(click.ClickException, match="unknown_run"):
            boards.show_asked(at, routes.FINAL_BOARD, {"run": "r2"})
