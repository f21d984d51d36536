"""Signed addresses and the site on the local cloud, as the deployed template has them: what passes, what does not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from contest.adapters import aws
from contest.adapters.signatures import AddressKey, CloudFrontAddresses
from local.aws.emulator import Emulator
from local.aws.template import Deployment, Template, TemplateError
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.gateways import objects
from local.gateways import objects as gateway_site
from local.gateways.gateway import HttpRequest, HttpResponse
from local.gateways.objects import Site, built_site, site_of

FUNCTIONS = Path(__file__).parents[3] / "functions"
NOW = 1_790_000_000_000
PART = b"a part of something"
SHA = hashlib.sha256(PART).hexdigest()
UPLOAD = f"uploads/imports/abc/{len(PART)}-{SHA}"
PACK = "packs/demo/0123/4567.zip"


class Signed:
    """The cloud, and the keys that sign addresses there."""

    def __init__(self, cloud: LocalCloud, http: httpx.Client) -> None:
        self.cloud, self.http = cloud, http
        self.told = cloud.environment("FunctionsCommand")
        self.bucket = cloud.resource("StorageObjects")

    def keys(self, **other: str) -> CloudFrontAddresses:
        variables = self.told | other
        return CloudFrontAddresses(
            lambda: AddressKey(variables["HURDLE_UPLOADS_KEY"], variables["HURDLE_UPLOADS_SECRET"]),
            lambda: AddressKey(variables["HURDLE_DOWNLOADS_KEY"], variables["HURDLE_DOWNLOADS_SECRET"]),
        )

    def to_put(self, name: str = UPLOAD, seconds: int = 60, **other: str) -> str:
        with patch.object(aws, "client", self.cloud.client):
            return self.keys(**other).to_put(name, self.cloud.clock.now_ms() + 1000 * seconds)

    def to_get(self, name: str = PACK, seconds: int = 60) -> str:
        with patch.object(aws, "client", self.cloud.client):
            return self.keys().to_get(name, self.cloud.clock.now_ms() + 1000 * seconds)

    def stored(self, name: str) -> bytes | None:
        try:
            content: bytes = self.cloud.client("s3").get_object(Bucket=self.bucket, Key=name)["Body"].read()
        except self.cloud.client("s3").exceptions.NoSuchKey:
            return None
        return content

    def store(self, name: str, content: bytes = PART) -> None:
        self.cloud.client("s3").put_object(Bucket=self.bucket, Key=name, Body=content)


@pytest.fixture(scope="module")
def signing_cloud() -> Iterator[Signed]:
    cloud = LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, clock=Clock(NOW))
    with cloud, httpx.Client(base_url=cloud.url) as http:
        yield Signed(cloud, http)


@pytest.fixture
def signed(signing_cloud: Signed) -> Signed:
    for name in (UPLOAD, PACK):
        signing_cloud.cloud.client("s3").delete_object(Bucket=signing_cloud.bucket, Key=name)
    return signing_cloud


@pytest.mark.clause("TS T12", "TS T13")
def test_a_part_is_put_where_its_address_says_and_is_read_by_nobody(signed: Signed) -> None:
    address = signed.to_put()
    assert signed.http.put(address, content=PART).status_code == 200
    assert signed.stored(UPLOAD) == PART
    assert signed.http.put(address, content=PART).status_code == 200, "a part that came may come again"
    for method in ("GET", "HEAD", "DELETE", "POST", "PATCH"):
        assert (method, signed.http.request(method, address).status_code) == (method, 405)
    assert signed.stored(UPLOAD) == PART


@pytest.mark.clause("TS T12")
def test_a_pack_is_read_where_its_address_says_and_nothing_is_put_there(signed: Signed) -> None:
    signed.store(PACK)
    address = signed.to_get()
    assert (signed.http.get(address).content, signed.http.head(address).status_code) == (PART, 200)
    for method in ("PUT", "DELETE", "POST", "PATCH"):
        assert (method, signed.http.request(method, address, content=b"x").status_code) == (method, 403)
    assert signed.stored(PACK) == PART


def test_an_address_that_is_over_is_refused_in_plain_words(signed: Signed) -> None:
    signed.store(PACK)
    read, put = signed.to_get(seconds=60), signed.to_put(seconds=60)
    assert signed.http.get(signed.to_get(seconds=0)).status_code == 403
    signed.cloud.clock.advance(59)
    assert signed.http.get(read).status_code == 200
    signed.cloud.clock.advance(1)
    over = signed.http.get(read)
    assert (over.status_code, "<Message>Access denied</Message>" in over.text) == (403, True)
    assert signed.http.put(put, content=PART).status_code == 403
    assert signed.stored(UPLOAD) is None


def test_an_address_is_of_one_object(signed: Signed) -> None:
    other = f"uploads/imports/other/{len(PART)}-{SHA}"
    signed.store("packs/demo/0123/other.zip")
    query = signed.to_put().partition("?")[2]
    assert signed.http.put(f"/{other}?{query}", content=PART).status_code == 403
    assert signed.http.put(f"/uploads/x/{UPLOAD}?{query}", content=PART).status_code == 403
    assert signed.stored(other) is None
    assert signed.http.get(f"/packs/demo/0123/other.zip?{signed.to_get().partition('?')[2]}").status_code == 403
    assert signed.http.put(f"/{UPLOAD}?{query}&versionId=1", content=PART).status_code == 403
    assert signed.stored(UPLOAD) is None


def test_a_forged_address_is_refused(signed: Signed) -> None:
    signed.store(PACK)
    path, _, query = signed.to_get().partition("?")
    parameters = dict(pair.split("=", 1) for pair in query.split("&"))
    policy = json.loads(base64.b64decode(parameters["Policy"].replace("_", "=")))
    policy["Statement"][0]["Condition"]["DateLessThan"]["AWS:EpochTime"] += 3600
    longer = (
        base64.b64encode(json.dumps(policy).encode()).decode().replace("=", "_").replace("+", "-").replace("/", "~")
    )
    for changed in (
        {"Policy": longer},
        {"Signature": parameters["Signature"][:-8] + "AAAAAA__"},
        {"Signature": "%%%"},
        {"Key-Pair-Id": "KNOBODY"},
        {"Key-Pair-Id": signed.told["HURDLE_UPLOADS_KEY"]},
        {"Policy": "e30_"},
    ):
        forged = "&".join(f"{name}={value}" for name, value in (parameters | changed).items())
        assert (changed, signed.http.get(f"{path}?{forged}").status_code) == (changed, 403)
    for missing in parameters:
        rest = "&".join(f"{name}={value}" for name, value in parameters.items() if name != missing)
        refused = signed.http.get(f"{path}?{rest}")
        assert (refused.status_code, "MissingKey" in refused.text) == (403, True)
    assert signed.http.get(path, headers={"Authorization": "Bearer hrd_" + "A" * 43}).status_code == 403


def test_who_signs_what_is_brought_can_sign_nothing_that_is_read(signed: Signed) -> None:
    """The two functions have a key each, and each behaviour trusts one."""
    signed.store(PACK)
    assert signed.http.get(signed.to_put(PACK)).status_code == 403
    assert signed.http.put(signed.to_get(UPLOAD), content=PART).status_code == 403
    assert signed.stored(UPLOAD) is None


@pytest.mark.parametrize("content", [PART[:-1], PART + b"x", b""])
def test_a_body_of_another_size_is_refused(signed: Signed, content: bytes) -> None:
    assert signed.http.put(signed.to_put(), content=content).status_code == 413
    assert signed.http.put(signed.to_put(), content=iter([PART])).status_code == 413, "of no size that was said"
    assert signed.stored(UPLOAD) is None


def test_nothing_else_of_the_bucket_is_reached_whatever_is_signed(signed: Signed) -> None:
    """Even both keys open only two prefixes: the distribution's behaviours and rights have no others."""
    signed.store("sets/demo/references/secret.json")
    for name in ("sets/demo/references/secret.json", "downloads/x.json", "reports/x.json"):
        assert signed.http.get(signed.to_get(name)).status_code in {401, 403, 404}
        assert signed.http.put(signed.to_put(name), content=PART).status_code in {401, 403, 404}
    assert signed.stored("downloads/x.json") is None
    assert signed.http.get("/published/none.json").status_code == 403


def test_a_function_of_the_distribution_without_a_known_twin_is_refused() -> None:
    template = Template.read(DEFAULT_TEMPLATE)
    function = template.find("FrontAsAnnounced")
    changed: dict[str, Any] = {
        **function.properties,
        "FunctionCode": "function handler(event) { return 1; }",
    }
    resources = {**template.resources, function.logical_id: function._replace(properties=changed)}

    deployment: Any = SimpleNamespace(template=Template(resources))
    with pytest.raises(TemplateError, match="twin"):
        objects._twin(deployment, function.logical_id)


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
    """Until then its page says how to build it."""
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
