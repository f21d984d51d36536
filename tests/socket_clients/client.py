"""Behaves as the contest's Python client of 2021, on python-socketio: WebSocket only, the token in the query.

python client.py URL TOKEN ORDER [manual]

It says `session-start` once, when it has connected, and nothing at all after the connects that the library makes by
itself. It reads `sessionId` as a whole number, knows the fields of each event and stops at any other, escapes Cyrillic
twice, and aborts without a payload. What it writes and reads is told in client.cjs; after `fatal` it does nothing any
more, as a client whose thread has died.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

import socketio

url, token, order, *manual = sys.argv[1:]
client = socketio.Client(reconnection_delay=0.1, reconnection_delay_max=0.2)
state: dict[str, Any] = {"started": False, "dead": False, "file": None}
FILE = {"sessionId", "fileId", "content"}
FIELDS = {
    "connection-auth-error": {"message"},
    "session-start-success": {"sessionId"},
    "session-start-error": {"message"},
    "session-reconnect-success": {"sessionId"},
    "session-reconnect-error": {"message"},
    "session-file-available": FILE,
    "session-file-repeat-success": {*FILE, "missed"},
    "session-file-repeat-error": {"message", "missed"},
    "session-file-send-error": {"sessionId", "fileId", "message"},
    "session-client-abort-success": {"message"},
    "session-client-abort-error": {"message"},
    "logs-send-error": {"message"},
    "session-close": {"type"},
}
RECEIPT = {"sessionId", "fileId"}
LAST_WORDS_S = 0.5


def say(name: str, payload: Any) -> None:
    # One write for line and end: several threads speak.
    sys.stdout.write(json.dumps([name, payload], ensure_ascii=False) + "\n")
    sys.stdout.flush()


def understood(name: str, payload: Any) -> bool:
    """Return True if the client's models accept an event; only a receipt may have more fields than required."""
    if name == "session-file-send-success":
        known = set(payload) >= RECEIPT
    else:
        known = name not in FIELDS or set(payload) == FIELDS[name]
    try:
        int((payload or {}).get("sessionId", 0))
    except (TypeError, ValueError):
        return False
    return known


def emit(name: str, *payload: Any) -> None:
    client.emit(name, *payload, namespace="/pku")


def answer(content: str | None = None) -> None:
    file = state["file"]
    markup = json.dumps(file["content"]) if content is None else content
    emit("session-file-send", {"sessionId": int(file["sessionId"]), "fileId": file["fileId"], "content": markup})


class Contest(socketio.ClientNamespace):
    """Hears every event of the namespace."""

    def trigger_event(self, event: str, *args: Any) -> None:
        payload = args[0] if args else None
        if state["dead"]:
            return
        if event not in {"connect", "disconnect"} and not understood(event, payload):
            state["dead"] = True
            say("fatal", [event, payload])
            return
        if event in {"session-file-available", "session-file-repeat-success"}:
            state["file"] = payload  # before it is said: whoever hears of it may give a command about it
        say(event, payload if event != "disconnect" else None)
        if event == "connect" and not state["started"]:
            state["started"] = True
            emit("session-start", json.loads(order))
        if event in {"session-file-available", "session-file-repeat-success"} and not manual:
            answer()
        if event == "session-close":
            # Each event has a thread of its own: whoever is behind gets to say what it heard.
            threading.Timer(LAST_WORDS_S, os._exit, [0]).start()


def commands() -> None:
    for line in sys.stdin:
        command, *words = line.split(maxsplit=2)
        if command == "drop":
            client.eio.ws.close()
        elif command == "answer":
            answer()
        elif command == "large":
            answer("x" * 40 * 1024)
        elif command == "typed":
            emit(words[0], *(json.loads(each) for each in words[1:]))
    os._exit(0)


client.register_namespace(Contest("/pku"))
threading.Thread(target=commands, daemon=True).start()
client.connect(f"{url}?token={token}", transports=["websocket"], namespaces=["/pku"])
# Up to 5.8.0 `wait` returns, too, when the library is back within a second: findings/socketio-wait-after-a-quick-return
while True:
    client.wait()
