"""The commands' requests answered by a stage instead of a server: everything of the interface but the network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from click.testing import CliRunner, Result

from contest.commands import signing_in
from contest.commands.main import main
from contest.commands.signing_in import Login
from tests.stage import Stage

FAR = 10**12


def sit_down(monkeypatch: pytest.MonkeyPatch, stage: Stage, token: str) -> None:
    """Let commands of this process ask the stage as whoever has this token; each request is a second after another."""

    def asked(method: str, url: str, *, headers: Mapping[str, str], timeout: Any, **more: Any) -> httpx.Response:
        assert timeout
        path, query = urlsplit(url).path, more.get("params") or {}
        stage.advance(1)
        body = more.get("json", more.get("content"))
        bearer = headers["Authorization"].removeprefix("Bearer ")
        answered = stage.request(method, f"{path}?{urlencode(query)}" if query else path, body, bearer)
        return httpx.Response(answered.status, headers=dict(answered.headers), text=answered.text)

    login = Login("https://stage.example", "", "", "", token, FAR)
    monkeypatch.setattr(httpx, "request", asked)
    monkeypatch.setattr(signing_in, "load", lambda _: ("toy-1", login))
    monkeypatch.setattr(signing_in, "fresh", lambda known: known)


def run(*words: str) -> Result:
    """One command."""
    return CliRunner().invoke(main, words, env={"COLUMNS": "200"})
