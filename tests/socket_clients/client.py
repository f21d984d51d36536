"""A participant's client on python-socketio: WebSocket only, the token in the query.

python client.py URL TOKEN ORDER, as client.cjs in all else.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

import socketio

url, token, order = sys.argv[1:]
client = socketio.Client(reconnection_delay=0.1, reconnection_delay_max=0.2)
state: dict[str, Any] = {"started": False, "last": "No files yet"}


def say(name: str, payload: Any) -> None:
    print(json.dumps([name, payload], ensure_ascii=False), flush=True)


@client.on("connect", namespace="/pku")
def connect() -> None:
    say("connect", None)
    if state["started"]:
        client.emit("session-reconnect", namespace="/pku")
    else:
        client.emit("session-start", json.loads(order), namespace="/pku")
    state["started"] = True
    client.emit("session-file-repeat", {"lastFileId": state["last"]}, namespace="/pku")


@client.on("*", namespace="/pku")
def heard(name: str, payload: Any) -> None:
    say(name, payload)
    if name in {"session-file-available", "session-file-repeat-success"}:
        state["last"] = payload["fileId"]
        client.emit("session-file-send", {**payload, "content": json.dumps(payload["content"])}, namespace="/pku")
    if name == "session-close":
        os._exit(0)


def commands() -> None:
    for _ in sys.stdin:
        client.eio.ws.close()
    os._exit(0)


threading.Thread(target=commands, daemon=True).start()
client.connect(f"{url}?token={token}", transports=["websocket"], namespaces=["/pku"])
client.wait()
