"""A participant's command in a final on the local cloud, in real time: killed, continued, checked afterwards."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from contest.values import from_iso, iso
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import Organizer
from tests.exchange_programs import DEMONSTRATION, FUNCTIONS, Exchange, issue_tokens
from tests.pku.platform import Commands

pytestmark = [pytest.mark.slow, pytest.mark.integration]
FILES = 5
INTERVAL_S = 3
PATIENCE_S = 600
"""Seconds to ask for a file and to answer it: a killed command takes seconds to be back, many on a loaded machine."""
SAMPLE = "sample-rus"
MARKER = f"""
import json, pathlib, sys, time
essay = json.load(open(sys.argv[1], encoding="utf-8"))
with open("solved.txt", "a+") as file:
    file.write(essay["meta"]["id"] + "\\n")
    file.seek(0)
    solved = set(file.read().split()) - {{"{SAMPLE}"}}
while len(solved) > 3 and not pathlib.Path("killed").exists():
    time.sleep(0.05)
json.dump(essay, open(sys.argv[2], "w", encoding="utf-8"))
"""


@pytest.fixture(scope="module")
def exchange() -> Iterator[Exchange]:
    """Start a cloud whose clock runs."""
    screen = StringIO()
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, clock=Clock(), logs=Logs(screen=screen), warm=True) as cloud:
        Organizer(cloud).load(DEMONSTRATION)
        with closing(Exchange(cloud, issue_tokens(cloud, ["red"]), screen)) as ready:
            yield ready


class Team(Commands):
    """A team's folder and its command."""

    def pku(self, *words: str) -> Any:
        """Run a command that must succeed and return its JSON."""
        out, err = self.start("-m", "pku", *words, "--json").communicate()
        assert out, err
        return json.loads(out)

    def journal(self) -> list[str]:
        """List the kinds of the journal's entries."""
        journals = self.folder.glob("home/journals/*/journal.jsonl")
        lines = [line for path in journals for line in path.read_bytes().splitlines(keepends=True)]
        return [json.loads(line)["kind"] for line in lines if line.endswith(b"\n")]


@pytest.mark.long
def test_a_program_killed_in_the_middle_of_a_final_loses_nothing(exchange: Exchange, tmp_path: Path) -> None:
    team = Team(tmp_path, exchange.cloud.url, exchange.tokens["red"])
    (tmp_path / "marker.py").write_text(MARKER)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "keys.json").write_text(exchange.public("GET", "/v1/keys").text)
    exchange.clock.hold()  # until the final is planned, which may take longer than it is away
    starts_at = exchange.clock.now_ms() + 8_000
    timing = ["--start", iso(starts_at), "--interval", str(INTERVAL_S), "--files", str(FILES)]
    limits = ["--request", str(PATIENCE_S), "--answer", str(PATIENCE_S), "--total", str(PATIENCE_S)]
    run_id = exchange.organizer.contest("run", "plan", "--mode", "final", "--trial", "--set", "train", *timing, *limits)
    exchange.clock.release()
    words = ["run", "--mode", "final", "--run", run_id, "--solver", f"{sys.executable} marker.py {{input}} {{output}}"]
    for kind, count in (("opened", 1), ("received", 1), ("solved", 2), ("sent", 3)):
        process = team.start("-m", "pku", *words)
        while team.journal().count(kind) < count and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        _, complaint = process.communicate()
        assert process.returncode == -signal.SIGKILL, complaint
    (tmp_path / "killed").touch()
    done = team.pku(*words)
    assert (done["files"], done["accepted"], done["late"], done["failures"]) == (FILES, FILES, 0, [])
    solved = set((tmp_path / "solved.txt").read_text().split())
    assert len(solved - {SAMPLE}) == FILES

    status = team.pku("status", done["session_id"])
    lateness = [from_iso(each["handed_out_at"]) - from_iso(each["opens_at"]) for each in status["deliveries"]]
    assert min(lateness) >= 0
    assert status["voided_share"] == 0

    exchange.clock.hold(starts_at + (INTERVAL_S * FILES + PATIENCE_S + 60) * 1000)
    exchange.cloud.invoke("FunctionsMinuteTimer", {})
    report = team.pku("report", done["session_id"], "--timeline", "timeline.svg")
    assert report["timing"]["delay_ms"]["count"] == FILES
    assert report["solution"] == {"voided_share": 0.0, "allowed_share": 0.05, "voided": False}
    assert (tmp_path / "timeline.svg").read_text().startswith("<")
    exchange.cloud.invoke("FunctionsMinuteTimer", {})
    verdict = team.pku("verify-run", run_id, "--wait")
    assert (verdict["fair"], verdict["faults"], verdict["own_files"]) == (True, [], FILES)
