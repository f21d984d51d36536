"""The commands about people on a running local cloud: an organizer signs in and works through the interface alone."""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from click.testing import CliRunner

from contest.commands import connection
from contest.commands.main import main
from contest.people import commands
from contest.values import iso
from tests.browser import sign_in
from tests.exchange_programs import Exchange, Program

pytestmark = [pytest.mark.integration, pytest.mark.slow]

COMMAND = Path(sys.executable).with_name("contest")
OLGA = "olga@example.org"
SEPARATED = "over,\u2028and done"
"""A reason with a line separator of Unicode, which ends no line of JSON Lines."""


class Waiting:
    """The time of a command in this process: the held clock goes on where it would wait."""

    def __init__(self, clock: Any) -> None:
        self.sleep = time.sleep if clock is None else clock.advance


class Browser:
    """Browser of a person with an account: signs in while the command that opens it waits."""

    def __init__(self, pool: ThreadPoolExecutor, email: str) -> None:
        self._pool = pool
        self._email = email
        self.answered: Future[httpx.Response] | None = None

    def open(self, address: str) -> None:
        self.answered = self._pool.submit(sign_in, address, self._email)


class Person:
    """Person with an own home folder and no AWS credentials, who types at most one command a second."""

    clock: Any = None
    """Clock of the platform if it is held; else None."""

    def __init__(self, home: Path) -> None:
        self.environment = {"PATH": os.environ["PATH"], "HURDLE_HOME": str(home), "COLUMNS": "200"}
        self.file = home / "hurdle" / "contest.json"

    def contest(self, *words: str, fails: bool = False) -> str:
        """Run a command in this process and return its output; the held clock goes on where it would wait."""
        if self.clock is not None:
            self.clock.advance(1)
        home = {name: self.environment[name] for name in ("HURDLE_HOME", "COLUMNS")}
        with patch.object(connection, "time", Waiting(self.clock)), patch.object(commands, "time", Waiting(self.clock)):
            typed = CliRunner().invoke(main, words, env=home)
        assert (typed.exit_code != 0) is fails, typed.output
        return (typed.stderr if fails else typed.stdout).strip()

    def typed(self, *words: str) -> str:
        """Run a command in a process of its own and return its output."""
        done = subprocess.run([COMMAND, *words], env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def login(self, url: str, email: str, *words: str) -> str:
        """Sign in with the browser that the command opens, in this process."""
        with ThreadPoolExecutor(1) as pool:
            browser = Browser(pool, email)
            with patch.object(commands, "webbrowser", browser):
                said = self.contest("login", url, *words)
            assert browser.answered is not None
            assert browser.answered.result().is_success
        return said

    def typed_login(self, url: str, email: str, *words: str) -> str:
        """Sign in at the address that the command prints, in a process of its own, while it waits for the end."""
        command = [COMMAND, "login", url, "--no-browser", *words]
        with subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as waiting:
            assert waiting.stderr is not None
            address = next(each for each in waiting.stderr if each.startswith("http")).strip()
            answered = sign_in(address, email)
            said, complained = waiting.communicate(timeout=60)
        assert waiting.returncode == 0, f"{complained}\n{answered.text}"
        return said.strip()


@pytest.fixture(scope="module")
def olga(exchange: Exchange, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """Enter the first organizer with the deployment's credentials and sign in; all else goes by the interface."""
    exchange.organizer.contest("staff", "invite", OLGA, "Olga", "organizer")
    person = Person(tmp_path_factory.mktemp("olga"))
    person.clock = exchange.clock
    assert ": logged in as organizer " in person.typed_login(exchange.cloud.url, OLGA)
    yield person
    assert exchange.screen.getvalue() == ""


def test_a_login_is_kept_from_others_and_renewed_when_it_is_over(olga: Person, exchange: Exchange) -> None:
    assert stat.S_IMODE(olga.file.stat().st_mode) == 0o600
    assert json.loads(olga.typed("whoami"))["role"] == "organizer"
    kept = json.loads(olga.file.read_text("utf-8"))
    cycle = kept["latest"]
    kept["logins"][cycle]["expires_at"] = 0
    before = dict(kept["logins"][cycle])
    olga.file.write_text(json.dumps(kept), "utf-8")
    exchange.clock.advance(1)
    assert json.loads(olga.contest("--cycle", cycle, "whoami"))["role"] == "organizer"
    after = json.loads(olga.file.read_text("utf-8"))["logins"][cycle]
    assert after["refresh_token"] == before["refresh_token"], "pools as they are deployed keep it"
    assert after["access_token"] != before["access_token"]


def test_without_a_login_or_with_a_platform_that_is_not_there_the_command_says_so(tmp_path: Path) -> None:
    assert "contest login https://HOST" in Person(tmp_path).contest("team", "list", fails=True)
    assert "does not answer" in Person(tmp_path).contest("login", "http://127.0.0.1:9", fails=True)


def test_teams_are_entered_decided_about_and_written_as_a_table(olga: Person, tmp_path: Path) -> None:
    table = tmp_path / "teams.csv"
    table.write_text("team_id,name\nnorth,North\nsouth,=SUM(A1)\n", "utf-8")
    assert olga.contest("team", "import", str(table)) == "2 teams added"
    again = olga.contest("team", "import", str(table), fails=True)
    assert "line 2: there is a team north already" in again
    assert "line 3: there is a team south already" in again
    assert olga.contest("team", "decide", "north", "suspended", "--reason", "a protest") == "team north is suspended"
    refused = olga.contest("team", "decide", "north", "rejected", "--reason", "no", fails=True)
    assert "no_such_decision" in refused
    assert "approved, disqualified, withdrawn" in refused
    out = tmp_path / "out.csv"
    olga.contest("team", "export", str(out))
    with out.open(encoding="utf-8", newline="") as file:
        rows = {each["team_id"]: each for each in csv.DictReader(file)}
    assert (rows["north"]["status"], rows["north"]["reason"]) == ("suspended", "a protest")
    assert rows["south"]["name"] == "'=SUM(A1)"


def test_a_token_works_until_it_is_revoked(olga: Person, exchange: Exchange) -> None:
    olga.contest("team", "add", "east", "East")
    token = olga.contest("token", "issue", "east", "--name", "cellar")
    headers = {"Authorization": f"Bearer {token}"}
    assert exchange.public("GET", "/v1/sessions", headers=headers).status_code == 200
    listed = json.loads(olga.contest("token", "list", "east", "--json"))["tokens"]
    assert [(each["name"], each["used_at"] is None) for each in listed] == [("cellar", False)]
    olga.contest("token", "revoke", "east", listed[0]["token_id"])
    exchange.clock.advance(61)
    assert exchange.public("GET", "/v1/sessions", headers=headers).status_code == 403


def test_a_dismissed_judge_is_out_within_a_minute(olga: Person, exchange: Exchange, tmp_path: Path) -> None:
    said = olga.contest("staff", "invite", "jan@example.org", "Jan", "judge")
    person_id = said.split()[1]
    jan = Person(tmp_path)
    jan.login(exchange.cloud.url, "jan@example.org")
    assert "east" in jan.contest("team", "list")
    assert "organize" in jan.contest("staff", "list", fails=True)
    olga.contest("staff", "dismiss", person_id, "--reason", "a conflict of interests")
    exchange.clock.advance(61)
    assert "the sign-in is over" in jan.contest("team", "list", fails=True)
    assert "own_role" in olga.contest("staff", "dismiss", _id_of(olga, OLGA), "--reason", "x", fails=True)
    olga.contest("staff", "reinstate", person_id, "--reason", "cleared up")
    jan.login(exchange.cloud.url, "jan@example.org")
    assert "east" in jan.contest("team", "list")


def test_the_coordinator_gives_essays_out_by_command(olga: Person, exchange: Exchange, tmp_path: Path) -> None:
    names = []
    for name in ("eva", "ivan", "zoe"):
        names.append(olga.contest("staff", "invite", f"{name}@example.org", name.title(), "expert").split()[1])
        olga.contest("expert", "set", names[-1], "--subject", "hist", "--language", "rus")
        exchange.clock.advance(1)
    assert "unknown_competence" in olga.contest(
        "expert", "set", names[0], "--subject", "alchemy", "--language", "rus", fails=True
    )
    listed = json.loads(olga.contest("expert", "list", "--json"))["experts"]
    assert {each["expert_id"] for each in listed} == set(names)
    refused = olga.contest("marking", "begin", "--set", "train", fails=True)
    assert "essays_not_covered" in refused
    shown = olga.contest("marking", "begin", "--set", "train", "--preview")
    assert "preview, nothing is given: " in shown
    assert "{" not in shown, "it is told in words"
    assert json.loads(olga.contest("marking", "begin", "--set", "train", "--preview", "--json"))["preview"] is True
    eva = Person(tmp_path)
    eva.login(exchange.cloud.url, "eva@example.org")
    assert "mark_up" in eva.contest("whoami")
    assert "watch_assignments" in eva.contest("expert", "list", fails=True)


def test_an_organizer_conducts_a_run_without_credentials(olga: Person, exchange: Exchange) -> None:
    assert json.loads(olga.contest("cycle", "show"))["cycle"] == "demo"
    start = iso(exchange.clock.now_ms() + 3_600_000)
    order = ("--mode", "technical", "--set", "train", "--start", start, "--trial")
    shown = json.loads(olga.contest("run", "plan", *order, "--preview", "--json"))
    planned = json.loads(olga.contest("run", "plan", *order, "--json"))
    assert (planned["files"], planned["ends_at"]) == (shown["files"], shown["ends_at"])
    name = planned["run_id"]
    assert name in olga.contest("run", "list")
    assert olga.contest("run", "stop", name, "--reason", "a trial").startswith("amendment 1: stop, in effect at ")
    (stopped,) = json.loads(olga.contest("run", "show", name, "--json"))["amendments"]
    assert stopped["who"] == f"person:{_id_of(olga, OLGA)}"
    assert "stopped_already" in olga.contest("run", "stop", name, "--reason", "a trial", fails=True)
    exchange.clock.advance(1)
    assert olga.contest("results", "freeze", "qualification", "--reason", "a trial").endswith("is frozen")
    assert olga.contest("results", "publish", "qualification", "--reason", SEPARATED).endswith("is published")


def test_what_was_done_stands_in_the_log_with_who_did_it(olga: Person, exchange: Exchange) -> None:
    day = exchange.public("GET", "/v1/cycle").json()["server_time"][:10]
    changes = json.loads(olga.contest("log", day, "--json"))["changes"]
    author = f"person:{_id_of(olga, OLGA)}"
    own = [change["what"] for change in changes if change["who"] == author]
    assert {"team added", "team suspended", "token issued", "token revoked", "staff invited"} <= set(own)
    lines = olga.contest("log", day, "--lines").split("\n")
    assert [json.loads(line) for line in lines] == changes
    assert json.dumps(SEPARATED) in json.dumps(changes)


def test_a_participant_applies_and_is_let_in(olga: Person, exchange: Exchange, tmp_path: Path) -> None:
    """Every step from the form to the program's first request works over the HTTP interface."""
    anna = Person(tmp_path)
    anna.login(exchange.cloud.url, "anna@example.org", "--participant")
    token = json.loads(anna.file.read_text("utf-8"))["logins"]["demo"]["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    form = {
        "team_id": "west",
        "team_name": "West",
        "person_name": "Anna",
        "contact": "anna@example.org",
        "accepts_rules": True,
    }
    applied = exchange.public("POST", "/v1/applications", headers=headers, json=form)
    assert (applied.status_code, applied.json()["status"]) == (201, "applied")
    issued = exchange.public("POST", "/v1/team/tokens", headers=headers, json={}).json()["token"]
    program = {"Authorization": f"Bearer {issued}"}
    assert exchange.public("GET", "/v1/sessions", headers=program).status_code == 403
    olga.contest("team", "decide", "west", "approved", "--reason", "complete")
    exchange.clock.advance(61)
    assert exchange.public("GET", "/v1/sessions", headers=program).status_code == 200


def sign_in_of(exchange: Exchange, pool: str) -> tuple[Any, dict[str, str]]:
    """Return a pool's addresses, and the fields of a request for a code."""
    said = exchange.public("GET", "/v1/sign-in").json()
    addresses = httpx.get(f"{said[pool]['issuer']}/.well-known/openid-configuration").json()
    return addresses, {
        "response_type": "code",
        "client_id": said[pool]["client_id"],
        "redirect_uri": said["loopback_redirects"][0],
        "scope": "openid",
        "code_challenge": "x" * 43,
        "code_challenge_method": "S256",
    }


def test_the_page_sends_nobody_to_an_address_that_is_not_registered(exchange: Exchange) -> None:
    result, query = sign_in_of(exchange, "staff")
    assert httpx.get(result["authorization_endpoint"], params=query).status_code == 200
    for name, value in (
        ("redirect_uri", "https://evil.example/"),
        ("client_id", "another"),
        ("code_challenge_method", "plain"),
        ("response_type", "token"),
    ):
        assert httpx.get(result["authorization_endpoint"], params={**query, name: value}).status_code == 400


def test_a_code_without_its_verifier_is_worth_nothing(exchange: Exchange) -> None:
    result, query = sign_in_of(exchange, "participants")
    sent = httpx.post(result["authorization_endpoint"], data={**query, "email": "eve@example.org"})
    found = re.search(r"code=([^&]+)", sent.headers["location"])
    assert found is not None
    grant = {
        "grant_type": "authorization_code",
        "client_id": query["client_id"],
        "redirect_uri": query["redirect_uri"],
    }
    tried = httpx.post(result["token_endpoint"], data={**grant, "code": found[1], "code_verifier": "guessed"})
    assert (tried.status_code, tried.json()) == (400, {"error": "invalid_grant"})


def test_exports_have_the_form_of_the_name(olga: Person, exchange: Exchange, program: Program, tmp_path: Path) -> None:
    program.open(files=1)
    program.play()
    program.report()
    table, page, book, board = (tmp_path / name for name in ("a.csv", "a.html", "a.xlsx", "board.json"))
    for file in (table, page, book):
        olga.contest("export", "session", program.session_id, str(file), "--lang", "en")
    assert table.read_bytes().decode("utf-8-sig").startswith("number,file_id,")
    assert f"Report of session {program.session_id}" in page.read_text("utf-8")
    assert book.read_bytes().startswith(b"PK")
    olga.contest("export", "board", str(board))
    assert json.loads(board.read_text("utf-8"))["cycle"] == exchange.public("GET", "/v1/cycle").json()["cycle"]
    assert "a.txt ends in none of" in olga.contest("export", "board", str(tmp_path / "a.txt"), fails=True)
    refused = olga.contest("run", "archive", "a" * 20, "--out", str(tmp_path / "a.zip"), fails=True)
    assert "unknown_run" in refused


def _id_of(person: Person, email: str) -> str:
    staff = json.loads(person.contest("staff", "list", "--json"))["staff"]
    return next(str(each["person_id"]) for each in staff if each["email"] == email)


def test_rescorings_and_recomputations_are_asked_for_by_name(olga: Person) -> None:
    """Refuse unknown names, and an empty selection; runs of other tests may be open on the shared cloud."""
    unknown = "a" * 20
    said = olga.contest("rescore", "begin", "--set", "test", "--since", "2026-01-01", "--reason", "a code", fails=True)
    assert said.startswith(("Error: nothing_selected: No closed session and no scored", "Error: runs_open: "))
    assert olga.contest("rescore", "list").splitlines()[1].split() == [
        *("┃", "rescoring", "┃", "begun", "┃", "state"),
        *("┃", "made", "┃", "applied", "┃", "reason", "┃"),
    ]
    for words in (("show", unknown), ("resume", unknown), ("accept", unknown, "--reason", "x")):
        assert "unknown_rescoring" in olga.contest("rescore", *words, fails=True)
    assert "unknown_rescoring" in olga.contest("rescore", "discard", unknown, "--reason", "x", fails=True)
    assert "unknown_run" in olga.contest("run", "shadow", unknown, fails=True)
    assert "unknown_run" in olga.contest("run", "shadow", unknown, "--again", fails=True)
