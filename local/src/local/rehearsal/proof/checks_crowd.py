"""The check of strangers: whoever has no good token is told nothing, and nothing is stored of anybody like that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from local.rehearsal.history import STRANGERS, Call
from local.rehearsal.proof.case import Case, Check
from markup_core.receipt import sha256_hex

Json = Any
_SWITCHED, _REFUSED = 101, 400
_FAREWELL: Final = frozenset({"connection-auth-error", "connection_auth_error"})
"""How a stranger is told why it may not stay, as the clients of either namespace spell it."""
_WORD: Final = re.compile(r"[\w=+/-]{8,}")
_CONNECTIONS: Final = "CONNECTIONS"


def kept_out(case: Case) -> Check:
    """Every stranger was refused, over the channel in every namespace in which it was told why, and no item, neither in
    the end nor ever of a connection, speaks of one."""
    check = Check("strangers_kept_out")
    marks: dict[str, str] = {}
    for call in case.story.calls:
        if call.team == STRANGERS:
            check.look(_let_in(call))
            marks |= dict.fromkeys(_marks(call), f"the stranger of call {call.n}")
    for table, partitions in case.facts.items.items():
        for pk, items in partitions.items():
            for sk, item in items.items():
                said = json.dumps([pk, sk, item], default=str)
                check.faults += _remembered(f"{table} {pk} {sk}", said, marks)
                check.faults += _of_nobody(pk, sk, item)
    for each in case.facts.written:
        if each["what"] == _CONNECTIONS:
            check.faults += _remembered("a connection that was stored", each["sk"], marks)
    return check


def _let_in(call: Call) -> str | None:
    """What is wrong with an answer to a stranger; none at all says nothing."""
    where = f"stranger, call {call.n} ({call.what})"
    if call.file_ids:
        return f"{where}: is told of the files {', '.join(call.file_ids)}"
    if call.status == _SWITCHED:
        more = sorted(set(call.said["told"]) - _FAREWELL)
        if more:
            return f"{where}: is told {', '.join(more)}"
        kept = sorted(set(call.said["spoken_in"]) - set(call.said["parted"]))
        return f"{where}: is not parted from {', '.join(kept)}" if kept else None
    if call.status is not None and call.status < _REFUSED:
        return f"{where}: is answered {call.status}"
    return None


def _marks(call: Call) -> Iterator[str]:
    """By what something stored would speak of a stranger."""
    token, connection = call.said.get("token"), call.said.get("connection")
    if token:
        yield token
        yield sha256_hex(token.encode())
    if connection:
        yield connection


def _remembered(where: str, said: str, marks: Mapping[str, str]) -> Iterator[str]:
    for mark in sorted(marks.keys() & set(_WORD.findall(said))):
        yield f"{where} speaks of {marks[mark]}"


def _of_nobody(pk: str, sk: str, item: Mapping[str, Json]) -> Iterator[str]:
    """A connection without anybody's token is a stranger's, whichever it is."""
    if pk == _CONNECTIONS and not item["token_sha256"]:
        yield f"{pk} {sk} is a connection without a token"
