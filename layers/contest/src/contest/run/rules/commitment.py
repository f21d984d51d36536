"""The commitment to a run: published before it, verifiable by anybody afterwards (platform §3).

Before the run a Merkle root over all its files, each with its planned opening and a salt, is signed and published.
Decisions that change openings or files are signed statements of their own, each naming the one before by its hash.
After the run leaves and salts are published, so that nobody can have swapped a file or moved an opening unseen. A
ruling on one team's file stands in the chain at its moment, too, but sealed: as the salted hash of its content, which
the record opens. Until then it tells nobody its team and its content, and nobody can word it anew.

Shapes are JSON values, hashes 64 hexadecimal digits; ``docs/fairness.md`` describes them for a check by hand. The tree
has the shape of RFC 6962: ``leaf = SHA-256(0x00 || canonical JSON of the row)``, ``node = SHA-256(0x01 || left ||
right)`` over the 32 bytes of each side; an odd node is carried up as it is.

Statements are signed by keys of the platform; statements of a key stay verifiable after the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from contest.run.rules.run import Amendment, Kind, Run, RunFile
from contest.values import Millis, canonical, iso, sha256_hex
from markup_core.lazy import dataclass

FORMAT: Final = 2
"""Version of the statements' form; a verifier refuses one it does not know."""
SEALED: Final = "sealed"
"""Kind of a decision of which the chain has the seal alone."""


# Clause: platform §3 amendments
def row(number: int, planned_at: Millis, file: RunFile) -> dict[str, Any]:
    """Return the row of a leaf. Of the content it has only the hash: the salt keeps even that from being recognised."""
    return {
        "number": number,
        "planned_at": iso(planned_at),
        "file_id": file.file_id,
        "content_sha256": file.content_sha256,
        "salt": file.salt,
    }


def leaf(committed: Mapping[str, Any]) -> str:
    """Return the hash of a row."""
    return hashlib.sha256(b"\x00" + canonical(committed)).hexdigest()


def root(leaves: Sequence[str]) -> str:
    """Compute the root over leaves in the order of their numbers. ValueError without any: no run is without files.
    O(n).
    """
    if not leaves:
        raise ValueError("a commitment needs at least one leaf")
    level = list(leaves)
    while len(level) > 1:
        nodes = [bytes.fromhex(node) for node in level]
        pairs = [sha256_hex(b"\x01" + nodes[at] + nodes[at + 1]) for at in range(0, len(nodes) - 1, 2)]
        level = pairs + ([level[-1]] if len(level) % 2 else [])
    return level[0]


def root_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Compute the root over rows in the order of their numbers."""
    return root([*map(leaf, rows)])


# Clause: platform §3 commitment
def statement(run: Run, root_sha256: str, key_id: str) -> dict[str, Any]:
    """Return the statement that is signed and published before the run."""
    return {
        "format": FORMAT,
        "kind": "commitment",
        **describe_run(run),
        "root": root_sha256,
        "made_at": iso(run.created_at),
        "key_id": key_id,
    }


def describe_run(run: Run) -> dict[str, Any]:
    """Describe a run as statements, records and reports do."""
    return {
        "run_id": run.run_id,
        "cycle": run.cycle,
        "track": run.track,
        "mode": run.mode.value,
        "trial": run.trial,
        "restarts": run.restarts,
        "files": run.files,
        "starts_at": iso(run.starts_at),
        "interval_ms": run.interval,
        "limits": {
            "request_ms": run.limits.request,
            "answer_ms": run.limits.answer,
            "total_ms": run.limits.total,
            "join_ms": run.limits.join,
        },
    }


def is_public(run: Run, amendment: Amendment) -> bool:
    """Return whether everybody sees an amendment. A ruling concerns one team, and so does taking it back."""
    if amendment.kind is Kind.UNDO:
        return not any(
            other.number == amendment.details["amendment"] and other.kind is Kind.RULE for other in run.amendments
        )
    return amendment.kind is not Kind.RULE


def amendment_statement(run: Run, amendment: Amendment, previous: str, key_id: str) -> dict[str, Any]:
    """Return the signed and published statement of a decision. ``previous``: SHA-256 of the statement before, a chain.

    Who decided is in the audit log, not here; the details are those of :class:`~contest.run.rules.run.Kind`. A decision
    on one team has the seal instead of kind, reason and details.
    """
    public = is_public(run, amendment)
    return {
        "format": FORMAT,
        "kind": "amendment",
        "run_id": run.run_id,
        "number": amendment.number,
        "amendment": amendment.kind.value if public else SEALED,
        "at": iso(amendment.at),
        "effective_at": iso(amendment.effective_at),
        "reason": amendment.reason if public else "",
        "details": dict(amendment.details) if public else {"seal": statement_digest(seal_content(run, amendment))},
        "previous": previous,
        "key_id": key_id,
    }


# Clause: platform §3 rulings
def seal_content(run: Run, amendment: Amendment) -> dict[str, Any]:
    """Return the JSON whose canonical SHA-256 is the seal: the ruling, bound to its run and its place in the chain.

    The ``salt`` of 256 random bits keeps anybody from finding team and cause by trying all there are.
    """
    return {
        "run_id": run.run_id,
        "number": amendment.number,
        "amendment": amendment.kind.value,
        "reason": amendment.reason,
        "details": dict(amendment.details),
        "salt": amendment.salt,
    }


def rulings(run: Run) -> list[dict[str, Any]]:
    """Return the values that open the run's seals, in the order of their numbers."""
    return [seal_content(run, amendment) for amendment in run.amendments if not is_public(run, amendment)]


