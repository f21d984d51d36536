"""Lambda layers from the packages' sources and the locked wheels, and the functions' own code, without Docker.

``python -m infra.layers`` builds them into build/layers (``make layers``), compiled for the runtime; the infrastructure
only looks at the built ones. The contents and their reasons: docs/decisions/0002-layers.md. :func:`dependencies` and
:func:`locked` say which of the locked wheels our packages need, and on which platform; the kit is built by them, too.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import uv
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ASK_VERSION: Final = "import sys; print('%d.%d' % sys.version_info[:2])"


class BuildError(RuntimeError):
    """A layer or the kit cannot be built; the message states the reason and the remedy."""


def compiler(version: str) -> str:
    """Return a Python of the version (``3.13``): this one, or what uv finds, or what pyenv keeps.

    :class:`BuildError` if there is none.
    """
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    # Outside the project's folder: a pin of the project's own Python must not hide the others.
    uv_python = _first_line(uv.find_uv_bin(), "python", "find", "--no-project", "--no-config", version)
    pyenv = shutil.which("pyenv")
    pyenv_prefix = _first_line(pyenv, "prefix", _first_line(pyenv, "latest", version)) if pyenv else ""
    for path in (uv_python, f"{pyenv_prefix}/bin/python" if pyenv_prefix else ""):
        if path and _first_line(path, "-I", "-c", _ASK_VERSION) == version:
            return path
    raise BuildError(
        f"there is no Python {version} on this machine, and the layers carry code compiled by the runtime's version; "
        f"install one (uv python install {version}, or with your system's packages): uv python find {version} must "
        "name it; then repeat"
    )


def compile_all(folder: Path, python: str, place: str) -> None:
    """Compile every module below the folder, beside it in ``__pycache__``; the same sources give the same bytes.

    ``place`` is the folder's path in the function, which tracebacks name. :class:`BuildError` if a module
    cannot be compiled.
    """
    command = [python, "-m", "compileall", "-q", "-f", "-j", "1", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(folder), "-p", place, str(folder)]
    environment = {"PYTHONHASHSEED": "0"}  # orders the sets among the constants
    completed = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 -- own words
    if completed.returncode:
        raise BuildError(f"cannot be compiled:\n{(completed.stdout + completed.stderr).strip()}")


def _first_line(*command: str | None) -> str:
    """Return the first line that a command prints; empty where it fails."""
    words = [word for word in command if word]
    completed = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")  # noqa: S603 -- our own words only
    return completed.stdout.strip().partition("\n")[0] if completed.returncode == 0 else ""


ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.lock"
_RECIPE: Final = Path(__file__)
"""This module: a layer that an earlier form of it built is out of date."""
OURS: Final = {
    canonicalize_name("markup-core"): ROOT / "layers" / "markup_core",
    canonicalize_name("hurdle-tracks"): ROOT / "layers" / "tracks",
    canonicalize_name("hurdle-contest"): ROOT / "layers" / "contest",
    canonicalize_name("hurdle-shadow"): ROOT / "layers" / "shadow",
    canonicalize_name("hurdle-pku"): ROOT / "clients" / "pku",
}
"""Our own distributions and their folders."""

_LOCKED: Final = re.compile(r"^([A-Za-z0-9._-]+)==.*?(?=^[A-Za-z0-9]|\Z)", re.MULTILINE | re.DOTALL)


def dependencies(
    distributions: Iterable[str], environment: Mapping[str, str], without: Collection[str] = ()
) -> frozenset[str]:
    """Return the names of everything locked that our distributions need at run time in an environment (PEP 508's
    variables).

    Follows the installed distributions' own metadata, so that it is what a plain installation would bring; what is in
    ``without`` is not followed. O(dependencies).
    """
    names: set[str] = set()
    variables = {**{key: str(value) for key, value in default_environment().items()}, "extra": "", **environment}
    waiting = [item for distribution in distributions for item in _declared(distribution)]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate(variables)
        if name in names | set(without) or not applies:
            continue
        if name in OURS:
            waiting += _declared(name)
            continue
        names.add(name)
        try:
            waiting += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            raise BuildError(f"{name} is not installed here, so what it needs itself is not known") from None
    return frozenset(names)


def locked(names: Iterable[str], lock: str) -> str:
    """Return the lock's entries of these names, with versions and hashes; :class:`BuildError` if one is missing."""
    entries = {str(canonicalize_name(match[1])): match[0] for match in _LOCKED.finditer(lock)}
    missing = sorted(set(names) - set(entries))
    if missing:
        raise BuildError(f"not in requirements.lock: {', '.join(missing)}; run make lock")
    return "".join(entries[name] for name in sorted(names))


