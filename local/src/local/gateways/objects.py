"""Buckets and the site as CloudFront serves them, and signed URLs with a custom policy, checked as the service does.

Objects are served as they are stored, with their stored headers; objects are put at signed addresses. As in the cloud,
a behaviour of the distribution says which methods pass, which keys must sign an address and which function looks at
the request; the bucket's policy says what the distribution may do with which names. Neither stands in for the other.

A signed address carries its policy, the policy's signature (RSA, SHA-1) and the id of the key; a behaviour names the
keys that it trusts. Only the policies in use here are known: one statement, a resource with wildcards, an end. A policy
with any other condition is refused, not passed over.

The site is served from a folder: its files, one page for every address, the template's headers. The template says what
goes where. The files come from where the site was built, or from the release's wheel; they are looked for at each
request, so a site that is built beside a running local cloud appears there.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import mimetypes
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from local.aws.template import TemplateError
from local.gateways.gateway import HttpRequest, HttpResponse, message
from local.gateways.sockets import goes_to
from local.texts import say, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from local.aws.emulator import Emulator
    from local.aws.template import Deployment
    from local.clock import Clock

_OWN = ("Policy", "Signature", "Key-Pair-Id")
_PLAIN = str.maketrans("-_~", "+=/")
_URL = re.compile(r"(?P<scheme>[^:/]+)://(?P<host>[^/]+)(?P<path>/.*)")


def refused(code: str, text: str) -> HttpResponse:
    """Return CloudFront's answer to a request that it refuses."""
    body = f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{text}</Message></Error>'
    return HttpResponse(403, (("content-type", "text/xml"),), body.encode())


_SIGNATURE_DENIED = refused("AccessDenied", "Access denied")


def public_key(pem: str) -> RSAPublicKey:
    """Return the key of a template's public key; ValueError for any that is not RSA."""
    key = load_pem_public_key(pem.encode())
    if not isinstance(key, RSAPublicKey):
        raise ValueError("the distribution trusts RSA keys")  # noqa: TRY004 - a value of the template
    return key


def signature_refusal(trusted: Mapping[str, RSAPublicKey], request: HttpRequest, now_ms: int) -> HttpResponse | None:
    """Return the refusal of an address without a trusted signature, past its end or for another resource."""
    pairs = [pair.partition("=") for pair in request.query.split("&") if pair]
    own = {name: value for name, _, value in pairs if name in _OWN}
    if len(own) < len(_OWN):
        return refused("MissingKey", "Missing Key-Pair-Id query parameter or cookie value")
    rest = "&".join("".join(pair) for pair in pairs if pair[0] not in _OWN)
    url = f"http://{request.header('host')}{request.encoded_path}{'?' if rest else ''}{rest}"
    try:
        policy = _decoded(own["Policy"])
        trusted[own["Key-Pair-Id"]].verify(_decoded(own["Signature"]), policy, PKCS1v15(), SHA1())  # noqa: S303 - as there
        (statement,) = json.loads(policy)["Statement"]
        if set(statement) != {"Resource", "Condition"} or set(statement["Condition"]) != {"DateLessThan"}:
            return _SIGNATURE_DENIED  # only a resource and an end are known here
        ends_s = int(statement["Condition"]["DateLessThan"]["AWS:EpochTime"])
        allowed = _fits(statement["Resource"], url) and now_ms < ends_s * 1000
    except (KeyError, ValueError, TypeError, InvalidSignature):
        return _SIGNATURE_DENIED
    return None if allowed else _SIGNATURE_DENIED


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.translate(_PLAIN), validate=True)
    except binascii.Error as error:
        raise ValueError(text) from error


def _fits(pattern: str, url: str) -> bool:
    """Return whether a URL matches a pattern, part by part: a wildcard in the host's place stands for no path."""
    parts_of_pattern, had = _URL.fullmatch(pattern), _URL.fullmatch(url)
    if parts_of_pattern is None or had is None:
        return False
    for part in ("scheme", "host", "path"):
        wild = re.escape(parts_of_pattern[part]).replace(r"\*", ".*").replace(r"\?", ".")
        if not re.fullmatch(wild, had[part], re.DOTALL):
            return False
    return True


