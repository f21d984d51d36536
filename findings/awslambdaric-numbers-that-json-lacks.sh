#!/bin/sh
# awslambdaric: which return values of a handler end in Runtime.MarshalError?
#
# Guess: whatever json.dumps refuses (Decimal, set, datetime), and numbers that JSON lacks.
# Seen: set and datetime do. Decimal goes out as a number, digit for digit (0.10, and 1E+3). NaN and infinity are
#    posted as a success, as NaN and Infinity, which no reader of JSON has to take; Decimal("NaN") too. The keys 1 and
#    "1" of one dictionary are written as "1" twice.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check awslambdaric==4.2.2
cat > "$folder/look.py" <<'LOOK'
import http.server
import json
import os
import subprocess
import sys
import threading
import time
from importlib.metadata import version

VALUES = {
    "decimal": 'Decimal("0.10")', "exponent": 'Decimal("1E+3")', "nan": 'float("nan")', "infinity": '[float("inf")]',
    "decimal_nan": 'Decimal("NaN")', "keys": '{1: 2, "1": 3}', "set": "{1}", "datetime": "datetime(2026, 1, 1)",
}
waiting, posted, ended = list(VALUES), {}, threading.Event()


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if not waiting:
            ended.set()
            time.sleep(60)
            return
        ident = waiting.pop(0)
        self.answer(200, json.dumps(ident).encode(), {
            "Lambda-Runtime-Aws-Request-Id": ident,
            "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 60_000),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-central-1:123456789012:function:look",
            "Content-Type": "application/json",
        })

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        _, ident, how = self.path.rsplit("/", 2)
        posted[ident] = json.loads(body)["errorType"] if how == "error" else body
        self.answer(202, b"", {})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "values.py"), "w") as file:
    rows = ", ".join(f"{name!r}: {value}" for name, value in VALUES.items())
    file.write("from datetime import datetime\nfrom decimal import Decimal\n\n")
    file.write(f"VALUES = {{{rows}}}\n\n\ndef handler(event, context):\n    return VALUES[event]\n")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
variables = {**os.environ, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}"}
command = [sys.executable, "-m", "awslambdaric", "values.handler"]
runtime = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ended.wait(60)
runtime.kill()
print("awslambdaric", version("awslambdaric"))
print(posted)
assert posted == {
    "decimal": "0.10", "exponent": "1E+3", "nan": "NaN", "infinity": "[Infinity]", "decimal_nan": "NaN",
    "keys": '{"1": 2, "1": 3}', "set": "Runtime.MarshalError", "datetime": "Runtime.MarshalError",
}, posted
LOOK
"$folder/venv/bin/python" "$folder/look.py"
