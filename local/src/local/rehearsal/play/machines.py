"""The machines of a rehearsed contest of programs: they find what was ordered, and leave what the real job leaves.

One run goes through the real local runner (:mod:`local.submissions.work`) with the strongest engine that is here.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from local.cloud import LocalCloud
from local.rehearsal.moments import SECOND, Millis
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.programs import FOLDER, ORDERED, OVER, STARTED, Way
from local.submissions.objects import S3Bucket
from local.submissions.running import strongest
from local.submissions.work import NOTHING, work

Json = Any
LOOKS: Final[Millis] = 15 * SECOND
_QUEUE: Final = "QueuesSubmissions"
MACHINE: Final = "a rehearsed machine"


@dataclass(frozen=True, slots=True)
class _Running:
    """A run that goes on: its order, what its archive plays, and until when."""

    order: Mapping[str, Json]
    play: Mapping[str, Json]
    answers: Mapping[str, Json]
    until: Millis


class Machines:
    """All of them; their play asks nobody anything, so whose it is makes no difference."""

    def __init__(self, cloud: LocalCloud, injected: Callable[..., None]) -> None:
        self._cloud = cloud
        self._injected = injected
        self._s3 = cloud.client("s3")
        self._bucket = cloud.environment("FunctionsDispatch")["HURDLE_BUCKET"]
        self._running: dict[str, _Running] = {}
        self._known: set[str] = set()
        self._in_private: set[int] = set()
        """Teams whose first private run was lost."""

    def play(self, until: Millis) -> Play:
        """Look around every quarter of a minute."""
        now = self._cloud.clock.now_ms()
        while now < until:
            yield Step(now + LOOKS, ())
            now = self._cloud.clock.now_ms()
            self._begin(now)
            self._end(now)

    def _begin(self, now: Millis) -> None:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=FOLDER)
        for key in sorted(each["Key"] for page in pages for each in page.get("Contents", ())):
            run = key.removeprefix(FOLDER).partition("/")[0]
            if not key.endswith(f"/{ORDERED}") or run in self._known:
                continue
            self._known.add(run)
            order = json.loads(self._read(f"{FOLDER}{run}/order.json"))
            packed = b"".join(self._read(each["name"]) for each in order["archive"])
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                play, answers = (json.loads(archive.read(f"{each}.json")) for each in ("play", "answers"))
            self._put(f"{FOLDER}{run}/{STARTED}", b"")
            lasts = order["limits"]["wall_s"] if play["way"] == Way.TIMEOUT else play["seconds"]
            self._running[run] = _Running(order, play, answers, now + lasts * SECOND)

    def _end(self, now: Millis) -> None:
        for run, running in list(self._running.items()):
            if running.until <= now:
                del self._running[run]
                self._ended(run, running)

    def _ended(self, run: str, running: _Running) -> None:
        """Leave what a job leaves, the ending last; a machine that vanishes leaves nothing. Then the rule's message."""
        play, folder = running.play, running.order["folder"]
        if self._is_lost(running, run):
            self._injected("machine_lost", run=run)
        elif play["real"] and self._is_public(running):
            work(S3Bucket(self._s3, self._bucket), f"{folder}order.json", strongest(), MACHINE)
            self._injected("run_for_real", run=run)
        else:
            self._leave(run, running)
        self._put(f"{folder}{OVER}", b"")
        body = json.dumps({"run": run})
        self._cloud.client("sqs").send_message(QueueUrl=self._cloud.resource(_QUEUE), MessageBody=body)

    def _is_lost(self, running: _Running, run: str) -> bool:
        play, is_first = running.play, run.endswith("-1")
        if self._is_public(running):
            return bool(play["way"] == Way.LOST) and is_first
        if play["private_lost"] and is_first and play["team"] not in self._in_private:
            self._in_private.add(play["team"])
            return True
        return False

    def _is_public(self, running: _Running) -> bool:
        """Whether it is run over the public test, by what it is asked."""
        asked = next(each for each in running.order["inputs"] if each["path"] == "C2C/requests.json")
        return bool(json.loads(self._read(asked["name"])) != running.answers["known"])

    def _leave(self, run: str, running: _Running) -> None:
        play, folder, way = running.play, running.order["folder"], running.play["way"]
        name = "public" if self._is_public(running) else "private"
        outputs = []
        for subtask, said in running.answers[name].items() if way in {Way.SCORED, Way.LOST, Way.BAD_OUTPUT} else ():
            body = b"no JSON at all" if way == Way.BAD_OUTPUT else json.dumps(said).encode()
            path = f"prediction_{subtask}.json"
            self._put(f"{folder}output/{path}", body)
            outputs.append({"name": path, "size": len(body), "sha256": hashlib.sha256(body).hexdigest()})
        self._put(f"{folder}stdout", f"{play['mark']}{run}\n".encode())
        self._put(f"{folder}stderr", f"{play['mark']}{run} on stderr\n".encode())
        fine = way in {Way.SCORED, Way.LOST, Way.BAD_OUTPUT}
        ending = {
            "cause": None if fine else way,
            "exit_code": {Way.EXIT_CODE: 3, Way.TIMEOUT: -15, Way.OUT_OF_MEMORY: -9}.get(way, 0),
            "seconds": float(play["seconds"]),
            "outputs": outputs,
            "machine": MACHINE,
        }
        self._put(f"{folder}ending.json", json.dumps({"format": 1, **NOTHING, **ending}).encode())

    def _read(self, name: str) -> bytes:
        content: bytes = self._s3.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        return content

    def _put(self, name: str, content: bytes) -> None:
        self._s3.put_object(Bucket=self._bucket, Key=name, Body=content)
