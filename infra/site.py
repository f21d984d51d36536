"""Put the built site into a deployed cycle's bucket: ``python -m infra.site CYCLE OUTPUTS``.

Hashed files first and the page that names them last, so that at no moment a page asks for what is not there. What an
older page asks for stays a while: nothing is deleted here but what is older than :data:`KEPT_DAYS`.
"""

from __future__ import annotations

import json
import mimetypes
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import boto3  # type: ignore[import-untyped]  # ships no types

from infra.layers import ROOT

SITE_BUCKET: Final = "SiteBucket"
"""The output of a cycle's stack that names the bucket."""
BUILT: Final = ROOT / "web" / "dist"
PAGE: Final = "index.html"
ASSETS: Final = "assets/"
KEPT_DAYS: Final = 30
_UNCHANGING: Final = "public, max-age=31536000, immutable"
_ASKED_AGAIN: Final = "no-cache"
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


def files(folder: Path) -> list[str]:
    """The site's files by their names in the bucket, the page last; what begins with a point is the builder's own."""
    found = (each.relative_to(folder) for each in sorted(folder.rglob("*")) if each.is_file())
    names = [each.as_posix() for each in found if not any(part.startswith(".") for part in each.parts)]
    return sorted(names, key=lambda name: (name == PAGE, name))


def headers_of(name: str) -> dict[str, str]:
    """What is stored with a file. A hashed file never changes; everything else is asked for again."""
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    text = kind.startswith("text/")
    return {
        "ContentType": f"{kind}; charset=utf-8" if text else kind,
        "CacheControl": _UNCHANGING if name.startswith(ASSETS) else _ASKED_AGAIN,
    }


def upload(store: Any, bucket: str, folder: Path) -> int:
    """Put the site's files into a bucket and remove those that no page of the last days asks for; how many it has."""
    names = files(folder)
    for name in names:
        store.put_object(Bucket=bucket, Key=name, Body=(folder / name).read_bytes(), **headers_of(name))
    for name in _outlived(store, bucket, set(names)):
        store.delete_object(Bucket=bucket, Key=name)
    return len(names)


def _outlived(store: Any, bucket: str, present: set[str]) -> list[str]:
    """What was put there long before the page that has just been put, and is no part of this build."""
    pages = store.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    put = {each["Key"]: each["LastModified"] for page in pages for each in page.get("Contents", ())}
    oldest = put[PAGE] - timedelta(days=KEPT_DAYS)
    return [name for name, at in put.items() if name not in present and at < oldest]


def main(cycle: str, outputs: str) -> int:
    """Upload, or say that there is nothing to upload; a cycle without a site is whole for programs."""
    if not (BUILT / PAGE).exists():
        print("deploy: the site is not built, so the cycle goes without: make site builds it, with Node.js")
        return 0
    told = json.loads(Path(outputs).read_text(encoding="utf-8"))[f"hurdle-{cycle}"]
    count = upload(boto3.client("s3"), told[SITE_BUCKET], BUILT)
    print(f"deploy: the site's {count} files are at {told['Address']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
