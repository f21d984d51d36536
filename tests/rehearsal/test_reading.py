"""Answers to readers are compared with the model of the contest, and each route has a row in it.

Each value that readers were told is changed, one by one, in a rehearsal that is played once; the proof has to notice,
or name it among those that are compared with nothing.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import pytest

from contest.routes import ROUTES, Right
from rehearsal.harm.bugs import Rehearsal
from rehearsal.history import READING, Story, to_text
from rehearsal.play.driver import Timing
from rehearsal.play.prying import ask_of, asks, names_of
from rehearsal.proof import readable
from rehearsal.proof.case import Case
from rehearsal.proof.checks_reading import contradicted
from rehearsal.proof.oracle import DIALOGUES, ESSAY, GEC, PROGRAMS, ExpectedTimes
from rehearsal.proof.readable import (
    BY_THEMSELVES,
    DOORS,
    EXPERT,
    LOG,
    ORGANIZER,
    OWN,
    PUBLIC,
    ROLES,
    Phase,
    Sameness,
    facts,
)
from rehearsal.proof.values import Model, state_at_end
from rehearsal.proof.world import ProgramModel
from tests.rehearsal.playing import play, red
from tests.rehearsal.spoiling import TOLD, faults_of, put, tell_of
from tests.rehearsal.story import FILES, RUN, START, TEAMS, Pen

Json = Any
TIMING = Timing(RUN, "final", START, 60_000, 10_000, 50_000, 60_000, 120_000, len(FILES))
NAMES = names_of(TIMING, "ann", TEAMS["ann"], START)
READ = {route.path: route for route in ROUTES if route.method == "GET"}


def test_each_route_that_can_be_read_has_a_reader_in_the_model() -> None:
    assert DOORS.keys() | BY_THEMSELVES == READ.keys()
    public = {path for path, route in READ.items() if route.right is Right.READ_PUBLISHED}
    assert public == {path for path, door in DOORS.items() if door.readers >= set(ROLES)}


def test_everybody_tries_what_is_closed_and_whoever_may_reads_it() -> None:
    tried = {(ask.means["route"], role) for role in ROLES for ask in asks(Phase.PUBLISHED, role, NAMES, (), (), None)}
    for route, door in DOORS.items():
        open_to_all = door.readers >= set(ROLES)
        assert {role for path, role in tried if path == route} == ({PUBLIC} if open_to_all else set(ROLES)), route
    few = {(ask.means["route"], role) for role in ROLES for ask in asks(Phase.PUBLISHED, role, NAMES, (), (), 1)}
    assert {route for route, _ in few} == DOORS.keys()
    assert len(few) < len(tried)


def test_a_route_without_a_model_is_read_and_found(pen: Pen) -> None:
    (ask,) = [ask for ask in asks(Phase.PUBLISHED, PUBLIC, NAMES, ["/v1/new"], (), None) if ask.path == "/v1/new"]
    pen.call("everybody", "read", None, 900_000, 200, path=ask.path, means=dict(ask.means))
    assert faults_of(pen, "doors_kept") == [f"everybody, call {pen.calls}: no model says who reads /v1/new"]


def read(pen: Pen, role: str, route: str, content: Json, query: str = "", status: int = 200, **more: Any) -> None:
    """Write that somebody has read something once the results were out."""
    ask = ask_of(Phase.PUBLISHED, role, route, query, NAMES)
    body = {"read": content} if status == 200 else content
    means = {**ask.means, **more.pop("means", {})}
    name = {PUBLIC: "everybody", OWN: "ann"}.get(role, f"{role}@example.org")
    pen.call(name, "read", None, 900_000, status, said=body, path=ask.path, means=means, **more)


REFUSED = {"error": {"code": "forbidden", "message": "Not allowed.", "message_ru": "Нельзя."}}


AT_DOORS, FORBIDDEN = "doors_kept", {"status": 403, "code": "forbidden"}
CLOSED = {"means": {"phase": int(Phase.CLOSED)}}
NO_RUSSIAN = {"error": {**REFUSED["error"], "message_ru": "Not allowed."}}
TEXTS = {"name": {"en": "Цикл", "ru": "Цикл"}, "about": {"en": "Programs", "ru": "Programme"}}


@pytest.mark.parametrize(
    ("name", "role", "route", "content", "details", "phrase"),
    [
        (AT_DOORS, PUBLIC, "/v1/teams", {}, {}, "who may not read it"),
        (AT_DOORS, "judge", "/v1/audit", {}, {}, "who may not read it"),
        (AT_DOORS, ORGANIZER, "/v1/teams", REFUSED, FORBIDDEN, "(forbidden), who may read it"),
        (AT_DOORS, OWN, "/v1/teams", REFUSED, FORBIDDEN, None),
        (AT_DOORS, PUBLIC, "/v1/teams", REFUSED, {"status": 401}, None),
        (AT_DOORS, "judge", "/v1/audit", NO_RUSSIAN, {"status": 403}, "without its reasons in both languages"),
        (AT_DOORS, PUBLIC, "/v1/leaderboards/final", {}, CLOSED, "before it is published"),
        (TOLD, PUBLIC, "/v1/cycle", TEXTS, {}, "in Russian «Programme»"),
        (TOLD, OWN, "/v1/sessions", {"sessions": [{"session_id": TEAMS["bob"]}]}, {}, "of bob"),
    ],
)  # fmt: skip
def test_what_is_read_is_for_its_readers_and_in_their_language(
    pen: Pen, name: str, role: str, route: str, content: Json, details: dict[str, Any], phrase: str | None
) -> None:
    read(pen, role, route, content, **details)
    assert tell_of(faults_of(pen, name), phrase), faults_of(pen, name)


@pytest.mark.parametrize("spoilt", [False, True])
def test_a_door_that_breaks_is_excused_by_a_process_that_was_killed(pen: Pen, *, spoilt: bool) -> None:
    if spoilt:
        pen.add("injected", what="throttled", handler="results.api", now=START)
    read(pen, ORGANIZER, "/v1/staff", {}, status=500, code="internal")
    assert bool(faults_of(pen, "doors_kept")) is not spoilt


LATER = to_text(START + 1)


@pytest.mark.parametrize(
    ("name", "path", "new", "phrase"),
    [
        ("report/ann", "files", lambda files: files[:1], "files: 1 rows [1], not 2 rows [1, 2]"),
        ("report/ann", "files.1.state", "voided", "state voided of ann 2, not answered"),
        ("report/ann", "files.1.cause", "network", "cause network of ann 2"),
        *(("report/ann", f"files.0.{field}", LATER, f"{field} {LATER} of ann 1") for field in (
            "opens_at", "request_by", "handed_out_at")),
        ("status/ann", "deliveries.0.opens_at", LATER, f"opens_at {LATER} of ann 1"),
        ("report/ann", "files.0.answered_at", None, "answered_at None of ann 1"),
        ("record", "sessions.0.files.0.asked_at", None, "asked_at None of ann 1"),
        ("record", "sessions.0.files.0.cause", "network", "cause network of ann 1"),
        ("record", "sessions.0.files", lambda files: files[:1], "files [1] of ann"),
        ("record", "sessions", lambda sessions: sessions[:1], "record.sessions: 1 rows"),
        ("record", "releases", lambda releases: releases[:1], "record.releases: 1 rows"),
        *(("board", f"rows.0.{field}", 0.0, f"{field} 0.0 of ") for field in ("files", "answered", "value")),
        ("board", "rows.0.team", "another", "team another of "),
        ("board", "rows.0.barrier", lambda barrier: not barrier, "barrier "),
        ("board", "rows", lambda rows: rows[::-1], "rows: 2 rows"),
    ],
)  # fmt: skip
def test_what_is_written_down_in_the_end_is_what_the_model_says(
    pen: Pen, name: str, path: str, new: Json, phrase: str
) -> None:
    put(pen.answer(name), path, new)
    assert tell_of(faults_of(pen, TOLD), phrase), faults_of(pen, TOLD)


def test_a_download_has_the_cells_of_the_model(pen: Pen) -> None:
    rows = [
        {name: str(row[name]) for name in ("place", "team_id", "team", "value", "files")}
        for row in pen.answer("board")["rows"]
    ]
    read(pen, PUBLIC, "/v1/leaderboards/final.csv", {"rows": rows})
    assert faults_of(pen, TOLD) == []
    rows[0]["value"] = str(round(float(rows[0]["value"])))
    assert "value " in faults_of(pen, TOLD)[0]


ROW = ["1", FILES[1], to_text(START), to_text(START), to_text(START + 50_000), to_text(START + 20_000)]


@pytest.mark.parametrize(
    ("rows", "phrase"),
    [
        ([["File"], ROW, ["2"]], None),
        ([["File"], ROW], "no rows of [('2',)]"),
        ([["File"], [cell.replace("T", " ").replace("Z", " UTC") for cell in ROW], ["2"]], None),
        ([["File"], [cell.replace("T12:0", "T13:0") for cell in ROW]], "without its opens_at, handed_out_at"),
        ([["Файл"], ROW], "headings «Файл», asked for en"),
        ([["File"], [*ROW, "ann", "bob"]], "a row of several teams, ann, bob"),
    ],
)
def test_a_page_has_the_cells_of_the_model(pen: Pen, rows: Json, phrase: str | None) -> None:
    pen.find("header")["entered"] = list(TEAMS)
    read(pen, OWN, "/v1/sessions/{session_id}/report.html", {"cells": rows, "lang": "en"}, "lang=en")
    assert tell_of(faults_of(pen, TOLD), phrase), faults_of(pen, TOLD)


@pytest.mark.parametrize(
    ("stage", "number", "kind", "is_fault"),
    [
        (ESSAY, "1", "markup", True),
        (ESSAY, "9", "markup", False),
        (DIALOGUES, "1", "diagnosis", True),
        (DIALOGUES, "1", "study", False),
    ],
)
def test_an_answer_that_was_not_given_need_not_be_shown(
    pen: Pen, monkeypatch: pytest.MonkeyPatch, stage: str, number: str, kind: str, *, is_fault: bool
) -> None:
    """Check that a dialogue has an answer once the turn that ends it was accepted."""
    pen.find("header")["stage"] = stage
    for response in pen.all("response"):
        if receipt := response.get("said", {}).get("receipt"):
            receipt["kind"] = kind
    monkeypatch.setitem(NAMES, "number", number)
    body = {"error": {**REFUSED["error"], "code": "not_answered"}}
    read(pen, OWN, "/v1/sessions/{session_id}/files/{number}/answer", body, status=404, code="not_answered")
    assert bool(faults_of(pen, "doors_kept")) is is_fault


def test_a_page_in_russian_tells_states_and_causes_in_words(pen: Pen) -> None:
    rows = [["Файл"], [*ROW, "аннулирован"], ["2", "team_late"]]
    read(pen, OWN, "/v1/sessions/{session_id}/report.html", {"cells": rows, "lang": "ru"}, "lang=ru")
    (fault,) = faults_of(pen, TOLD)
    assert fault.endswith("a page in Russian with team_late")


def test_who_is_no_programmer_has_no_set_and_a_program_all_files_of_the_training_set(pen: Pen) -> None:
    pen.find("header")["open_files"] = ["train-1.json", "train-1_exp01.json"]
    read(pen, EXPERT, "/v1/sets", {"sets": []})
    files = [{"name": "train-1.json"}, {"name": "train-1_exp01.json"}]
    read(pen, OWN, "/v1/sets/{name}/parts/{part}", {"files": files})
    assert faults_of(pen, TOLD) == []
    read(pen, EXPERT, "/v1/sets", {"sets": [{"name": "train"}]})
    files.pop()
    assert len(faults_of(pen, TOLD)) == 2


def test_pages_together_are_the_whole_list(pen: Pen) -> None:
    receipts = [pen.receipt("ann", number, 20_000) for number in FILES]
    for page, receipt in enumerate(receipts[:1]):
        read(pen, OWN, "/v1/sessions/{session_id}/receipts", {"receipts": [receipt]}, "limit=1", means={"page": page})
    assert "the pages of" in faults_of(pen, TOLD)[0]


def test_the_live_page_shows_each_file_as_it_is(pen: Pen) -> None:
    def watched(cells: str) -> Json:
        return {"run_id": RUN, "teams": [{"team_id": "ann", "session_id": TEAMS["ann"], "cells": cells}]}

    means = {"phase": int(Phase.RUNNING)}
    route = "/v1/conduct/runs/{run_id}/watch"
    read(pen, ORGANIZER, route, watched("aa"), means=means)
    assert not any("cells" in fault for fault in faults_of(pen, TOLD))
    read(pen, ORGANIZER, route, watched("al"), means=means)
    assert any("cells al of ann, not aa" in fault for fault in faults_of(pen, TOLD))


ORGANIZER_S, JUDGE_S = "organizer@example.org", "judge@example.org"
IDS = {ORGANIZER_S: "o1", JUDGE_S: "j1"}


def logged(pen: Pen) -> list[Json]:
    """Write what the staff has done, and return the log that tells of it."""
    pen.find("header").update(
        entered=["ann"], staff={ORGANIZER_S: "organizer", JUDGE_S: "judge"}, timer_from=START - 60_000
    )
    pen.find("header").pop("run")
    for email, name in IDS.items():
        pen.call(email, "read", None, 0, 200, path="/v1/me", means={"route": "", "phase": 0}, said={"person_id": name})
    means = {"status": [200], "says": {}}
    decided = {"status": "suspended", "team_id": "ann"}
    act = {"method": "POST", "means": means}
    pen.call(ORGANIZER_S, "qualify_people", None, 800_000, 200, path="/v1/teams/ann/decision", said=decided, **act)
    pen.call(JUDGE_S, "qualify_steps", None, 810_000, 200, path="/v1/sessions/7/conclusion/judgement", **act)
    pen.call(JUDGE_S, "qualify_steps", None, 820_000, 409, path="/v1/sessions/8/conclusion/judgement", **act)
    rows = [("command:x", "cycle loaded", "demo"), ("command:x", "team added", "ann")]
    rows += [("command:x", "token issued", "ann"), *(("command:x", "staff invited", name) for name in IDS.values())]
    acts = [("person:o1", "team suspended", "ann", 800_000), ("person:j1", "conclusion confirmed", "7", 810_000)]
    return [
        {"at": to_text(START + at), "who": who, "what": what, "subject": subject, "before": None, "after": {}}
        for who, what, subject, at in [*((*row, -60_000) for row in rows), *acts]
    ]


def estimate() -> Json:
    """Return the estimate of a final of two teams and three files, and of a month."""

    def line(kind: str, count: float) -> Json:
        return {"kind": kind, "count": count, "cost": count * 0.5}

    lines = [line(kind, 31) for kind in ("http_requests", "edge_requests", "firewall_requests")]
    sizes = {name: {"value": value} for name, value in {"teams": 2, "files": 3, "listening": 0}.items()}
    monthly = [line("alarms_months", 4 * 30 * 24 / 730)]
    days = {"days": {"value": 30}, "lines": monthly, "cost": monthly[0]["cost"]}
    final = {"run_id": RUN, "set": "final", **sizes, "lines": lines, "cost": 46.5}
    prices = [{"kind": row["kind"], "price": 1.0, "per": 2} for row in (*lines, *monthly)]
    return {"prices": prices, "finals": [final], "days": days, "cost": final["cost"] + days["cost"]}


def test_one_thing_has_the_same_values_at_every_door() -> None:
    same = Sameness()
    session = {"session_id": "7", "opened_at": "x", "closed_at": None, "limits": {"answer_s": 5}}
    assert list(same.otherwise({"sessions": [session]}, "the list")) == []
    assert (
        list(same.otherwise({"rows": [{**session, "closed_at": "", "limits": {"answer_s": "5.0"}}]}, "a table")) == []
    )
    assert list(same.otherwise({**session, "limits": {"answer_s": 6}}, "the page")) == [
        "the page tells limits.answer_s 6.0 of session_id 7, the list told 5.0"
    ]
    assert list(same.otherwise({"session_id": "7", "closed_at": "later"}, "what describes no session")) == []


BARS = [["1", "12", "02", "30", "hand-out", "0", "000", "s", "answer", "20", "000", "s"],
        ["2", "12", "03", "30", "hand-out", "0", "000", "s", "answer", "20", "000", "s"]]  # fmt: skip


def of_log(pen: Pen, spoil: Callable[[Json], Any]) -> list[str]:
    rows = logged(pen)
    spoil(rows)
    story = pen.story()
    return list(readable.log_otherwise(rows, readable.acts(story), readable.people_of(story), START + 900_000))


def of_estimate(_: Pen, spoil: Callable[[Json], Any]) -> list[str]:
    costs = estimate()
    spoil(costs)
    return list(readable.costs_otherwise(costs, readable.Played(RUN, 2, 0, 3)))


def of_timeline(pen: Pen, spoil: Callable[[Json], Any]) -> list[str]:
    bars = [list(bar) for bar in BARS]
    spoil(bars)
    read(pen, OWN, "/v1/sessions/{session_id}/timeline", {"cells": [["Final", "ann"], *bars]})
    return faults_of(pen, TOLD)


@pytest.mark.parametrize(
    ("of", "spoil", "phrase"),
    [
        *((of, lambda _: None, None) for of in (of_log, of_estimate, of_timeline)),
        (of_log, lambda rows: put(rows, "-2.after", {"status": "suspended"}), None),
        (of_log, lambda rows: put(rows, "-2.after", {"status": "approved"}), "with status approved, not suspended"),
        (of_log, lambda rows: put(rows, "-2.who", "person:j1"), "by person:j1 at"),
        (of_log, lambda rows: put(rows, "-2.subject", "bob"), "«team suspended» of bob"),
        (of_log, lambda rows: put(rows, "-1.at", to_text(START + 820_000)), "which nobody did so"),
        (of_log, lambda rows: rows.append(rows[-1]), "«conclusion confirmed» of 7 by person:j1"),
        (of_log, lambda rows: rows.pop(1), "nothing of «team added» of ann by a command"),
        (of_log, lambda rows: rows.pop(), "nothing of «conclusion .+» of 7 by judge@example.org"),
        *((of_estimate, lambda body, place=place, new=new: put(body, place, new), phrase) for place, new, phrase in (
            ("finals.0.lines.0.cost", 15.0, "http_requests costs 15.0, by the prices 15.5"),
            ("finals.0.cost", 1.0, "cost 1.0, of its parts"), ("cost", 1.0, "cost 1.0, of its parts"),
            ("finals.0.teams.value", 3, "teams=3, listening=0, files=3), not"),
            ("finals.0.run_id", "another", "the final another of"),
            ("finals.0.files.value", 4, "31 http_requests of 2 teams and 4 files, not 35"),
            ("days.days.value", 31, "alarms_months"))),
        *((of_timeline, lambda bars, place=place, new=new: put(bars, place, new), "bars") for place, new in (
            ("1.2", "02"), ("1.9", "21"))),
        (of_timeline, lambda bars: bars[0].append("late"), "bars"),
        (of_timeline, lambda bars: bars.pop(), "bars"),
    ],
)  # fmt: skip
def test_log_estimate_and_timeline_tell_of_all_that_was_done_and_of_nothing_else(
    pen: Pen, of: Callable[[Pen, Callable[[Json], Any]], list[str]], spoil: Callable[[Json], Any], phrase: str | None
) -> None:
    faults = of(pen, spoil)
    assert tell_of(faults, phrase), faults


NUMBER = re.compile(r"-?\d+(\.\d+)?")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT.*Z")
UNKNOWN = tomllib.loads(files("rehearsal.proof").joinpath("unknown.toml").read_text("utf-8"))
TURNED = {"true": "false", "yes": "no", "eng": "rus", "en": "ru"}
TURNED |= {other: one for one, other in TURNED.items()}


def changed(value: Json) -> Json:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case None:
            return 7
        case str() if value in TURNED:
            return TURNED[value]
        case str() if MOMENT.fullmatch(value):
            return f"{value[:11]}{(int(value[11:13]) + 1) % 24:02d}{value[13:]}"
    return str(float(value) + 1) if NUMBER.fullmatch(value) else f"{value[:-1]}{'x' if value[-1:] != 'x' else 'y'}"


def leaves(value: Json, path: tuple[Any, ...] = (), name: str = "") -> Iterator[tuple[tuple[Any, ...], str, Json]]:
    """Yield the path, the name and the value of each leaf of an answer."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key), f"{name}.{key}")
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place), f"{name}[]")
    else:
        yield path, name, value


