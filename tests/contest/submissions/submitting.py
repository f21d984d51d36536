"""A team that submits over HTTP: what tests of submissions share."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from contest import stored_names
from contest.adapters import aws
from tests.stage import Answered, Program
from tests.stage_services import BUCKET

PART = re.compile(r"^/(uploads/submissions/\d{15}/\d+-[0-9a-f]{64})\?Policy=")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Submitter(Program):
    """A participant's program that submits."""

    def announce(self, content: bytes, kind: str = "answers", key: str | None = None, **order: Any) -> Answered:
        """Announce a file."""
        headers = {"key": key} if key else {}
        said = {"kind": kind, "bytes": len(content), "sha256": sha(content), **order}
        return self.ask("POST", "/v1/submissions", said, **headers)

    def put(self, name: str, number: int, content: bytes) -> None:
        """Put a part where the platform says, as the distribution lets one."""
        place = self.ask("GET", f"/v1/submissions/{name}/parts/{number}").json
        found = PART.match(place["address"])
        assert found is not None, place
        assert place["size"] == len(content)
        assert found[1].startswith(stored_names.submission_uploads(name))
        aws.client("s3").put_object(Bucket=BUCKET, Key=found[1], Body=content)

    def complete(self, name: str) -> Answered:
        """Hand in."""
        return self.ask("POST", f"/v1/submissions/{name}/complete")

    def give_up(self, name: str) -> Answered:
        """End an upload."""
        return self.ask("POST", f"/v1/submissions/{name}/give-up")

    def hand_in(self, content: bytes, kind: str = "answers", **order: Any) -> str:
        """Announce, upload and hand in a file; return the submission's name."""
        begun = self.announce(content, kind, **order)
        assert begun.status == 201, begun.text
        name = str(begun.json["submission_id"])
        self.put(name, 1, content)
        done = self.complete(name)
        assert done.status == 200, done.text
        self.stage.advance(1)
        return name

    def submit(self, content: bytes, kind: str = "answers", **order: Any) -> dict[str, Any]:
        """Hand a file in and work on it; return the submission."""
        name = self.hand_in(content, kind, **order)
        assert self.stage.judge() == []
        return self.look(name)

    def look(self, name: str) -> dict[str, Any]:
        """Return a submission's present state."""
        found = self.ask("GET", f"/v1/submissions/{name}")
        assert found.status == 200, found.text
        self.stage.advance(1)
        return dict(found.json)

    def report_of(self, name: str) -> Answered:
        """Return the report of a submission."""
        return self.ask("GET", f"/v1/submissions/{name}/report")
