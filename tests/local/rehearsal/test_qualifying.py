"""What is played around a final: what each request has to be answered, and what the checks find in other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from local.rehearsal.history import QUALIFYING
from local.rehearsal.play.qualifying import FILES, NAMES, STAFF
from local.rehearsal.play.script import REFUSED, Script
from local.rehearsal.play.wire import Ask, Reply
from local.rehearsal.proof.case import Case
from local.rehearsal.proof.checks_qualifying import _Claim, _noted_otherwise
from tests.local.rehearsal.spoiling import red as red_names
from tests.local.rehearsal.story import Pen, fresh_pen

Json = Any
JUDGE, COMMISSION = "judge@example.org", "commission@example.org"


def ask(
    pen: Pen,
    what: str,
    team: str = "qualify-ready",
    path: str = "/v1/x",
    *,
    status: int = 200,
    said: Json = None,
    number: int | None = None,
    texts: tuple[int, ...] = (),
    rules: Sequence[int] = (200,),
    **means: Json,
) -> None:
    """One more call of what is played around the final; ``rules`` are the statuses that it may be answered with."""
    n = 1 + max(line["n"] for line in pen.lines if line["kind"] in {"request", "response"})
    wanted: Mapping[str, Json] = {"status": list(rules), "says": {}, **means}
    at = {"n": n, "at": 1_800_000_000_000}
    name = f"{QUALIFYING}{what}"
    pen.lines += [
        {"kind": "request", **at, "team": team, "what": name, "number": number, "path": path, "means": wanted},
        {"kind": "response", **at, "status": status, "said": said or {}, "texts": list(texts)},
    ]


def found(pen: Pen, check: str) -> bool:
    return check in red_names(pen)


@pytest.fixture
def pen() -> Pen:
    return fresh_pen()


@pytest.mark.parametrize(
    ("what", "check"),
    [
        ("readiness", "readiness_concluded"),
        ("session", "readiness_concluded"),
        ("steps", "admitted_by_steps"),
        ("admitted", "admitted_by_steps"),
        ("trial", "trial_apart"),
        ("failure", "failure_proposed"),
        ("restart", "begun_anew"),
    ],
)
def test_an_answer_that_the_rules_do_not_give_is_found(pen: Pen, what: str, check: str) -> None:
    ask(
        pen,
        what,
        said={"run": {"trial": True}, "rows": [{"team_id": "a"}]},
        says={"run.trial": True, "rows.0.team_id": "a"},
    )
    assert not found(pen, check)
    ask(pen, what, says={"run.trial": True})
    assert found(pen, check)


@pytest.mark.parametrize(
    ("status", "said", "means"),
    [
        (403, {}, {}),
        (200, {}, {"rules": REFUSED}),
        (200, {"rows": [{"team_id": "qualify-ready"}]}, {"absent": ["qualify-ready"]}),
        (200, {"mass_failure": {"numbers": [2, 3]}}, {"says": {"mass_failure": None}}),
        (200, {"rows": []}, {"says": {"rows.0.place": 1}}),
    ],
    ids=["refused", "not refused", "on a board", "told too early", "an empty board"],
)
def test_each_kind_of_wrong_answer_is_found(pen: Pen, status: int, said: Json, means: dict[str, Json]) -> None:
    ask(pen, "trial", status=status, said=said, **means)
    assert found(pen, "trial_apart")


def log(pen: Pen, *steps: tuple[str, str]) -> None:
    """Write the log with everybody's invitation, and these steps: their authors and subjects."""
    invited = [
        {"who": "command:x", "subject": f"id of {name}", "after": {"email": name, "role": role}}
        for name, role in STAFF.items()
    ]
    told = [{"who": f"person:id of {who}", "subject": subject, "after": {}} for who, subject in steps]
    ask(pen, "audit", "organizer@example.org", said={"changes": [*invited, *told]}, people=dict(STAFF))


def test_every_step_is_in_the_log_with_who_took_it_in_its_turn(pen: Pen) -> None:
    ask(pen, "steps", JUDGE, "/v1/sessions/7/conclusion/judgement")
    ask(pen, "steps", COMMISSION, "/v1/sessions/7/conclusion/verification")
    log(pen, (JUDGE, "7"), (COMMISSION, "7"))
    assert not found(pen, "admitted_by_steps")


@pytest.mark.parametrize(
    "steps",
    [
        [(JUDGE, "7")],
        [(COMMISSION, "7"), (JUDGE, "7")],
        [(JUDGE, "7"), (JUDGE, "7")],
        [(JUDGE, "7"), (COMMISSION, "8")],
    ],
    ids=["one is missing", "in another order", "by somebody else", "on another session"],
)
def test_a_step_that_the_log_tells_otherwise_is_found(pen: Pen, steps: list[tuple[str, str]]) -> None:
    ask(pen, "steps", JUDGE, "/v1/sessions/7/conclusion/judgement")
    ask(pen, "steps", COMMISSION, "/v1/sessions/7/conclusion/verification")
    log(pen, *steps)
    assert found(pen, "admitted_by_steps")


