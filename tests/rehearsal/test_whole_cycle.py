"""A whole cycle is played by command, and its numbers are those expected from the simulated people's noise."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from infra.constructs.sign_in import ACCESS_MINUTES
from local.cli import main
from local.clock import Clock
from rehearsal.history import MINUTE
from rehearsal.whole_cycle import PARTICIPANTS, Outcome, Person, Row, Telling
from tracks.command.console import SILENCE_S

NOW = 1_795_262_430_000


def test_while_nothing_is_said_the_act_and_the_cycles_time_are(capsys: pytest.CaptureFixture[str]) -> None:
    heard, over = [SILENCE_S] * 3, Event()

    def pause(seconds: float) -> bool:
        assert seconds == SILENCE_S
        if not heard:
            over.set()
            return True
        heard.pop()
        return False

    telling = Telling(pause)
    telling.act("The final: planned, announced, looked over, played, and so long a title that the line ends before it")
    telling.moment(NOW)
    with telling:
        assert over.wait(10)
    said = capsys.readouterr()
    assert said.out.startswith("\n— The final")
    beginning, *lines = said.err.splitlines()
    assert beginning == "The local cloud starts …"
    assert len(lines) == 3
    assert {HEARD.sub("", line) for line in lines} == {said.out.strip().removeprefix("— ")}


HEARD = re.compile(r" … (\d{4}-\d\d-\d\dT[\d:]{8} )?\d+:\d\d( \(\d+:\d\d\))?$")
"""End of a progress line: the cycle's time, if it is shown, and the time that has passed."""


@pytest.mark.integration
@pytest.mark.long
def test_a_whole_cycle_from_the_application_form_to_the_results_is_played_and_told() -> None:
    ended = CliRunner().invoke(main, ["demo-cycle", "--files", "4", "--qualifying", "4"])
    assert ended.exit_code == 0, ended.output
    acts = [
        "captain-of-late   POST /v1/applications",
        "olga$ contest team decide late rejected",
        "program$ pku run --mode algorithmic",
        "program$ pku run --mode technical",
        "jan$ contest qualification judge",
        "kim$ contest qualification verify",
        "olga$ contest qualification admit",
        "olga$ contest cycle parameters",
        "olga$ contest run plan",
        "olga$ contest check --run",
        "program$ pku run --mode final",
        "olga$ contest marking begin --run",
        "olga$ contest marking begin --session",
        "olga$ contest run mark",
        "kim$ contest run shadow",
        "olga$ contest run publish",
        "olga$ contest run archive",
        "anybody$ pku verify-archive",
        "The archive is sound",
        "olga$ contest board --run",
        "At H = 0 a program is held against the expert it agrees with best",
    ]
    places = [ended.stdout.find(act) for act in acts]
    assert -1 not in places, ended.stdout
    assert places == sorted(places)
    assert "0 differences in 16 files, 16 receipts, 16 scores, 4 sessions" in ended.stdout
    heard = ended.stderr.splitlines()
    assert heard[0] == "The local cloud starts …"
    assert [line for line in heard[1:] if not HEARD.search(line)] == []
    assert any("Experts mark the final's essays up" in line for line in heard)


def test_a_person_who_works_for_hours_gets_another_token_in_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Refuse a token that is as old as the pool lets one get; a token is the moment at which it was issued."""
    clock = Clock(NOW)
    cloud: Any = SimpleNamespace(url="http://local", clock=clock)

    def request(method: str, url: str, *, headers: dict[str, str], **_: Any) -> httpx.Response:
        issued_at = int(headers["Authorization"].removeprefix("Bearer "))
        is_live = clock.now_ms() - issued_at < ACCESS_MINUTES * MINUTE
        return httpx.Response(200 if is_live else 401, json=[method, url])

    monkeypatch.setattr("rehearsal.whole_cycle.token", lambda *_: str(clock.now_ms()))
    monkeypatch.setattr(httpx, "request", request)
    person = Person("captain-of-hours", PARTICIPANTS, cloud, tmp_path)
    for seconds in (0, ACCESS_MINUTES * 60 - 1, ACCESS_MINUTES * 60 + 1):
        clock.advance(seconds)
        assert person.ask("GET /v1/me") == ["GET", "http://local/v1/me"]


def row(program: str, value: float, published: float | None = None) -> Row:
    told = value if published is None else published
    return Row(program, 0.1, value, (value - 2, value + 2), told, told, value + 5)


SOUND = {one.program: one for one in (row("better", 112), row("equal", 100.5), row("worse", 85), row("empty", 18))}


@pytest.mark.parametrize(
    ("program", "wrong", "said"),
    [
        ("equal", row("equal", 103), "the experts' own noise"),
        ("equal", row("equal", 97), "the experts' own noise"),
        ("better", row("better", 99.5), "a better program"),
        ("worse", row("worse", 100.5), "a worse one"),
        ("empty", row("empty", 18, published=86), "the empty one"),
        ("worse", replace(SOUND["worse"], computed=85.0001), "the published numbers"),
        ("better", replace(SOUND["better"], lax=111), "at H = 0"),
    ],
)
def test_every_number_that_makes_no_sense_is_named(program: str, wrong: Row, said: str) -> None:
    assert Outcome(tuple(SOUND.values()), 1).surprises() == []
    [surprise] = Outcome(tuple({**SOUND, program: wrong}.values()), 1).surprises()
    assert said in surprise