BODY_LIMIT = 64 * 1024 * 1024
"""Largest upload in bytes, held in memory as a whole; the service has no such limit."""
POLICY_TYPE = "AWS::S3::BucketPolicy"
_USUAL_METHODS = ("GET", "HEAD")
_ACTIONS = {"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject"}
_TOLD = (("ContentType", "content-type"), ("ContentEncoding", "content-encoding"), ("CacheControl", "cache-control"))
_DENIED = HttpResponse(403, (("content-type", "application/xml"),), b"<Error><Code>AccessDenied</Code></Error>")
_NOT_ALLOWED = refused("AccessDenied", "This distribution does not allow the HTTP request method")


def _as_announced(request: HttpRequest) -> HttpResponse | None:
    """Do as the distribution's function before uploads; its text in the template is named by its SHA-256."""
    name = re.search(r"/(\d+)-[0-9a-f]{64}$", request.encoded_path)
    if request.method != "PUT":
        return HttpResponse(405, (("allow", "PUT"),), b"")
    if name is None or request.header("content-length") != name[1]:
        return HttpResponse(413, (), b"")
    return None


_TWINS: dict[str, Callable[[HttpRequest], HttpResponse | None]] = {
    "79c071258217968e1582462510e83984dc2262fd8b593866f9c6da383d4dd194": _as_announced
}
"""Replacements of the distribution's functions by the SHA-256 of their JavaScript text; other texts are refused."""


@dataclass(frozen=True)
class Behaviour:
    """A behaviour of the distribution whose origin is a bucket."""

    pattern: str
    bucket: str
    methods: tuple[str, ...] = _USUAL_METHODS
    trusted: Mapping[str, RSAPublicKey] | None = None
    """The keys with which an address must be signed, by their ids; None where everybody may ask."""
    looks: Callable[[HttpRequest], HttpResponse | None] | None = None
    allowed: tuple[tuple[str, str], ...] = ()
    """Actions, with patterns of objects' ARNs, that the bucket's policy allows to the distribution."""


def behaviours_of(deployment: Deployment) -> tuple[Behaviour, ...]:
    """Return the distribution's behaviours that lead to buckets. TemplateError for an unknown property."""
    buckets = deployment.buckets()
    return tuple(
        _behaviour(deployment, rule, buckets[origins[rule["TargetOriginId"]]])
        for config, origins in deployment.distributions()
        for rule in config.get("CacheBehaviors", ())
        if origins[rule["TargetOriginId"]] in buckets
    )


def _behaviour(deployment: Deployment, rule: Mapping[str, Any], bucket: str) -> Behaviour:
    resources = deployment.template.resources
    groups = [resources[group["Ref"]].properties["KeyGroupConfig"] for group in rule.get("TrustedKeyGroups", ())]
    keys = {}
    for key in (resources[item["Ref"]] for group in groups for item in group["Items"]):
        text = deployment.revealed(key.properties["PublicKeyConfig"]["EncodedKey"])
        keys[deployment.ref(key.logical_id)] = public_key(text)
    functions = [association["FunctionARN"]["Fn::GetAtt"][0] for association in rule.get("FunctionAssociations", ())]
    return Behaviour(
        rule["PathPattern"],
        bucket,
        tuple(rule.get("AllowedMethods", _USUAL_METHODS)),
        keys if groups else None,
        _twin(deployment, functions[0]) if functions else None,
        tuple(_allowed(deployment, bucket)),
    )


def _twin(deployment: Deployment, function: str) -> Callable[[HttpRequest], HttpResponse | None]:
    text = deployment.template.resources[function].properties["FunctionCode"]
    twin = _TWINS.get(hashlib.sha256(text.encode()).hexdigest())
    if twin is None:
        raise TemplateError(
            tr("{function} is another function than the one whose twin is known here", function=function)
        )
    return twin