def unnoticed(story: Story) -> set[str]:
    """Return the values whose change the proof does not notice, by route and place."""
    programs = story.header["stage"] == PROGRAMS
    world: Any = ProgramModel(story) if programs else Model(Case(story))
    calls = [
        call
        for call in story.calls
        if call.what == READING
        and call.status == 200
        and call.means["phase"] == Phase.PUBLISHED
        and "read" in call.said
    ]
    facts_read: Counter[Any] = Counter(
        fact for call in calls if call.means["route"] not in LOG for fact in set(facts(call.said["read"]))
    )
    doors: Counter[Any] = Counter()
    for (thing, name, _), many in facts_read.items():
        doors[thing, name] += many
    noticed: dict[str, bool] = {}
    tried: Counter[str] = Counter()
    for call in calls:
        content = call.said["read"]
        if content is None or "cells" in content:
            continue
        for path, place, value in leaves(content):
            name = f"{call.means['route']} {place}"
            if noticed.get(name) or tried[name] >= 2:
                continue
            tried[name] += 1
            other = copy.deepcopy(content)
            within = other
            for part in path[:-1]:
                within = within[part]
            within[path[-1]] = changed(value)
            alone = [fact for fact in facts(other) if doors[fact[:2]] > 1 and fact not in facts_read]
            noticed[name] = bool(contradicted(world, call, other) or (alone and call.means["route"] not in LOG))
    return {name for name, is_noticed in noticed.items() if not is_noticed}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("kind", [ESSAY, GEC, PROGRAMS])
