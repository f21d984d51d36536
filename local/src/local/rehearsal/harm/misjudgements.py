"""Bugs around the final to be planted: who is ready, admitted and on the board, what a trial is, what is begun anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def ask_for_less() -> None:
    """A program is called ready that has missed two files of twenty."""
    from contest.domain.results import readiness

    original = readiness.conclude

    def conclude(files: int, answered: int, state: Any, parameters: Any) -> Any:
        return original(files, answered, state, replace(parameters, readiness_min_share=0.9))

    put_in(readiness, "conclude", conclude)


def take_short_sessions() -> None:
    """Nobody looks how many files a session had that is to show readiness."""
    from contest.domain.results import readiness

    original = readiness.conclude

    def conclude(files: int, answered: int, state: Any, parameters: Any) -> Any:
        return original(files, answered, state, replace(parameters, readiness_min_files=1))

    put_in(readiness, "conclude", conclude)


def forgive_in_technical_runs() -> None:
    """A technical run shows readiness whatever was annulled in it."""
    from contest.domain.results import readiness

    original = readiness.conclude_run

    def conclude_run(
        counting: int, answered: int, share: Any, allowed: float, session: Any, parameters: Any, *, stopped: bool
    ) -> Any:
        del allowed
        return original(counting, answered, share, 1.0, session, parameters, stopped=stopped)

    put_in(readiness, "conclude_run", conclude_run)


def forget_who_ruled() -> None:
    """The log does not tell of the rulings on conclusions."""
    from contest.services.results import qualifying

    original = qualifying._write
    put_in(qualifying, "_write", lambda platform, before, after, _: original(platform, before, after, None))


def qualify_by_one_kind() -> None:
    """A team has qualified with a verified conclusion of any kind."""
    from contest.domain.results import qualification

    original = qualification.is_qualified
    put_in(qualification, "is_qualified", lambda claims, kinds: any(original(claims, (each,)) for each in kinds))


def take_who_is_not_admitted() -> None:
    """A final takes every team, whatever the organizers have decided."""
    from contest.services.run import planning

    put_in(planning, "_with_admitted", lambda _platform, _cycle, order: order)


def keep_the_first_entry() -> None:
    """The first entry of a team stays on the board, however good a later one is."""
    _believe_best(lambda found: min(found, key=lambda each: each.closed_at))


def keep_the_last_entry() -> None:
    """The last entry of a team stands on the board, however bad it is."""
    _believe_best(lambda found: max(found, key=lambda each: each.closed_at))


def _believe_best(choose: Callable[[Any], Any]) -> None:
    from contest.domain.results import leaderboard

    put_in(leaderboard, "best_of", lambda found, _: choose(found))


def count_trials() -> None:
    """A trial is a final like any other when boards are made."""
    from contest.domain.results import leaderboard

    original = leaderboard.final_entry

    def final_entry(facts: Any, schedule: Any, track: Any) -> Any:
        twin = replace(schedule, run=replace(schedule.run, trial=False))
        return original(facts, twin, track)

    put_in(leaderboard, "final_entry", final_entry)


def propose_two_files() -> None:
    """Two files that everybody missed are called a mass failure."""
    from contest.domain.run import mass_failure

    put_in(mass_failure, "LEAST_FILES", 2)


def propose_nothing() -> None:
    """Nobody looks what everybody has missed."""
    from contest.services.run import watching

    put_in(watching, "notice_mass_failure", lambda *_: 0)


def begin_anew_on_the_same() -> None:
    """A run that is begun anew draws from the final's set again."""
    from contest.services.run import amendments

    original = amendments._restarted

    def restarted(platform: Any, old: Any, wish: Any) -> Any:
        return replace(original(platform, old, wish), set_name=old.set_name)

    put_in(amendments, "_restarted", restarted)


def draw_seen_files() -> None:
    """Files of the reserve are drawn that somebody has seen, as would happen by chance where nobody looks who has."""
    from contest.services.run import planning

    unused, listed = planning._unused, planning.listed

    def drawable(*of: Any) -> Any:
        fresh = unused(*of)
        planning.listed = lambda *_: ()
        every = unused(*of)
        planning.listed = listed
        return tuple(each for each in every if each not in fresh) or fresh

    put_in(planning, "_unused", drawable)


BUGS: Final = by_name(
    ask_for_less,
    take_short_sessions,
    forgive_in_technical_runs,
    forget_who_ruled,
    qualify_by_one_kind,
    take_who_is_not_admitted,
    keep_the_first_entry,
    keep_the_last_entry,
    count_trials,
    propose_two_files,
    propose_nothing,
    begin_anew_on_the_same,
    draw_seen_files,
)
