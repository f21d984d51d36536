"""``contest questions …`` over the interface."""

from __future__ import annotations

import json

import pytest

from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.stage import Stage
from tests.toys import toy_cycle

TITLES = ("--title-en", "May it?", "--title-ru", "Можно ли?")


def ask(stage: Stage, token: str, text: str) -> str:
    stage.advance(3)
    question = stage.request(
        "POST", "/v1/questions", {"text": text, "language": "en", "about": {"rule": "R 7.6"}}, token
    )
    return str(question.json["question_id"])


def test_questions_by_command(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    token = stage.team("red")
    names = [ask(stage, token, text) for text in ("May it?", "And this?")]
    sit_down(monkeypatch, stage, stage.person(Role.JUDGE, "jurij"))
    table = run("questions", "list", "--state", "open").stdout
    assert "May it?" in table
    assert "R 7.6" in table
    assert "ждёт ответа" in run("--lang", "ru", "questions", "list").stdout
    assert run("questions", "take", names[0]).stdout == "red.1: open\n"
    assert run("questions", "answer", names[0]).exit_code == 2
    assert "both languages" not in run("questions", "answer", names[0], "--text-ru", "Да").stdout
    assert json.loads(run("questions", "show", names[0]).stdout)["answer"]["texts"] == {"ru": "Да"}
    printed = run("questions", "answer", names[0], "--all", "--text-en", "Yes", "--text-ru", "Да", *TITLES)
    assert printed.stdout == "red.1: answered\n"
    assert run("questions", "close", names[1], "--reason", "See the rules").stdout == "red.2: closed\n"
    assert "unknown" not in run("questions", "show", "red.9").stdout
    assert "no question red.9" in run("questions", "show", "red.9").stderr
    listed = json.loads(run("questions", "list", "--json").stdout)
    assert [each["state"] for each in listed] == ["closed", "answered"]
    assert json.loads(run("questions", "list", "--protests", "--json").stdout) == []
    assert json.loads(run("questions", "list", "--no-protests", "--json").stdout) == listed
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    assert run("questions", "broadcast", "--text-en", "Rain", "--text-ru", "Дождь", *TITLES).exit_code == 0
    announced = json.loads(run("announce", "list", "--kind", "answer", "--json").stdout)["announcements"]
    assert [each["text"]["en"] for each in announced] == ["Rain", "Yes"]
