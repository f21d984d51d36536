"""``contest replay`` from the lot to interpretability, as docs/organizer.md prints the commands, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from contest.people.rules import Pool, Role
from contest.run.rules.run import Run
from tests.contest.commands.stage_desk import run as command
from tests.contest.commands.stage_desk import sit_down
from tests.contest.contests.stage_two import PEOPLE, SEED, doctor, played
from tests.stage import Stage
from tests.stage_kept import Setting
from tracks.diagnosis.score import draw

pytestmark = pytest.mark.integration
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "organizer.md").read_text("utf-8")
YES = {"preliminary": True, "requests": True, "final": False}

STAGE = Setting("contest-1")


@pytest.fixture
def run(stage: Stage) -> Run:
    """Play the final whose work is replayed."""
    return played(stage)


def sit(monkeypatch: pytest.MonkeyPatch, stage: Stage, role: Role) -> None:
    who = f"person-{role.value}"
    stage.person(role, who)
    sit_down(monkeypatch, stage, stage.sign_in(who, Pool.STAFF))


def said(*words: str, code: int = 0) -> str:
    done = command(*words)
    assert done.exit_code == code, done.output
    return done.output


def printed(name: str, run: Run) -> list[str]:
    """Return the command as the page prints it, with its placeholders filled in."""
    found = re.search(rf"`contest (replay {name} [^`]*)`", PAGE)
    assert found is not None
    words = found[1].replace("RUN", run.run_id).replace("N --reason", f"{SEED} --reason").split()
    people = [word for person in PEOPLE for word in ("--person", person)]
    at = words.index("--person") if "--person" in words else len(words)
    return [*words[:at], *(people if at < len(words) else ()), *words[at + 3 :]]


@pytest.mark.clause("D 9.11")
def test_stage_2_by_printed_commands(stage: Stage, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = draw(("blue", "red"), PEOPLE, SEED)
    sit(monkeypatch, stage, Role.COMMISSION)
    begun = said(*printed("begin", run))
    assert f"seed {SEED}; round 0 of 16" in begun
    for who, name in {**names.systems, **names.clinicians}.items():
        assert re.search(rf"{name}\b.*\b{who}\b", begun), (who, name)
    assert "lot_drawn" in said(*printed("begin", run), code=1)
    sit(monkeypatch, stage, Role.ORGANIZER)
    for number in range(1, 17):
        language, sentence = ("ru", "раунд {} из 16 идёт до") if number == 2 else ("en", "round {} of 16 lasts until")
        opened = said("--lang", language, *printed("open", run))
        assert re.fullmatch(rf"{sentence.format(number)} \S+Z\n", opened)
        refused = "round_running" if number < 16 else "no_more_rounds"
        assert refused in said(*printed("open", run), code=1)
        if number == 1:
            who = next(each for each in PEOPLE if doctor(stage, each).status == 200)
            assert doctor(stage, who, "PUT", "/review", {"revision": 0, "answers": YES}).status == 200
        stage.advance(600)
    shown = said(*printed("show", run))
    assert "preliminary: yes, requests: yes, final: no" in shown
    assert f"{names.clinicians[who]}" in shown
    facts = json.loads(said("replay", "show", run.run_id, "--json"))
    assert [each["answers"] for each in facts["reviews"]] == [YES]
    assert facts["results"] is None
    kept = tmp_path / "final"
    assert "16 rounds" in said("replay", "save", run.run_id, str(kept))
    rounds = [json.loads((kept / f"round-{number:02d}.json").read_text("utf-8")) for number in range(1, 17)]
    assert [each["file"] for each in rounds] == facts["files"]
    assert {work["system"]["id"] for each in rounds for work in each["works"]} == {"red", "blue"}
    assert [each["reviews"] for each in rounds] == [facts["reviews"], *[[]] * 15]
    assert json.loads((kept / "replay.json").read_text("utf-8"))["reviews"] == facts["reviews"]
    sit(monkeypatch, stage, Role.COMMISSION)
    closed = said(*printed("close", run))
    assert "Interpretability" in closed
    assert {"red", "blue"} <= set(re.findall(r"\w+", closed))
    assert "closed_already" in said(*printed("close", run), code=1)
    in_russian = re.sub(r"doctor-\d|\bred\b|\bblue\b|\d{4}-\S+Z", "", said("--lang", "ru", *printed("show", run)))
    assert "начальное число" in in_russian
    assert not re.findall(r"[A-Za-z]{2,}", in_russian), in_russian
