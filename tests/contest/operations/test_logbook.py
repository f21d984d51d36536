"""The log of changes over days (platform §1): ranges, filters, pages, CSV and JSON lines over HTTP."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from contest.operations import overview
from contest.operations.overview import COLUMNS, LogOrder
from contest.operations.rules import DeadLetter
from contest.people.rules import Change, Role
from contest.people.teams import add_team
from contest.stored_names import LetterQueue
from contest.values import DAY, utc_day
from tests.fakes import FakePlatform
from tests.stage import START, Answered, Stage

DAYS = [utc_day(START + number * DAY) for number in range(4)]


@pytest.fixture
def written(stage: Stage) -> Stage:
    """Teams entered on three days, by two people; the stage's own entries are the first day's."""
    for number, day in enumerate((0, 0, 1, 2, 2)):
        stage.set_clock(START + day * DAY + number)
        add_team(stage.platform, "command:anna" if number % 2 else "command:boris", f"team-{number}", f"Team {number}")
    return stage


def ask(stage: Stage, form: str, query: str, role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request("GET", f"/v1/audit.{form}?{query}", None, stage.person(role))


def lines(stage: Stage, query: str) -> list[dict[str, Any]]:
    answered = ask(stage, "jsonl", query)
    assert answered.status == 200, answered.text
    assert answered.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answered.text.splitlines()]


def teams(found: list[dict[str, Any]]) -> list[str]:
    return [each["subject"] for each in found if each["subject"].startswith("team-")]


@pytest.mark.clause("platform §1 audit")
def test_platform_1_the_log_is_told_of_days_by_who_what_and_whose_and_of_no_other_days(written: Stage) -> None:
    whole = lines(written, f"from={DAYS[0]}&to={DAYS[2]}")
    assert teams(whole) == ["team-0", "team-1", "team-2", "team-3", "team-4"]
    assert [each["at"] for each in whole] == sorted(each["at"] for each in whole)
    assert teams(lines(written, f"from={DAYS[1]}&to={DAYS[1]}")) == ["team-2"]
    assert teams(lines(written, f"from={DAYS[1]}&to={DAYS[2]}")) == ["team-2", "team-3", "team-4"]
    assert lines(written, f"from={DAYS[3]}&to={DAYS[3]}") == []
    days = f"from={DAYS[0]}&to={DAYS[2]}"
    assert teams(lines(written, f"{days}&who=command:anna")) == ["team-1", "team-3"]
    assert teams(lines(written, f"{days}&subject=team-4")) == ["team-4"]
    assert teams(lines(written, f"{days}&subject=team")) == []
    assert len(teams(lines(written, f"{days}&what=TEAM"))) == 5
    assert lines(written, f"{days}&what=no+such+thing") == []
    assert teams(lines(written, f"{days}&who=command:anna&subject=team-0")) == []
    for query, code in (
        (f"from={DAYS[1]}&to={DAYS[0]}", "log_range"),
        ("from=2024-01-01&to=2026-01-01", "log_range"),
        ("from=2026-02-30&to=2026-03-01", "invalid_request"),
        (f"from={DAYS[0]}", "invalid_request"),
        (f"from={DAYS[0]}&to={DAYS[0]}&after=x", "invalid_request"),
        (f"from={DAYS[0]}&to={DAYS[0]}&limit=1001", "invalid_request"),
    ):
        assert ask(written, "jsonl", query).code == code, query
    assert ask(written, "csv", "from=2024-01-01&to=2025-02-03").status == 200, "four hundred days"


def test_pages_follow_on_one_another_across_days_and_filters_and_cursors_are_of_one_entry_each(written: Stage) -> None:
    days = f"from={DAYS[0]}&to={DAYS[2]}&what=team"
    seen, after = list[str](), ""
    while page := lines(written, f"{days}&limit=2{after}"):
        assert len(page) <= 2
        seen += teams(page)
        assert len(seen) <= 5, "what was seen comes no second time"
        after = f"&after={page[-1]['cursor']}"
    assert seen == ["team-0", "team-1", "team-2", "team-3", "team-4"]
    result = lines(written, f"from={DAYS[0]}&to={DAYS[2]}")
    assert len({entry["cursor"] for entry in result}) == len(result)
    letter = DeadLetter("scoring-a", LetterQueue.SCORING, "{}", "", 1, 2, 3, 1, 5, ())
    same = [Change(written.now, "me", f"change {number}", "x", None, None) for number in range(5)]
    for number, change in enumerate(same):
        before = letter if number else None
        written.platform.dead_letters.put(before, letter, change)
    day = utc_day(written.now)
    whole = [each["what"] for each in lines(written, f"from={day}&to={day}&who=me")]
    assert sorted(whole) == [each.what for each in same], "entries of one moment, each once"


def test_csv_has_the_same_entries_with_what_was_and_is_as_json_and_no_cell_is_a_formula(written: Stage) -> None:
    days = f"from={DAYS[0]}&to={DAYS[2]}&who=command:anna"
    answered = ask(written, "csv", days)
    assert answered.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answered.text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    expected = lines(written, days)
    read = [{**row, "before": json.loads(row["before"]), "after": json.loads(row["after"])} for row in rows]
    assert read == expected
    found = [("c", Change(1, "=cmd()", "＠what", "+1", None, None))]
    (_, row) = csv.reader(io.StringIO(overview.as_csv(found), newline=""))
    assert row[2:5] == ["'=cmd()", "'＠what", "'+1"]


def test_a_day_that_no_page_needs_is_not_read() -> None:
    platform = FakePlatform()
    read: list[str] = []

    def between(first: str, last: str, after: str | None) -> Any:
        for number in range(3):
            read.append(f"{number}")
            yield f"{number:013d}-{number:016x}", Change(number, "me", "team added", "red", None, None)

    platform.audit_log.between = between  # type: ignore[method-assign]
    order = LogOrder("2026-01-01", "2026-01-03")
    assert len(overview.entries(platform, order, 1, None)) == 1
    assert read == ["0"]
