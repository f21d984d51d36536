"""A machine for submitted programs: the real job, on this process's storage."""

from __future__ import annotations

from contest.adapters import aws
from contest.submissions.rules import Phase, RunOrder
from local.submissions.job import Engine, S3Bucket
from local.submissions.work import work
from tests.stage_services import BUCKET


class Machine:
    """:class:`contest.results.ports.Runner` whose runs happen when a test says so, outside of any function."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.orders: dict[str, RunOrder] = {}
        self.loses_endings = False
        """True if jobs vanish without a trace."""
        self._over: set[str] = set()

    def start(self, order: RunOrder) -> None:
        self.orders.setdefault(order.run, order)

    def phase(self, run: str) -> Phase:
        if run in self._over:
            return Phase.OVER
        return Phase.STARTED if run in self.orders else Phase.UNKNOWN

    def stop(self, run: str) -> None:
        self._over.add(run)

    def run_all(self) -> list[str]:
        """Run everything that was started and is not over; the runs' names."""
        waiting = [each for each in self.orders if each not in self._over]
        for each in waiting:
            if not self.loses_endings:
                order = f"{self.orders[each].folder}order.json"
                work(S3Bucket(aws.client("s3"), BUCKET), order, self._engine, "a machine")
            self._over.add(each)
        return waiting
