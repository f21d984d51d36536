#!/bin/sh
# irrCAC and krippendorff: what is ordinal alpha of grades from 1 to 12 that were read as text?
#
# Guess: the same as of the numbers, or an error.
# Seen: krippendorff refuses text without an order of its values, and gives the same with it. irrCAC takes the order of
#    the alphabet (1, 10, 11, 12, 2 ...) and gives 0.08 in place of 0.95, and AC2 of 0.06 in place of 0.94, without a
#    warning.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check krippendorff==0.9.0 irrCAC==0.4.4 numpy==1.26.4 pandas==2.3.3 scipy==1.12.0
cat > "$folder/look.py" <<'LOOK'
import io
from importlib.metadata import version

import krippendorff
import pandas as pd
from irrCAC.raw import CAC

print({name: version(name) for name in ("krippendorff", "irrCAC")})
TABLE = "first,second\n1,2\n10,9\n3,3\n11,12\n2,1\n5,6\n9,10\n7,8\n4,4\n12,11\n"


def coefficients(grades):
    measures = CAC(grades, weights="ordinal")
    return [measure()["est"]["coefficient_value"] for measure in (measures.krippendorff, measures.gwet)]


numbers, words = pd.read_csv(io.StringIO(TABLE)), pd.read_csv(io.StringIO(TABLE), dtype=str)
print("numbers", coefficients(numbers), "text", coefficients(words))
assert coefficients(numbers) == [0.95307, 0.94398]
assert coefficients(words) == [0.0812, 0.06173]
order = [str(grade) for grade in range(1, 13)]
texts, ordinal = words.T.values.astype(str), {"level_of_measurement": "ordinal"}
try:
    krippendorff.alpha(reliability_data=texts, **ordinal)
except ValueError as error:
    print("krippendorff:", error)
else:
    raise AssertionError("krippendorff takes text without an order")
assert krippendorff.alpha(reliability_data=texts, value_domain=order, **ordinal) == krippendorff.alpha(
    reliability_data=numbers.T.values, **ordinal
)
LOOK
"$folder/venv/bin/python" "$folder/look.py"
