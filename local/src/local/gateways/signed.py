"""CloudFront's signed URLs with a custom policy: who may ask for what until when, checked as the service checks it.

An address carries its policy, the policy's signature (RSA, SHA-1) and the id of the key; a behaviour names the keys
that it trusts. Of policies only what is used here is known: one statement, a resource with wildcards, an end. Whatever
else a policy asks for is refused, not passed over.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from local.gateways.gateway import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.gateways.gateway import HttpRequest

_OWN = ("Policy", "Signature", "Key-Pair-Id")
_PLAIN = str.maketrans("-_~", "+=/")
_URL = re.compile(r"(?P<scheme>[^:/]+)://(?P<host>[^/]+)(?P<path>/.*)")


def refused(code: str, said: str) -> HttpResponse:
    """Return CloudFront's answer to what it does not let through."""
    body = f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{said}</Message></Error>'
    return HttpResponse(403, (("content-type", "text/xml"),), body.encode())


_DENIED = refused("AccessDenied", "Access denied")


def public_key(pem: str) -> RSAPublicKey:
    """Return the key of a template's public key; ValueError for any that is not RSA."""
    key = load_pem_public_key(pem.encode())
    if not isinstance(key, RSAPublicKey):
        raise ValueError("the distribution trusts RSA keys")  # noqa: TRY004 - a value of the template
    return key


def refusal(trusted: Mapping[str, RSAPublicKey], request: HttpRequest, now_ms: int) -> HttpResponse | None:
    """Return the answer to an address that is not signed by a trusted key, is over or of something else."""
    pairs = [pair.partition("=") for pair in request.query.split("&") if pair]
    own = {name: value for name, _, value in pairs if name in _OWN}
    if len(own) < len(_OWN):
        return refused("MissingKey", "Missing Key-Pair-Id query parameter or cookie value")
    rest = "&".join("".join(pair) for pair in pairs if pair[0] not in _OWN)
    asked = f"http://{request.header('host')}{request.encoded_path}{'?' if rest else ''}{rest}"
    try:
        policy = _decoded(own["Policy"])
        trusted[own["Key-Pair-Id"]].verify(_decoded(own["Signature"]), policy, PKCS1v15(), SHA1())  # noqa: S303 - as there
        (statement,) = json.loads(policy)["Statement"]
        allowed = _allows(statement, asked, now_ms)
    except (KeyError, ValueError, TypeError, InvalidSignature):
        return _DENIED
    return None if allowed else _DENIED


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.translate(_PLAIN), validate=True)
    except binascii.Error as error:
        raise ValueError(text) from error


def _allows(statement: Mapping[str, Any], asked: str, now_ms: int) -> bool:
    """Whether a statement is about a URL and not over. KeyError, ValueError for what is not known here."""
    if set(statement) != {"Resource", "Condition"} or set(statement["Condition"]) != {"DateLessThan"}:
        raise ValueError("only a resource and an end are known here")
    ends_s = int(statement["Condition"]["DateLessThan"]["AWS:EpochTime"])
    return _fits(statement["Resource"], asked) and now_ms < ends_s * 1000


def _fits(pattern: str, asked: str) -> bool:
    """Whether a URL is what a pattern says, part by part: a wildcard in the host's place stands for no path."""
    wanted, had = _URL.fullmatch(pattern), _URL.fullmatch(asked)
    if wanted is None or had is None:
        return False
    return all(_wild(wanted[part]).fullmatch(had[part]) for part in ("scheme", "host", "path"))


def _wild(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
