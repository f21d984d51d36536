"""Is this the kit that the platform publishes? Its signed list against this installation (R 4.3, 11.4)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from markup_core.receipt import canonical_bytes
from pku import identity
from pku.checks.doctor import Finding, Verdict
from pku.wire.answers import PublishedKit
from pku.wire.exchange import Exchange

if TYPE_CHECKING:  # loaded where it is used
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT: Final = 1


def check_kit(exchange: Exchange, keys: Mapping[str, Ed25519PublicKey]) -> Finding:
    """This installation against the published list, whose signature is checked with the keys saved at login.

    Another version, or this version with changed files, is warned about; a list that the platform has not signed is a
    fault. Raises what the exchange raises.

    Clause: R 4.3, R 11.4
    """
    published = exchange.kit()
    here = identity.client_version()
    if published is None:
        return Finding("kit_unpublished", Verdict.GOOD, {"here": here})
    if not _is_signed(published, keys):
        return Finding("kit_unsigned", Verdict.FAULT, {"here": here})
    values = {"here": here, "version": published.version, "since": published.published_at}
    values |= {"command": install_command(exchange.base_url, published)}
    if published.version != here:
        return Finding("kit_other", Verdict.WARNING, values)
    if published.modules_sha256 != identity.package_sha256():
        return Finding("kit_changed", Verdict.WARNING, values)
    return Finding("kit", Verdict.GOOD, values)


def install_command(base_url: str, published: PublishedKit) -> str:
    """Return the line that installs every wheel of the published kit; pip holds each to its SHA-256.

    All wheels by their addresses: pip would ask the public index for a name that the line leaves out.
    """
    files = published.packages.values()
    return " ".join(("pip install", *(f'"{base_url}/kit/{name}#sha256={sha256}"' for name, sha256 in files)))


def _is_signed(published: PublishedKit, keys: Mapping[str, Ed25519PublicKey]) -> bool:
    """Whether the platform's key signed the statement, and it is one of a kit, in a form that is known here."""
    from cryptography.exceptions import InvalidSignature

    said, key = published.statement, keys.get(published.key_id)
    if key is None or (said.get("kind"), said.get("format")) != ("kit", FORMAT):
        return False
    try:
        key.verify(base64.b64decode(published.signature, validate=True), canonical_bytes(said))
    except (InvalidSignature, binascii.Error):
        return False
    return True
