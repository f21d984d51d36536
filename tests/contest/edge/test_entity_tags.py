"""Repeated requests: a client that has the current answer is told so, without a body and without further reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.edge.web import matches, tag_of
from tests.calls import counted
from tests.run_stage import RunOnStage
from tests.stage import Answered, Program, Stage, staged
from tests.toys import toy_cycle

STRONG = re.compile(r'"[0-9a-f]{32}"')
WEAK = re.compile(r'W/"[0-9a-f]{32}"')


@pytest.fixture
def played(tmp_path: Path) -> Any:
    """Play a training session to its end, and begin a final."""
    with staged(tmp_path) as stage:
        stage.load(toy_cycle(final=2, reserve=1))
        stage.restart()
        red = Program(stage, stage.team("red"))
        red.open(files=2)
        red.play()
        stage.score_all()
        assert red.get("report").status == 200
        run = stage.plan()
        yield stage, red, run.run_id


def again(stage: Stage, path: str, token: str | None, tag: str) -> Answered:
    return stage.request("GET", path, token=token, headers={"If-None-Match": tag})


def test_every_answer_that_is_polled_is_given_once(played: tuple[Stage, Program, str]) -> None:
    stage, red, run_id = played
    session = f"/v1/sessions/{red.session_id}"
    polled = {
        "/v1/cycle": WEAK,
        "/v1/classifier": STRONG,
        "/v1/keys": STRONG,
        "/v1/runs": WEAK,
        f"/v1/runs/{run_id}": WEAK,
        "/v1/boards": STRONG,
        "/v1/boards/relative_accuracy": WEAK,
        "/v1/leaderboards/qualification": WEAK,
        "/v1/openapi.json": STRONG,
        "/docs/errors": STRONG,
        "/v1/sessions": WEAK,
        session: WEAK,
        f"{session}/report": STRONG,
        f"{session}/files/1/score": STRONG,
        f"{session}/files/1/comparison": STRONG,
        f"{session}/files/1/answer": STRONG,
    }
    for path, form in polled.items():
        token = red.token if path.startswith("/v1/sessions") else None
        first = stage.request("GET", path, token=token)
        assert first.status == 200, path
        tag = first.headers["etag"]
        assert form.fullmatch(tag), path
        stage.advance(1.5)
        known = again(stage, path, token, tag)
        assert (known.status, known.text, known.headers["etag"]) == (304, "", tag), path
        assert known.headers["cache-control"] == first.headers["cache-control"]
        assert known.headers["content-type"] == first.headers["content-type"]
        stage.advance(1.5)
        other = again(stage, path, token, '"0"')
        assert (other.status, other.headers["etag"]) == (200, tag), path
        assert (other.text == first.text) == (form is STRONG), path


def test_a_tag_costs_nothing_is_another_after_a_change_and_is_told_to_nobody_else(stage: Stage, red: Program) -> None:
    red.open(files=2)
    path, blue = f"/v1/sessions/{red.session_id}", stage.team("blue")
    tag = red.get().headers["etag"]
    stage.advance(1)
    with counted() as plain:
        assert red.get().status == 200
    stage.advance(1)
    with counted() as conditional:
        assert again(stage, path, red.token, tag).status == 304
    assert conditional.count == plain.count
    assert [again(stage, path, blue, each).status for each in (tag, "*", '"x"')] == [404] * 3
    red.get("files/1")
    changed = again(stage, path, red.token, tag)
    assert (changed.status, changed.json["counts"]["open"]) == (200, 1)
    assert changed.headers["etag"] != tag


def test_time_itself_can_change_what_is_answered(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        run = RunOnStage(stage, 1, "red")
        path = f"/v1/runs/{run.run_id}"
        run.at(run.schedule.opens_at(1) - 1000)
        tag = stage.request("GET", path).headers["etag"]
        stage.advance(0.9)
        assert again(stage, path, None, tag).status == 304
        stage.advance(0.2)
        assert again(stage, path, None, tag).json["state"] == "running"


def test_a_refusal_and_an_answer_that_is_not_ready_have_no_tag(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    red.get("next")
    for answered in (red.get("report"), red.get("files/7/score"), stage.request("GET", "/v1/runs/nowhere")):
        assert answered.status in {202, 404}
        assert "etag" not in answered.headers
    assert again(stage, f"/v1/sessions/{red.session_id}/report", red.token, "*").status == 202


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        *((tag, True) for tag in ('"a"', 'W/"a"', '"b", W/"a"', '"b","a"', "*", " * ")),
        *((tag, False) for tag in ('"b"', '"A"', "a", "", '"a', '"a-gzip"')),
    ],
)
def test_tags_are_compared_weakly_as_the_standard_has_it(asked: str, known: bool) -> None:
    assert matches(asked, '"a"') is known
    assert matches(asked, 'W/"a"') is known


VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.just('"server_time":"x"') | st.just("server_time"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.sampled_from(["server_time", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def timeless(value: Any) -> Any:
    """Return a JSON value with every text under ``server_time`` made empty."""
    if isinstance(value, list):
        return [timeless(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: "" if key == "server_time" and isinstance(each, str) else timeless(each) for key, each in value.items()
    }


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.property
@given(one=VALUES, other=VALUES, moment=st.from_regex(r"[0-9T:.Z-]{1,24}", fullmatch=True))
def test_two_bodies_have_one_tag_if_their_times_alone_differ(one: Any, other: Any, moment: str) -> None:
    def opaque(value: Any) -> str:
        return tag_of(written(value)).removeprefix("W/")

    for first, second in ((one, other), ({"server_time": moment, "x": one}, {"server_time": "now", "x": one})):
        assert (opaque(first) == opaque(second)) == (written(timeless(first)) == written(timeless(second)))
