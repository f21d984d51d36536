"""Cycles of one contest: pages in versions, earlier cycles, the end by the barrier, bans and teams carried over."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contest.cycle.loading import CycleFaultsError
from contest.cycle.publications import too_many_versions
from contest.cycle.rules.cycle import LONGEST_PAGE, MOST_VERSIONS, Page, PageVersion, published_pages
from contest.people.rules import Role
from contest.people.teams import COLUMNS
from contest.values import DAY, iso, sha256_hex
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.people.test_team_life import FORM, Somebody
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Stage
from tests.toys import toy_cycle

RULES = {"title": {"ru": "Регламент", "en": "Regulation"}}
GUIDE = {"title": {"ru": "Рекомендации", "en": "Guidelines"}}
EARLIER = {
    "cycle": "spring-2026",
    "title": {"ru": "Весна", "en": "Spring"},
    "work": {"ru": "Разметка эссе", "en": "Marking up essays"},
    "first": "2026-01-12",
    "last": "2026-05-30",
    "unit": "%",
    "rows": [
        {"place": None, "team": "Pilot", "value": 101.0, "overcame": True},
        {"place": 1, "team": "Red", "value": 96.4},
        {"place": 2, "team": "Blue", "value": None},
    ],
    "published": [{"name": "essays", "url": "https://example.org/spring.zip"}],
}


def paged(text: str, **pages: Any) -> dict[str, Any]:
    """Return a cycle with pages, each with this text in English."""
    files = toy_cycle()
    files["cycle.json"]["pages"] = pages
    for name in pages:
        files |= {f"pages/{name}.en.md": text.encode(), f"pages/{name}.ru.md": "# Правила".encode()}
    return files


@pytest.mark.clause("D 6.2.1", "D 8.19")
def test_pages_keep_every_version_with_its_day_and_fingerprint(stage: Stage) -> None:
    first = stage.now
    stage.load(paged("# Rules\r\n1. Be fair.", rules=RULES, guide=GUIDE))
    stage.advance(3600)
    stage.load(paged("# Rules\n2. Be fair and quick.", rules=RULES))
    stage.restart()
    pages = stage.request("GET", "/v1/cycle").json["pages"]
    assert [(page["name"], page["title"]["en"], len(page["versions"])) for page in pages] == [
        ("rules", "Regulation", 2),
        ("guide", "Guidelines", 1),
    ], "a page that is not named stays"
    assert [version["at"] for version in pages[0]["versions"]] == [iso(first), iso(first + 3_600_000)]
    newest = stage.request("GET", "/v1/pages/rules").json
    assert (newest["number"], newest["text"]["en"]) == (2, "# Rules\n2. Be fair and quick.")
    of_first_day = stage.request("GET", "/v1/pages/rules?version=1").json
    assert of_first_day["text"] == {"en": "# Rules\n1. Be fair.", "ru": "# Правила"}
    stored = json.dumps(of_first_day["text"], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert of_first_day["version"]["sha256"] == sha256_hex(stored.encode()) == pages[0]["versions"][0]["sha256"]
    for path in ("/v1/pages/rules?version=3", "/v1/pages/nothing"):
        assert (stage.request("GET", path).status, stage.request("GET", path).code) == (404, "unknown_page")
    assert stage.request("GET", "/v1/pages/rules?version=0").status == 422


def test_a_page_that_cannot_be_read_is_named(stage: Stage) -> None:
    for content in (None, b"", b">" * 33 + b" x", b"  " * 33 + b"- x", b"\xff", b"a" * (LONGEST_PAGE + 1)):
        files = paged("x", rules=RULES) | ({} if content is None else {"pages/rules.en.md": content})
        if content is None:
            del files["pages/rules.en.md"]
        with pytest.raises(CycleFaultsError) as refused:
            stage.load(files)
        code = "missing_file" if content is None else "wrong_page"
        assert [(fault.code, fault.file) for fault in refused.value.faults] == [(code, "pages/rules.en.md")]


def test_a_page_has_so_many_versions_and_no_more() -> None:
    full = Page("rules", {}, tuple(PageVersion(at, str(at)) for at in range(MOST_VERSIONS)))
    (same,) = published_pages([full], {"rules": ({}, str(MOST_VERSIONS - 1))}, 999)
    assert len(same.versions) == MOST_VERSIONS, "the same text makes no version"
    (another,) = published_pages([full], {"rules": ({}, "new")}, 999)
    (fault,) = too_many_versions([full, another])
    assert (fault.code, fault.file) == ("too_many_versions", "pages/rules.en.md")
    assert full.numbered(0) is full.numbered(MOST_VERSIONS + 1) is None


@pytest.mark.clause("R 4.1", "R 4.8")
def test_earlier_cycles_are_listed_with_their_boards(stage: Stage) -> None:
    assert stage.request("GET", "/v1/earlier-cycles").json == {"cycles": []}
    files = toy_cycle()
    files["cycle.json"]["earlier_cycles"] = [EARLIER, {**EARLIER, "cycle": "autumn-2025", "last": "2025-12-01"}]
    files["cycle.json"]["ends_at_barrier"] = True
    stage.load(files)
    stage.restart()
    cycles = stage.request("GET", "/v1/earlier-cycles").json["cycles"]
    assert [cycle["cycle"] for cycle in cycles] == ["spring-2026", "autumn-2025"]
    entry = cycles[0]
    assert (entry["teams"], entry["best"], entry["overcame"]) == (2, 96.4, False), "a baseline overcomes nothing"
    assert entry["rows"][0] == {"place": None, "team": "Pilot", "value": 101.0, "overcame": True}
    assert entry["published"][0]["url"] == "https://example.org/spring.zip"


def test_an_earlier_cycle_is_bounded_and_checked(stage: Stage) -> None:
    files = toy_cycle()
    for wrong in (
        {"first": "2026-13-01"},
        {"rows": [{"place": 0, "team": "Red", "value": 1.0}]},
        {"published": [{"name": "x", "url": "javascript:alert(1)"}]},
        {"rows": [{"place": 1, "team": "Red", "value": 1.0}] * 201},
        {"title": {"en": "Spring"}},
        {"more": 1},
    ):
        files["cycle.json"]["earlier_cycles"] = [{**EARLIER, **wrong}]
        with pytest.raises(CycleFaultsError):
            stage.load(files)


@pytest.mark.clause("R 4.8")
def test_no_cycle_begins_after_one_whose_final_overcame_the_barrier_unless_the_organizers_say_so(stage: Stage) -> None:
    files = toy_cycle()
    over = {**EARLIER, "rows": [{"place": 1, "team": "Red", "value": 100.0, "overcame": True}]}
    files["cycle.json"] |= {"earlier_cycles": [over], "ends_at_barrier": True}
    with pytest.raises(CycleFaultsError) as refused:
        stage.load(files)
    (fault,) = refused.value.faults
    assert (fault.code, fault.where["field"]) == ("contest_over", "earlier_cycles")
    for override in (False, None):
        files["cycle.json"]["ends_at_barrier"] = override
        stage.load(files)


@pytest.mark.clause("R 4.8", "R 5.2")
def test_a_published_final_over_the_barrier_ends_the_contest(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue")
    played.play({number: {"blue": "abxx"} for number in range(1, 5)})
    played.finish()
    ending = run_cycle(4)
    ending["cycle.json"]["ends_at_barrier"] = True
    stage.load(ending)
    stage.restart()
    olga = Somebody(stage, "olga", Role.ORGANIZER)
    decision = f"/v1/conduct/boards/{played.run_id}/decision"

    def planned(**more: Any) -> Any:
        starts = {"starts_at": iso(stage.now + DAY), "mode": "final", "set": "final", "interval_s": 60, **more}
        return olga.ask("POST", "/v1/conduct/runs/preview", starts)

    assert stage.request("GET", "/v1/cycle").json["end"] is None
    assert planned().status == 200
    assert olga.ask("POST", decision, {"state": "published", "reason": "all is well"}).status == 200
    stage.advance(10)
    end = stage.request("GET", "/v1/cycle").json["end"]
    assert (end["run_id"], end["teams"]) == (played.run_id, ["Team red"])
    assert planned().refusal == (409, "contest_over")
    assert planned(trial=True).status == 200
    baseline = {"baseline": True, "reason": "our own program"}
    assert olga.ask("POST", "/v1/teams/red/decision", baseline).status == 200
    stage.advance(10)
    assert planned().status == 200, "a baseline ends nothing"
    olga.ask("POST", "/v1/teams/red/decision", {**baseline, "baseline": False})
    stage.advance(10)
    assert planned().code == "contest_over"
    stage.load(run_cycle(4))
    stage.restart()
    stage.advance(60)
    assert (planned().status, stage.request("GET", "/v1/cycle").json["end"]) == (200, None)


def table(*rows: dict[str, str]) -> str:
    return "\r\n".join([",".join(COLUMNS), *(",".join(row.get(name, "") for name in COLUMNS) for row in rows)])


@pytest.mark.clause("R 11.7", "D 12.12")
def test_bans_and_agreeing_teams_are_carried_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage.load()
    soon, past = iso(stage.now + 30 * DAY), iso(stage.now + 1000)
    stage.team("known")
    rows = (
        {"team_id": "cheats", "name": "Cheats", "status": "disqualified", "reason": "copied answers"},
        {"team_id": "late", "name": "Late", "status": "disqualified", "reason": "a ban", "banned_until": soon},
        {"team_id": "free", "name": "Free", "status": "disqualified", "banned_until": past},
        {"team_id": "green", "name": "Green", "status": "approved", "contact": "g@example.org", "agrees": "yes"},
        {"team_id": "grey", "name": "Grey", "status": "approved", "contact": "x@example.org", "agrees": "no"},
        {"team_id": "gone", "name": "Gone", "status": "withdrawn", "agrees": "yes"},
        {"team_id": "known", "name": "Known", "status": "approved", "agrees": "yes"},
        {"team_id": "late", "name": "Twice", "status": "disqualified"},
        {"team_id": "alike", "name": "CHEATS", "status": "disqualified"},
    )
    (tmp_path / "teams.csv").write_text(table(*rows), "utf-8")
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    people = stage.platform.people
    with patch.object(people, "all_teams", wraps=people.all_teams) as read:
        first = json.loads(run("cycle", "carry", str(tmp_path), "--json").stdout)
    assert read.call_count == 1, "all teams are read once a table, not once a row"
    assert first["added"] == ["cheats", "late", "green"]
    assert {row["team_id"]: row["code"] for row in first["left"]} == {
        "free": "ban_over",
        "grey": "not_agreed",
        "gone": "took_no_part",
        "known": "known_team",
        "late": "known_team",
        "alike": "name_taken",
    }
    again = run("cycle", "carry", str(tmp_path / "teams.csv")).stdout
    assert again.startswith("0 teams carried")
    olga = Somebody(stage, "olga", Role.ORGANIZER)
    teams = {team["team_id"]: team for team in olga.ask("GET", "/v1/teams").json["teams"]}
    assert (teams["late"]["status"], teams["late"]["banned_until"]) == ("disqualified", soon)
    assert (teams["cheats"]["reason"], teams["cheats"]["banned_until"]) == ("copied answers", None)
    assert teams["green"]["status"] == "applied"
    assert "grey" not in teams
    assert "x@example.org" not in stage.everything_stored(), "nothing is kept of who has not agreed"
    eve = Somebody(stage, "eve")
    assert eve.apply(team_id="other", team_name="CHEATS").code == "name_taken"
    broken = table({"team_id": "odd", "name": "Odd", "status": "banned"})
    (tmp_path / "teams.csv").write_text(broken, "utf-8")
    assert "malformed_table" in run("cycle", "carry", str(tmp_path)).output
    for column, most in (("organization", 200), ("contact", 250), ("reason", 4000)):
        long = {"team_id": "long", "name": "Long", "status": "approved", "agrees": "no", column: "😀" * most}
        (tmp_path / "teams.csv").write_text(table(long), "utf-8")
        assert run("cycle", "carry", str(tmp_path)).exit_code == 0
        (tmp_path / "teams.csv").write_text(table({**long, column: f"{long[column]}x"}), "utf-8")
        assert f"{column}: {most + 1} > {most}" in run("cycle", "carry", str(tmp_path)).output
    (tmp_path / "teams.csv").unlink()
    assert "contest team export" in run("cycle", "carry", str(tmp_path)).output


@pytest.mark.clause("D 6.2.1", "D 8.19")
def test_a_page_is_published_listed_and_shown(stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stage.load(paged("# One", rules=RULES))
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    files = [tmp_path / f"{language}.md" for language in ("en", "ru")]

    def publish(name: str, english: str, *titles: str) -> Any:
        for file, text in zip(files, (english, "# Два"), strict=True):
            file.write_text(text, "utf-8")
        return run("pages", "publish", name, "--en", str(files[0]), "--ru", str(files[1]), *titles)

    for _ in range(2):
        assert publish("rules", "# Two").stdout.startswith("page rules: version 2, SHA-256 "), "the same makes no other"
    assert "a new page has a title" in publish("guide", "# Guide").output
    assert publish("guide", "# Guide", "--title-en", "Guide", "--title-ru", "Указания").stdout.startswith(
        "page guide: version 1"
    )
    assert publish("guide", "# Guide", "--title-en", "Guide").exit_code == 2
    for wrong in ("", " \n", "a\0b", "x" * 200_001, f"{'- ' * 33}x"):
        assert publish("rules", wrong).exit_code == 1
    assert publish("longest", "x" * 200_000, "--title-en", "Longest", "--title-ru", "Длинная").exit_code == 0
    stage.restart()
    stage.advance(60)
    listed = json.loads(run("pages", "list", "--json").stdout)
    assert [(page["name"], len(page["versions"])) for page in listed] == [("rules", 2), ("guide", 1), ("longest", 1)]
    assert "Regulation" in run("pages", "list").stdout
    assert run("pages", "show", "rules").stdout == "# Two\n"
    assert run("pages", "show", "rules", "--version", "1").stdout == "# One\n"
    assert run("--lang", "ru", "pages", "show", "rules").stdout == "# Два\n"
    stage.load(paged("# Two", guide=RULES))
    stage.restart()
    assert len(stage.request("GET", "/v1/cycle").json["pages"][0]["versions"]) == 2, "what a folder does not name stays"


@pytest.mark.clause("R 3.1", "D 8.19")
def test_an_application_records_the_version_of_the_regulation_that_it_accepts(stage: Stage) -> None:
    stage.load()
    anna, boris, olga = Somebody(stage, "anna"), Somebody(stage, "boris"), Somebody(stage, "olga", Role.ORGANIZER)
    assert boris.apply(team_id="early", team_name="Early").json["rules_version"] is None, "there was no page"
    for number, text in enumerate(("# One", "# Two"), 1):
        stage.load(paged(text, rules=RULES))
        stage.restart()
        stage.advance(60)
        applied = anna.apply() if number == 1 else anna.ask("PUT", "/v1/team/application", FORM)
        assert applied.json["rules_version"] == number
    listed = {team["team_id"]: team["rules_version"] for team in olga.ask("GET", "/v1/teams").json["teams"]}
    assert listed == {"early": None, "green": 2}


@pytest.mark.clause("R 11.7")
def test_a_captains_agreement_and_a_bans_end_are_in_the_table_for_the_next_cycle(stage: Stage) -> None:
    stage.load()
    anna, olga = Somebody(stage, "anna"), Somebody(stage, "olga", Role.ORGANIZER)
    assert anna.apply(agrees=True).json["agrees"] is True
    until = iso(stage.now + DAY)
    olga.decide("green", "approved")
    body = {"status": "disqualified", "reason": "rude", "banned_until": until}
    for wrong in ({"status": "suspended"}, {"status": None, "passed": True}, {"banned_until": iso(stage.now + 3000)}):
        refused = olga.ask("POST", "/v1/teams/green/decision", {**body, **wrong})
        assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "ban_end")
    assert olga.ask("POST", "/v1/teams/green/decision", body).json["banned_until"] == until
    lines = olga.ask("GET", "/v1/teams.csv").text.splitlines()
    assert lines[1].startswith("green,Зелёные,disqualified")
    assert lines[1].endswith(f",rude,{until},yes")
    assert olga.decide("green", "approved").json["banned_until"] is None, "a ban that is taken back has no end"


def test_an_archive_becomes_an_entry_no_other_file(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = ["--title-ru", "Весна", "--title-en", "Spring", "--work-ru", "Эссе", "--work-en", "Essays"]
    options += ["--first", "2026-01-12", "--last", "2026-05-30", "--link", "essays", "https://example.org/spring.zip"]
    archive, teams = tmp_path / "final.zip", tmp_path / "teams.csv"
    rows = [{"place": None, "team_id": "pilot", "value": 50.0, "overcame": False}, {"place": 1, "team_id": "red"}]
    teams.write_text("team_id,name\r\nred,'=Red\r\n", "utf-8")

    def entry_of(board: Any, name: str = "board.json") -> Any:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as opened:
            opened.writestr(name, board if isinstance(board, str) else json.dumps(board))
        archive.write_bytes(content.getvalue())
        return run("cycle", "earlier", str(archive), *options, "--teams", str(teams))

    sit_down(monkeypatch, stage, "")
    entry = json.loads(entry_of({"cycle": "spring-2026", "rows": rows}).stdout)
    assert [(row["place"], row["team"], row["value"], row["overcame"]) for row in entry["rows"]] == [
        (None, "pilot", 50.0, False),
        (1, "=Red", None, False),
    ]
    files = toy_cycle()
    files["cycle.json"]["earlier_cycles"] = [entry]
    stage.load(files)
    for wrong in (entry_of({"rows": rows}), entry_of([], "board.json"), entry_of({}, "other.json")):
        assert (wrong.exit_code, "no archive of a final" in wrong.output) == (1, True)
    content = bytearray(archive.read_bytes())
    for name in (b"PK\x03\x04", b"PK\x01\x02"):
        content[content.index(name) + (6 if name == b"PK\x03\x04" else 8)] |= 1
    broken = {archive: (bytes(content), b"not a zip"), teams: (b"a,b\r\n1,2", b"team_id,name\r\nred", b"\xe9")}
    for file, contents in broken.items():
        whole = entry_of({"cycle": "spring-2026", "rows": rows}) and file.read_bytes()
        for each in contents:
            file.write_bytes(each)
            wrong = run("cycle", "earlier", str(archive), *options, "--teams", str(teams))
            assert (wrong.exit_code, " is no " in wrong.output) == (1, True), wrong.output
        file.write_bytes(whole)
    assert "no archive of a final" in entry_of("[" * 100_000, "board.json").output
