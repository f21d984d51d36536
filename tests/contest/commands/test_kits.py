"""``contest kit``: a built kit is checked against its list, and published when everybody can fetch it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.stage import Stage
from tests.toys import toy_cycle

WHEEL = "hurdle_pku-0.1.0-py3-none-any.whl"


def file(name: str, content: bytes) -> dict[str, Any]:
    return {"file": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Write a built kit: a wheel and a bundle with any content."""
    folder = tmp_path / "kit"
    folder.mkdir()
    listed = {
        "format": 1,
        "version": "0.1.0",
        "modules_sha256": "a" * 64,
        "packages": [{"name": "hurdle-pku", "version": "0.1.0", **file(WHEEL, b"wheel")}],
        "bundles": [{"platform": "linux-x86_64", "pythons": ["3.11"], **file("kit.zip", b"bundle")}],
    }
    (folder / WHEEL).write_bytes(b"wheel")
    (folder / "kit.zip").write_bytes(b"bundle")
    (folder / "kit.json").write_text(json.dumps(listed))
    return folder


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: Stage) -> Path:
    """Serve a folder at the platform's address under ``/kit/``, for an organizer's command."""
    stage.load(toy_cycle())
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    folder = tmp_path / "served"
    folder.mkdir()

    @contextmanager
    def stream(method: str, url: str, **_: Any) -> Iterator[httpx.Response]:
        place = urlsplit(url).path
        assert (method, place[:5]) == ("GET", "/kit/")
        found = folder / place[5:]
        yield httpx.Response(200, content=found.read_bytes()) if found.is_file() else httpx.Response(403)

    monkeypatch.setattr(httpx, "stream", stream)
    return folder


def deploy(built: Path, served: Path) -> None:
    for each in built.iterdir():
        (served / each.name).write_bytes(each.read_bytes())


@pytest.mark.clause("R 4.2", "R 4.3")
def test_a_kit_that_everybody_can_fetch_is_published_and_shown(stage: Stage, built: Path, served: Path) -> None:
    assert "no kit is published" in run("kit", "show").output
    deploy(built, served)
    published = run("kit", "publish", str(built))
    assert (published.exit_code, published.output.splitlines()[-1]) == (
        0,
        "kit 0.1.0 published; its draft announcement: contest announce drafts",
    )
    again = run("kit", "publish", str(built))
    assert "was published" in again.output
    stage.advance(60)
    shown = run("kit", "show")
    for each in (WHEEL, "kit.zip", hashlib.sha256(b"wheel").hexdigest(), "a" * 64):
        assert each in shown.output
    assert json.loads(run("kit", "show", "--json").output)["statement"]["version"] == "0.1.0"


@pytest.mark.parametrize("harm", [lambda file: file.unlink(), lambda file: file.write_bytes(b"other")])
@pytest.mark.parametrize("name", [WHEEL, "kit.zip"])
def test_harmed_files_are_not_published(stage: Stage, built: Path, served: Path, name: str, harm: Any) -> None:
    deploy(built, served)
    harm(served / name)
    refused = run("kit", "publish", str(built))
    assert refused.exit_code == 1
    assert f"/kit/{name}" in refused.output
    assert "make deploy" in refused.output
    assert stage.request("GET", "/v1/kit").json == {"kit": None}


@pytest.mark.parametrize("content", [None, "[]", "{}", "no json"])
def test_a_folder_without_a_kit_is_refused(built: Path, served: Path, content: str | None) -> None:
    (built / "kit.json").unlink()
    if content is not None:
        (built / "kit.json").write_text(content)
    refused = run("kit", "publish", str(built))
    assert (refused.exit_code, "make kit builds one" in refused.output) == (1, True)
    assert served.is_dir()


def test_files_that_differ_from_their_list_are_not_published(built: Path, served: Path) -> None:
    deploy(built, served)
    (built / WHEEL).write_bytes(b"changed")
    refused = run("kit", "publish", str(built))
    assert (refused.exit_code, "build the kit anew" in refused.output) == (1, True)
