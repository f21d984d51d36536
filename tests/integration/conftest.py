"""One cloud with the demonstration cycle for most tests of the exchange, and its state for those with their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from exchange_programs import Exchange, Program, exchange_cloud, tokens_of


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the state of a cloud whose cycle is loaded and whose teams are admitted."""
    state = tmp_path_factory.mktemp("prepared") / "state.zip"
    with exchange_cloud() as ready:
        ready.cloud.export_state(state)
        tokens_of(state).write_text(json.dumps(ready.tokens), "utf-8")
    return state


@pytest.fixture(scope="session")
def exchange(prepared: Path) -> Iterator[Exchange]:
    """The cloud that tests share."""
    workers = {"FunctionsDispatch": 2, "FunctionsSubmit": 2}
    with exchange_cloud(prepared, workers_of=workers, warm=True) as ready:
        yield ready


@pytest.fixture
def program(exchange: Exchange) -> Program:
    """A program of a new team on the shared cloud."""
    return exchange.program()
