"""The seams of the platform that a final goes through: its ports, its rules, its routes; every mutant by its name.

- ``port:MODULE:CLASS.METHOD:HARM``: what an adapter is told or tells
- ``rule:MODULE:FUNCTION:PLACE:CHANGE``: see :mod:`local.rehearsal.harm.mutants.sites`
- ``route:KEY:HARM``: who may ask for what
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from local.rehearsal.harm.mutants.sites import sites

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
    "domain.run": ("schedule", "fate", "release", "coming", "pacing", "run", "commitment"),
    "domain.session": ("delivery", "ending", "items", "limits", "receipts", "requests", "session", "transitions"),
    "domain.results": ("leaderboard", "scoring", "settlement", "board_state", "run_report"),
    "domain.people": ("rights", "teams"),
    "domain.channel": ("channel",),
    "services.exchange": ("answering", "coming_file", "hand_out", "handed_out", "run_gate"),
    "services.session": ("access", "closing", "facts", "idempotency", "joining", "opening", "request", "status"),
    "services.run": ("arming", "public", "records", "showing", "item_files"),
    "services.results": ("boards", "called_for", "publishing", "score_answer", "settling", "waiting", "reporting"),
    "services.channel": ("connections", "dialect_readable", "pushing"),
    "services": ("sweep", "reading", "races"),
}
_ABOUT_SESSIONS: Final = "{session_id}"
OBSERVE: Final = "observe"
"""Instead of a mutant's name: break nothing, tell which mutants would have made a difference."""
AT_THE_END: Final = "at-the-end"
"""Instead of a mutant's name: break nothing until a route's mutant is chosen, then be that one, then another."""


def all_names() -> dict[str, list[str]]:
    """Names of all mutants by their family."""
    return {"port": list(ports()), "rule": list(rules()), "route": list(routes())}


def ports() -> Iterator[str]:
    """Every method of every adapter with the harms that fit it."""
    for module, kinds in _ADAPTERS.items():
        loaded = import_module(f"contest.adapters.{module}")
        for kind in kinds:
            for name, method in vars(getattr(loaded, kind)).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    harms = WRITES if method.__annotations__.get("return") == "None" else READS
                    yield from (f"port:{module}:{kind}.{name}:{harm}" for harm in harms)


def rule_modules() -> Iterator[str]:
    """Modules with the rules of a final."""
    for floor, names in _RULES.items():
        yield from (f"contest.{floor}.{name}" for name in names)


def rules() -> Iterator[str]:
    """Every change of every rule."""
    for module in rule_modules():
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
    return name in {OBSERVE, AT_THE_END} or name.partition(":")[0] in {"port", "rule", "route"}
