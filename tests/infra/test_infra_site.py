"""The site's files go to their bucket in an order in which no page asks for what is not there."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contest import settings
from infra import site
from local.gateways import objects as local_site
from local.gateways import sign_in

NOW = datetime(2027, 4, 1, tzinfo=UTC)


class Store:
    """Bucket that records the order of its uploads."""

    def __init__(self, old: dict[str, datetime]) -> None:
        self.old = old
        self.put: list[dict[str, Any]] = []
        self.deleted: list[str] = []

    def put_object(self, **parameters: Any) -> None:
        self.put.append(parameters)

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803 -- boto3's own names
        assert Bucket == "bucket"
        self.deleted.append(Key)

    def get_paginator(self, name: str) -> Store:
        assert name == "list_objects_v2"
        return self

    def paginate(self, *, Bucket: str) -> list[dict[str, Any]]:  # noqa: N803 -- boto3's own name
        assert Bucket == "bucket"
        moments = self.old | {uploaded["Key"]: NOW for uploaded in self.put}
        tags = {
            uploaded["Key"]: hashlib.md5(uploaded["Body"], usedforsecurity=False).hexdigest() for uploaded in self.put
        }
        listed = [{"Key": name, "LastModified": at, "ETag": f'"{tags.get(name, "")}"'} for name, at in moments.items()]
        return [{"Contents": listed}, {}]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / ".vite").mkdir()
    for name in ("index.html", "assets/page-1.js", "assets/page-1.css", "hurdle.svg", ".vite/manifest.json"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_the_page_comes_last_and_hashed_files_are_kept_for_ever(built: Path) -> None:
    store = Store({})
    assert site.upload(store, "bucket", built) == 4
    headers = {uploaded["Key"]: (uploaded["ContentType"], uploaded["CacheControl"]) for uploaded in store.put}
    for_ever = "public, max-age=31536000, immutable"
    assert headers == {
        "assets/page-1.css": ("text/css; charset=utf-8", for_ever),
        "assets/page-1.js": ("text/javascript; charset=utf-8", for_ever),
        "hurdle.svg": ("image/svg+xml", "no-cache"),
        "index.html": ("text/html; charset=utf-8", "no-cache"),
    }
    assert list(headers)[-1] == "index.html"
    assert next(uploaded for uploaded in store.put if uploaded["Key"] == "hurdle.svg")["Body"] == b"hurdle.svg"


def test_what_an_open_tab_may_still_ask_for_stays_a_while(built: Path) -> None:
    old = {
        "assets/old.js": NOW - timedelta(days=site.KEPT_DAYS + 1),
        "assets/yesterday.js": NOW - timedelta(days=1),
        "index.html": NOW - timedelta(days=90),
    }
    store = Store(old)
    site.upload(store, "bucket", built)
    assert store.deleted == ["assets/old.js"]


def test_without_a_built_site_a_deployment_goes_on_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "BUILT", tmp_path)
    monkeypatch.setattr(site, "BUILT_KIT", tmp_path)
    store = Store({})
    lines = site.publish(store, {"SiteBucket": "bucket", "Address": "https://demo.example"})
    assert [line.count("not built") for line in lines] == [1, 1]
    assert store.put == []


def test_the_kit_goes_beside_the_site_where_a_file_is_new_or_another_one(tmp_path: Path) -> None:
    (tmp_path / "kit.json").write_text("{}")
    (tmp_path / "one-1.whl").write_text("one")
    store = Store({})
    assert site.upload_kit(store, "bucket", tmp_path) == 2
    assert {uploaded["Key"]: uploaded["ContentType"] for uploaded in store.put} == {
        "kit/kit.json": "application/json",
        "kit/one-1.whl": "application/octet-stream",
    }
    assert site.upload_kit(store, "bucket", tmp_path) == 0
    (tmp_path / "kit.json").write_text('{"version": "2"}')
    assert site.upload_kit(store, "bucket", tmp_path) == 1
    assert store.put[-1]["Key"] == "kit/kit.json"


def test_an_earlier_kit_stays_when_the_site_is_renewed(built: Path) -> None:
    store = Store({"kit/one-1.whl": NOW - timedelta(days=900)})
    site.upload(store, "bucket", built)
    assert store.deleted == []


def test_the_local_cloud_serves_files_as_they_are_stored_and_waits_where_the_site_does(built: Path) -> None:
    for name in site.files(built):
        stored = site.headers_of(name)
        assert local_site.stored_with(name) == (
            ("content-type", stored["ContentType"]),
            ("cache-control", stored["CacheControl"]),
        )
    assert sign_in.SITE_CALLBACK_PATH == settings.SITE_CALLBACK_PATH