def _declared(distribution: str) -> list[str]:
    document = tomllib.loads((OURS[canonicalize_name(distribution)] / "pyproject.toml").read_text(encoding="utf-8"))
    declared: list[str] = document["project"]["dependencies"]
    return declared


BUILT: Final = ROOT / "build" / "layers"
UNBUILT: Final = Path(__file__).parent / "unbuilt_layer"

UNZIPPED_LIMIT_BYTES: Final = 250 * 1024 * 1024
"""Lambda's limit for a function's code and all of its layers together."""
PYTHON_VERSION: Final = "3.13"
PLATFORM: Final = "aarch64-manylinux_2_28"
"""An older platform tag would silently resolve to wheels of years ago."""
SERVICES: Final = frozenset(
    {
        "sesv2",
        *("apigatewaymanagementapi", "application-autoscaling", "batch", "cognito-idp", "dynamodb", "events", "kms"),
        *("s3", "secretsmanager", "sqs"),
    }
)
"""The services that functions call: the SDK's descriptions of the others, 24 of its 27 MB, are left out."""
NOT_LOADED: Final = frozenset({"setuptools"})
"""pymorphy3 declares it for what it did before version 2; nothing in it, or in anything else here, loads it."""
FOR_THE_COMMAND: Final = frozenset({"click", "httpx", "rich"})
"""Needed by the organizer's command only, which no function imports."""

_DISTRIBUTIONS: Final = {
    "markup_core": "markup-core",
    "tracks": "hurdle-tracks",
    "contest": "hurdle-contest",
    "shadow": "hurdle-shadow",
}
_TARGET: Final = {
    "python_version": PYTHON_VERSION,
    "python_full_version": f"{PYTHON_VERSION}.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "aarch64",
    "os_name": "posix",
}
_NOT_OURS_TO_SHIP: Final = ("__pycache__", "*.pyc")


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: which of our packages are in it; their locked dependencies come along."""

    name: str
    construct_id: str
    description: str
    packages: tuple[str, ...]
    place: str = "/opt/python"
    """Folder of its modules in the function."""

    @property
    def folder(self) -> Path:
        """Return the folder that becomes /opt in the function."""
        return BUILT / self.name

    @property
    def record(self) -> Path:
        """Return the file in which the build writes its inputs' fingerprint."""
        return BUILT / f"{self.name}.fingerprint"


FUNCTIONS: Final = ROOT / "functions"
CODE: Final = Layer("functions", "Code", "the functions' own code", (), place="/var/task")
"""Not a layer, but built like one: the code that every function has of its own."""
LAYERS: Final = (
    Layer("markup_core", "MarkupCoreLayer", "markup_core and numpy", ("markup_core",)),
    Layer("contest", "ContestLayer", "contest, tracks, shadow and their dependencies", ("contest", "tracks", "shadow")),
)
"""Each layer builds on those before it and repeats nothing of theirs."""


def fault(layer: Layer) -> str | None:
    """Return the reason why the layer cannot be deployed, with the remedy; None when it can."""
    if not layer.folder.is_dir() or not layer.record.is_file():
        return f"{layer.description}: not built; run make layers before deploying"
    if layer.record.read_text(encoding="utf-8") != fingerprint(layer):
        return f"{layer.description}: the built one is older than its sources: run make layers before deploying"
    return None


def fingerprint(layer: Layer) -> str:
    """Return the SHA-256 over everything a layer is made from: the packages, the lock, this recipe."""
    digest = hashlib.sha256()
    folders = [source(package) for package in layer.packages] or [FUNCTIONS]
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    sources = [path for path in paths if path.is_file() and path.suffix != ".pyc"]
    for path in (*sources, LOCK, _RECIPE):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def source(package: str) -> Path:
    """Return the folder of one of our packages."""
    return ROOT / "layers" / package / "src" / package


