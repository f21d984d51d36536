"""The site as the distribution serves it: files of a folder, one page for every address, the template's headers.

The template says what goes where. The files come from where the site was built, or from the release's wheel; they are
looked for at each request, so a site that is built beside a running local cloud appears there.
"""

from __future__ import annotations

import asyncio
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from local.gateways.gateway import HttpRequest, HttpResponse, message
from local.gateways.sockets import goes_to
from local.texts import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from local.aws.resources import Deployment

PAGE = "index.html"
BUILT = Path(__file__).parents[4] / "web" / "dist"
BUILT_KIT = Path(__file__).parents[4] / "build" / "kit"
POLICY_TYPE = "AWS::CloudFront::ResponseHeadersPolicy"
_SITE_WHEEL = "hurdle-site"
_OURS = "hurdle-local"
_ASSETS = "assets/"
_KIT = "kit/"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_MISSING = message(404, "The site is not here yet: type make site, then load this page again")
_DENIED = HttpResponse(403, (("content-type", "application/xml"),), b"<Error><Code>AccessDenied</Code></Error>")


@dataclass(frozen=True)
class Site:
    """The distribution's answers to paths that no other rule of it takes.

    `elsewhere` are the other rules' patterns, None without a distribution that serves a bucket by default; `folder`
    returns the folder of the built site, None while there is none; `kit` is where the participants' kit was built.
    """

    elsewhere: tuple[str, ...] | None
    headers: tuple[tuple[str, str], ...]
    folder: Callable[[], Path | None]
    kit: Path | None = None

    def takes(self, path: str) -> bool:
        """Return whether a path is the site's."""
        return self.elsewhere is not None and not goes_to(self.elsewhere, path)

    async def answer(self, request: HttpRequest, path: str) -> HttpResponse:
        """Return a file, or the page that makes something of the path."""
        name = object_name(path)
        folder = self.kit if name.startswith(_KIT) else self.folder()
        if folder is None:
            return message(404, "Not Found") if name != PAGE else _MISSING
        if request.method not in ("GET", "HEAD"):
            return self._with_headers(_DENIED)
        content = await asyncio.to_thread(_read, folder, name)
        if content is None:
            return self._with_headers(_DENIED)
        response = HttpResponse(200, stored_with(name), content if request.method == "GET" else b"")
        return self._with_headers(response)

    def _with_headers(self, answer: HttpResponse) -> HttpResponse:
        return answer._replace(headers=(*answer.headers, *self.headers))


def _read(folder: Path, name: str) -> bytes | None:
    file = (folder / name.removeprefix(_KIT)).resolve()
    return file.read_bytes() if file.is_relative_to(folder.resolve()) and file.is_file() else None


def site_not_built() -> str:
    """Return the text shown instead of the site's address."""
    return say("not here yet: type make site in another terminal, and it appears here")


def object_name(path: str) -> str:
    """Return the object behind a path: a path without a file is the page, as in the distribution's function."""
    return path.removeprefix("/") if "." in path.rpartition("/")[2] else PAGE


def site_of(deployment: Deployment, folder: Callable[[], Path | None]) -> Site:
    """Return the site that the template's distribution serves by default."""
    for config, origins in deployment.distributions():
        default = config["DefaultCacheBehavior"]
        if origins[default["TargetOriginId"]] in deployment.buckets():
            patterns = tuple(rule["PathPattern"] for rule in config.get("CacheBehaviors", ()))
            return Site(patterns, _headers(deployment, default), folder, built_kit())
    return Site(None, (), folder)


def _headers(deployment: Deployment, behaviour: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the headers that the distribution adds, in small letters."""
    named = behaviour.get("ResponseHeadersPolicyId")
    if not isinstance(named, dict):
        return ()
    policy = deployment.template.resources[named["Ref"]]
    config = deployment.resolver.properties(policy, "ResponseHeadersPolicyConfig")["ResponseHeadersPolicyConfig"]
    security = config.get("SecurityHeadersConfig", {})
    headers = []
    if "ContentSecurityPolicy" in security:
        headers.append(("content-security-policy", security["ContentSecurityPolicy"]["ContentSecurityPolicy"]))
    if "ContentTypeOptions" in security:
        headers.append(("x-content-type-options", "nosniff"))
    if "FrameOptions" in security:
        headers.append(("x-frame-options", security["FrameOptions"]["FrameOption"]))
    if "ReferrerPolicy" in security:
        headers.append(("referrer-policy", security["ReferrerPolicy"]["ReferrerPolicy"]))
    headers += [
        (item["Header"].lower(), item["Value"]) for item in config.get("CustomHeadersConfig", {}).get("Items", ())
    ]
    return tuple(headers)


def stored_with(name: str) -> tuple[tuple[str, str], ...]:
    """Return the headers that a deployment stores with a file."""
    kind = _TYPES.get(f".{name.rpartition('.')[2]}") or mimetypes.guess_type(name)[0] or "application/octet-stream"
    content_type = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    caching = "public, max-age=31536000, immutable" if name.startswith(_ASSETS) else "no-cache"
    return (("content-type", content_type), ("cache-control", caching))


def built_site() -> Path | None:
    """Return the folder of the built site: this checkout's, else the installed wheel's; None without both."""
    return BUILT if (BUILT / PAGE).is_file() else _site_of_wheel()


@cache
def _site_of_wheel() -> Path | None:
    """Return the folder of an installed site of this version; one of another version speaks another interface."""
    try:
        fits = metadata.version(_SITE_WHEEL) == metadata.version(_OURS)
    except metadata.PackageNotFoundError:
        return None
    spec = find_spec(_SITE_WHEEL.replace("-", "_")) if fits else None
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


def built_kit() -> Path | None:
    """Return the folder of the participants' kit, None where it was not built."""
    return BUILT_KIT if (BUILT_KIT / "kit.json").is_file() else None
