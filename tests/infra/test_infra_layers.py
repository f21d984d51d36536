"""The layers hold our packages unchanged and exactly the locked dependencies, and stale ones are not deployed."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from infra import layers
from infra.layers import LAYERS, LOCK, ROOT, Layer, UnlockedError, locked
from infra.rights import FUNCTIONS

MARKUP_CORE, CONTEST = LAYERS


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("package", [package for layer in LAYERS for package in layer.packages])
def test_a_layers_package_is_its_source_file_by_file(package: str, tmp_path: Path) -> None:
    layers.copy_packages(Layer("one", "One", "", (package,)), tmp_path)
    original = files(ROOT / "layers" / package / "src" / package)
    assert original
    assert files(tmp_path / package) == original


def test_no_compiled_file_of_the_builders_python_goes_into_a_layer(tmp_path: Path) -> None:
    layers.copy_packages(MARKUP_CORE, tmp_path)
    assert list(tmp_path.rglob("*.pyc")) == []


def test_the_scoring_layer_needs_numpy_and_nothing_else() -> None:
    assert layers.contents(MARKUP_CORE) == ("numpy",)


def test_the_contest_layer_repeats_neither_the_scoring_layer_nor_the_runtime() -> None:
    contents = set(layers.contents(CONTEST))
    assert contents >= {"pydantic", "pydantic-core", "pynamodb", "cryptography", "cffi", "aws-lambda-powertools"}
    assert not contents & {"numpy", "scipy", "boto3", "botocore", "s3transfer", "urllib3", "click", "rich"}


def test_a_dependency_is_taken_by_the_functions_platform_not_by_this_machines() -> None:
    # click asks for colorama on Windows only; typing-extensions is unconditional in pydantic.
    assert "colorama" not in layers.needed(["contest"])
    assert "typing-extensions" in layers.needed(["contest"])


def test_everything_in_a_layer_is_locked_with_hashes() -> None:
    lock = LOCK.read_text(encoding="utf-8")
    for layer in LAYERS:
        entries = locked(layers.contents(layer), lock)
        assert len(re.findall(r"^\S+==", entries, re.MULTILINE)) == len(layers.contents(layer))
        assert entries.count("--hash=sha256:") >= len(layers.contents(layer))


def test_an_entry_of_the_lock_ends_where_the_next_begins() -> None:
    first = "one==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
    second = "Two_x==2 ; python_version > '3' \\\n    --hash=sha256:cc\n"
    assert locked(["one"], first + second) == first
    assert locked(["two-x"], first + second) == second
    assert locked(["two-x", "one"], first + second) == first + second


def test_what_is_not_locked_is_not_built() -> None:
    with pytest.raises(UnlockedError, match=r"three.*make lock"):
        locked(["three"], "one==1 \\\n    --hash=sha256:aa\n")


def test_stripping_leaves_only_what_runs(tmp_path: Path) -> None:
    kept = ["numpy/core.py", "numpy/testing/__init__.py", "numpy-2.dist-info/METADATA", "numpy/_core/x.so"]
    dropped = ["numpy/tests/test_a.py", "numpy/core.pyi", "bin/f2py", "numpy/__pycache__/core.cpython-313.pyc", ".lock"]
    for name in kept + dropped:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    layers.strip(tmp_path)
    assert sorted(files(tmp_path)) == sorted(kept)
    assert layers.size_bytes(tmp_path) == len(kept)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layer:
    monkeypatch.setattr(layers, "BUILT", tmp_path)
    return replace(MARKUP_CORE)


def test_a_layer_that_was_never_built_cannot_be_deployed(workshop: Layer) -> None:
    assert "run make layers" in (layers.fault(workshop) or "")


def test_a_layer_made_from_today_s_sources_can_be_deployed(workshop: Layer) -> None:
    workshop.folder.mkdir()
    workshop.record.write_text(layers.fingerprint(workshop))
    assert layers.fault(workshop) is None


def test_a_layer_older_than_its_sources_cannot_be_deployed(workshop: Layer) -> None:
    workshop.folder.mkdir()
    workshop.record.write_text("of yesterday")
    assert "older than its sources" in (layers.fault(workshop) or "")


def test_the_two_layers_are_made_from_different_things() -> None:
    assert layers.fingerprint(MARKUP_CORE) != layers.fingerprint(CONTEST)


def test_functions_start_without_what_only_the_command_needs() -> None:
    hidden = "".join(f"sys.modules[{name!r}] = None; " for name in sorted(layers.FOR_THE_COMMAND))
    modules = ", ".join(sorted(row.handler.rpartition(".")[0] for row in FUNCTIONS))
    finished = subprocess.run(
        [sys.executable, "-c", f"import sys; {hidden}import {modules}"],
        env={"PYTHONPATH": str(ROOT / "functions"), "AWS_DEFAULT_REGION": "eu-west-1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
