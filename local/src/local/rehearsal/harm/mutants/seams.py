"""The seams of the platform that a final goes through: ports, rules, routes, flows; every mutant by its name.

- ``port:MODULE:CLASS.METHOD:HARM``: what an adapter is told or tells
- ``rule:MODULE:FUNCTION:PLACE:CHANGE``: what the domain decides, see :mod:`local.rehearsal.harm.mutants.sites`
- ``route:KEY:HARM``: who may ask for what
- ``flow:MODULE:FUNCTION:PLACE:CHANGE``: how a service goes about it. Much of it only saves reads, or is the first of
  two locks, so that a mutant may change what is done and nothing that comes of it
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from local.rehearsal.harm.mutants.sites import FLOW, RULE, sites

READS: Final = ("nothing", "another", "stale", "later", "doubled", "short")
WRITES: Final = ("lose", "double", "later", "another")
ROUTES: Final = ("another", "anybody")
_ADAPTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "sessions": ("DynamoSessions",),
    "deliveries": ("DynamoDeliveries", "DynamoOutbox"),
    "runs": ("DynamoRuns",),
    "scores": ("DynamoScores",),
    "blobs": ("S3Blobs",),
    "queue": ("SqsQueue", "SqsPushes"),
    "requests": ("DynamoRequests",),
    "session_reads": ("DynamoSessionReads",),
    "connections": ("DynamoConnections",),
    "catalogue": ("DynamoCatalogue",),
    "signer": ("Ed25519Signer",),
    "boards": ("DynamoBoards",),
    "annulments": ("DynamoAnnulments",),
    "people": ("DynamoPeople",),
    "sockets": ("GatewaySockets",),
}
_RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "domain.run": (
        *("schedule", "fate", "release", "coming", "pacing", "run", "commitment"),
        *("amending", "lag", "mass_failure"),
    ),
    "domain.session": ("delivery", "ending", "items", "limits", "receipts", "requests", "session", "transitions"),
    "domain.results": (
        *("leaderboard", "scoring", "settlement", "board_state", "run_report"),
        *("qualification", "readiness", "annulment"),
    ),
    "domain.people": ("rights", "teams"),
    "domain.channel": ("channel",),
}
_FLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "services.exchange": ("answering", "coming_file", "hand_out"),
    "services.session": ("access", "closing", "facts", "idempotency", "joining", "opening", "request", "status"),
    "services.run": ("arming", "public", "records", "showing", "item_files"),
    "services.results": ("boards", "called_for", "publishing", "score_answer", "settling", "waiting", "reporting"),
    "services.channel": ("connections", "dialect_readable", "pushing"),
    "services": ("sweep", "reading", "races"),
}
_ABOUT_SESSIONS: Final = "{session_id}"
FAMILIES: Final = ("port", RULE, "route", FLOW)
DRAWN: Final = FAMILIES[:3]
"""Families that are drawn from unless others are asked for."""
OBSERVE: Final = "observe"
"""Instead of a mutant's name: break nothing, tell which mutants would have made a difference."""
AT_THE_END: Final = "at-the-end"
"""Instead of a mutant's name: break nothing until a route's mutant is chosen, then be that one, then another."""


def all_names() -> dict[str, list[str]]:
    """Names of all mutants by their family."""
    rules, flows = ([name for module in modules_of(family) for name in code(module)] for family in (RULE, FLOW))
    return {"port": list(ports()), RULE: rules, "route": list(routes()), FLOW: flows}


def ports() -> Iterator[str]:
    """Every method of every adapter with the harms that fit it."""
    for module, kinds in _ADAPTERS.items():
        loaded = import_module(f"contest.adapters.{module}")
        for kind in kinds:
            for name, method in vars(getattr(loaded, kind)).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    harms = WRITES if method.__annotations__.get("return") == "None" else READS
                    yield from (f"port:{module}:{kind}.{name}:{harm}" for harm in harms)


def modules_of(family: str) -> Iterator[str]:
    """Modules with the rules of a final, or with its flows."""
    for floor, names in (_RULES if family == RULE else _FLOWS).items():
        yield from (f"contest.{floor}.{name}" for name in names)


def code(module: str) -> Iterator[str]:
    """Every change of a module's code."""
    yield from (each.name for each in sites(module, source_of(module)))


def routes() -> Iterator[str]:
    """Every guarded route: for another's session, and for whoever has not the right."""
    for route in import_module("contest.routes").ROUTES:
        if not route.public:
            yield f"route:{route.key}:anybody"
            if _ABOUT_SESSIONS in route.path:
                yield f"route:{route.key}:another"


def source_of(module: str) -> str:
    """A module's text."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise LookupError(module)
    return Path(found.origin).read_text("utf-8")


def drawn(names: Mapping[str, Sequence[str]], seed: int, count: int) -> list[str]:
    """``count`` mutants, as many of each family as can be; each seam once, whatever can be done to it.

    A mutant's place in the draw is its own, so that another that comes or goes changes no more than one place.
    """

    def lot(name: str) -> bytes:
        return sha256(f"{seed}/{name}".encode()).digest()

    by_family = {}
    for family, every in names.items():
        chosen = {name.rpartition(":")[0]: name for name in sorted(every, key=lot, reverse=True)}
        by_family[family] = sorted(chosen.values(), key=lambda name: lot(name.rpartition(":")[0]))
    found: list[str] = []
    while len(found) < count and any(by_family.values()):
        for each in by_family.values():
            found += [each.pop()] if each and len(found) < count else []
    return found


def is_one(name: str) -> bool:
    """Whether a bug's name is a mutant's, or stands for the watching of all."""
    return name in {OBSERVE, AT_THE_END} or name.partition(":")[0] in FAMILIES
