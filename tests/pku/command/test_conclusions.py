"""The end of a report tells a person what the session came to, and nothing that does not follow from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pku.command import tables
from pku.errors import ExchangeError, PkuError

REASON = {"code": "run_stopped", "message": "The run was stopped.", "message_ru": "Остановлено."}
VOIDED = {"code": "too_many_voided", "message": "Too many files.", "message_ru": "Слишком много."}


class Shown:
    """What a person sees, by the names of the sentences."""

    language = "en"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, name: str, **values: Any) -> None:
        del values
        self.lines.append(name)

    def show(self, text: str) -> None:
        self.lines.append(text)


def shown(*reasons: Any, result: Any = None, **run: Any) -> list[str]:
    app = Shown()
    report = {
        "timing": {},
        "files": [],
        "solution": {"voided_share": 0.0, "allowed_share": 0.05, "voided": False},
        "run": {"mode": "final", "trial": False, "stopped_at": None, **run},
        "readiness": {"ready": not reasons, "valid_share": 1.0, "reasons": list(reasons)},
        "result": result,
    }
    tables.show(app, report)  # type: ignore[arg-type]  # two methods of the application are all it needs
    return app.lines


def test_a_final_makes_nobody_ready_for_a_final() -> None:
    assert shown(result={}) == ["report.solution_stands"]


def test_a_final_without_results_says_that_they_are_to_come() -> None:
    assert shown() == ["report.solution_stands", "report.unpublished"]


def test_a_stopped_final_says_so_and_promises_no_results() -> None:
    stopped = shown(VOIDED, REASON, stopped_at="2026-12-01T09:00:00.000Z")
    assert stopped == ["report.solution_stands", "The run was stopped."]


@pytest.mark.parametrize("run", [{"mode": "technical"}, {"trial": True}])
def test_a_technical_run_and_a_trial_conclude_on_readiness(run: Any) -> None:
    assert "report.ready" in shown(**run)
    assert shown(REASON, **run)[-2:] == ["report.not_ready", "  - The run was stopped."]


class Charts:
    """A platform that knows one session's chart."""

    def timeline(self, session_id: str) -> str:
        if session_id != "s1":
            raise ExchangeError("unknown_run", message="", message_ru="", status=404)
        return "<svg/>"


def test_a_timeline_is_written_or_it_is_said_why_not(tmp_path: Path) -> None:
    charts: Any = Charts()
    tables.write_timeline(charts, "s1", tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text() == "<svg/>"
    for session_id, path, code in (("s2", "chart.svg", "no_timeline"), ("s1", "nowhere/chart.svg", "not_written")):
        with pytest.raises(PkuError) as refused:
            tables.write_timeline(charts, session_id, tmp_path / path)
        assert refused.value.code == code
