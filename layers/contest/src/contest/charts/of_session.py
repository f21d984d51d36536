"""What a timeline shows of a session in a run (R 6.7, 7.8)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.charts.timeline import FileTimes, Heading, session_chart
from contest.domain.results.file_views import FileView
from contest.domain.results.run_report import views
from contest.domain.results.session_report import Facts
from contest.domain.run.fate import Circumstances
from contest.domain.run.run import Run


def chart(facts: Facts, run: Run) -> bytes:
    """The session's timeline as SVG."""
    kind = {"final": ("Финальные испытания", "Final"), "technical": ("Техническая квалификация", "Technical run")}
    ru, en = kind[run.mode.value]
    trial = (" (пробные)", " (trial)") if run.trial else ("", "")
    name = f"{run.run_id}, {facts.session.team_id}, {facts.session.session_id}"
    heading = Heading(f"{ru}{trial[0]}: {name}", f"{en}{trial[1]}: {name}")
    return session_chart(heading, times(views(facts), facts.circumstances), run.limits.total)


def times(files: Sequence[FileView], known: Circumstances) -> tuple[FileTimes, ...]:
    """What a timeline shows of a session's files."""
    return tuple(
        FileTimes(
            number=view.number,
            opens_at=known.windows[view.number - 1].opens_at,
            handed_out_at=view.delivery.handed_out_at if view.delivery else None,
            answer_by=view.delivery.answer_by if view.delivery else None,
            answered_at=view.delivery.answer.received_at if view.delivery and view.delivery.answer else None,
            cause=view.cause,
        )
        for view in files
    )
