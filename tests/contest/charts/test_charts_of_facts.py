"""Charts of what was played: a session's and a run's, with files that nobody answered or asked for."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from contest.charts import timeline
from contest.charts.timeline import FileTimes, run_chart, session_chart
from contest.values import HOUR, MINUTE, SECOND, from_iso
from markup_core.texts import Text
from tests.run_stage import ABSENT, SILENT, SLOW, RunOnStage
from tests.stage import Stage

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawn: bytes | str, kind: str | None = None) -> list[ET.Element]:
    root = ET.fromstring(drawn)  # noqa: S314 -- a chart of our own
    return [each for each in root.iter(f"{SVG}text") if kind is None or each.get("class") == kind]


@pytest.fixture
def played(stage: Stage) -> RunOnStage:
    made = RunOnStage(stage, 3, "red", "blue")
    made.play({1: {"red": ABSENT}, 2: {"red": SILENT}, 3: {"red": SLOW}})
    made.finish()
    return made


@pytest.mark.parametrize(("trial", "kind"), [(False, "Final: "), (True, "Final (trial): ")])
def test_a_sessions_chart_names_its_run_and_shows_every_file(stage: Stage, trial: bool, kind: str) -> None:
    played = RunOnStage(stage, 2, "red", trial=trial)
    played.play({1: {"red": SILENT}})
    played.finish()
    program = played.programs["red"]
    drawn = program.get("timeline").text
    assert f"{kind}{played.run_id}, red, {program.session_id}" in [each.text for each in texts(drawn)]
    silent, answered = [str(each.text) for each in ET.fromstring(drawn).iter(f"{SVG}title")][1:]  # noqa: S314
    assert ("hand-out" in silent, "answer +" in silent, "late" in silent) == (True, False, True)
    assert ("hand-out" in answered, "answer +" in answered) == (True, True)


def test_a_runs_chart_is_drawn_of_its_record_which_has_no_times_of_what_did_not_happen(played: RunOnStage) -> None:
    record = played.get("record").json["record"]
    drawn = timeline.chart_of_record(record)
    assert drawn.decode() == played.get("timeline").text
    names = [each.text for each in texts(drawn)]
    assert {"red", "blue"} <= set(names)
    assert f"Run {played.run_id}, {record['run']['starts_at'][:10]} (UTC)" in names
    (red,) = (each["files"] for each in record["sessions"] if each["team_id"] == "red")
    assert [(each["handed_out_at"] is None, each["answered_at"] is None) for each in red] == [
        (True, True),
        (False, True),
        (False, True),
    ]


def test_the_first_tick_is_a_whole_minute_and_words_of_the_legend_stand_behind_each_other() -> None:
    start = from_iso("2026-09-21T10:00:30.000Z")
    drawn = run_chart(Text("", ""), [], [], (start, start + HOUR))
    assert next(each.text for each in texts(drawn, "small") if str(each.text).startswith("10:")) == "10:01"
    opens = from_iso("2026-09-21T10:00:00.000Z")
    drawn = session_chart(Text("", ""), [FileTimes(1, opens, None, None, None, None)], MINUTE + SECOND)
    for row in ("63", "83"):
        words = [(float(each.attrib["x"]), str(each.text)) for each in texts(drawn, "small") if each.get("y") == row]
        assert len(words) >= 3
        ends = [at + 6.1 * len(text) for at, text in words]
        assert all(end < begin for end, (begin, _) in zip(ends, words[1:], strict=False))
