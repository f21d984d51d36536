#!/bin/sh
# python-socketio: a connection is cut, and the library is back within a second. Does Client.wait() go on waiting?
#
# Guess: yes, in every version: it is what keeps a program's main thread alive "during the life of the connection".
# Seen: in 5.8.0 it returns about a second after the cut with the client connected, so that a program whose last line
#    it is ends in the middle of its work; in 5.18.1 it waits on. A program for the older one calls it in a loop.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
cat > "$folder/server.py" <<'SERVER'
import sys

import socketio
from werkzeug.serving import make_server

server = socketio.Server(async_mode="threading", allow_upgrades=False)
server.on("connect", lambda *_: None, namespace="/contest")
web = make_server("127.0.0.1", 0, socketio.WSGIApp(server), threaded=True)
with open(sys.argv[1], "w") as port:
    port.write(f"{web.port}\n")
web.serve_forever()
SERVER
cat > "$folder/client.py" <<'CLIENT'
import os
import sys
import threading
from importlib.metadata import version

import socketio

port, expected = sys.argv[1:]
cut, back = threading.Event(), threading.Event()
client = socketio.Client(reconnection_delay=0.2, reconnection_delay_max=0.2)


class Contest(socketio.ClientNamespace):
    def on_connect(self):
        if cut.is_set():
            back.set()
        else:
            cut.set()
            threading.Timer(0.5, client.eio.ws.close).start()


client.register_namespace(Contest("/contest"))
# Whoever still waits five seconds after the start has not been let go by the return.
still = threading.Timer(5, lambda: ended("waits on"))


def ended(seen):
    state = "connected" if client.connected else "not connected"
    print("python-socketio", version("python-socketio"), "python-engineio", version("python-engineio"), seen, state)
    sys.stdout.flush()
    os._exit(not (seen == expected and state == "connected" and back.is_set()))


still.start()
client.connect(f"http://127.0.0.1:{port}", transports=["websocket"], namespaces=["/contest"])
client.wait()
ended("returned")
CLIENT
install() {
    place=$1
    shift
    "${PYTHON:-python3}" -m venv "$folder/$place"
    "$folder/$place/bin/pip" install --quiet --disable-pip-version-check "$@"
}
install server python-socketio==5.18.1 python-engineio==4.15.1 simple-websocket==1.1.0 werkzeug==3.1.8
"$folder/server/bin/python" "$folder/server.py" "$folder/port" > "$folder/server.log" 2>&1 &
server=$!
while ! test -s "$folder/port"; do sleep 0.2; done
look() {
    install "$1" python-socketio=="$1" python-engineio=="$2" websocket-client==1.8.0 requests==2.34.2
    "$folder/$1/bin/python" "$folder/client.py" "$(cat "$folder/port")" "$3"
}
look 5.8.0 4.4.1 returned
look 5.18.1 4.15.1 "waits on"
