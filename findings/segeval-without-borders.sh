#!/bin/sh
# segeval: how similar are two segmentations that agree that there is no border?
#
# Guess: 1: they are the same.
# Seen: boundary_similarity ends with a ValueError of max(), while window_diff and pk call them equal, 0.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check segeval==2.0.11 numpy==2.2.6
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import segeval

print("segeval", version("segeval"))
assert segeval.boundary_similarity((2, 3), (2, 3)) == 1
assert segeval.window_diff((5,), (5,)) == segeval.pk((5,), (5,)) == 0
try:
    print(segeval.boundary_similarity((5,), (5,)))
except ValueError as error:
    print("ValueError:", error)
else:
    raise AssertionError("it has a value")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
