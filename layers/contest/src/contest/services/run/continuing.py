"""Which run another may continue, so that the results of both count together (tracks-sessions T9)."""

from __future__ import annotations

from contest.domain.cycle.cycle import Cycle, Mode
from contest.domain.run.schedule import Schedule
from contest.refusals import RefusedError
from contest.services.platform import Platform
from tracks.capabilities import JoinsRuns


def refuse_unless_continuable(platform: Platform, cycle: Cycle, mode: Mode, run_id: str) -> None:
    """What is continued is a final of the cycle whose results may count, in a contest that counts two together.

    Clause: TS T9, TS D-11
    """
    before = platform.runs.get(run_id)
    joins = isinstance(platform.tracks(cycle.track), JoinsRuns) and mode is Mode.FINAL
    if not joins or before is None or before.cycle != cycle.name or before.mode is not Mode.FINAL:
        raise RefusedError(
            "nothing_to_continue",
            f"there is no final {run_id} in this cycle whose results would count with this run's",
            f"в цикле нет финального прогона {run_id}, результаты которого учитывались бы вместе с этим",
        )
    if before.trial or Schedule.of(before).stop is not None:
        raise RefusedError(
            "does_not_count",
            f"the run {before.run_id} is a trial or was stopped: its results count nowhere",
            f"прогон {before.run_id} пробный или остановлен: его результаты не учитываются",
        )
