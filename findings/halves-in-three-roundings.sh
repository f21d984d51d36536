#!/bin/sh
# Python, Babel and Intl.NumberFormat: what is 0.125, 2.675 and 1.005 with two places?
#
# Guess: two camps at most: Babel as Python, Intl as toFixed.
# Seen: no two agree on all: Python rounds the binary value, halves to even; Babel the shortest decimal, halves to
#    even; Intl the shortest decimal, halves away from zero; toFixed the binary value, halves away from zero. One
#    figure stands differently in a terminal, a table and on a page.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check babel==2.19.0
cat > "$folder/look.py" <<'LOOK'
import json
import subprocess

from babel import __version__
from babel.numbers import format_decimal

VALUES = [0.125, 2.675, 1.005]
PROGRAM = """
const places = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const values = JSON.parse(process.argv[1]);
const rows = values.map((value) => [new Intl.NumberFormat('en', places).format(value), value.toFixed(2)]);
console.log(JSON.stringify([process.version, rows]));
"""
done = subprocess.run(["node", "-e", PROGRAM, json.dumps(VALUES)], capture_output=True, text=True, check=True)
node, rows = json.loads(done.stdout)
print("Babel", __version__, "Node.js", node)
seen = {value: (f"{value:.2f}", format_decimal(value, "0.00", "en"), *row) for value, row in zip(VALUES, rows, strict=True)}
print("Python, Babel, Intl, toFixed:", seen)
assert seen == {
    0.125: ("0.12", "0.12", "0.13", "0.13"),
    2.675: ("2.67", "2.68", "2.68", "2.67"),
    1.005: ("1.00", "1.00", "1.01", "1.00"),
}, seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
