"""End of a contest: a published final in which a program overcomes the barrier (R 4.8)."""

from __future__ import annotations

from typing import cast

from contest import reading
from contest.cycle.rules.cycle import ALL_LANGUAGES, Mode, ends_at_barrier
from contest.platform import Platform
from contest.refusals import RefusedError
from contest.results import boards
from contest.results.rules.leaderboard import End
from contest.run.planning import RunOrder
from contest.run.rules.run import Run
from contest.texts import tr


# Clause: R 4.8
def end(platform: Platform) -> End | None:
    """Return the end of the contest; None while no published final overcomes the barrier, or where that ends nothing.

    It follows from the public boards, at most as old as they are: annulments, withdrawals and baselines count. Of
    several finals it is the earliest published one.
    """
    cycle = reading.recent_cycle(platform)
    if not ends_at_barrier(reading.track_of(platform, cycle), cycle.ends_at_barrier):
        return None
    key = ("end", cycle.version, platform.clock.now() // boards.FRESH)
    return cast(End | None, platform.memory.keep(key, lambda: _end(platform)))


def _end(platform: Platform) -> End | None:
    finals = (reading.schedule(platform, run_id).run for run_id in platform.runs.of_mode(Mode.FINAL, boards.LATEST))
    out = [run for run in finals if run.published_at is not None and not run.trial]
    ended = (_of_run(platform, run) for run in sorted(out, key=lambda run: (run.published_at, run.run_id)))
    return next((end for end in ended if end is not None), None)


def _of_run(platform: Platform, run: Run) -> End | None:
    names = dict[str, str]()
    for scope in (ALL_LANGUAGES, *boards.other_boards(platform, run)):
        board = boards.final_board(platform, run.run_id, scope)
        overcame = (row.entry.team_id for row in board.rows if row.overcame and not row.is_baseline)
        names |= {team_id: board.names[team_id] for team_id in overcame}
    return End(run.run_id, run.published_at or 0, tuple(names.values())) if names else None


# Clause: R 4.8
def refuse_after_end(platform: Platform, order: RunOrder) -> None:
    """Refuse to plan another final after the end of the contest; trials and technical runs go on."""
    if order.mode is Mode.FINAL and not order.trial and (ended := end(platform)) is not None:
        raise RefusedError(
            "contest_over",
            tr(
                "the contest is over: in the final {run_id} a program overcame the barrier (R 4.8); if it goes on, "
                "load the cycle with ends_at_barrier: false",
                run_id=ended.run_id,
            ),
            run_id=ended.run_id,
        )
