"""The commands' requests answered by a stage instead of a server: everything of the interface but the network.

What a command waits for, the stage's workers and its clock do while it waits.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from click.testing import CliRunner, Result

from contest.commands import connection
from contest.commands.connection import Login
from contest.commands.main import main
from contest.cycle.commands import sets
from contest.people import commands
from tests.stage import Stage
from tests.stage_addresses import follow

URL = "https://stage.example"
FAR = 10**12


def sit_down(monkeypatch: pytest.MonkeyPatch, stage: Stage, token: str, a_request_s: float = 1) -> None:
    """Let commands of this process ask the stage as whoever has this token; each request takes its time."""

    def asked(method: str, url: str, *, headers: dict[str, str], timeout: Any, **more: Any) -> httpx.Response:
        assert timeout
        stage.advance(a_request_s)
        path, query = urlsplit(url).path, more.get("params") or {}
        target = f"{path}?{urlencode(query)}" if query else path
        body = more.get("json", more.get("content"))
        bearer = headers["Authorization"].removeprefix("Bearer ")
        follow = bool(more.get("follow_redirects"))
        answered = stage.request(method, target, body, bearer, follow=follow)
        return httpx.Response(answered.status, headers=dict(answered.headers), text=answered.text)

    def read(url: str, *, timeout: Any) -> httpx.Response:
        assert timeout
        stored = stage.published(urlsplit(url).path)
        return httpx.Response(stored.status, text=stored.text, request=httpx.Request("GET", url))

    def put(url: str, *, content: bytes, timeout: Any) -> httpx.Response:
        assert timeout
        answered = follow(stage, "PUT", url.removeprefix(URL), content)
        return httpx.Response(answered.status, content=answered.body)

    def waited(seconds: float) -> None:
        stage.advance(seconds)
        assert stage.settle() == stage.verify() == stage.load_imports() == []

    login = Login(URL, "", "", "", token, FAR)
    monkeypatch.setattr(httpx, "request", asked)
    monkeypatch.setattr(httpx, "get", read)
    monkeypatch.setattr(httpx, "put", put)
    monkeypatch.setattr(connection, "load_login", lambda _: ("toy-1", login))
    monkeypatch.setattr(connection, "fresh_login", lambda sign_in: sign_in)
    for module in (commands, connection, sets):
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=waited))
    # Commands that have the deployment's names in their environment write to it without the interface.
    monkeypatch.setattr(connection, "is_direct", lambda: False)


def run(*words: str) -> Result:
    """Run one command."""
    return CliRunner().invoke(main, words, env={"COLUMNS": "200"})