def needed(packages: Iterable[str]) -> frozenset[str]:
    """Return the names of everything locked that the packages need at run time, on Lambda's platform.

    The SDK is among them, though the runtime has one: what runs is what the tests ran, until a deployment changes it.
    """
    distributions = (_DISTRIBUTIONS[package] for package in packages)
    return dependencies(distributions, _TARGET, NOT_LOADED | FOR_THE_COMMAND)


def contents(layer: Layer) -> tuple[str, ...]:
    """Return the locked names that this layer brings: its packages' dependencies that no earlier layer has."""
    earlier = [package for other in LAYERS[: LAYERS.index(layer)] for package in other.packages]
    return tuple(sorted(needed(layer.packages) - needed(earlier)))


def copy_packages(layer: Layer, target: Path) -> None:
    """Copy our packages, unchanged."""
    for package in layer.packages:
        shutil.copytree(source(package), target / package, ignore=shutil.ignore_patterns(*_NOT_OURS_TO_SHIP))


def strip(target: Path) -> None:
    """Remove files from the dependencies that no function reads: tests, type stubs, commands, compiled caches, and the
    SDK's descriptions of services that no function calls."""
    descriptions = target / "botocore" / "data"
    for path in sorted(descriptions.glob("*/")):
        if path.name not in SERVICES:
            shutil.rmtree(path)
    for pattern in ("**/__pycache__", "**/tests", "bin", "boto3/examples", "**/*.pyi", "**/*.pyc", ".lock"):
        for path in sorted(target.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    for path in sorted(descriptions.glob("*/*/examples-1.json*")):
        path.unlink()


def size_bytes(folder: Path) -> int:
    """Return the unzipped size of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def build(layer: Layer, python: str) -> None:
    """Build one layer beside its place and put it there whole; needs the package index or uv's cache.

    ``python`` is a Python of the runtime's version, which compiles it.
    """
    with tempfile.TemporaryDirectory(dir=BUILT) as workshop:
        if layer is CODE:
            target = content = Path(workshop) / "code"
            shutil.copytree(FUNCTIONS, content, ignore=shutil.ignore_patterns(*_NOT_OURS_TO_SHIP))
        else:
            target = Path(workshop) / "layer"
            content = target / "python"
            content.mkdir(parents=True)
            _install(locked(contents(layer), LOCK.read_text(encoding="utf-8")), content)
            strip(content)
            copy_packages(layer, content)
        compile_all(content, python, layer.place)
        layer.record.unlink(missing_ok=True)
        shutil.rmtree(layer.folder, ignore_errors=True)
        target.rename(layer.folder)
    layer.record.write_text(fingerprint(layer), encoding="utf-8")


def main() -> int:
    """Build every layer, print the sizes, fail above Lambda's limit."""
    BUILT.mkdir(parents=True, exist_ok=True)
    total = 0
    try:
        python = compiler(PYTHON_VERSION)
        for layer in (CODE, *LAYERS):
            build(layer, python)
            size = size_bytes(layer.folder)
            compiled = sum(path.stat().st_size for path in layer.folder.rglob("*.pyc"))
            total += size
            brought = f": {', '.join(contents(layer))}" if layer.packages else ""
            print(f"{layer.name:<12} {size / 1e6:7.1f} MB unzipped, {compiled / 1e6:.1f} of them compiled{brought}")
    except BuildError as error:
        print(f"layers: {error}", file=sys.stderr)
        return 1
    print(f"{'in all':<12} {total / 1e6:7.1f} MB of {UNZIPPED_LIMIT_BYTES / 1e6:.1f} MB")
    if total > UNZIPPED_LIMIT_BYTES:
        print("layers: more than Lambda unzips; see docs/decisions/0002-layers.md", file=sys.stderr)
        return 1
    return 0


def _install(requirements: str, target: Path) -> None:
    listed = target.parent.parent / "requirements.txt"
    listed.write_text(requirements, encoding="utf-8")
    command = [uv.find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--python-platform", PLATFORM, "--python-version", PYTHON_VERSION, "--only-binary", ":all:"]
    command += ["--link-mode", "copy", "--target", str(target), "-r", str(listed)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- our own words only
    if finished.returncode:
        raise BuildError(f"the wheels could not be installed:\n{finished.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
