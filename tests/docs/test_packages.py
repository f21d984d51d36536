"""Data for others who continue the packages: licence, readme, addresses, versions; the readmes' examples work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import hatchling.build
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(
    path.parent for path in (*ROOT.glob("layers/*/pyproject.toml"), *ROOT.glob("clients/*/pyproject.toml"))
)
PACKAGES += [ROOT / "local", ROOT / "rehearsal"]
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
VERSION = re.compile(r"^## \[(.+)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def project(folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def test_all_packages_are_looked_at_and_name_the_same_addresses() -> None:
    assert {"contest", "local", "markup_core", "pku", "rehearsal", "shadow", "tracks"} <= {
        path.name for path in PACKAGES
    }
    addresses = [project(package)["urls"] for package in PACKAGES]
    assert all(each == addresses[0] for each in addresses)


def _lines_of_installing() -> list[tuple[str, str]]:
    """List file name and command of every line in texts for people that installs packages from a checkout."""
    read = (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *(each / "README.md" for each in PACKAGES))
    pages = ROOT.glob("web/src/**/*.tsx")
    return [
        (str(path.relative_to(ROOT)), command)
        for path in (*read, *pages)
        for command in re.findall(r"pip install( (?:\./[\w/]+ ?)+)", path.read_text("utf-8"))
    ]


@pytest.mark.parametrize(("page", "folders"), _lines_of_installing())
def test_a_line_that_installs_from_a_checkout_names_every_package_that_it_needs(page: str, folders: str) -> None:
    """No index has our packages: one that is not named is not found."""
    ours = {project(folder)["name"] for folder in PACKAGES}
    named = {project(ROOT / folder)["name"]: project(ROOT / folder) for folder in folders.split()}
    needed = {re.split(r"[=<>~\[ ]", need)[0] for each in named.values() for need in each.get("dependencies", ())}
    assert needed & ours <= named.keys(), page


def test_lines_that_install_are_found_where_people_look() -> None:
    pages = {page for page, _ in _lines_of_installing()}
    assert {"README.md", "README.ru.md", "docs/pku.md", "docs/pku.ru.md", "web/src/pages/public/TakePart.tsx"} <= pages


@each_package
def test_a_wheel_carries_licence_readme_and_address(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package)
    with zipfile.ZipFile(tmp_path / hatchling.build.build_wheel(str(tmp_path))) as archive:
        (licence,) = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        told = message_from_bytes(archive.read(metadata))
    assert told["License-Expression"] == "Apache-2.0"
    assert told.get_payload(decode=True) == (package / "README.md").read_bytes()
    assert told.get_all("Project-URL") == [f"{name}, {address}" for name, address in project(package)["urls"].items()]
    assert all(told[field] for field in ("Summary", "Author", "Keywords", "Requires-Python"))


@pytest.mark.parametrize(
    "name", ["demonstration", "contests/diagnosis", "contests/exam", "contests/fusion", "contests/gec"]
)
def test_a_folder_with_another_licence_says_so_itself(name: str) -> None:
    folder = ROOT / "local" / name
    assert f"local/{name}/LICENSE" in project(ROOT)["license-files"]
    assert "Creative Commons Attribution 4.0 International" in (folder / "LICENSE").read_text("utf-8")
    assert "](LICENSE)" in (folder / "README.md").read_text("utf-8")


def test_one_version_stands_everywhere() -> None:
    changes = VERSION.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert changes[0] == ("Unreleased", "")
    dates = [date for _, date in changes[1:]]
    assert all(dates)
    assert dates == sorted(dates, reverse=True)
    newest, date = changes[1]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (citation["version"], citation["date-released"]) == (newest, date)
    assert {project(folder)["version"] for folder in (ROOT, ROOT / "web", *PACKAGES)} == {newest}
    required = {
        need
        for folder in PACKAGES
        for need in project(folder)["dependencies"]
        if need.startswith(("hurdle-", "markup-core"))
    }
    assert {need.partition("==")[2] for need in required} == {newest}
    sources = [path.read_text("utf-8") for folder in PACKAGES for path in folder.glob("src/*/*.py")]
    in_code = [line for source in sources for line in source.splitlines() if line.startswith("__version__: Final")]
    assert in_code == [f'__version__: Final = "{newest}"'] * 2


def test_what_runs_the_platform_is_locked_apart_and_is_what_developers_have() -> None:
    """`make demo` waits for no compiler of types, no CDK and no browser."""
    pins = [
        dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements-run.lock", "requirements.lock")
    ]
    assert pins[0].items() <= pins[1].items()
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = [re.split(r"[=<>~\[ ]", need)[0].lower() for need in project(ROOT)["dependencies"]]
    assert set(named) <= pins[0].keys()
    groups = tables["dependency-groups"]
    only = {re.split(r"[=<>~\[ ]", need)[0] for need in groups["dev"] if isinstance(need, str)}
    assert len(only) > 15
    assert not only & pins[0].keys()


@pytest.fixture
def folder(package: Path, tmp_path: Path) -> Path:
    """Return the folder in which an example runs: the local cloud's example needs the functions beside it."""
    return ROOT if package.name == "local" else tmp_path


@pytest.mark.long
@each_package
def test_a_readmes_example_prints_what_it_says(package: Path, folder: Path) -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", (package / "README.md").read_text("utf-8"), re.DOTALL)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUTF8": "1",
    }
    examples = [body for kind, body in blocks if kind == "python"]
    printed = [body for kind, body in blocks if kind == "text"]
    commands = [sys.executable, "-c", *examples]
    if not examples:
        lines = blocks[-1][1].splitlines(keepends=True)
        commands = ["/bin/sh", "-c", "".join(line[2:] for line in lines if line.startswith("$ "))]
        printed = ["".join(line for line in lines if not line.startswith("$ "))]
    ran = subprocess.run(commands, cwd=folder, env=environment, capture_output=True, check=False)
    assert ran.stderr.decode() == ""
    assert [ran.stdout.decode()] == printed


def test_commits_and_editors_follow_the_makefiles_lint_and_the_linters_length_of_lines() -> None:
    configured = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [repository["repo"] for repository in configured["repos"]] == ["local"]
    hooks = [hook for repository in configured["repos"] for hook in repository["hooks"]]
    assert [(hook["entry"], hook["language"], hook["pass_filenames"]) for hook in hooks] == [
        ("make lint", "system", False)
    ]
    assert "make lint" in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert f"max_line_length = {tool['ruff']['line-length']}\n" in (ROOT / ".editorconfig").read_text("utf-8")


def test_what_tests_need_beside_the_environment_is_fetched_before_them() -> None:
    """Fetch each environment in `packages` or `long`, else its tests are skipped unseen; in the one a skip names."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    tasks = {name: makefile.partition(f"\n{name}: ")[2].partition("\n")[0] for name in ("packages", "long")}
    rooms = {path.parent.name for path in (ROOT / "tests").glob("*/python.lock")}
    assert {room for room in rooms if not any(room in task for task in tasks.values())} == set()
    sources = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    promised = {room for room in rooms for text in sources if f"build/{room} (make test installs it)" in text}
    assert promised
    assert {room for room in promised if f"build/{room}/.ready" not in tasks["packages"]} == set()
