"""What a process loads before anybody waits for it."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from contest import settings
from contest.wiring import platform

_ADAPTERS: Final = (
    "sessions",
    "deliveries",
    "runs",
    "scores",
    "annulments",
    "boards",
    "qualification",
    "dead_letters",
    "upkeep",
    "rescoring",
    "catalogue",
    "imports",
    "submissions",
    "announcements",
    "people",
    "persons",
    "sign_ins",
    "experts",
    "replays",
    "blobs",
    "clock",
    "randomness",
    "signer",
    "requests",
    "session_reads",
    "connections",
    "sockets",
    "queue",
)
_SERVICES: Final = ("dynamodb", "s3", "secretsmanager", "sqs")


def preload() -> None:
    """In a process that starts before anybody waits for it, load what its first request would load.

    One that is kept running makes its clients, too, which opens no connection; a snapshot has none, for what they
    hold (credentials, random numbers) would be the same in every process that is restored from it. Elsewhere nothing
    is loaded before it is needed.
    """
    if not settings.starts_ahead():
        return
    for name in _ADAPTERS:
        import_module(f"contest.adapters.{name}")
    registry = import_module("tracks.registry")
    for name in registry.names():
        registry.get(name)
    if not settings.makes_snapshot():
        _make_clients()


def _make_clients() -> None:
    """Make the clients of all services; each costs a process a tenth of a second and more."""
    from contest.adapters import aws, sockets

    for service in _SERVICES:
        aws.client(service)
    sockets.client(platform().settings.socket_endpoint)
