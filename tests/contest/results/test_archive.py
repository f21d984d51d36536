"""Archive of a final (R 7.14): its contents, the board's numbers computed from it, and when it is available."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest import reading, stored_names
from contest.adapters import aws
from contest.cycle.rules.cycle import Page, PageVersion
from contest.cycle.rules.notices import Announcement, AnnouncementKind
from contest.people.rules import Application, Change, Decision, Role
from contest.people.teams import decide_on_team
from contest.results import publishing, settling
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.values import iso
from markup_core.accuracy import score_of, score_record
from markup_core.sample import summarise
from pku import archive as checking
from tests.experts_final import TEXTS, Played, published
from tests.run_stage import RunOnStage
from tests.stage import Answered, Stage, staged
from tests.stage_kept import Setting, played_once
from tests.stage_services import BUCKET
from tracks.protocol import Text


class Archived:
    """A final of two essays whose results are published."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.played = stage, Played(stage)
        self.run_id = self.played.run.run_id
        self.played.mark_up("hist-01", 1, 2)
        self.played.mark_up("hist-02", 1, 2)
        self.played.mark_up("hist-02", 3)
        self.played.mark()
        self.board = published(self.played)

    def settle(self) -> None:
        self.stage.tick(after=60)

    def get(self, *, follow: bool = True) -> Answered:
        self.stage.advance(10)
        return self.stage.request("GET", f"/v1/runs/{self.run_id}/archive", follow=follow)

    def names(self) -> list[str]:
        return list(self.stage.platform.blobs.names(stored_names.archives_of(self.run_id)))


STAGE = Setting("demo")


@pytest.fixture
def final(stage: Stage) -> Archived:
    return played_once(stage, Archived)


def files_of(answered: Answered) -> dict[str, bytes]:
    assert answered.status == 200, answered.text
    with zipfile.ZipFile(io.BytesIO(answered.content)) as found:
        assert found.testzip() is None
        return {each.filename: found.read(each) for each in found.infolist()}


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_r_7_14_the_archive_holds_everything_under_its_hash_and_no_personal_data(final: Archived) -> None:
    assert final.get().code == "archive_not_made"
    final.settle()
    files = files_of(final.get())
    manifest = json.loads(files.pop("manifest.json"))
    assert [(each["name"], each["sha256"], each["bytes"]) for each in manifest["files"]] == [
        (name, hashlib.sha256(content).hexdigest(), len(content)) for name, content in sorted(files.items())
    ]
    assert manifest["licence"] == "CC-BY-4.0"
    assert files["LICENSE.txt"].startswith(b"Creative Commons Attribution 4.0 International")
    assert {"README.md", "README.ru.md", "record.json", "board.json", "parameters.json"} < set(files)
    essays = {TEXTS[json.loads(files[name])["text"]]: name for name in files if name.startswith("essays/")}
    assert set(essays) == {"hist-01", "hist-02"}
    third = essays["hist-02"].removeprefix("essays/").removesuffix(".json")
    experts = sorted(name for name in files if name.startswith(f"experts/{third}/"))
    assert len(experts) == 3
    assert len({name.partition("-")[2] for name in experts}) == 3
    assert len([name for name in files if name.startswith("markups/")]) == 2 * (2 + 1)
    everything = b"".join(files.values()).decode()
    known = {each.pseudonym for each in final.stage.platform.experts.all()}
    for secret in ("anna", "boris", "clara", "hist-01", "hist-02", "example.org", "olga", *known):
        assert secret not in everything, secret


