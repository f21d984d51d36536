"""Why a program was refused or failed, told to its team by the platform: archive, image, time, memory (F-1, F-4)."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from contest.adapters import aws
from contest.submissions import uploading
from local.submissions.engines import strongest
from local.submissions.job import S3Bucket
from local.submissions.work import Copier, copy_image
from tests.contest.submissions.submitting import TEAMS, Machine, Submitter, fusion_cycle, program, submitted
from tests.stage import Stage, staged
from tests.stage_services import BUCKET
from tracks.fusion.track import FusionTrack

pytestmark = pytest.mark.integration
RESOURCES = {"minutes": 0.034, "memory_gb": 0.15, "members": 12, "unpacked_gb": 0.001, "packed_gb": 0.001}
"""Two seconds, 150 megabytes, a dozen files, a megabyte."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("fusion"), "fusion-1") as made:
        made.load(fusion_cycle(resources=RESOURCES, unscored_per_day=100))
        yield made


@pytest.fixture
def machine(stage: Stage) -> Machine:
    return on_stage(stage, Machine(strongest()))


@pytest.fixture
def red(stage: Stage) -> Submitter:
    return Submitter(stage, stage.team(next(TEAMS)))


def on_stage(stage: Stage, machine: Machine) -> Machine:
    stage.platform.__dict__["runner"] = machine
    return machine


def without_root_metadata(place: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        if place:
            archive.writestr(place, json.dumps({"image": "a/b:1", "entry_point": "python3 run.py"}))
        archive.writestr("run.py", "pass")
    return made.getvalue()


@pytest.mark.clause("TS F-1", "F metadata")
@pytest.mark.parametrize(
    ("made", "code"),
    [
        (lambda: without_root_metadata("model/metadata.json"), "metadata_not_at_root"),
        (lambda: without_root_metadata("Metadata.json"), "metadata_not_at_root"),
        (lambda: without_root_metadata(""), "no_metadata"),
        (lambda: program(**{f"{number}.txt": "" for number in range(12)}), "too_many_members"),
        (lambda: program(**{"large.txt": "a" * 1_100_000}), "packed_too_big"),
    ],
    ids=["in a folder", "in other letters", "without", "members", "bytes"],
)
def test_an_archive_of_another_form_is_refused(
    red: Submitter, machine: Machine, made: Callable[[], bytes], code: str
) -> None:
    content = made()
    begun = red.announce(content, "program")
    if code == "packed_too_big":
        assert begun.refusal == (413, "submission_too_large"), "before a byte of it is brought"
        return
    submission = submitted(red, machine, content)
    assert (submission["state"], [reason["code"] for reason in submission["reasons"]]) == ("refused", [code])
    assert all(reason["message_ru"] for reason in submission["reasons"])
    assert machine.orders == {}


@pytest.mark.clause("TS F-2", "TS F-4", "F limits container", "TS F-5")
def test_f4_time_memory_and_names_of_outputs_are_the_programs_own_causes(red: Submitter, machine: Machine) -> None:
    lines = ("import time", "print('begun', flush=True)", "time.sleep(60)")
    result = submitted(red, machine, program(*lines))
    assert (result["state"], result["cause"], result["value"]) == ("failed", "timeout", None)
    assert red.ask("GET", f"/v1/submissions/{result['submission_id']}/logs").json["stdout"] == "begun\n"
    assert red.ask("GET", "/v1/submissions").json["left_today"]["unscored"] == 99, "it is the program's own failure"
    result = submitted(red, machine, program("open(b'output/\\xff', 'wb').close()"))
    assert (result["state"], result["cause"]) == ("failed", "bad_output")
    assert red.ask("GET", "/v1/submissions").json["left_today"]["unscored"] == 98
    logs = red.ask("GET", f"/v1/submissions/{result['submission_id']}/logs").json
    assert "UTF-8" in logs["stderr"]
    lines = ("import signal", "held = [bytearray(b'x' * (6 << 20)) for _ in range(40)]", "signal.pause()")
    result = submitted(red, machine, program(*lines))
    assert (result["state"], result["cause"]) == ("failed", "out_of_memory")


@pytest.mark.clause("TS F-4", "TS T13")
def test_f4_an_archive_that_its_reader_fails_at_is_refused(
    red: Submitter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FusionTrack, "read_program", Mock(side_effect=RuntimeError("nobody thought of this")))
    submission = submitted(red, machine, program())
    assert (submission["state"], [reason["code"] for reason in submission["reasons"]]) == ("refused", ["unreadable"])


@pytest.mark.clause("TS F-4", "TS T13")
@pytest.mark.usefixtures("machine")
def test_a_failing_store_refuses_nobody(red: Submitter, monkeypatch: pytest.MonkeyPatch) -> None:
    name = red.hand_in(program(), "program")
    monkeypatch.setattr(uploading.KeptStream, "_part", Mock(side_effect=uploading.StoreFailedError("away")))
    assert len(red.stage.judge()) == 1, "the message comes again"
    assert red.look(name)["state"] == "checking"


class WithoutImages(Machine):
    """Machine whose first job, the copy of the image, fails by itself, so that the second one never begins."""

    copier = Copier("registry.example/cycle")

    def run_all(self) -> list[str]:
        for order in self.orders.values():
            assert copy_image(S3Bucket(aws.client("s3"), BUCKET), f"{order.folder}order.json", self.copier) == 1
        self._over |= set(self.orders)
        return list(self.orders)


@pytest.mark.clause("TS F-1", "TS F-4", "F image")
@pytest.mark.skipif(sys.platform == "win32", reason="the copying program's stand-in is a script")
def test_an_image_nobody_can_have_fails_the_submission(red: Submitter, tmp_path: Path) -> None:
    skopeo = tmp_path / "skopeo"
    skopeo.write_text("#!/bin/sh\necho 'manifest unknown' >&2\nexit 1\n", "utf-8")
    skopeo.chmod(skopeo.stat().st_mode | stat.S_IXUSR)
    machine = WithoutImages(strongest())
    machine.copier = Copier("registry.example/cycle", "", str(skopeo))
    submission = submitted(red, on_stage(red.stage, machine), program())
    assert (submission["state"], submission["cause"]) == ("failed", "image")
    logs = red.ask("GET", f"/v1/submissions/{submission['submission_id']}/logs").json
    assert logs["stderr"] == "registry.example/team/model:1: manifest unknown\n"
    assert red.ask("GET", "/v1/submissions").json["left_today"]["unscored"] == 99
