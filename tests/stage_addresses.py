"""Signed addresses on a stage: followed as the distribution lets them be followed, without a token."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from contest import settings, stored_names
from infra import account
from local.gateways import objects
from local.gateways.gateway import HttpRequest, HttpResponse
from local.gateways.objects import _as_announced

if TYPE_CHECKING:
    from tests.stage import Stage

ENVIRONMENT: Final = {
    settings.UPLOADS_KEY: "KUPLOADS",
    settings.UPLOADS_SECRET: "uploads",
    settings.DOWNLOADS_KEY: "KDOWNLOADS",
    settings.DOWNLOADS_SECRET: "downloads",
}


@cache
def _pair(purpose: account.Purpose) -> str:
    """Return the pair of keys shared by all stages: making one takes longer than a test."""
    return account.pair()


def secrets() -> dict[str, str]:
    """Return the secrets that are made before a deployment, by their names."""
    return {purpose: _pair(purpose) for purpose in account.PURPOSES}


def follow(stage: Stage, method: str, address: str, content: bytes = b"") -> HttpResponse:
    """Return the answer at an address: an object, or the outcome of an upload."""
    parts = urlsplit(address)
    name = parts.path.removeprefix("/")
    purpose: account.Purpose = "uploads" if name.startswith(stored_names.UPLOADS) else "downloads"
    trusted = objects.public_key(json.loads(_pair(purpose))[account.PUBLIC])
    headers = (("host", "stage"), ("content-length", str(len(content))))
    request = HttpRequest(method, parts.path, parts.query, headers, "127.0.0.1", stage.now, "request", content)
    stopped = objects.signature_refusal({f"K{purpose.upper()}": trusted}, request, stage.now)
    stopped = stopped or (_as_announced(request) if purpose == "uploads" else None)
    if stopped is not None:
        return stopped
    if purpose == "uploads":
        stage.platform.blobs.put(name, content)
        return HttpResponse(200, (), b"")
    return HttpResponse(200, (), stage.platform.blobs.get(name))
