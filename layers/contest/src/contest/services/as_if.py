"""The platform as it would be if a run were another one: what is scored under conditions that do not hold yet."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, cast

from contest.domain.run.run import Run
from contest.ports.runs import Runs
from contest.services.platform import SMALL, Memory, Platform


def as_if(platform: Platform, run: Run) -> Platform:
    """Every port as it is, but for this run, which is read as it is given here; nothing of it is written.

    What the process remembers is shared, for it is named by its content; of the run itself each has its own.
    """
    return cast(Platform, _Platform(platform, run))


class _Platform:
    def __init__(self, platform: Platform, run: Run) -> None:
        self._platform = platform
        self.runs = cast(Runs, _Runs(platform.runs, run))
        self.memory: Memory = _Memory(platform.memory, ("run", run.run_id))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._platform, name)


class _Runs:
    def __init__(self, runs: Runs, run: Run) -> None:
        self._runs = runs
        self._run = run

    def get(self, run_id: str) -> Run | None:
        return self._run if run_id == self._run.run_id else self._runs.get(run_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)


class _Memory(Memory):
    """A process's memory with one key of its own."""

    def __init__(self, shared: Memory, own: Hashable) -> None:
        super().__init__()
        self._shared = shared
        self._own = own

    def keep(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: SMALL) -> Any:
        """See :class:`Memory`."""
        return super().keep(key, make, size) if key == self._own else self._shared.keep(key, make, size)

    def known(self, key: Hashable) -> Any:
        """See :class:`Memory`."""
        return super().known(key) if key == self._own else self._shared.known(key)

    def put(self, key: Hashable, value: Any, size: int = SMALL) -> None:
        """See :class:`Memory`."""
        if key == self._own:
            super().put(key, value, size)
        else:
            self._shared.put(key, value, size)
