"""How ``contest`` finds what it works on: ``--local``, ``--cycle NAME``, the environment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from contest import settings
from contest.commands import connection
from contest.commands.connection import LOCAL, Login
from contest.commands.main import main
from contest.operations.store import DeployedParameters
from contest.people import commands
from contest.ports import NoDeploymentError
from markup_core.texts import Text

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


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def within(obj: str | None) -> click.Context:
    return click.Context(main, obj=obj)


def test_a_local_cloud_leaves_its_name_to_its_owner(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**NAMED, "AWS_ENDPOINT_URL": "http://127.0.0.1:2"}.items():
        monkeypatch.setenv(name, value)
    connection.keep_local(AWAY.url, AWAY.token_endpoint, AWAY.client_id, AWAY.refresh_token)
    stored = home / "local.json"
    assert json.loads(stored.read_bytes())["environment"].items() >= NAMED.items()
    assert settings.HOME not in json.loads(stored.read_bytes())["environment"]
    assert {path.stat().st_mode & 0o777 for path in home.iterdir()} == {0o600}
    assert connection.load_login(LOCAL) == (LOCAL, AWAY)
    assert connection.load_login(None) is None, "a local cloud takes nobody's usual platform away"


@pytest.mark.parametrize("words", [("team", "list"), ("cycle", "show"), ("cycle", "load", "--direct", ".")])
def test_without_a_local_cloud_it_is_said_how_to_start_one(words: tuple[str, ...]) -> None:
    refused = run("--local", *words)
    assert refused.exit_code == 1
    assert "make up" in refused.output
    russian = run("--lang", "ru", "--local", *words).output
    assert "не запущено" in russian
    assert "no local cloud" not in russian


def test_traces_of_a_local_cloud_that_was_killed_are_none_and_anothers_are_left_alone(home: Path) -> None:
    connection.keep_local(AWAY.url, AWAY.token_endpoint, AWAY.client_id, AWAY.refresh_token)
    refused = run("--local", "cycle", "load", "--direct", ".")
    assert refused.exit_code == 1
    assert "no local cloud runs" in refused.output
    connection.keep_local("http://127.0.0.1:3", "", "", "")
    connection.forget_local(AWAY.url)
    assert (home / "local.json").exists()
    connection.forget_local("http://127.0.0.1:3")
    assert not (home / "local.json").exists()
    assert connection.load_login(LOCAL) is None


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


def test_why_a_parameter_cannot_be_read_is_said_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    def variables(_: Any, parameter: str) -> Mapping[str, str]:
        raise NoDeploymentError(parameter, Text("no such parameter", "нет такого параметра"))

    monkeypatch.setattr(DeployedParameters, "variables", variables)
    refused = run("--cycle", "spring", "cycle", "show")
    assert refused.exit_code == 1
    assert "/hurdle/spring/command cannot be read: no such parameter" in refused.output
    assert "нет такого параметра" in run("--lang", "ru", "--cycle", "spring", "cycle", "show").output


def test_missing_variables_are_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NAMED.items():
        monkeypatch.setenv(name, value)
    refused = run("cycle", "show")
    assert refused.exit_code == 1
    for name in settings.OF_COMMAND:
        assert (name in refused.output.replace("\n", " ")) == (name not in NAMED), name
    assert run("--local", "--cycle", "spring", "cycle", "show").exit_code == 2
