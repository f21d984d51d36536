#!/bin/sh
# python-socketio: which method of a class namespace hears the event session-start?
#
# Guess: on_session_start, the only name that Python can write (our own description of the exchange said so, too).
# Seen: none, and nothing is said, in 4.6.1 and in 5.8.0: the method would be named on_session-start, which setattr
#    alone can make.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for versions in "4.6.1 3.14.2" "5.8.0 4.4.1"; do
    set -- $versions
    "${PYTHON:-python3}" -m venv --clear "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check python-socketio==$1 python-engineio==$2
    "$folder/venv/bin/python" - <<'LOOK'
from importlib.metadata import version

import socketio


class Heard(socketio.ClientNamespace):
    def on_session_start(self, *_):
        return "heard"


namespace = Heard("/contest")
seen = namespace.trigger_event("session-start"), namespace.trigger_event("session_start")
setattr(Heard, "on_session-start", lambda *_: "set")
print("python-socketio", version("python-socketio"), seen, namespace.trigger_event("session-start"))
assert seen == (None, "heard"), seen
assert namespace.trigger_event("session-start") == "set"
LOOK
done
