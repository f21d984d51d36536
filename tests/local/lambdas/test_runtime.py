"""Workers of the local runtime as processes."""

from __future__ import annotations

import asyncio
import logging

import pytest

from local.lambdas.runtime import _Worker


async def _kill_until_seen_dead(worker: _Worker) -> int:
    worker.process = process = await asyncio.create_subprocess_exec("true")
    while process.returncode is None:
        worker.kill()
        await asyncio.sleep(0)
    return process.returncode


def test_killing_a_worker_that_has_just_died_takes_its_status_from_nobody(caplog: pytest.LogCaptureFixture) -> None:
    # With Process.kill about half of these processes were reaped under asyncio's hands, which then warned.
    with caplog.at_level(logging.WARNING, "asyncio"):
        statuses = [asyncio.run(_kill_until_seen_dead(_Worker(number))) for number in range(40)]
    assert caplog.messages == []
    assert set(statuses) <= {0, -9}
