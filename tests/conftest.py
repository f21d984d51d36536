"""Shared settings of the test suite, and one cloud with the demonstration cycle for most tests of the exchange."""

from __future__ import annotations

import fcntl
import gc
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:  # the cloud's libraries are loaded with the first test that plays on it
    from tests.exchange_programs import Exchange, Program

# readline, which pytest loads, tells every child of this process that it has 80 columns; a pipe has none.
for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)

# A worker keeps hundreds of megabytes of libraries and emulated services: looked through as often as Python does by
# itself, they took a tenth of the gate's processor time.
gc.set_threshold(50_000, 20, 50)

settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.register_profile("mutants", settings.get_profile("default"), phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests that share an id: of those the workers of the gate run one, and nobody sees that the others did
    not run."""
    shared = [name for name, times in Counter(each.nodeid for each in items).items() if times > 1]
    if shared:
        raise pytest.UsageError(f"tests share an id, so that one of each alone would run: {shared}")


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of a cloud with its cycle loaded and its teams admitted, in a file made once for all workers."""
    from tests.exchange_programs import exchange_cloud, tokens_of

    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "prepared"
    folder.mkdir(exist_ok=True)
    state, tokens = folder / "state.zip", tokens_of(folder / "state.zip")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tokens.exists():
            with exchange_cloud() as ready:
                ready.cloud.export_state(state)
                tokens.write_text(json.dumps(ready.tokens), "utf-8")
    return state


@pytest.fixture(scope="session")
def exchange(prepared: Path) -> Iterator[Exchange]:
    """The cloud that tests share."""
    from tests.exchange_programs import exchange_cloud

    workers = {"FunctionsDispatch": 2, "FunctionsSubmit": 2}
    with exchange_cloud(prepared, workers_of=workers, warm=True) as ready:
        yield ready


@pytest.fixture
def program(exchange: Exchange) -> Program:
    """A program of a new team on the shared cloud."""
    return exchange.program()
