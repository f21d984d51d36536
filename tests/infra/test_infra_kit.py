"""The participants' kit as files: the same twice, held to its list, and enough for somebody without the checkout."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra import kit, layers
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.gateways import objects
from local.organizing import Organizer
from local.running import contest_finds
from pku import config
from pku.answers import PublishedKit
from pku.doctor import install_command
from tests.exchange_programs import DEMONSTRATION, FUNCTIONS
from tests.installing import fresh_environment, install, version_of_pku

HERE = f"{platform.system().lower().replace('darwin', 'macos')}-{platform.machine().lower()}"
ONE = f"{sys.version_info.major}.{sys.version_info.minor}"


def sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the kit without bundles."""
    folder = tmp_path_factory.mktemp("kit")
    kit.build(folder, [])
    return folder


@pytest.fixture(scope="module")
def bundled(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the kit with a bundle for this machine and this Python; its third-party wheels come from the index."""
    if HERE not in kit.MACHINES:
        pytest.skip(f"no bundles are made for {HERE}")
    folder = tmp_path_factory.mktemp("bundled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kit, "PYTHONS", (ONE,))
        built = {wheel.name.partition("-")[0].replace("_", "-"): wheel for wheel in wheels.glob("*.whl")}
        patch.setattr(kit, "_wheel", lambda name, target: Path(shutil.copy(built[name], target)))
        kit.build(folder, [HERE])
    return folder


@pytest.mark.clause("R 4.3")
def test_two_builds_from_two_copies_of_the_sources_are_the_same_bytes(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies differ in times, rights and folder, and one has compiled files among its sources."""
    copies = {name: tmp_path / "sources" / folder.name for name, folder in layers.OURS.items()}
    for name, folder in layers.OURS.items():
        shutil.copytree(folder, copies[name], copy_function=shutil.copyfile)
    for path in (tmp_path / "sources").rglob("*.py"):
        os.utime(path, (10**9, 10**9))
        path.chmod(0o600)
    (copies[kit.canonicalize_name("hurdle-pku")] / "src" / "pku" / "config.pyc").write_bytes(b"compiled")
    monkeypatch.setattr(kit, "OURS", copies)
    again = tmp_path / "again"
    again.mkdir()
    kit.build(again, [])
    assert sums(again) == sums(wheels)


def test_the_list_says_what_lies_beside_it(bundled: Path) -> None:
    listing = json.loads((bundled / kit.LIST).read_text("utf-8"))
    files = {entry["file"]: entry for entry in (*listing["packages"], *listing["bundles"])}
    assert sums(bundled).keys() == {*files, kit.LIST}
    for name, entry in files.items():
        assert entry["sha256"] == sums(bundled)[name]
        assert entry["bytes"] == (bundled / name).stat().st_size
    assert [package["name"] for package in listing["packages"]] == ["hurdle-pku", "hurdle-tracks", "markup-core"]
    assert listing["version"] == listing["packages"][0]["version"] == config.client_version()


@pytest.mark.clause("R 4.3", "R 11.4")
def test_the_list_knows_what_the_installed_kit_says_of_itself(wheels: Path, tmp_path: Path) -> None:
    listing = json.loads((wheels / kit.LIST).read_text("utf-8"))
    assert listing["modules_sha256"] == config.package_sha256()
    changed = tmp_path / "changed.whl"
    with zipfile.ZipFile(wheels / listing["packages"][0]["file"]) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name) + (b"#" if name == "pku/config.py" else b""))
    assert kit.modules_sha256(changed) != listing["modules_sha256"]


def line_of(wheels: Path) -> str:
    """Return the line by which ``pku doctor`` installs a built kit from its folder."""
    statement = {**json.loads((wheels / kit.LIST).read_text("utf-8")), "published_at": "", "key_id": ""}
    published = PublishedKit.read({"statement": statement, "signature": ""})
    return install_command(f"file://{wheels.parent}", published)


def test_the_wheels_of_a_kit_require_no_wheel_of_ours_beside_them(wheels: Path) -> None:
    """A name that is left out would be asked of the public index, where anybody may have taken it."""
    names = [package["name"] for package in json.loads((wheels / kit.LIST).read_text("utf-8"))["packages"]]
    required = {name for wheel in wheels.glob("*.whl") for name in kit.required_of_ours(wheel)}
    assert {"markup-core", "hurdle-tracks"} <= required <= set(names)
    assert line_of(wheels).count("#sha256=") == len(names)


def test_a_package_of_ours_that_a_wheel_requires_comes_into_the_kit_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    required = {
        "hurdle-pku": ("hurdle-tracks==1", "click>=8", "Markup_Core", 'hurdle-contest; extra == "all"'),
        "hurdle-tracks": ("hurdle-shadow==1", "hurdle-pku"),
        "markup-core": (),
        "hurdle-shadow": ("numpy",),
    }

    def wheel(name: str, target: Path) -> Path:
        with zipfile.ZipFile(target / name, "w") as archive:
            archive.writestr(
                "a.dist-info/METADATA", "".join(f"Requires-Dist: {requirement}\n" for requirement in required[name])
            )
        return target / name

    monkeypatch.setattr(kit, "_wheel", wheel)
    assert [*kit._wheels(tmp_path)] == ["hurdle-pku", "hurdle-tracks", "markup-core", "hurdle-shadow"]


