"""The participants' kit as files that need no checkout: wheels, offline bundles per platform, and a list of both.

The bundles are for machines without a network; the list has versions and SHA-256.

``python -m infra.kit`` builds them into build/kit (``make kit``); ``make deploy`` puts them beside the site, and
``contest kit publish`` has the platform sign the list. Built twice from the same sources, every file is the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.layers import LOCK, OURS, ROOT, BuildError, dependencies, locked

BUILT: Final = ROOT / "build" / "kit"
LIST: Final = "kit.json"
FORMAT: Final = 1
COMMAND: Final = "hurdle-pku"
"""The participants' command: the kit has its version, and what its wheel requires of ours."""
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
"""For which a bundle brings compiled wheels."""
_EPOCH: Final = "1577836800"
"""The time of every file in an archive, in seconds: 2020-01-01, for archives know no year before 1980."""
_ZIP_TIME: Final = (2020, 1, 1, 0, 0, 0)
_MODULES: Final = "pku/"


@dataclass(frozen=True, slots=True)
class Machine:
    """Machines that take the same compiled wheels: their tags, and their names in PEP 508."""

    tags: tuple[str, ...]
    system: str
    platform: str
    architecture: str

    def environment(self, python: str) -> dict[str, str]:
        """Return the variables by which a requirement applies there or not."""
        return {
            "python_version": python,
            "python_full_version": f"{python}.0",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "platform_system": self.system,
            "sys_platform": self.platform,
            "platform_machine": self.architecture,
            "os_name": "nt" if self.platform == "win32" else "posix",
        }


def _linux(architecture: str) -> Machine:
    tags = tuple(f"manylinux_2_{minor}_{architecture}" for minor in range(28, 16, -1))
    return Machine((*tags, f"manylinux2014_{architecture}"), "Linux", "linux", architecture)


MACHINES: Final = {
    "linux-x86_64": _linux("x86_64"),
    "linux-aarch64": _linux("aarch64"),
    "macos-arm64": Machine(("macosx_14_0_arm64",), "Darwin", "darwin", "arm64"),
    "windows-amd64": Machine(("win_amd64",), "Windows", "win32", "AMD64"),
}
"""Not Macs with Intel's processors: cryptography has no wheels for them since its version 49."""


# Clause: R 4.2.2, R 4.2.3, R 4.2.4, R 4.3
def build(target: Path, machines: Sequence[str]) -> dict[str, Any]:
    """Build the kit into an empty folder, with bundles for these machines; return the list of its contents.

    Wheels need nothing but the build's own packages; bundles ask the package index. :class:`BuildError` if one fails.
    """
    wheels = _wheels(target)
    version = _version(COMMAND)
    bundles = [_bundle(target, wheels, version, name) for name in machines]
    kit = {
        "format": FORMAT,
        "version": version,
        "modules_sha256": modules_sha256(wheels[COMMAND]),
        "packages": [{"name": name, "version": _version(name), **_file(wheel)} for name, wheel in wheels.items()],
        "bundles": [
            {"platform": name, "pythons": list(PYTHONS), **_file(bundle)}
            for name, bundle in zip(machines, bundles, strict=True)
        ],
    }
    (target / LIST).write_text(json.dumps(kit, indent=2) + "\n", encoding="utf-8")
    return kit


