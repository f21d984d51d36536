"""``pku verify-archive`` on archives made by hand: valid ones, invalid ones, and files that are no archive."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from markup_core.accuracy import score_of, score_record
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.sample import summarise
from pku import archive
from pku.errors import PkuError
from tests.experts_stage import shipped
from tests.pku.platform import pku, pku_error
from tracks.essay.items import complete

ESSAYS = ("hist-01", "hist-02", "hist-04")
TEAMS = ("red", "blue")


def markup(team: str, item: str) -> Any:
    """Return the first expert's markup by red, and by blue its first two fragments."""
    found = shipped(item, 1)
    return found if team == "red" else {**found, "selections": found["selections"][:2]}


def result(rules: Mapping[str, Any], team: str, essays: tuple[str, ...]) -> dict[str, Any]:
    scoring = ScoringParams.from_dict({name: rules[name] for name in archive._SCORING})
    experts = {item: [shipped(item, 1), shipped(item, 2)] for item in essays}
    scores = [score_of(score_record(markup(team, item), experts[item], scoring)) for item in essays]
    return summarise(scores, 7).to_dict()


def files(fates: Mapping[str, str | None] = {}) -> dict[str, Any]:
    """Return a final of three essays; ``fates`` says why an essay was annulled for the red team."""
    rules, _ = complete({})
    told: dict[str, Any] = {
        "parameters.json": {"track": rules, "bootstrap_seed": 7, "max_voided_share": 0.05},
        "classifier.json": Classifier.default().to_dict(),
    }
    rows = []
    for team in TEAMS:
        causes = {item: fates.get(item) if team == "red" else None for item in ESSAYS}
        listed = [
            {"file_id": item, "state": "voided" if cause else "answered", "cause": cause}
            for item, cause in causes.items()
        ]
        told[f"markups/{team}/files.json"] = {"files": listed}
        told |= {f"markups/{team}/{item}.json": markup(team, item) for item in ESSAYS}
        answered = tuple(item for item in ESSAYS if causes[item] is None)
        counting = sum(cause not in {"platform", "organizer_decision"} for cause in causes.values())
        found = result(rules, team, answered)
        rows.append({"team_id": team, "files": counting, "answered": len(answered), "result": found})
    rows.sort(key=lambda row: -row["result"]["relative_accuracy"])
    told["board.json"] = {"rows": [{**row, "place": place} for place, row in enumerate(rows, start=1)]}
    for item in ESSAYS:
        told |= {f"experts/{item}/{number}-expert-{number}.json": shipped(item, number) for number in (1, 2)}
    return told


