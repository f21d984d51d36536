"""Add one route by hand, by the recipe of docs/architecture.md, in a copy of the sources; count the files it takes.

An organizers' list with its right, its body and a refusal. Summary, tag, answers, refusals, entity tag, examples,
admission and the gateway's route follow from what stands in these files; a place that has to be told of it, too, shows
here as a function that does not start or as a document that lacks something.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
COPIED = ("layers/contest/src/contest", "functions")
MOST = 4
CONTEST = "layers/contest/src/contest"
HANDLER = '''

@handles(routes.NAMESAKES, "List namesakes of a team", errors.UnknownTeamError)
def list_namesakes(team_id: str) -> wire.NamesakesBody:
    """List the other teams whose names begin alike, by id."""
    return wire.NamesakesBody.from_value(namesakes=teams.namesakes(platform(), team_id))
'''
USE_CASE = '''

def namesakes(platform: Platform, team_id: str) -> Sequence[Team]:
    """Return the other teams whose names begin with the same two letters."""
    name = team_of(platform, team_id).name
    if len(name) < 2:
        raise RefusedError("short_name", tr("The name is too short."), name=name)
    return [team for team in platform.people.all_teams() if team.name[:2] == name[:2] and team.team_id != team_id]
'''
BODY = '''

class NamesakesBody(ReplyBody):
    """Teams whose names begin alike."""

    namesakes: list[TeamRow]
'''
Edit = tuple[str, str]
"""An anchor in the file, and the text that goes before it; to the end of the file if the anchor is empty."""
RECIPE: dict[str, list[Edit]] = {
    f"{CONTEST}/routes.py": [
        ("EXPORT_TEAMS: Final", 'NAMESAKES: Final = _organizers("GET", "/v1/namesakes/{team_id}")\n')
    ],
    f"{CONTEST}/people/wire.py": [("", BODY)],
    f"{CONTEST}/people/teams.py": [
        ("from contest.people.rules import", "from contest.refusals import RefusedError\n"),
        ("", USE_CASE),
    ],
    "functions/organize/people.py": [("", HANDLER)],
}
PROGRAM = """
import json
from contest.edge import document, documentation, web
from contest.refusals import ContestError
from contest.routes import NAMESAKES
from organize import people
from tests.apps import APPS
from tests.fakes import FakePlatform
from contest.people import teams
from tracks import registry

platform = FakePlatform()
people.platform = lambda: platform
for team_id, name in (("red", "Robins"), ("blue", "Rowers"), ("green", "G")):
    teams.add_team(platform, "somebody", team_id, name)
answered = people.list_namesakes("red").model_dump()
try:
    people.list_namesakes("green")
except ContestError as error:
    refused = json.loads(web.refusal(error, "id").body)["error"]
made = document.build(APPS, [registry.get("essay")])
operation = made["paths"][NAMESAKES.path]["get"]
print(json.dumps({
    "answered": [each["team_id"] for each in answered["namesakes"]],
    "refused": [refused["code"], refused["details"][0]["name"]],
    "operation": {name: operation[name] for name in ("operationId", "summary", "description", "tags", "security")},
    "responses": documentation.responses(made, operation),
    "body": "NamesakesBody" in made["components"]["schemas"],
    "written": sorted(path for path, methods in made["paths"].items() if "Namesakes" in json.dumps(methods)),
}))
"""


def carry_out(copy: Path, recipe: dict[str, list[Edit]]) -> None:
    for name, edits in recipe.items():
        text = (copy / name).read_text("utf-8")
        for before, added in edits:
            place = text.index(before) if before else len(text)
            text = text[:place] + added + text[place:]
        (copy / name).write_text(text, "utf-8")


def run(copy: Path) -> subprocess.CompletedProcess[str]:
    paths = [copy / "layers/contest/src", copy / "functions", ROOT]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in COPIED:  # with what is compiled of it: the copies have the times of their sources
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_new_list_of_the_organizers_is_written_in_four_files(copy: Path) -> None:
    assert len(RECIPE) <= MOST
    carry_out(copy, RECIPE)
    done = run(copy)
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert made["answered"] == ["blue"]
    assert made["refused"] == ["short_name", "G"]
    assert made["operation"] == {
        "operationId": "list_namesakes",
        "summary": "List namesakes of a team",
        "description": "List the other teams whose names begin alike, by id.",
        "tags": ["Organizers"],
        "security": [{"person": []}],
    }
    assert set(made["responses"]) == {"200", "304", "401", "403", "404", "409", "422", "429", "500", "503"}
    problem = made["responses"]["409"]["content"]["application/problem+json"]
    assert problem == {"schema": {"$ref": "#/components/schemas/Problem"}}
    assert made["body"]
    assert made["written"] == ["/v1/namesakes/{team_id}"]