@pytest.mark.clause("R 7.14", "R 4.7", "R 3.1")
def test_answers_and_the_accepted_regulation_of_when_the_results_came_out_are_in_the_archive(final: Archived) -> None:
    """A later answer, one withdrawn before, and a general announcement are not in the archive."""
    out = final.stage.platform.runs.get(final.run_id).published_at
    before, after = out - 1_000, out + 1_000
    states = {
        "kept": (before, None),
        "changed later": (before, after),
        "withdrawn": (before, before),
        "late": (after, None),
    }
    for name, (published_at, ended_at) in states.items():
        words = Text(name, f"{name} по-русски")
        answer = Announcement(name, AnnouncementKind.ANSWER, words, words, before)
        answer = replace(answer, published_at=published_at, ended_at=ended_at)
        final.stage.platform.announcements.add(answer, None)
        general = replace(answer, announcement_id=f"general {name}", kind=AnnouncementKind.GENERAL)
        final.stage.platform.announcements.add(general, None)
    # and which version of the regulation each team has accepted
    platform, team_id = final.stage.platform, final.board[0]["team_id"]
    cycle, words = reading.written_cycle(platform), {"en": "Rules", "ru": "Положение"}
    versions = tuple(PageVersion(at, sha256) for at, sha256 in ((out - 1, "a" * 64), (out + 1, "b" * 64)))
    change = Change(1, "person:olga", "page published", "rules", None, {})
    platform.catalogue.publish(replace(cycle, pages=(Page("rules", words, versions),)), None, change, [])
    team = platform.people.team(team_id)
    applied = replace(team, application=Application("", "a@example.org", "", 1, 1), version=team.version + 1)
    platform.people.set_team(team, applied, change)
    final.stage.restart()
    final.settle()
    files = files_of(final.get())
    answers, regulation = json.loads(files["questions.json"])["answers"], json.loads(files["regulation.json"])
    assert [answer["title"]["en"] for answer in answers] == ["changed later", "kept"]
    assert answers[0] == {"title": answers[0]["text"], "text": answers[0]["text"], "published_at": iso(before)}
    assert regulation["versions"] == [{"version": 1, "at": iso(out - 1), "sha256": "a" * 64}]
    assert regulation["accepted"][team_id] == 1
    assert set(regulation["accepted"].values()) == {1, None}


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_r_7_14_the_boards_numbers_come_out_of_the_archive_alone(final: Archived, tmp_path: Path) -> None:
    """Computed here from the extracted files by the scoring library, and by the participants' command."""
    first = final.board[0]["team_id"]
    decided = Decision("for comparison", baseline=True)
    decide_on_team(final.stage.platform, "tests", first, decided)
    final.settle()
    answered = final.get()
    rows = json.loads(files_of(answered)["board.json"])["rows"]
    assert [(row["team_id"], row["place"], row["value"]) for row in rows] == [
        (row["team_id"], place or None, row["value"]) for place, row in enumerate(final.board)
    ], "a baseline stands there without a place"
    files = {name: content for name, content in files_of(answered).items() if name.endswith(".json")}
    told = {name: json.loads(content) for name, content in files.items()}
    rules, seed = checking._rules(checking._Archive(zipfile.ZipFile(io.BytesIO(answered.content)))).scoring, 20261121
    for row in final.board:
        scores = []
        for each in told[f"markups/{row['team_id']}/files.json"]["files"]:
            experts = [told[name] for name in sorted(told) if name.startswith(f"experts/{each['file_id']}/")]
            markup = told[f"markups/{row['team_id']}/{each['file_id']}.json"]
            scores.append(score_of(score_record(markup, experts, rules)))
        found = summarise(scores, seed).to_dict()
        assert found["relative_accuracy"] == row["result"]["relative_accuracy"]
        assert found["by_subject"] == row["result"]["by_subject"]
    path = tmp_path / "archive.zip"
    path.write_bytes(answered.content)
    verdict = checking.verify(path)
    assert verdict.faults == ()
    assert [(each.place, each.team_id, each.relative_accuracy) for each in verdict.results] == [
        (place or None, row["team_id"], row["result"]["relative_accuracy"]) for place, row in enumerate(final.board)
    ]
    assert verdict.markups == 4


@pytest.mark.slow
@pytest.mark.clause("R 7.14", "R 7.11")
def test_r_7_14_there_is_no_archive_before_publication_and_none_after_withdrawal(stage: Stage) -> None:
    final = Archived(stage)
    publishing.hide(stage.platform, "olga", final.run_id)
    final.settle()
    assert final.names() == []
    assert final.get().code == "results_not_published"
    publishing.publish(stage.platform, "olga", final.run_id)
    final.settle()
    (name,) = final.names()
    first = final.get().content
    told = aws.client("s3").head_object(Bucket=BUCKET, Key=name)
    assert told["CacheControl"] == "public, max-age=60"
    publishing.hide(stage.platform, "olga", final.run_id)
    assert final.get(follow=False).code == "results_not_published"
    final.settle()
    assert final.names() == []
    publishing.publish(stage.platform, "olga", final.run_id)
    stage.restart()
    final.settle()
    assert final.get().content == first


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_r_7_14_a_decision_about_the_results_makes_another_archive(final: Archived, tmp_path: Path) -> None:
    final.settle()
    (before,) = final.names()
    final.played.run.decide(Wish(Kind.VOID, "a fault in the essay", (1,)))
    final.settle()
    final.settle()
    (after,) = final.names()
    assert after != before
    path = tmp_path / "archive.zip"
    path.write_bytes(final.get().content)
    verdict = checking.verify(path)
    assert verdict.faults == ()
    assert {each.files for each in verdict.results} == {1}
    rows = final.played.run.board().json["rows"]
    assert [each.relative_accuracy for each in verdict.results] == [row["result"]["relative_accuracy"] for row in rows]
    assert rows != final.board


