"""The organizer's command as somebody gives it who has signed in: its requests go to a stage instead of a network."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from contest import settings
from contest.commands import conducting, desk, signing_in
from contest.commands.signing_in import Login
from contest.domain.people.rights import Role
from tests.stage import Stage

URL = "https://contest.example"


def signed_in(stage: Stage, monkeypatch: pytest.MonkeyPatch, role: Role = Role.ORGANIZER) -> None:
    """Let the command ask a stage for a person of a role. What it waits for, workers and the clock do."""
    login = Login(URL, f"{URL}/token", "client", "refresh", stage.person(role, "olga"), 1e12)

    def request(method: str, url: str, **more: Any) -> httpx.Response:
        path = urlsplit(url).path
        if more.get("params"):
            path = f"{path}?{urlencode(more['params'])}"
        token = more["headers"]["Authorization"].removeprefix("Bearer ")
        answered = stage.request(method, path, more.get("json"), token, follow=bool(more.get("follow_redirects")))
        return httpx.Response(answered.status, headers=answered.headers, text=answered.text)

    def waited(seconds: float) -> None:
        stage.advance(seconds)
        assert stage.settle() == stage.verify() == []

    monkeypatch.setattr(conducting, "settings", SimpleNamespace(is_deployment_named=lambda: False))
    monkeypatch.setattr(signing_in, "load", lambda _: ("toy-1", login))

    def get(url: str, **_: Any) -> httpx.Response:
        stored = stage.published(urlsplit(url).path)
        return httpx.Response(stored.status, text=stored.text, request=httpx.Request("GET", url))

    known = {"HTTPError": httpx.HTTPError, "codes": httpx.codes}
    monkeypatch.setattr(desk, "httpx", SimpleNamespace(request=request, get=get, **known))
    for module in (desk, conducting):
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=waited))
    assert settings.is_deployment_named(), "the stage itself is one"
