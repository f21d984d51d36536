#!/bin/sh
# krippendorff, irrCAC, simpledorff and nltk: which texts in a table of labels mean that a label is missing?
#
# Guess: any text is a label like any other; only None or NaN means missing.
# Seen: krippendorff takes the text "nan" for missing and the empty text for a label; irrCAC takes the empty text for
#    missing. Alpha of one table with such a label differs from package to package, and from the same table with the
#    label renamed.
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


def alphas(label):
    first, second = ["a", label, "b", "a"], ["a", "b", "b", "b"]
    rows = [(item, name, value) for name, values in (("p", first), ("q", second)) for item, value in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["item", "coder", "label"])
    return {
        "krippendorff": krippendorff.alpha(reliability_data=[first, second], level_of_measurement="nominal"),
        "irrCAC": CAC(pd.DataFrame({"p": first, "q": second})).krippendorff()["est"]["coefficient_value"],
        "simpledorff": calculate_krippendorffs_alpha_for_df(frame, "item", "coder", "label"),
        "nltk": AnnotationTask(data=[(coder, str(item), value) for item, coder, value in rows]).alpha(),
    }


plain, nan, empty = ({name: round(float(value), 4) for name, value in alphas(label).items()} for label in ("x", "nan", ""))
print("x", plain, "nan", nan, "empty", empty, sep="\n")
assert set(plain.values()) == {0.2632}, plain
assert nan == {**plain, "krippendorff": 0.4444}, nan
assert empty == {**plain, "irrCAC": 0.4444}, empty
LOOK
"$folder/venv/bin/python" "$folder/look.py"
