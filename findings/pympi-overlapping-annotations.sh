#!/bin/sh
# pympi: what do two annotations that overlap become in a TextGrid?
#
# Guess: an error, or two tiers: intervals of a TextGrid do not overlap.
# Seen: the second one loses its words: what of it is left uncovered is an interval with an empty text. Nothing is
#    said. In ELAN's own form both are kept. An annotation from 0 to 100 ms is also one "at 100", so a moment between
#    two neighbours belongs to both.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pympi-ling==1.71
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import pympi

print("pympi-ling", version("pympi-ling"))
elan = pympi.Elan.Eaf()
elan.add_tier("A")
elan.add_annotation("A", 0, 100, "first")
elan.add_annotation("A", 50, 150, "second")
assert elan.get_annotation_data_for_tier("A") == [(0, 100, "first"), (50, 150, "second")]
(tier,) = (each for each in elan.to_textgrid().get_tiers() if each.name == "A")
seen = list(tier.get_all_intervals())
print(seen)
assert seen == [(0.0, 0.1, "first"), (0.1, 0.15, "")], seen
elan.add_tier("B")
elan.add_annotation("B", 0, 100, "before")
elan.add_annotation("B", 100, 200, "after")
at = sorted(elan.get_annotation_data_at_time("B", 100))
print(at)
assert at == [(0, 100, "before"), (100, 200, "after")], at
LOOK
"$folder/venv/bin/python" "$folder/look.py"