@pytest.mark.clause("R 7.14", "platform §4 settlement")
def test_r_7_14_lost_and_doubled_steps_make_the_same_archive(final: Archived) -> None:
    stage = final.stage
    stage.advance(60)
    stage.tick(settles=False)
    assert stage.lose(stage.platform.settings.settlement_queue_url) == 2
    assert final.names() == []
    stage.advance(60)
    stage.tick(settles=False)
    assert stage.settle(deliveries=3) == []
    (name,) = final.names()
    first = final.get().content
    stage.platform.blobs.delete(name)
    settling.send_due_steps(stage.platform, final.run_id)
    assert stage.settle() == []
    assert final.get().content == first
    assert settling.send_due_steps(stage.platform, final.run_id) == 0


def test_an_archive_of_withdrawn_results_is_dropped(final: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    really = settling.assembled_archive

    def withdrawn_meanwhile(*of: Any) -> bytes:
        made = really(*of)
        publishing.hide(final.stage.platform, "olga", final.run_id)
        return made

    platform = final.stage.platform
    for step in settling.due_archives(platform, final.played.run.run):
        settling.settle_archive(platform, step)
    (last,) = settling.due_archives(platform, final.played.run.run)
    monkeypatch.setattr(settling, "assembled_archive", withdrawn_meanwhile)
    settling.settle_archive(platform, last)
    assert final.names() == []


@pytest.mark.clause("R 7.14")
def test_a_team_that_leaves_the_board_leaves_the_archives(final: Archived) -> None:
    final.settle()
    assert len(json.loads(files_of(final.get())["board.json"])["rows"]) == 2
    decision = {"status": "disqualified", "reason": "cheated"}
    assert final.played.olga.ask("POST", "/v1/teams/blue/decision", decision).status == 200
    final.settle()
    rows = json.loads(files_of(final.get())["board.json"])["rows"]
    assert [(row["place"], row["team_id"]) for row in rows] == [(1, "red")]


def test_a_contest_that_says_not_what_may_be_published_has_no_archive(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        run = RunOnStage(stage, 1, "red").play().finish()
        assert run.get("archive").code == "results_not_published"
        publishing.publish(stage.platform, "organizer", run.run_id)
        stage.tick(after=60)
        assert (run.get("archive").status, run.get("archive").code) == (404, "no_archive")


def changed(content: bytes, name: str, value: bytes | None) -> bytes:
    """Return an archive with another content of a file, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for each in before.infolist():
            if each.filename != name:
                after.writestr(each.filename, before.read(each))
        if value is not None:
            after.writestr(name, value)
    return out.getvalue()


def remade(content: bytes, name: str, value: bytes | None) -> bytes:
    """Return a changed archive whose manifest fits."""
    made = changed(content, name, value)
    with zipfile.ZipFile(io.BytesIO(made)) as found:
        manifest = json.loads(found.read("manifest.json"))
        listed = [
            {"name": each, "sha256": hashlib.sha256(found.read(each)).hexdigest(), "bytes": len(found.read(each))}
            for each in sorted(found.namelist())
            if each != "manifest.json"
        ]
    return changed(made, "manifest.json", json.dumps({**manifest, "files": listed}).encode())


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_whatever_is_changed_in_an_archive_is_found(final: Archived, tmp_path: Path) -> None:
    final.settle()
    content = final.get().content
    files = files_of(final.get())
    path = tmp_path / "archive.zip"

    def found(made: bytes) -> set[str]:
        path.write_bytes(made)
        return {each.code for each in checking.verify(path).faults}

    markup = next(name for name in files if name.startswith("markups/red/") and "files" not in name)
    empty = json.dumps({**json.loads(files[markup]), "selections": []}).encode()
    board = json.loads(files["board.json"])
    board["rows"][0]["result"]["relative_accuracy"] += 1e-9
    assert found(content) == set()
    assert found(changed(content, markup, empty)) == {"another_content"}
    assert found(changed(content, markup, None)) == {"missing_file"}
    assert found(changed(content, "more.json", b"{}")) == {"unlisted_file"}
    assert found(remade(content, markup, empty)) == {"another_number"}
    assert found(remade(content, markup, None)) == {"missing_markup", "another_number"}
    assert found(remade(content, "board.json", json.dumps(board).encode())) == {"another_number"}


@pytest.mark.clause("platform §7 doctor", "R 7.14")
def test_an_archive_whose_workers_were_lost_is_found_by_the_doctor_and_made(final: Archived) -> None:
    stage = final.stage
    stage.lose(stage.platform.settings.settlement_queue_url)

    def missing() -> list[Any]:
        stage.advance(1)
        found = stage.request("GET", "/v1/doctor", None, stage.person(Role.ORGANIZER)).json["findings"]
        return [each["subject"] for each in found if each["ailment"] == "archive_missing"]

    assert missing() == []
    stage.advance(16 * 60)
    assert missing() == [final.played.run.run_id]
    mended = stage.request(
        "POST", "/v1/doctor/mend", {"ailments": ["archive_missing"]}, stage.person(Role.ORGANIZER)
    ).json["mended"]
    assert [each["error"] for each in mended] == [""]
    assert stage.settle() == []
    assert missing() == []
    assert len(final.names()) == 1