@pytest.mark.long
@pytest.mark.clause("R 4.2", "R 4.3")
def test_the_published_line_installs_where_only_packages_of_others_are_found(wheels: Path, tmp_path: Path) -> None:
    served = tmp_path / "kit"
    served.symlink_to(wheels)
    line = line_of(served)
    programs = fresh_environment(tmp_path / "venv")
    refused = install(re.sub(r' "[^"]*hurdle_tracks[^"]*"', "", line), programs)
    assert "No matching distribution found for hurdle-tracks" in refused.stderr
    done = install(line, programs)
    assert done.returncode == 0, done.stderr
    assert version_of_pku(programs) == f"pku {config.client_version()}"


def test_each_machine_and_python_gets_its_own_dependencies(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = metadata.requires

    def with_another(name: str) -> list[str]:
        return [*(needed(name) or ()), *(['iniconfig; platform_system == "Windows"'] if name == "click" else ())]

    monkeypatch.setattr(metadata, "requires", with_another)
    dependencies = {
        (name, python): layers.dependencies([kit.COMMAND], machine.environment(python))
        for name, machine in kit.MACHINES.items()
        for python in kit.PYTHONS
    }
    assert {name for (name, _), names in dependencies.items() if "iniconfig" in names} == {"windows-amd64"}
    assert {python for (_, python), names in dependencies.items() if "setuptools" in names} == set(kit.PYTHONS) - {
        "3.11"
    }
    assert all({"numpy", "httpx", "cryptography", "pymorphy3"} <= names for names in dependencies.values())


def test_what_is_installed_nowhere_here_stops_the_build_instead_of_being_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed = metadata.requires
    monkeypatch.setattr(
        metadata,
        "requires",
        lambda name: ['winreg-for-all; sys_platform == "win32"'] if name == "rich" else needed(name),
    )
    with pytest.raises(layers.BuildError, match="winreg-for-all"):
        layers.dependencies([kit.COMMAND], kit.MACHINES["windows-amd64"].environment("3.13"))


def test_whether_an_entry_applies_is_not_decided_for_this_machine() -> None:
    entry = 'colorama==0.4.6 ; sys_platform == "win32" \\\n    --hash=sha256:aa\n'
    assert "".join(kit._without_marker(entry)) == "colorama==0.4.6 \\\n    --hash=sha256:aa\n"


def test_a_build_that_fails_says_why_and_leaves_the_earlier_kit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built = tmp_path / "build" / "kit"
    built.mkdir(parents=True)
    (built / kit.LIST).write_text("{}")
    monkeypatch.setattr(kit, "BUILT", built)
    monkeypatch.setattr(kit, "LOCK", Path(__file__))
    assert kit.main(["--bundle", "linux-x86_64"]) == 1
    assert re.search(r"not in requirements\.lock: .*numpy.*make lock", capsys.readouterr().err)
    assert (built / kit.LIST).read_text() == "{}"


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.clause("R 4.2", "R 4.3")
def test_somebody_without_the_checkout_installs_the_published_kit_and_plays_a_session(
    bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is made from the platform's list; only third-party packages come from the bundle, none from an index."""
    monkeypatch.setattr(objects, "BUILT_KIT", bundled)
    (bundle,) = bundled.glob("*.zip")
    shutil.unpack_archive(bundle, tmp_path)
    for package in json.loads((bundled / kit.LIST).read_text("utf-8"))["packages"]:
        (tmp_path / bundle.stem / package["file"]).unlink()
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    programs = tmp_path / "venv" / "bin"
    home = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "HURDLE_HOME": str(tmp_path / "home")}
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "organizers"))
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS) as cloud, contest_finds(cloud):
        organizer = Organizer(cloud)
        organizer.load(DEMONSTRATION)
        contest = Path(sys.executable).with_name("contest")
        person = {**home, "HURDLE_HOME": str(tmp_path / "organizers")}
        # Over the network, as an organizer: the command fetches every file before it publishes the list.
        assert "published" in output_of(f"{contest} --local kit publish {bundled}", person, tmp_path)
        published = PublishedKit.read(httpx.get(f"{cloud.url}/v1/kit").json()["kit"])
        line = install_command(cloud.url, published)
        offline = f"{line} --no-index --find-links {tmp_path / bundle.stem} --quiet --disable-pip-version-check"
        output_of(offline, home, tmp_path)
        assert output_of("pku --version", home, tmp_path) == f"pku {published.version}\n"
        home |= {"HURDLE_TOKEN": organizer.team("far", "Far away")}
        output_of(f"pku login {cloud.url}", home, tmp_path)
        checks = json.loads(output_of("pku doctor --json", home, tmp_path))["findings"]
        assert "kit" in {check["check"] for check in checks}
        output_of("pku pilot --set train --files 2", home, tmp_path)
        (session,) = json.loads(output_of("pku status --json", home, tmp_path))
        assert (session["state"], session["client_known"]) == ("finished", True)
        assert session["counts"]["answered"] == 2


def output_of(command: str, environment: dict[str, str], folder: Path) -> str:
    """Run a command of the fresh environment as a person types it and return its output."""
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_changed_wheel_is_not_installed(wheels: Path, tmp_path: Path) -> None:
    """pip holds what it fetches to the SHA-256 of the line."""
    listed: dict[str, Any] = json.loads((wheels / kit.LIST).read_text("utf-8"))
    name = listed["packages"][1]["file"]
    (tmp_path / name).write_bytes((wheels / name).read_bytes() + b"\0")
    line = f'"file://{tmp_path / name}#sha256={listed["packages"][1]["sha256"]}"'
    command = f"{sys.executable} -m pip install --no-index --no-deps --target {tmp_path / 'there'} {line}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr.upper()
