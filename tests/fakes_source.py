"""In-memory data as the independent recomputation reads it: the items that the real adapters would write."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shadow.source import Item
    from tests.fakes import FakePlatform


class FakeSource:
    """:class:`shadow.source.Source` of a :class:`tests.fakes.FakePlatform`."""

    def __init__(self, platform: FakePlatform) -> None:
        self._platform = platform

    def items(self, table: str, pk: str, prefix: str = "") -> Sequence[Item]:
        kind, _, name = pk.partition("#")
        made = {
            ("Exchange", "SESSION"): self._session,
            ("Exchange", "RUN"): self._run,
            ("Scores", "SESSION"): self._scores,
            ("Catalogue", "CYCLE"): self._parameters,
        }[table, kind]
        found = [{"pk": pk, **each} for each in made(name) if each["sk"].startswith(prefix)]
        return sorted(found, key=lambda each: str(each["sk"]))

    def read(self, name: str) -> bytes | None:
        return self._platform.blobs.objects.get(name)

    def tags(self, prefix: str) -> Mapping[str, str]:
        objects = self._platform.blobs.objects
        return {name: str(hash(content)) for name, content in objects.items() if name.startswith(prefix)}

    def write(self, name: str, content: bytes) -> None:
        self._platform.blobs.put(name, content)

    def _run(self, run_id: str) -> Iterator[dict[str, Any]]:
        run = self._platform.store.runs.get(run_id)
        if run is None:
            return
        values = {each: getattr(run, each) for each in run.__dataclass_fields__}
        values |= {"amendments": [_plain(each) for each in run.amendments], "limits": asdict(run.limits)}
        yield {"sk": "STATE", "body": json.dumps(values)}
        for team_id, session_id in self._platform.runs.sessions_of(run_id):
            yield {"sk": f"SESSION#{team_id}#{session_id}"}

    def _session(self, session_id: str) -> Iterator[dict[str, Any]]:
        store, platform = self._platform.store, self._platform
        session = platform.sessions.get(session_id)
        if session is None:
            return
        order = {"mode": session.order.mode, "set_name": session.order.set_name, "language": session.order.language}
        plain = {
            each: getattr(session, each) for each in session.__dataclass_fields__ if each not in {"order", "counts"}
        }
        yield {"sk": "STATE", **plain, **order, "state": session.state.value}
        facts = platform.session_reads.facts(session_id)
        files: dict[int, dict[str, Any]] = defaultdict(dict)
        for each in facts.deliveries:
            answer = json.dumps(asdict(each.answer)) if each.answer else None
            files[each.number] |= {**_plain(each), "answer": answer}
        for number, at in facts.first_requests.items():
            files[number]["asked_at"] = at
        for (owner, number, digest), at in store.arrived.items():
            if owner == session_id:
                files[number][f"arrived_{digest}"] = at
        yield from ({"sk": f"FILE#{number:04d}", **item} for number, item in sorted(files.items()))
        refused = {f"refused_{number}": counted.refused for number, counted in facts.bodies.items()}
        yield {"sk": "BODIES", **refused}
        for receipt in platform.deliveries.receipts(session_id, 1_000_000, None).items:
            name = f"IGNORED#{receipt.content_sha256}" if receipt.status == "ignored" else f"{receipt.send:02d}"
            yield {"sk": f"RECEIPT#{receipt.number:04d}#{name}", **asdict(receipt)}

    def _scores(self, session_id: str) -> Iterator[dict[str, Any]]:
        for key, record in self._platform.scores.of_session(session_id).items():
            sk = f"SCORE#{key.number:04d}#{key.answer_sha256}#{key.conditions}"
            yield {"sk": sk, "record": zlib.compress(record, 1)}

    def _parameters(self, _: str) -> Iterator[dict[str, Any]]:
        for version, parameters in self._platform.catalogue.versions().items():
            yield {"sk": f"PARAMETERS#{version:06d}", "body": json.dumps(asdict(parameters))}


def _plain(value: Any) -> dict[str, Any]:
    found = {each: getattr(value, each) for each in value.__dataclass_fields__}
    return {name: dict(each) if isinstance(each, Mapping) else each for name, each in found.items()}
