"""The site as the local cloud serves it: what the template says, from the folder where it was built."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from local.aws.emulator import Emulator
from local.aws.template import Deployment, Template
from local.gateways import objects as gateway_site
from local.gateways.gateway import HttpRequest, HttpResponse
from local.gateways.objects import Site, built_site, site_of

ROOT = Path(__file__).resolve().parents[3]
HEADERS = (("content-security-policy", "default-src 'none'"),)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "index.html").write_text("<p>page")
    (folder / "assets" / "page-1.js").write_text("1")
    return Site(("/v1/*", "/docs*"), HEADERS, lambda: folder)


def ask(site: Site, path: str, method: str = "GET") -> HttpResponse:
    request = HttpRequest(
        method=method,
        encoded_path=path,
        query="",
        headers=(),
        source_ip="127.0.0.1",
        received_ms=0,
        request_id="r",
        body=b"",
    )
    return asyncio.run(site.answer(request, path))


def test_every_address_is_the_page_and_every_file_itself(site: Site) -> None:
    for path in ("/", "/boards", "/runs/3h6x0w8t2r5e9q1m4k7s"):
        answer = ask(site, path)
        assert (answer.status, answer.body) == (200, b"<p>page")
        assert dict(answer.headers)["cache-control"] == "no-cache"
        assert set(HEADERS) <= set(answer.headers)
    asset = ask(site, "/assets/page-1.js")
    assert (asset.body, dict(asset.headers)["content-type"]) == (b"1", "text/javascript; charset=utf-8")
    assert ask(site, "/assets/page-1.js", "HEAD").body == b""


@pytest.mark.parametrize("path", ["/../secret.txt", "/assets/../../secret.txt", "/assets/none.js", "//etc/host.conf"])
def test_nothing_but_the_sites_files_is_given(site: Site, path: str) -> None:
    assert ask(site, path).status == 403


def test_nothing_can_be_sent_to_the_site(site: Site) -> None:
    assert ask(site, "/", "POST").status == 403


def test_interfaces_paths_are_not_the_sites(site: Site) -> None:
    assert [
        path for path in ("/", "/v1/cycle", "/v1/none", "/docs", "/docs/errors", "/boards") if site.takes(path)
    ] == [
        "/",
        "/boards",
    ]


def test_a_site_that_is_built_meanwhile_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then its page says how it comes."""
    monkeypatch.setattr(gateway_site, "BUILT", tmp_path)
    monkeypatch.setattr(gateway_site, "_site_of_wheel", lambda: None)
    site = Site((), (), built_site)
    missing = ask(site, "/boards")
    assert (missing.status, "make site" in missing.body.decode()) == (404, True)
    assert ask(site, "/assets/page-1.js").status == 404
    (tmp_path / "index.html").write_text("<p>page")
    assert ask(site, "/boards").body == b"<p>page"


def test_the_releases_wheel_is_served_where_nothing_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel of another version is not: its pages would ask for another interface."""
    web = tmp_path / "web"
    (web / "dist" / "assets").mkdir(parents=True)
    (web / "dist" / "index.html").write_text("<p>of the wheel")
    (web / "dist" / "assets" / "page-1.js").write_text("1")
    shutil.copy(ROOT / "web" / "pyproject.toml", web)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=web, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("hurdle_site-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    monkeypatch.setattr(gateway_site, "BUILT", tmp_path / "nothing")
    gateway_site._site_of_wheel.cache_clear()
    site = Site((), (), built_site)
    assert ask(site, "/").body == b"<p>of the wheel"
    assert ask(site, "/assets/page-1.js").body == b"1"
    gateway_site._site_of_wheel.cache_clear()
    monkeypatch.setattr(gateway_site, "_OURS", "pytest")
    assert built_site() is None
    gateway_site._site_of_wheel.cache_clear()


def test_a_template_without_a_site_has_none(tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text('{"Resources": {}}')
    site = site_of(Deployment(Template.read(template), Emulator("http://127.0.0.1:9"), "", ""), lambda: None)
    assert not site.takes("/")


def test_the_kit_lies_beside_the_site_wherever_it_was_built(tmp_path: Path, site: Site) -> None:
    kit = tmp_path / "kit"
    kit.mkdir()
    (kit / "one-1.whl").write_text("one")
    for served in (replace(site, kit=kit), replace(site, kit=kit, folder=lambda: None)):
        assert ask(served, "/kit/one-1.whl").body == b"one"
        assert ask(served, "/kit/two-1.whl").status == 403
        assert ask(served, "/kit/../secret.txt").status in {403, 404}
    assert ask(replace(site, kit=kit), "/kit/").body == b"<p>page"
    assert ask(site, "/kit/one-1.whl").status == 404
