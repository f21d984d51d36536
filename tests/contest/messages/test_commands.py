"""``contest hooks …`` and ``contest mails …`` over the interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contest.messages import sending
from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.fakes_hooks import FakePoster
from tests.stage import Stage
from tests.toys import toy_cycle

URL = "https://example.org/hurdle"


@pytest.mark.clause("D 6.12")
def test_everybody_adds_lists_and_removes_hooks_of_ones_own(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    token = stage.team("red")
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    assert "hook_address" in run("hooks", "add", "http://example.org/").output
    assert run("hooks", "add", URL).stdout.startswith("webhook ")
    (hook,) = json.loads(run("hooks", "list", "--json").stdout)
    assert (hook["url"], hook["failures"], hook["off_at"]) == (URL, 0, None)
    assert URL[:12] in run("hooks", "list").stdout
    stage.advance(3)
    assert stage.request("GET", "/v1/hooks", None, token).json == {"hooks": []}
    removal = f"/v1/hooks/{hook['hook_id']}/removal"
    assert stage.request("POST", removal, {}, token).code == "unknown_hook"
    assert stage.request("POST", "/v1/hooks", {"url": URL}, token).status == 201
    stage.advance(3)
    sit_down(monkeypatch, stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    (own,) = json.loads(run("hooks", "list", "--json").stdout)
    assert own["hook_id"] != hook["hook_id"]
    assert json.loads(run("hooks", "remove", own["hook_id"], "--json").stdout) == []
    sit_down(monkeypatch, stage, stage.person(Role.JUDGE, "jurij"))
    assert "HTTP 403" in run("hooks", "list").output or "forbidden" in run("hooks", "list").output


@pytest.mark.clause("D 6.12")
def test_organizers_test_a_hook_and_verify_its_body(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage.load(toy_cycle(final=3))
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    run("hooks", "add", URL)
    (hook,) = json.loads(run("hooks", "list", "--json").stdout)
    stage.advance(120)
    assert "hooks list" in run("hooks", "test", hook["hook_id"]).stdout
    poster = FakePoster()
    monkeypatch.setattr(stage.platform, "poster", poster)
    sending.collect(stage.platform)
    assert sending.send_deliveries(stage.platform) == 1
    (sent,) = json.loads(run("hooks", "list", "--json").stdout)
    (attempt,) = sent["attempts"]
    assert (attempt["kind"], attempt["number"], attempt["outcome"], attempt["status"]) == ("hello", 1, "taken", 204)
    assert "taken 204" in run("hooks", "list").stdout
    assert "принят" in run("--lang", "ru", "hooks", "list").stdout
    ((_, _, content),) = poster.posted
    body = tmp_path / "body.json"
    body.write_bytes(content)
    assert "signed this" in run("hooks", "verify", str(body)).stdout
    body.write_bytes(content.replace(b"This webhook works", b"This webhook worked"))
    assert run("hooks", "verify", str(body)).exit_code == 1
    body.write_text("[]", "utf-8")
    assert "no body of a webhook" in run("hooks", "verify", str(body)).output
    assert "unknown_hook" in run("hooks", "test", "nobodys").output


def test_a_member_shows_and_sets_the_choices_of_mails(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    stage.team("red")
    sit_down(monkeypatch, stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    assert "sent" in run("mails", "show").stdout
    set_ = run("mails", "set", "--stop", "run", "--stop", "results", "--language", "ru", "--json").stdout
    assert json.loads(set_) == {"stopped": ["results", "run"], "language": "ru"}
    assert json.loads(run("mails", "set", "--resume", "run", "--json").stdout)["stopped"] == ["results"]
    assert "отключены" in run("--lang", "ru", "mails", "show").stdout
    assert run("mails", "set", "--stop", "run", "--resume", "run").exit_code == 2
