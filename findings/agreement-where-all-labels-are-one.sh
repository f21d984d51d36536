#!/bin/sh
# krippendorff, irrCAC, simpledorff and nltk: what is alpha where all coders gave one label to everything?
#
# Guess: 1, or NaN with a warning, in all four.
# Seen: 1 in nltk, a ValueError in krippendorff, a ZeroDivisionError in irrCAC and simpledorff. Whoever computes
#    agreement label by label meets it with each rare label.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check krippendorff==0.9.0 irrCAC==0.4.4 simpledorff==0.0.2 nltk==3.10.4 numpy==1.26.4 \
    pandas==2.3.3 scipy==1.12.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import krippendorff
import pandas as pd
from irrCAC.raw import CAC
from nltk.metrics.agreement import AnnotationTask
from simpledorff import calculate_krippendorffs_alpha_for_df

print({name: version(name) for name in ("krippendorff", "irrCAC", "simpledorff", "nltk")})
rows = [(item, coder, "a") for coder in "pq" for item in range(2)]
ways = {
    "krippendorff": lambda: krippendorff.alpha(reliability_data=[["a", "a"]] * 2, level_of_measurement="nominal"),
    "irrCAC": lambda: CAC(pd.DataFrame({"p": ["a", "a"], "q": ["a", "a"]})).krippendorff(),
    "simpledorff": lambda: calculate_krippendorffs_alpha_for_df(
        pd.DataFrame(rows, columns=["item", "coder", "label"]), "item", "coder", "label"
    ),
    "nltk": lambda: AnnotationTask(data=[(coder, str(item), label) for item, coder, label in rows]).alpha(),
}
seen = {}
for name, way in ways.items():
    try:
        seen[name] = way()
    except (ValueError, ZeroDivisionError) as error:
        seen[name] = type(error).__name__
print(seen)
assert seen == {
    "krippendorff": "ValueError",
    "irrCAC": "ZeroDivisionError",
    "simpledorff": "ZeroDivisionError",
    "nltk": 1,
}, seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
