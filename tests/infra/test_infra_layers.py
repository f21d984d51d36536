"""The layers hold our packages unchanged and exactly the locked dependencies, and stale ones are not deployed."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from infra import layers
from infra.layers import LAYERS, LOCK, ROOT, BuildError, Layer, locked
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


def test_the_contest_layer_repeats_nothing_of_the_scoring_layer_and_brings_nothing_that_no_function_loads() -> None:
    contents = set(layers.contents(CONTEST))
    assert contents >= {"pydantic", "pydantic-core", "pynamodb", "cryptography", "cffi", "aws-lambda-powertools"}
    assert not contents & {"numpy", "scipy", "click", "rich", "setuptools"}


def test_the_sdk_in_the_cloud_is_the_one_that_the_tests_run() -> None:
    """The runtime's own changes whenever AWS likes."""
    entries = locked(layers.contents(CONTEST), LOCK.read_text(encoding="utf-8"))
    for name in ("botocore", "urllib3"):
        assert f"{name}=={metadata.version(name)} " in entries


def test_the_sdks_descriptions_that_stay_are_those_of_the_services_that_functions_call() -> None:
    called = re.compile(r"""(?:\bclient|create_client)\("([a-z0-9-]+)\"""")
    sources = [path for layer in LAYERS for package in layer.packages for path in layers.source(package).rglob("*.py")]
    used = {name for path in sources for name in called.findall(path.read_text(encoding="utf-8"))}
    of_the_command = {"cloudformation", "lambda", "ssm"}
    assert used - of_the_command == layers.SERVICES


def test_stripping_leaves_the_sdks_common_files_and_the_descriptions_in_use(tmp_path: Path) -> None:
    remaining = ["endpoints.json", "s3/2006-03-01/service-2.json.gz", "dynamodb/2012-08-10/paginators-1.json"]
    dropped = ["ec2/2016-11-15/service-2.json.gz", "dynamodb/2012-08-10/examples-1.json"]
    data = tmp_path / "botocore" / "data"
    for name in remaining + dropped:
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    layers.strip(tmp_path)
    assert sorted(files(data)) == sorted(remaining)


def compiled(folder: Path) -> dict[str, bytes]:
    """Compile a module and return its bytes by name."""
    folder.mkdir()
    module = folder / "module.py"
    module.write_text('NAMES = "a" in {"one", "two", "three", "four", "five"}\n\ndef f():\n    return __file__\n')
    layers.compile_all(folder, sys.executable, "/opt/python")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.pyc")}


def test_two_builds_are_the_same_bytes_which_name_the_place_in_the_function(tmp_path: Path) -> None:
    one = compiled(tmp_path / "one")
    assert one == compiled(tmp_path / "another")
    (code,) = one.values()
    assert b"/opt/python/module.py" in code
    assert str(tmp_path).encode() not in code


def test_what_is_compiled_is_loaded_without_a_look_at_the_source(tmp_path: Path) -> None:
    """PEP 552: the flags 0b01 stand for a hash that is not checked."""
    (code,) = compiled(tmp_path / "one").values()
    assert code[4:8] == (1).to_bytes(4, "little")


def test_what_cannot_be_compiled_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def\n")
    with pytest.raises(BuildError, match=r"bad\.py"):
        layers.compile_all(tmp_path, sys.executable, "/opt/python")


def test_without_the_runtimes_python_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(layers, "BUILT", tmp_path)
    monkeypatch.setattr(layers, "PYTHON_VERSION", "3.99")
    assert layers.main() == 1
    assert "uv python install 3.99" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


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
    with pytest.raises(BuildError, match=r"three.*make lock"):
        locked(["three"], "one==1 \\\n    --hash=sha256:aa\n")


def test_stripping_leaves_only_what_runs(tmp_path: Path) -> None:
    remaining = ["numpy/core.py", "numpy/testing/__init__.py", "numpy-2.dist-info/METADATA", "numpy/_core/x.so"]
    dropped = ["numpy/tests/test_a.py", "numpy/core.pyi", "bin/f2py", "numpy/__pycache__/core.cpython-313.pyc", ".lock"]
    for name in remaining + dropped:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    layers.strip(tmp_path)
    assert sorted(files(tmp_path)) == sorted(remaining)
    assert layers.size_bytes(tmp_path) == len(remaining)


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
    assert len({layers.fingerprint(layer) for layer in (MARKUP_CORE, CONTEST, layers.CODE)}) == 3


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