# Clause: platform §3 rulings
def published_rulings(run: Run) -> list[dict[str, Any]]:
    """Return the rulings that everybody sees: none before the record is there, since then also those that came after
    it."""
    return rulings(run) if run.closed_at is not None else []


# Clause: platform §3 commitment
def roster_statement(
    run: Run, sessions: Sequence[tuple[str, str]], previous: str, made_at: Millis, key_id: str
) -> dict[str, Any]:
    """Return the signed statement of the teams that were let in, when joining is over.

    ``sessions`` are pairs of team and session, ``previous`` the SHA-256 of the commitment. Names of sessions are
    random, so that nobody finds a team by trying; the record opens the hash by its own sessions.
    """
    return {
        "format": FORMAT,
        "kind": "roster",
        "run_id": run.run_id,
        "sessions": len(sessions),
        "sessions_sha256": sha256_hex(canonical([list(pair) for pair in sorted(sessions)])),
        "made_at": iso(made_at),
        "previous": previous,
        "key_id": key_id,
    }


def record_statement(run: Run, record: bytes, previous: str, made_at: Millis, key_id: str) -> dict[str, Any]:
    """Return the statement signed after the run: it follows the last statement of the record, and names the record's
    bytes.
    """
    return {
        "format": FORMAT,
        "kind": "record",
        "run_id": run.run_id,
        "record_sha256": sha256_hex(record),
        "made_at": iso(made_at),
        "previous": previous,
        "key_id": key_id,
    }


def statement_digest(content: Mapping[str, Any]) -> str:
    """Return the hash by which the next statement of a chain names this one."""
    return sha256_hex(canonical(content))


Algorithm = Literal["Ed25519", "ES256"]
"""Names of JSON Web Algorithms (RFC 9864, RFC 7518): a signature of either has 64 bytes, ES256's is r and s."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key; ``key_id`` is the first 16 hexadecimal digits of the SHA-256 of ``content``."""

    key_id: str
    algorithm: Algorithm
    content: bytes
    """Ed25519: 32 bytes; ES256: the uncompressed point of P-256, 65 bytes (SEC 1 §2.3.3)."""


@dataclass(frozen=True, slots=True)
class UsedKey:
    """A key with the moment of its first signature."""

    key: PublicKey
    since: Millis


@dataclass(frozen=True, slots=True)
class ValidKey:
    """A key with the time in which it was the signing one; its statements stay verifiable."""

    key: PublicKey
    since: Millis | None
    """Moment of its first signature; None: it has signed nothing yet."""
    until: Millis | None
    """Moment of the next key's first signature; None for the last key."""


def with_validity(used: Iterable[UsedKey], current: PublicKey) -> Iterator[ValidKey]:
    """Yield all keys by their first signatures; the current one is the last if it has signed nothing yet."""
    ordered = sorted(used, key=lambda used_key: (used_key.since, used_key.key.key_id))
    first_uses: list[tuple[PublicKey, Millis | None]] = [(used_key.key, used_key.since) for used_key in ordered]
    if current not in (key for key, _ in first_uses):
        first_uses.append((current, None))
    for (key, since), (_, next_since) in pairwise([*first_uses, (current, None)]):
        yield ValidKey(key, since, next_since)