def written(path: Path, told: Mapping[str, Any]) -> Path:
    contents = {name: json.dumps(value, ensure_ascii=False).encode() for name, value in told.items()}
    listed = [
        {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in contents.items()
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in contents.items():
            made.writestr(name, content)
        made.writestr("manifest.json", json.dumps({"files": listed}))
    return path


@pytest.mark.clause("R 7.14", "platform §7 exports")
@pytest.mark.parametrize("cause", [None, "platform", "organizer_decision"])
def test_the_boards_numbers_come_out_over_the_files_that_count(tmp_path: Path, cause: str | None) -> None:
    verdict = archive.verify(written(tmp_path / "a.zip", files({"hist-04": cause})))
    assert verdict.faults == ()
    assert verdict.markups == (6 if cause is None else 5)
    assert {each.team_id: each.files for each in verdict.results} == {"red": 3 if cause is None else 2, "blue": 3}


def test_a_solution_that_missed_too_much_has_no_place(tmp_path: Path) -> None:
    verdict = archive.verify(written(tmp_path / "a.zip", files({"hist-04": "team_late"})))
    assert [(each.code, each.values["share"]) for each in verdict.faults] == [("annulled_solution", "33.3%")]


def test_another_place_another_team_and_another_number_are_found(tmp_path: Path) -> None:
    told = files()
    rows = told["board.json"]["rows"]
    rows[0]["place"], rows[1]["place"] = 2, 1
    rows.append({**rows[0], "team_id": "ghost"})
    rows[1]["result"]["by_subject"]["hist"]["expert_accuracy"] -= 1
    verdict = archive.verify(written(tmp_path / "a.zip", told))
    found = {(each.code, each.values["team"], each.values.get("number")) for each in verdict.faults}
    assert found == {
        ("unknown_team", "ghost", None),
        ("another_number", rows[0]["team_id"], "place"),
        ("another_number", rows[1]["team_id"], "place"),
        ("another_number", rows[1]["team_id"], "by_subject"),
    }


def programs() -> dict[str, Any]:
    """Return a private test of two teams: red's two runs with a sum of 1.8 and 2.0, blue's with 1.5."""
    told: dict[str, Any] = {"parameters.json": {"scorer": {"track": "fusion"}}}
    for run, team, total in (("r1", "red", 1.8), ("r2", "red", 2.0), ("b1", "blue", 1.5)):
        told[f"runs/{run}.json"] = {"run": run, "team_id": team, "result": {"s": total}}
    rows = [
        {"place": 1, "team_id": "red", "run": "r2", "value": 2.0},
        {"place": 2, "team_id": "blue", "run": "b1", "value": 1.5},
    ]
    return {**told, "board.json": {"board": "s", "rows": rows}}


_PLANTED: Mapping[str, tuple[Callable[[list[Any], dict[str, Any]], Any], set[tuple[str, str, str | None]]]] = {
    "nothing": (lambda rows, told: None, set()),
    "another value": (lambda rows, told: rows[0].update(value=2.1), {("another_number", "red", "value")}),
    "places changed": (
        lambda rows, told: (rows[0].update(place=2), rows[1].update(place=1)),
        {("another_number", "red", "place"), ("another_number", "blue", "place")},
    ),
    "a team left out": (lambda rows, told: rows.pop(), {("missing_team", "blue", None)}),
    "a team added": (
        lambda rows, told: rows.append({**rows[1], "team_id": "ghost"}),
        {("unknown_team", "ghost", None)},
    ),
    "another team's run": (lambda rows, told: rows[1].update(run="r1"), {("unknown_team", "blue", None)}),
    "a run that there is not": (lambda rows, told: rows[1].update(run="b9"), {("unknown_team", "blue", None)}),
    "the worse of two runs": (
        lambda rows, told: rows[0].update(run="r1", value=1.8),
        {("another_number", "red", "value")},
    ),
    "another result": (
        lambda rows, told: told["runs/b1.json"].update(result={"s": 1.6}),
        {("another_number", "blue", "value")},
    ),
    "a run without a result": (
        lambda rows, told: told["runs/b1.json"].update(result=None),
        {("unknown_team", "blue", None)},
    ),
}


@pytest.mark.clause("F test private")
@pytest.mark.parametrize("name", _PLANTED)
def test_each_fault_planted_in_an_archive_of_programs_runs_is_found(tmp_path: Path, name: str) -> None:
    told = programs()
    plant, due = _PLANTED[name]
    plant(told["board.json"]["rows"], told)
    path = written(tmp_path / "a.zip", told)
    verdict = archive.verify(path)
    found = {(each.code, each.values["team"], each.values.get("number")) for each in verdict.faults}
    assert due <= found if due else not found
    assert (verdict.unit, verdict.markups) == ("runs", 3)
    pku("verify-archive", str(path), code=1 if due else 0)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive at all"])
def test_what_is_no_archive_is_told_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pku_error("not_an_archive"):
        archive.verify(path)


@pytest.mark.parametrize(
    "name", ["board.json", "parameters.json", "markups/red/hist-01.json", "experts/hist-01/1-e.json"]
)
@pytest.mark.parametrize("value", [None, [], {}, {"rows": 1, "track": 2, "text": 3}])
def test_an_archive_of_nonsense_is_no_archive_and_no_crash(tmp_path: Path, name: str, value: Any) -> None:
    path = written(tmp_path / "a.zip", {**files(), name: value})
    verdict = json.loads(pku("verify-archive", str(path), "--json", code=1).stdout)
    assert verdict["error"]["code"] == "not_an_archive" if "error" in verdict else verdict["faults"]


def test_a_bomb_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.zip", files())
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(PkuError):
        archive.verify(path)


def test_the_command_says_what_it_found_in_both_languages_and_to_programs(tmp_path: Path) -> None:
    sound = written(tmp_path / "a.zip", files())
    told = files()
    told["markups/red/hist-01.json"]["selections"] = []
    other = written(tmp_path / "b.zip", told)
    output = pku("verify-archive", str(sound), "--lang", "en").stdout
    assert "The archive is sound" in output
    assert "Looked at 17 files, scored 6 markups, recomputed 2 teams." in output
    assert "Архив НЕ верен." in pku("verify-archive", str(other), "--lang", "ru", code=1).stdout
    body = json.loads(pku("verify-archive", str(other), "--json", "--lang", "en", code=1).stdout)
    assert (body["sound"], body["results"][0]["team_id"] in TEAMS) == (False, True)
    assert {each["code"] for each in body["faults"]} == {"another_number"}
