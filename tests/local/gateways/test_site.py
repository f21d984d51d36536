"""The site as the local cloud serves it: what the template says, from the folder where it was built."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from local.aws.emulator import Emulator
from local.aws.resources import Deployment
from local.aws.template import Template
from local.gateways.gateway import HttpRequest, HttpResponse
from local.gateways.site import Site, site_of

HEADERS = (("content-security-policy", "default-src 'none'"),)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "index.html").write_text("<p>page")
    (folder / "assets" / "page-1.js").write_text("1")
    return Site(("/v1/*", "/docs*"), HEADERS, folder)


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


def test_without_a_built_site_its_addresses_are_nothing() -> None:
    assert ask(Site((), (), None), "/").status == 404


def test_a_template_without_a_site_has_none(tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text('{"Resources": {}}')
    found = site_of(Deployment(Template.read(template), Emulator("http://127.0.0.1:9"), "", ""), None)
    assert not found.takes("/")


def test_the_kit_lies_beside_the_site_wherever_it_was_built(tmp_path: Path, site: Site) -> None:
    kit = tmp_path / "kit"
    kit.mkdir()
    (kit / "one-1.whl").write_text("one")
    for served in (replace(site, kit=kit), replace(site, kit=kit, folder=None)):
        assert ask(served, "/kit/one-1.whl").body == b"one"
        assert ask(served, "/kit/two-1.whl").status == 403
        assert ask(served, "/kit/../secret.txt").status in {403, 404}
    assert ask(replace(site, kit=kit), "/kit/").body == b"<p>page"
    assert ask(site, "/kit/one-1.whl").status == 404
