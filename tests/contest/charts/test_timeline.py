"""Timelines by hand and of what was played: the same bytes for the same facts, every mark named, no overlap of what
is not there."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from contest import charts
from contest.charts import CAUSES, LEFT, RIGHT, WIDTH, FileTimes, inline_chart, run_chart, session_chart
from contest.session.rules.delivery import Cause
from contest.values import HOUR, MINUTE, SECOND, from_iso
from markup_core.texts import Text
from tests.run_stage import ABSENT, SILENT, SLOW, RunOnStage
from tests.samples import RUN_STARTS as START
from tests.stage import Stage

HEADING = Text('Final & "1"', "Финал <1>")
HOSTILE = '<script>alert("1")</script>&'
SVG = "{http://www.w3.org/2000/svg}"


def file(number: int = 1, answered: int | None = 30, cause: Cause | None = None) -> FileTimes:
    opens_at = START + (number - 1) * MINUTE
    answered_at = opens_at + answered * SECOND if answered is not None else None
    return FileTimes(number, opens_at, opens_at + 10 * SECOND, opens_at + 60 * SECOND, answered_at, cause)


def parsed(drawn: bytes) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314 -- a chart of our own


def marks(drawn: bytes, kind: str) -> list[ET.Element]:
    """List marks of a kind in the rows, without the legend's; each stands in or over an element with its numbers."""
    named = [each for each in parsed(drawn).iter() if each.find(f"{SVG}title") is not None]
    return [each for one in named[1:] for each in one.iter() if each.get("class") == kind]


def test_a_bar_begins_and_ends_where_its_times_are_within_the_axis_and_what_did_not_happen_is_not_drawn() -> None:
    # the axis ends five seconds after the limit of sixty: 786 units for 65 seconds
    drawn = session_chart(HEADING, [file()], 60 * SECOND)
    (wait,), (work,) = marks(drawn, "wait"), marks(drawn, "work")
    unit = (WIDTH - LEFT - RIGHT) / 65
    assert float(wait.attrib["x"]) == LEFT
    assert float(work.attrib["x"]) == pytest.approx(LEFT + 10 * unit, abs=0.01)
    assert float(work.attrib["width"]) == pytest.approx(20 * unit, abs=0.02)
    silent = FileTimes(1, START, None, None, None, Cause.TEAM_LATE)
    drawn = session_chart(HEADING, [silent], 60 * SECOND)
    assert (marks(drawn, "wait"), marks(drawn, "work")) == ([], [])
    assert len(marks(drawn, "team_late")) == 1
    drawn = session_chart(HEADING, [file(answered=3 * 3600)], 60 * SECOND)
    (work,) = marks(drawn, "work")
    assert float(work.attrib["x"]) + float(work.attrib["width"]) <= WIDTH - RIGHT + 0.02
    assert drawn.count(b'class="grid"') <= 13


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_has_its_own_mark_and_says_itself_in_both_languages(cause: Cause) -> None:
    drawn = session_chart(HEADING, [file(cause=cause)], 60 * SECOND)
    (mark,) = marks(drawn, cause.value)
    assert mark.tag == f"{SVG}path"
    (file_mark,) = [each for each in parsed(drawn).iter(f"{SVG}g") if each.find(f"{SVG}title") is not None]
    said = file_mark.findtext(f"{SVG}title") or ""
    assert all(words in said for words in CAUSES[cause])
    assert f".{cause.value}{{fill" in drawn.decode()


def test_a_chart_is_described_for_who_hears_it_asks_nothing_of_anybody_and_is_the_same_bytes() -> None:
    root = parsed(session_chart(HEADING, [file(), file(2, None, Cause.NETWORK)], 60 * SECOND))
    assert root.attrib["aria-labelledby"] == "t d"
    assert root.findtext(f"{SVG}title") == 'Финал <1> · Final & "1"'
    assert root.findtext(f"{SVG}desc") == (
        "Файлов: 2, с ответом: 1, аннулировано: 1. Files: 2, answered: 1, annulled: 1."
    )
    text = session_chart(HEADING, [file()], 60 * SECOND).decode()
    assert "<script" not in text
    assert "href" not in text
    assert "url(" not in text
    assert text.count("http") == 1  # the namespace
    assert session_chart(HEADING, [file()], 60 * SECOND) == session_chart(HEADING, [file()], 60 * SECOND)


def test_dark_has_a_colour_for_everything_light_has() -> None:
    style = parsed(session_chart(HEADING, [], 60 * SECOND)).findtext(f"{SVG}style") or ""
    light, _, dark = style.partition("@media")
    for kind in ("wait", "work", "deadline", "pause", "ground", "grid", *(cause.value for cause in Cause)):
        assert f".{kind}{{" in light
        assert f".{kind}{{" in dark


def test_a_runs_chart_has_a_row_for_every_team_and_a_band_for_every_pause() -> None:
    teams = [("red", [file(1), file(2)]), ("blue", [file(1, None, Cause.PLATFORM)])]
    span = (START, START + 5 * MINUTE)
    drawn = run_chart(HEADING, teams, [(START + 2 * MINUTE, START + 3 * MINUTE)], span)
    texts = [each.text for each in parsed(drawn).iter(f"{SVG}text")]
    assert {"red", "blue"} <= set(texts)
    assert len(marks(drawn, "work")) == 2
    (band,) = marks(drawn, "pause")
    assert float(band.attrib["width"]) == pytest.approx((WIDTH - LEFT - RIGHT) / 5, abs=0.01)


def test_any_length_of_a_run_has_not_many_ticks_and_a_large_final_fits_into_an_answer() -> None:
    for length in (1, SECOND, MINUTE, HOUR, 30 * HOUR):
        assert run_chart(HEADING, [], [], (START, START + length)).count(b'class="grid"') <= 13
    teams = [(f"team-{index}", [file(number) for number in range(1, 61)]) for index in range(200)]
    drawn = run_chart(HEADING, teams, [], (START, START + HOUR))
    # a function answers with six megabytes at most, and text grows when it is written as JSON
    assert len(drawn) < 3_000_000


def test_a_chart_that_stands_alone_becomes_a_part_of_a_page() -> None:
    alone = session_chart(Text(HOSTILE, HOSTILE), [FileTimes(1, 0, 10, 20, 15, None)], 60_000)
    text = inline_chart(alone, "key", "timeline")
    svg = parsed(text)
    assert (svg.tag, svg.attrib["class"], svg.attrib["aria-labelledby"]) == ("svg", "timeline", "key-t key-d")
    assert {element.attrib["id"] for element in svg.iter() if "id" in element.attrib} == {"key-t", "key-d"}
    assert not list(svg.iter("style"))
    assert "<script" not in text
    assert len(list(svg.iter("rect"))) == len(list(parsed(alone).iter(f"{SVG}rect")))


def texts(drawn: bytes | str, kind: str | None = None) -> list[ET.Element]:
    root = ET.fromstring(drawn)  # noqa: S314 -- a chart of our own
    return [each for each in root.iter(f"{SVG}text") if kind is None or each.get("class") == kind]


@pytest.fixture
def played(stage: Stage) -> RunOnStage:
    result = RunOnStage(stage, 3, "red", "blue")
    result.play({1: {"red": ABSENT}, 2: {"red": SILENT}, 3: {"red": SLOW}})
    result.finish()
    return result


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
    drawn = charts.chart_of_record(record)
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
