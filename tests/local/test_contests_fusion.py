"""Fusion's demonstration data: the contest's own files, true answers that the track takes, a pilot that is honest."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from local.contest_folders import folder_of
from local.drawn.__main__ import main
from local.drawn.pages import PAIRS, TESTS
from local.submissions.engines import run, strongest
from local.submissions.job import Job
from pku.pilot.fusion.pictures import read
from pku.pilot.fusion_archive import archive
from tracks import registry
from tracks.fusion.archive import check, unpack
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Outcome

FOLDER = folder_of("fusion")
TRACK: Any = registry.get("fusion")
PARAMETERS, _ = TRACK.read_parameters({})
FILES = {"C2C": "requests.json", "zsOD": "requests.json", "VQA": "questions.json"}


def requests(folder: Path, subtask: Subtask) -> Any:
    """Return the requests as an item of the track has them."""
    place = folder / "input" / subtask.value
    if subtask is Subtask.HTR:
        return sorted(each.name for each in (place / "images").iterdir())
    return json.loads((place / FILES[subtask.value]).read_text("utf-8"))


def items(name: str) -> list[tuple[Any, Any]]:
    """List the items of a set with their references."""
    folder = FOLDER / name
    return [
        (
            {"id": subtask.value, "subtask": subtask.value, "requests": requests(folder, subtask)},
            json.loads((folder / "true" / f"true_{subtask.value}.json").read_text("utf-8")),
        )
        for subtask in Subtask
    ]


@pytest.mark.clause("TS T18")
@pytest.mark.parametrize("name", PAIRS)
def test_a_set_has_twenty_tests_of_each_subtask_that_the_track_takes(name: str) -> None:
    for item, truth in items(name):
        facts, reasons = TRACK.read_item(item, PARAMETERS)
        assert reasons == ()
        assert facts.group == item["subtask"]
        assert TRACK.read_reference(item, truth, PARAMETERS) == ()
        assert len(truth) == len(item["requests"]) == TESTS


@pytest.mark.parametrize("name", PAIRS)
def test_true_answers_are_worth_the_most_and_none_nothing(name: str) -> None:
    for answers, worth in ((True, 4.0), (False, 0.0)):
        outcomes = []
        for item, truth in items(name):
            answer = truth if answers else None
            if answers and item["subtask"] == "VQA":
                answer = {key: each["answer"] for key, each in truth.items()}
            facts, _ = TRACK.read_item(item, PARAMETERS)
            outcomes.append(Outcome(facts, answers, TRACK.score(item, answer, [truth], PARAMETERS)))
        assert TRACK.aggregate(outcomes, PARAMETERS, 1)["s"] == pytest.approx(worth)


def test_the_sets_ask_different_things_in_both_languages() -> None:
    public, private = (dict(zip(Subtask, items(name), strict=True)) for name in PAIRS)
    for subtask in (Subtask.C2C, Subtask.HTR):
        assert not set(public[subtask][1].values()) & set(private[subtask][1].values())
    for found in (public, private):
        languages = [each["lang"] for each in found[Subtask.VQA][1].values()]
        assert languages.count("ru") == languages.count("en") == TESTS // 2
        assert len({each["answer"] for each in found[Subtask.VQA][1].values()}) >= 6


def pixels(path: Path) -> Any:
    """Return a picture's pixels: a JPEG's by the pilot's reader, of a PNG the content of its compressed rows."""
    body = path.read_bytes()
    if path.suffix == ".jpg":
        return read(body).astype(int)
    at = body.index(b"IDAT")
    return np.frombuffer(zlib.decompress(body[at + 4 :]), dtype=np.uint8).astype(int)


@pytest.mark.clause("TS T18")
def test_the_data_are_those_that_the_generator_makes(tmp_path: Path) -> None:
    main([str(tmp_path)])
    for name in PAIRS:
        made, kept = (
            {path.relative_to(each / name): path for path in (each / name).rglob("*") if path.is_file()}
            for each in (tmp_path, FOLDER)
        )
        assert made.keys() == kept.keys(), "stale: python -m local.drawn"
        for path, file in made.items():
            if path.suffix == ".json":
                assert file.read_bytes() == kept[path].read_bytes(), "stale: python -m local.drawn"
            elif file.read_bytes() != kept[path].read_bytes():  # another machine may round and compress otherwise
                assert np.abs(pixels(file) - pixels(kept[path])).max() <= 2, "stale: python -m local.drawn"


@pytest.mark.clause("TS T16")
def test_the_pilots_archive_is_a_submission_and_the_same_bytes_each_time() -> None:
    body = archive()
    assert archive() == body
    checked = check(io.BytesIO(body))
    assert (checked.reasons, checked.warnings) == ((), ())
    assert checked.metadata is not None
    assert checked.metadata.entry_point == "python -m fusion_pilot"
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        assert {each.date_time for each in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {each.compress_type for each in opened.infolist()} == {zipfile.ZIP_STORED}
    assert hashlib.sha256(archive("team/other:1")).digest() != hashlib.sha256(body).digest()


@pytest.mark.integration
@pytest.mark.skipif(sys.platform != "linux", reason="the engines are Linux's")
@pytest.mark.clause("TS T16", "TS F-2", "TS F-6")
@pytest.mark.parametrize(
    "name", [each if each == "private" else pytest.param(each, marks=pytest.mark.long) for each in PAIRS]
)
def test_the_pilot_answers_all_four_and_stays_below_the_minimum(name: str, tmp_path: Path) -> None:
    work, outputs = tmp_path / "work", tmp_path / "outputs"
    unpack(io.BytesIO(archive()), work)
    outputs.mkdir()
    finished = run(Job("python -m fusion_pilot", work, FOLDER / name / "input", outputs), strongest())
    assert finished.cause is None, finished.stderr
    assert sorted(each.name for each in finished.outputs) == sorted(f"prediction_{each.value}.json" for each in Subtask)
    outcomes = []
    for item, truth in items(name):
        body = (outputs / f"prediction_{item['subtask']}.json").read_bytes()
        verdict = TRACK.validate(item, "", "test", body, PARAMETERS)
        assert (verdict.reasons, verdict.warnings) == ((), ())
        facts, _ = TRACK.read_item(item, PARAMETERS)
        outcomes.append(Outcome(facts, True, TRACK.score(item, verdict.canonical, [truth], PARAMETERS)))
    found = TRACK.aggregate(outcomes, PARAMETERS, 1)
    assert 1.0 < found["s"] < 2.5
    assert TRACK.overcame(found, "") is False


def test_the_pilot_leaves_out_what_is_not_asked(tmp_path: Path) -> None:
    unpack(io.BytesIO(archive()), tmp_path / "work")
    place = tmp_path / "work"
    (place / "output").mkdir()
    (place / "input/C2C").mkdir(parents=True)
    (place / "input/C2C/requests.json").write_text('{"0": "static int one ( ) { return 1 ; }"}', "utf-8")
    done = subprocess.run([sys.executable, "-m", "fusion_pilot"], cwd=place, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [each.name for each in (place / "output").iterdir()] == ["prediction_C2C.json"]
    predicted = json.loads((place / "output/prediction_C2C.json").read_text("utf-8"))
    assert predicted == {"0": "def one ( ) : NEW_LINE INDENT return 1 NEW_LINE DEDENT"}