# Clause: R 4.3, R 11.4
def modules_sha256(wheel: Path) -> str:
    """Return the installed kit's hash of its own files when it opens a session; its ``identity`` says how."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith(_MODULES) and not name.endswith("/"))
        lines = [f"{hashlib.sha256(archive.read(name)).hexdigest()}  {name.removeprefix(_MODULES)}\n" for name in names]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _wheels(target: Path) -> dict[str, Path]:
    """Build the command's wheel and every wheel of ours that a built one requires, the command first.

    No index has our names, so the line that installs the kit has to give each wheel's address (docs/decisions/0017).
    """
    wheels: dict[str, Path] = {}
    waiting = [COMMAND]
    for name in waiting:
        if name not in wheels:
            wheels[name] = _wheel(name, target)
            waiting += required_of_ours(wheels[name])
    return wheels


def required_of_ours(wheel: Path) -> list[str]:
    """List our own distributions in a wheel's ``Requires-Dist``, without those of its extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    requirements = [Requirement(line) for line in lines]
    applying = [
        requirement
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
    return [name for requirement in applying if (name := canonicalize_name(requirement.name)) in OURS]


def _wheel(name: str, target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    finished = subprocess.run(  # noqa: S603 -- our own words only
        command,
        cwd=OURS[canonicalize_name(name)],
        env={"SOURCE_DATE_EPOCH": _EPOCH},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise BuildError(f"the wheel of {name} could not be built:\n{finished.stderr.strip()}")
    return target / f"{name.replace('-', '_')}-{_version(name)}-py3-none-any.whl"


def _version(name: str) -> str:
    document = tomllib.loads((OURS[canonicalize_name(name)] / "pyproject.toml").read_text(encoding="utf-8"))
    version: str = document["project"]["version"]
    return version


def _bundle(target: Path, wheels: Mapping[str, Path], version: str, machine: str) -> Path:
    """Build one archive with our wheels and all that they need on a machine, for every Python of :data:`PYTHONS`."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for python in PYTHONS:
            print(f"kit: wheels for {machine}, Python {python} …", flush=True)
            _download(folder, wheels, MACHINES[machine], python)
        for wheel in wheels.values():
            shutil.copyfile(wheel, folder / wheel.name)
        inside = f"hurdle-kit-{version}-{machine}"
        (folder / "README.txt").write_text(_README.format(folder=inside), encoding="utf-8")
        bundle = target / f"{inside}.zip"
        # Wheels are compressed already.
        with zipfile.ZipFile(bundle, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(folder.iterdir()):
                entry = zipfile.ZipInfo(f"{inside}/{path.name}", _ZIP_TIME)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return bundle


_README: Final = """\
pip install --no-index --find-links {folder} hurdle-pku
pku --version

The participants' kit of Hurdle with everything that it needs; no network is asked for.
Модуль участника со всем, что ему нужно; сеть не требуется.
"""


def _download(folder: Path, packages: Iterable[str], machine: Machine, python: str) -> None:
    """Download the locked wheels for a Python on a machine, as the index has them; the lock's hashes are checked."""
    names = dependencies(packages, machine.environment(python))
    listed = folder / "requirements.txt"
    listed.write_text("".join(_without_marker(locked(names, LOCK.read_text(encoding="utf-8")))), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
    command += [word for tag in machine.tags for word in ("--platform", tag)]
    command += ["--dest", str(folder), "-r", str(listed)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- our own words only
    listed.unlink()
    if finished.returncode:
        # pip warns of much before it says what stopped it.
        errors = "\n".join(line for line in finished.stderr.splitlines() if line.startswith("ERROR"))
        raise BuildError(f"wheels for Python {python} could not be downloaded:\n{errors or finished.stderr.strip()}")


def _without_marker(entries: str) -> Iterator[str]:
    """Remove the markers, which are evaluated for the other machine already; pip would evaluate them for this one."""
    for line in entries.splitlines(keepends=True):
        yield re.sub(r"^(\S+==\S+) ;[^\\]*", r"\1 ", line)


def _file(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"file": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the kit beside its place, put it there whole, and print its contents."""
    parser = argparse.ArgumentParser(prog="python -m infra.kit", description="Builds the participants' kit.")
    parser.add_argument(
        "--bundle",
        action="append",
        choices=[*MACHINES, "all"],
        default=[],
        help="for machines without a network, from the package index; may be given again",
    )
    chosen = parser.parse_args(arguments).bundle
    machines = list(MACHINES) if "all" in chosen else sorted(set(chosen))
    BUILT.parent.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=BUILT.parent) as workshop:
            target = Path(workshop) / "kit"
            target.mkdir()
            kit = build(target, machines)
            shutil.rmtree(BUILT, ignore_errors=True)
            target.rename(BUILT)
    except BuildError as error:
        print(f"kit: {error}", file=sys.stderr)
        return 1
    for file in (*kit["packages"], *kit["bundles"]):
        print(f"{file['file']:<48} {file['bytes'] / 1e6:7.1f} MB  {file['sha256']}")
    print(f"kit {kit['version']} in {BUILT.relative_to(ROOT)}; its list: {LIST}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