def test_every_value_that_is_read_has_a_model_or_a_reason(kind: str) -> None:
    outcome = play(Rehearsal("told_as_played", "reading", teams=2, files=3, kind=kind))
    assert red(outcome) == {}
    named = [pattern for patterns in UNKNOWN.values() for pattern in patterns]
    unnamed = [name for name in unnoticed(outcome.story) if not any(fnmatchcase(name, pattern) for pattern in named)]
    assert sorted(unnamed) == []


@pytest.mark.parametrize(
    ("minutes", "team", "state"),
    [
        (14, "ann", "finished"),
        (15, "ann", None),  # by the timer's visit, the end of the run may come first
        (16, "ann", None),
        (17, "ann", "timed_out"),
        (20, "cid", "finished"),
    ],
)
def test_a_team_that_asks_for_nothing_in_a_long_run_times_out(minutes: int, team: str, state: str | None) -> None:
    """A quarter of an hour of openings without a request ends a session (platform §3 silence)."""
    times = ExpectedTimes(RUN, START, 60_000, minutes + 1, 10_000, 50_000, 60_000)
    world: Any = SimpleNamespace(left={"bob": START}, schedule=lambda _: times, silent={"ann"})
    at: Any = SimpleNamespace(team=team)
    expected = state_at_end(world, at, {})
    assert (expected if isinstance(expected, str) else None) == state
    assert state_at_end(world, SimpleNamespace(team="bob"), {}) == "aborted"


def test_missing_subtasks_of_a_submission_are_in_the_order_of_its_set() -> None:
    program = SimpleNamespace(program={"predictions": {"public": {"C2C": {}}}})
    model: Any = SimpleNamespace(brought={"one": program})
    assert ProgramModel.missing(model, "one") == ["HTR", "VQA", "zsOD"]
