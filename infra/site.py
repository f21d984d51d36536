"""Put the built site, and the participants' kit beside it, into a deployed cycle's bucket.

Hashed files go first and the page that names them last, so that at no moment a page asks for a missing file. The files
of an older page stay a while: only files older than :data:`KEPT_DAYS` are deleted here.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from infra.kit import BUILT as BUILT_KIT
from infra.kit import LIST
from infra.layers import ROOT

SITE_BUCKET: Final = "SiteBucket"
"""The output of a cycle's stack that names the bucket."""
BUILT: Final = ROOT / "web" / "dist"
PAGE: Final = "index.html"
ASSETS: Final = "assets/"
KIT: Final = "kit/"
"""Prefix of the kit's files; those of earlier versions stay."""
KEPT_DAYS: Final = 30
_UNCHANGING: Final = "public, max-age=31536000, immutable"
_ASKED_AGAIN: Final = "no-cache"
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


def files(folder: Path) -> list[str]:
    """Return the site's files by their names in the bucket, the page last; a leading point is the builder's own."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    names = [path.as_posix() for path in paths if not any(part.startswith(".") for part in path.parts)]
    return sorted(names, key=lambda name: (name == PAGE, name))


def headers_of(name: str) -> dict[str, str]:
    """Return the headers stored with a file. A hashed file never changes; everything else is asked for again."""
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    text = kind.startswith("text/")
    return {
        "ContentType": f"{kind}; charset=utf-8" if text else kind,
        "CacheControl": _UNCHANGING if name.startswith(ASSETS) else _ASKED_AGAIN,
    }


def upload(store: Any, bucket: str, folder: Path) -> int:
    """Put the site's files into a bucket, remove those that no recent page asks for; return their number."""
    names = files(folder)
    for name in names:
        store.put_object(Bucket=bucket, Key=name, Body=(folder / name).read_bytes(), **headers_of(name))
    present = set(names)
    put = {name: entry["LastModified"] for name, entry in _listed(store, bucket).items()}
    oldest = put[PAGE] - timedelta(days=KEPT_DAYS)  # an open page of an earlier build may still ask for its files
    for name, at in put.items():
        if name not in present and at < oldest and not name.startswith(KIT):
            store.delete_object(Bucket=bucket, Key=name)
    return len(names)


def upload_kit(store: Any, bucket: str, folder: Path) -> int:
    """Put the kit's files beside the site, but those that are there already; return how many were put."""
    there = {name: entry["ETag"].strip('"') for name, entry in _listed(store, bucket).items() if name.startswith(KIT)}
    put = 0
    for file in sorted(folder.iterdir()):
        name, content = f"{KIT}{file.name}", file.read_bytes()
        # What is put in one piece, encrypted with the bucket's own key, has the MD5 of its content as its tag.
        if there.get(name) != hashlib.md5(content, usedforsecurity=False).hexdigest():
            store.put_object(Bucket=bucket, Key=name, Body=content, **headers_of(name))
            put += 1
    return put


def _listed(store: Any, bucket: str) -> dict[str, Any]:
    pages = store.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return {entry["Key"]: entry for page in pages for entry in page.get("Contents", ())}


def publish(store: Any, outputs: Mapping[str, str]) -> Iterator[str]:
    """Upload the built site and kit to the bucket that a stack's outputs name, and say what was done.

    A cycle without a site is whole for programs.
    """
    bucket, address = outputs[SITE_BUCKET], outputs["Address"]
    if (BUILT / PAGE).exists():
        yield f"the site's {upload(store, bucket, BUILT)} files are at {address}"
    else:
        yield "the site is not built, so the cycle goes without: make site builds it"
    if (BUILT_KIT / LIST).exists():
        put = upload_kit(store, bucket, BUILT_KIT)
        yield f"the kit is at {address}/{KIT}, {put} files of it new; contest kit publish {BUILT_KIT}"
    else:
        yield "the participants' kit is not built, so the cycle keeps the one that it has: make kit builds it"
