"""Actions of the site's browser tests behind the platform's back: a stored result is altered and
repaired; a job fails for good."""

from __future__ import annotations

import json
from typing import Any

from local.cloud import LocalCloud


class Harm:
    """Alters the stored results of a cloud's finals."""

    def __init__(self, cloud: LocalCloud) -> None:
        self._cloud = cloud
        self._before: dict[str, bytes] = {}

    def alter(self, run_id: str) -> dict[str, Any]:
        """Raise the relative accuracy of a team on the stored board of a final by a point; which object it was."""
        store, bucket = self._store()
        prefix = f"reports/final/{run_id}/"
        entries = store.list_objects_v2(Bucket=bucket, Prefix=prefix, Delimiter="/")["Contents"]
        name = max(entries, key=lambda entry: entry["LastModified"])["Key"]
        stored = store.get_object(Bucket=bucket, Key=name)["Body"].read()
        self._before.setdefault(name, stored)
        report = json.loads(stored)
        report["entries"][0]["result"]["relative_accuracy"] += 1
        store.put_object(Bucket=bucket, Key=name, Body=json.dumps(report).encode())
        return {"name": name}

    def mend(self) -> dict[str, Any]:
        """Put everything back as it was."""
        store, bucket = self._store()
        for name, stored in self._before.items():
            store.put_object(Bucket=bucket, Key=name, Body=stored)
        mended = sorted(self._before)
        self._before.clear()
        return {"mended": mended}

    def letter(self, job: dict[str, Any]) -> dict[str, Any]:
        """Put a job among those that failed for good, as its queue does after the last try."""
        queue = self._cloud.resource("QueuesImportDeadLetters")
        self._cloud.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps(job))
        return {"passes": self._cloud.drain()}

    def _store(self) -> tuple[Any, str]:
        return self._cloud.client("s3"), self._cloud.environment("FunctionsCommand")["HURDLE_BUCKET"]
