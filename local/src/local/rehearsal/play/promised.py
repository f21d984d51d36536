"""What everybody may read of a run beside the final before its start, and once its results are out."""

from __future__ import annotations

from typing import Final

from local.rehearsal.play.script import Asking, Script

BEFORE, AFTER = "beside_before", "beside_after"
MOVED: Final = "moved"
"""A decision that moves openings of such a run."""


def before(script: Script, reader: Asking, run_id: str, kind: str) -> None:
    """Read a run's description, with its commitment, that nobody can say later there was another one."""
    script.ask(reader, BEFORE, f"GET /v1/runs/{run_id}", run=kind)


def after(script: Script, reader: Asking, run_id: str, kind: str) -> None:
    """Read it once more."""
    script.ask(reader, AFTER, f"GET /v1/runs/{run_id}", run=kind)
