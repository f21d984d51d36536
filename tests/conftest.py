"""Shared settings of the test suite, and one cloud with the demonstration cycle for most tests of the exchange."""

from __future__ import annotations

import fcntl
import functools
import gc
import json
import os
import typing
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.examples import OF_THE_GATE, PROFILE, examples

if TYPE_CHECKING:  # the cloud's libraries are loaded with the first test that plays on it
    from tests.exchange_programs import Exchange, Program

# readline, which pytest loads, tells every child of this process that it has 80 columns; a pipe has none.
for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)

# A worker keeps hundreds of megabytes of libraries and emulated services: looked through as often as Python does by
# itself, they took a tenth of the gate's processor time.
gc.set_threshold(50_000, 20, 50)

# Python 3.11 lists a Protocol's names anew at each isinstance, of which a request makes dozens about its contest.
typing._get_protocol_attrs = functools.cache(typing._get_protocol_attrs)  # type: ignore[attr-defined]  # not a public name

settings.register_profile(
    PROFILE,
    deadline=None,
    derandomize=PROFILE != "proofs",
    max_examples=examples(OF_THE_GATE),
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate) if PROFILE == "mutants" else tuple(Phase),
)
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties; refuse tests that share an id.

    Of those the workers of the gate run one, and nobody sees that the others did not run.
    """
    shared = [name for name, times in Counter(each.nodeid for each in items).items() if times > 1]
    for each in items:
        if getattr(getattr(each, "obj", None), "is_hypothesis_test", False):
            each.add_marker("property")
    if shared:
        raise pytest.UsageError(f"tests share an id, so that one of each alone would run: {shared}")


def pytest_collection_finish() -> None:
    """Leave what the collection made out of each later search for garbage: it stays until the end."""
    gc.freeze()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store the state of a cloud with its cycle loaded and its teams admitted, once for all workers."""
    from tests.exchange_programs import exchange_cloud, tokens_of

    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "prepared"
    folder.mkdir(exist_ok=True)
    state, tokens = folder / "state", tokens_of(folder / "state")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tokens.exists():
            with exchange_cloud(keep=state) as ready:
                ready.cloud.drain()
                tokens.write_text(json.dumps(ready.tokens), "utf-8")
    return state


@pytest.fixture(scope="session")
def exchange(prepared: Path) -> Iterator[Exchange]:
    """Start the cloud that tests share."""
    from tests.exchange_programs import exchange_cloud

    workers = {"FunctionsDispatch": 2, "FunctionsSubmit": 2}
    with exchange_cloud(prepared, workers_of=workers) as ready:
        yield ready


@pytest.fixture
def program(exchange: Exchange) -> Program:
    """Return a program of a new team on the shared cloud."""
    return exchange.program()
