"""Play a session of the contest: `python play.py learn`, then `python play.py session [SET] [FILES]`.

The address and the token of the team are in the variables HURDLE and TOKEN.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from solver import MODEL, learn, mark

TRIES = 6


class Platform:
    """The platform's interface. A request waits and repeats where the platform asks for that."""

    def __init__(self, address: str, token: str) -> None:
        self._http = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return status and body; an Idempotency-Key makes a repeated request harmless."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for attempt in range(TRIES):
            reply = self._http.request(method, f"/v1/{path}", headers=headers, json=body)
            if reply.status_code not in {429, 503} or attempt == TRIES - 1:
                break
            time.sleep(float(reply.headers.get("Retry-After", 1)))
        if reply.is_error:
            sys.exit(f"{method} {path}: {reply.status_code} {reply.text}")
        return reply.status_code, reply.json()


def training_set(platform: Platform, name: str) -> list[Any]:
    """Return the experts' annotations of a training set."""
    _, described = platform.ask("GET", f"sets/{name}")
    annotations = []
    for part in described["parts"]:
        _, content = platform.ask("GET", f"sets/{name}/parts/{part['number']}")
        annotations += [json.loads(file["text"]) for file in content["files"] if "_exp" in file["name"]]
    return annotations


def play(platform: Platform, model: Any, set_name: str, files: int) -> Any:
    """Answer every file of a new session and return its report."""
    _, session = platform.ask("POST", "sessions", {"mode": "algorithmic", "set": set_name, "files": files})
    path = f"sessions/{session['session_id']}"
    while (following := platform.ask("GET", f"{path}/next")[1])["status"] == "available":
        number = following["number"]
        _, file = platform.ask("GET", f"{path}/files/{number}")
        _, receipt = platform.ask("PUT", f"{path}/files/{number}/answer", mark(file["content"], model))
        print(f"file {number}: {receipt['receipt']['status']}")
    while (reply := platform.ask("GET", f"{path}/report"))[0] == 202:
        time.sleep(1)
    return reply[1]


def main() -> None:
    """Learn, or play a session."""
    platform = Platform(os.environ["HURDLE"], os.environ["TOKEN"])
    if sys.argv[1:] == ["learn"]:
        annotations = training_set(platform, "train")
        MODEL.write_text(json.dumps(learn(annotations), ensure_ascii=False, indent=1), "utf-8")
        print(f"annotations: {len(annotations)}")
        return
    set_name = sys.argv[2] if len(sys.argv) > 2 else "train"
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    report = play(platform, json.loads(MODEL.read_text("utf-8")), set_name, files)
    Path("report.json").write_text(json.dumps(report, ensure_ascii=False, indent=1), "utf-8")
    print(f"relative accuracy: {report['result']['relative_accuracy']}")


if __name__ == "__main__":
    main()
