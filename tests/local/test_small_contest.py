"""A contest of four teams on a local cloud with a state, whose AWS services are killed in the midst of it."""

from __future__ import annotations

import shutil
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from local.aws.emulator import EmulatorGoneError
from tests.exchange_programs import (
    Exchange,
    Program,
    as_expert,
    at_once,
    exchange_cloud,
    receipt_bytes,
    tokens_of,
    verified,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.integration, pytest.mark.slow]

TEAMS, FILES = 4, 4


def begun(exchange: Exchange) -> list[Program]:
    programs = [exchange.program() for _ in range(TEAMS)]
    for program in programs:
        assert program.open(files=FILES).status_code == 201
    return programs


def play_until(programs: list[Program], exchange: Exchange, receipts_until: int) -> dict[tuple[str, int], Any]:
    """Let all teams play at once; kill after so many receipts. Return each acknowledged answer with its receipt."""
    acknowledged: dict[tuple[str, int], Any] = {}
    lock = threading.Lock()

    def play(program: Program) -> None:
        with suppress(httpx.HTTPError, AssertionError, KeyError, EmulatorGoneError):  # so a cloud ends
            while (following := program.get("next").json())["status"] == "available":
                number = following["number"]
                markup = as_expert(1)(program.take(number))
                answered = program.answer(number, markup)
                if answered.status_code == 200:
                    with lock:
                        acknowledged[program.team_id, number] = (markup, receipt_bytes(answered))
                        if len(acknowledged) == receipts_until:
                            exchange.cloud._running_emulator()._process.kill()  # type: ignore[union-attr]  # started here

    at_once([partial(play, program) for program in programs])
    return acknowledged


def test_no_receipt_is_lost_and_every_team_plays_on_to_its_report(prepared: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    shutil.copy(tokens_of(prepared), tokens_of(state))
    workers = {"FunctionsDispatch": 2, "FunctionsSubmit": 2}
    with exchange_cloud(prepared, keep=state, workers_of=workers) as exchange:
        programs = begun(exchange)
        acknowledged = play_until(programs, exchange, receipts_until=6)
    with exchange_cloud(state, workers_of=workers) as exchange:
        exchange.clock.advance(20)  # the seconds of the first cloud have been asked in, up to the limit of rates
        for before in programs:
            program = Program(exchange, before.team_id)
            program.session_id = before.session_id
            for (team, number), (markup, receipt) in acknowledged.items():
                if team == program.team_id:
                    again = program.answer(number, markup)
                    assert (again.status_code, receipt_bytes(again)) == (200, receipt)
                    assert verified(exchange, again.json())
            program.play(as_expert(1))
            for number in range(1, FILES + 1):  # among them those that were handed out and not answered
                if (program.team_id, number) not in acknowledged and program.state() == "open":
                    assert program.answer(number, as_expert(1)(program.take(number))).status_code == 200
            exchange.cloud.drain()
            assert program.state() == "finished"
            assert len(program.report()["files"]) == FILES
    assert len(acknowledged) >= 5
