"""The stored facts of one session, ordered by file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shadow.source import Item, Json, Millis, Source, one

_REFUSED: Final = "refused_"
_ARRIVED: Final = "arrived_"


@dataclass
class Trace:
    """The stored facts of one file of a session."""

    asked_at: Millis | None = None
    """Moment of the first request that counts."""
    delivery: Item | None = None
    undecided: list[Millis] = field(default_factory=list)
    """Arrivals of valid answers that nobody has decided on."""
    refused: int = 0
    """Number of bodies that came as answers and were invalid."""
    receipts: list[Item] = field(default_factory=list)
    is_unfinished: bool = False
    """Whether there is a dialogue over it that has not come to its end: then no answer of it is the one that counts."""

    @property
    def accepted(self) -> Item | None:
        """The receipt of the answer that counts: the last accepted one (R 11.5); none in an open dialogue."""
        if self.is_unfinished:
            return None
        accepted = [receipt for receipt in self.receipts if receipt["status"] == "accepted"]
        return max(accepted, key=lambda receipt: int(receipt["send"]), default=None)

    @property
    def is_late(self) -> bool:
        """Whether an answer came too late while the session was open."""
        return self.delivery is not None and self.delivery.get("late_at") is not None


@dataclass(frozen=True)
class Evidence:
    """A session with the traces of its files, by number."""

    session: Item
    traces: Mapping[int, Trace]
    absences: Sequence[tuple[Millis, Millis | None]]
    """From when to when its client of the event channel was away; None: to the end."""
    present_since: Millis | None
    """When its client of the event channel was there first; None for one that never was."""

    @property
    def aborted_at(self) -> Millis | None:
        """Moment at which the team ended its participation; None if it did not."""
        return self.session["closed_at"] if self.session["state"] == "aborted" else None

    def trace(self, number: int) -> Trace:
        """Return the trace of a file; an empty one if nothing is stored of it."""
        return self.traces.get(number, Trace())


def evidence_of(source: Source, session_id: str) -> Evidence:
    """Read a session; raise :class:`shadow.source.MissingError` if it is not stored."""
    partition = f"SESSION#{session_id}"
    session = one(source, "Exchange", partition, "STATE")
    traces: dict[int, Trace] = defaultdict(Trace)
    absences: Sequence[tuple[Millis, Millis | None]] = ()
    since = None
    for item in source.items("Exchange", partition):
        kind, _, rest = item["sk"].partition("#")
        if kind == "CONNECTION":
            absences = [(begin, end) for begin, end in decoded(item["absences"])]
            since = item.get("since")
        elif kind == "BODIES":
            for name, count in item.items():
                if name.startswith(_REFUSED):
                    traces[int(name.removeprefix(_REFUSED))].refused = int(count)
        elif kind == "FILE":
            _note(traces[int(rest)], item)
        elif kind == "RECEIPT":
            traces[int(rest.partition("#")[0])].receipts.append(item)
    return Evidence(session, traces, absences, since)


def _note(trace: Trace, item: Item) -> None:
    """Note the delivery of a file, its first request, and the arrivals of answers that nobody has decided on."""
    if item.get("handed_out_at") is not None:
        trace.delivery = item
    if item.get("asked_at") is not None:
        trace.asked_at = int(item["asked_at"])
    trace.undecided.extend(int(at) for name, at in item.items() if name.startswith(_ARRIVED))


def decoded(value: Json) -> Json:
    """Parse an attribute that holds JSON; return it as it is if it was parsed before."""
    return json.loads(value) if isinstance(value, str) else value