def _allowed(deployment: Deployment, bucket: str) -> list[tuple[str, str]]:
    allowed = []
    for policy in deployment.template.of_type(POLICY_TYPE):
        if deployment.resolver.properties(policy, "Bucket")["Bucket"] != bucket:
            continue
        for statement in policy.properties["PolicyDocument"]["Statement"]:
            if statement["Effect"] != "Allow" or statement["Principal"] != {"Service": "cloudfront.amazonaws.com"}:
                continue
            where = f"{policy.logical_id}.Resource"
            named = statement["Resource"]
            resources = named if isinstance(named, list) else [named]
            allowed += [(statement["Action"], deployment.resolver.value(resource, where)) for resource in resources]
    return allowed


class Objects:
    """The buckets behind the front, each behaviour with its paths."""

    def __init__(self, behaviours: Sequence[Behaviour], emulator: Emulator, clock: Clock) -> None:
        self._behaviours = tuple(behaviours)
        self._patterns = tuple(behaviour.pattern for behaviour in behaviours)
        self._emulator = emulator
        self._clock = clock

    def of(self, path: str) -> Behaviour | None:
        """Return the behaviour of a path that goes to a bucket, the first that fits."""
        if not goes_to(self._patterns, path):  # most requests: one comparison instead of one with each
            return None
        return next(behaviour for behaviour in self._behaviours if goes_to((behaviour.pattern,), path))

    async def answer(self, behaviour: Behaviour, request: HttpRequest) -> HttpResponse:
        """Return an object, or the result of an upload. A missing object is denied (403), for nobody may list."""
        stopped = self._stopped(behaviour, request)
        if stopped is not None:
            return stopped
        name = unquote(request.encoded_path).removeprefix("/")
        needed, arn = _ACTIONS.get(request.method), f"arn:aws:s3:::{behaviour.bucket}/{name}"
        if not any(action == needed and fnmatchcase(arn, pattern) for action, pattern in behaviour.allowed):
            return _DENIED
        if request.method == "PUT":
            return await asyncio.to_thread(self._put, behaviour.bucket, name, request.body)
        try:
            stored = await asyncio.to_thread(self._read, behaviour.bucket, name)
        except ClientError:
            return _DENIED
        headers = tuple((header, str(stored[key])) for key, header in _TOLD if stored.get(key))
        return HttpResponse(200, headers, stored["content"] if request.method == "GET" else b"")

    def _stopped(self, behaviour: Behaviour, request: HttpRequest) -> HttpResponse | None:
        """Return the distribution's own answer to a request that does not reach the bucket."""
        if request.method not in behaviour.methods:
            return _NOT_ALLOWED
        if behaviour.trusted is not None:
            refusal = signature_refusal(behaviour.trusted, request, self._clock.now_ms())
            if refusal is not None:
                return refusal
        return behaviour.looks(request) if behaviour.looks else None

    def _read(self, bucket: str, name: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._emulator.client("s3").get_object(Bucket=bucket, Key=name)
        return {**answer, "content": answer["Body"].read()}

    def _put(self, bucket: str, name: str, content: bytes) -> HttpResponse:
        answer = self._emulator.client("s3").put_object(Bucket=bucket, Key=name, Body=content)
        return HttpResponse(200, (("etag", str(answer["ETag"])),), b"")


PAGE = "index.html"
BUILT = Path(__file__).parents[4] / "web" / "dist"
BUILT_KIT = Path(__file__).parents[4] / "build" / "kit"
_SITE_WHEEL = "hurdle-site"
_OURS = "hurdle-local"
_ASSETS = "assets/"
_KIT = "kit/"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_MISSING = message(404, "The site is not here yet: type make site, then load this page again")


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
        """Return a file, or the page, which interprets the path."""
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
