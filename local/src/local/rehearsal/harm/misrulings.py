"""Bugs of decisions to be planted: what organizers ordered is not done, or not for everybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_FAVOURED: Final = "team-001"


def ignore_pauses() -> None:
    """A pause is announced, and every file opens when it was to open."""
    from contest.domain.run import schedule

    put_in(schedule, "_pauses", lambda _: ())


def ignore_rulings() -> None:
    """Nobody looks at the commission's rulings."""
    from contest.domain.run.schedule import Schedule

    put_in(Schedule, "rulings", lambda *_: {})


def reword_rulings() -> None:
    """The record tells of another cause than was ruled, in what it opens and in the rows, and is signed so."""
    from contest.services.run import records

    original = records.build

    def build(*args: Any) -> Any:
        record = original(*args)
        for ruling in record["rulings"]:
            said = ruling["details"]
            said["cause"] = "network"
            for session in record["sessions"]:
                for file in session["files"]:
                    if (session["team_id"], file["number"]) == (said["team_id"], said["number"]):
                        file["cause"] = said["cause"]
        return record

    put_in(records, "build", build)


def tell_rulings_early() -> None:
    """Everybody reads what was ruled on a team's file while the run goes on."""
    from contest.domain.run import commitment

    put_in(commitment, "published_rulings", commitment.rulings)


def keep_what_was_undone() -> None:
    """What was taken back holds all the same."""
    from contest.domain.run.run import Kind
    from contest.domain.run.schedule import Schedule

    original = Schedule.of

    def of(run: Any) -> Any:
        kept = tuple(each for each in run.amendments if each.kind is not Kind.UNDO)
        found = original(replace(run, amendments=kept))
        object.__setattr__(found, "run", run)
        return found

    put_in(Schedule, "of", staticmethod(of))


def void_for_others_alone() -> None:
    """One team keeps the file that is void for everybody."""
    from contest.domain.run.fate import Circumstances

    original = Circumstances.annulled.fget  # type: ignore[attr-defined]  # a property has one
    put_in(Circumstances, "annulled", property(lambda self: {} if self.team_id == _FAVOURED else original(self)))


def move_only_the_next() -> None:
    """A pause moves the file that was to open in it, and no other."""
    from contest.domain.run import schedule

    original = schedule._shifted

    def shifted(planned: int, breaks: Any) -> int:
        return original(planned, [each for each in breaks if planned < each.until])

    put_in(schedule, "_shifted", shifted)


BUGS: Final = by_name(
    ignore_pauses,
    ignore_rulings,
    reword_rulings,
    tell_rulings_early,
    keep_what_was_undone,
    void_for_others_alone,
    move_only_the_next,
)
