#!/bin/sh
# pygamma-agreement: what becomes of a unit that one annotator marked twice, and of a mark without length?
#
# Guess: a unit marked twice is two units, and lowers gamma; a mark of no length (an error about the whole text, an
#    omission) is a unit of length 0.
# Seen: the doubled unit is held once, in silence; a mark without length is refused with a ValueError.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pygamma-agreement==0.5.9 numpy==2.4.6 numba==0.68.1 cvxpy==1.9.3 pyannote-core==6.1.0 \
    setuptools==80.10.2
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from pyannote.core import Segment
from pygamma_agreement import Continuum

print("pygamma-agreement", version("pygamma-agreement"))
continuum = Continuum()
for label in ("a", "a", "b"):
    continuum.add("p", Segment(0, 10), label)
print("units of a, a, b on one place:", continuum.num_units)
assert continuum.num_units == 2
try:
    continuum.add("p", Segment(3, 3), "a")
except ValueError as error:
    print("ValueError:", error)
else:
    raise AssertionError("it is taken")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