@pytest.mark.parametrize(
    "points",
    [
        [],
        [{"at": "2026", "places": []}],
        [{"at": "2026", "places": [{"place": 1, "team_id": "a", "value": 90.5}]}],
        [{"at": "2026", "places": [{"place": 1, "team_id": "b", "value": 90.0}]}],
        [{"at": "2026", "places": []}, {"at": "2025", "places": [{"place": 1, "team_id": "a", "value": 90.0}]}],
    ],
    ids=["none", "empty", "another value", "another team", "an older one"],
)
def test_what_the_timer_has_left_on_the_board_is_in_its_history(pen: Pen, points: list[Json]) -> None:
    row = {"place": 1, "team_id": "a", "value": 90.0}
    ask(pen, "places", said={"rows": [row]}, part="rus")
    ask(pen, "history", said={"points": []}, part="eng")
    ask(pen, "history", said={"points": [{"at": "2026", "places": [row]}]}, part="rus")
    case = Case(pen.story())
    assert list(_noted_otherwise(case)) == []
    pen.find("response", n=pen.lines[-1]["n"])["said"]["points"] = points
    (fault,) = _noted_otherwise(Case(pen.story()))
    assert ": the board shows [(1, 'a', 90.0)], its history [" in fault


@pytest.mark.parametrize("rows", [None, []], ids=["not looked at", "without places"])
def test_a_board_that_nobody_looks_at_proves_nothing(pen: Pen, rows: list[Json] | None) -> None:
    ask(pen, "places", said={"rows": rows or [{"place": 1, "team_id": "a", "value": 90.0}]}, part="rus")
    if rows is not None:
        pen.find("response", n=pen.lines[-1]["n"])["said"]["rows"] = rows
        ask(pen, "history", said={"points": []}, part="rus")
    unseen = "no board with places was looked at together with its history"
    assert list(_noted_otherwise(Case(pen.story()))) == [unseen]


def test_who_has_qualified_is_told_as_it_is(pen: Pen) -> None:
    ask(pen, "standings", said={"teams": [{"team_id": "a", "qualified": True}]}, qualified=True)
    pen.all("request", what=f"{QUALIFYING}standings")[0]["means"]["team"] = "a"
    assert not found(pen, "admitted_by_steps")
    pen.all("request", what=f"{QUALIFYING}standings")[0]["means"]["qualified"] = False
    assert found(pen, "admitted_by_steps")


def test_a_run_begun_anew_has_fresh_files_of_the_reserve_alone(pen: Pen) -> None:
    reserve = pen.find("header")["files"] + 1
    ask(pen, "restart", path="/v1/sessions", status=201, said={"session_id": "7"}, rules=(201,), run="anew", files=8)
    ask(pen, "file", path="/v1/sessions/7/files/1", number=1, texts=(reserve,))
    assert not found(pen, "begun_anew")
    ask(pen, "file", path="/v1/sessions/7/files/2", number=2, texts=(1,))
    assert found(pen, "begun_anew"), "a file of the final"


def test_no_other_session_has_a_text_of_the_reserve_and_nothing_is_handed_out_twice(pen: Pen) -> None:
    reserve = pen.find("header")["files"] + 1
    ask(pen, "restart", path="/v1/sessions", status=201, said={"session_id": "7"}, rules=(201,), run="anew", files=8)
    ask(pen, "file", path="/v1/sessions/7/files/1", number=1, texts=(reserve,))
    ask(pen, "file", path="/v1/sessions/7/files/2", number=2, texts=(reserve,))
    assert found(pen, "begun_anew"), "the same file under two numbers"
    other = fresh_pen()
    ask(other, "file", path="/v1/sessions/8/files/1", number=1, texts=(reserve,))
    assert found(other, "begun_anew"), "in a session over another set"


@pytest.mark.parametrize(
    ("accuracy", "answered", "missed", "wanted"),
    [
        (150.0, 19, 1, (142.5, True)),
        (90.0, 19, 1, (85.5, False)),
        (150.0, 19, 0, (150.0, False)),
        (None, 0, 20, (None, False)),
    ],
    ids=["flagged", "a little", "nothing missed", "no result"],
)
def test_the_audit_counts_missed_files_as_zeros(
    accuracy: float | None, answered: int, missed: int, wanted: tuple[float | None, bool]
) -> None:
    assert _Claim("a", 20, answered, missed, accuracy).audit == wanted


class Standing:
    """A clock that goes where it is told to, and who answers in turn."""

    driven = True

    def __init__(self, *answers: int | None) -> None:
        self.moment, self.asked, self._answers = 1_000, list[Ask](), list(answers)

    def now(self) -> int:
        return self.moment

    def reach(self, moment: int, begun: Any) -> None:
        assert begun() == 0
        assert moment >= self.moment
        self.moment = moment

    def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        return Reply(self.moment, self._answers.pop(0), {})


def test_a_script_asks_in_order_slowly_and_again_where_the_platform_fails() -> None:
    clock = Standing(503, None, 200, 200)
    script = Script(clock)
    assert script.ask(clock, "trial", "GET /v1/x", says={"a": 1}).status == 200
    script.wait_until(500)
    script.ask(clock, "trial", "POST /v1/y", body={"b": 2})
    assert [(each.method, each.path) for each in clock.asked] == [("GET", "/v1/x")] * 3 + [("POST", "/v1/y")]
    assert clock.moment == 1_000 + 4 * 250
    assert clock.asked[0].means == {"status": [200], "says": {"a": 1}}
    assert clock.asked[-1].body == b'{"b": 2}'


def test_one_of_twenty_may_be_missed_and_no_name_is_a_team_of_the_final() -> None:
    assert (FILES - 1) / FILES == 0.95
    assert all(name.startswith("qualify-") for name in NAMES)
