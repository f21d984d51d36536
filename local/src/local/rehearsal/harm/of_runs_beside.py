"""Bugs to be planted that runs beside the final alone show: trials, replacements, runs that are begun anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_OTHER_ROOT: Final = "0" * 64


def promise_another_restart() -> None:
    """The commitment of a run that is begun anew is to other files than it has."""
    from contest.domain.run import commitment

    original = commitment.statement

    def statement(run: Any, root: str, key_id: str) -> Any:
        return original(run, root if run.restarts is None else _OTHER_ROOT, key_id)

    put_in(commitment, "statement", statement)


def append_without_a_promise() -> None:
    """Files that replace others are handed out under a root that was made of none of them."""
    from contest.services.run import amendments

    original = amendments._with_files

    def with_files(*args: Any) -> Any:
        made = original(*args)
        return replace(made, details={**made.details, "root": _OTHER_ROOT})

    put_in(amendments, "_with_files", with_files)


def record_other_openings_of_trials() -> None:
    """The record of a trial tells of openings a second later than they were."""
    from contest.domain.moments import SECOND, from_iso, iso
    from contest.services.run import records

    original = records._releases

    def releases(platform: Any, schedule: Any) -> Any:
        for each in original(platform, schedule):
            moved = {"opens_at": iso(from_iso(each["opens_at"]) + SECOND)} if schedule.run.trial else {}
            yield {**each, **moved}

    put_in(records, "_releases", releases)


BUGS: Final = by_name(
    promise_another_restart,
    append_without_a_promise,
    record_other_openings_of_trials,
)
