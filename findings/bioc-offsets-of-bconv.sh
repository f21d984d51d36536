#!/bin/sh
# bconv and bioc: does a Cyrillic document that the one writes as BioC pass the other's validate()?
#
# Guess: yes: both count code points, as BioC's readers in Python do.
# Seen: no: bconv writes bytes of UTF-8 as offsets and lengths (in BioC's JSON, too) unless it is told
#    byte_offsets=False, while bioc cuts the text by code points. In PubTator and brat, bconv counts code points.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bconv==1.2.1 bioc==2.1
cat > "$folder/look.py" <<'LOOK'
import os
from importlib.metadata import version

import bconv
import bioc

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "document.pubtator")
with open(path, "w", encoding="utf-8") as file:
    file.write("1|t|ёж и лиса\n1|a|two words\n1\t5\t9\tлиса\tAnimal\tA1\n\n")
collection = bconv.load(path, fmt="pubtator")


def place(**options):
    written = bconv.dumps(collection, fmt="bioc_xml", **options)
    read = bioc.biocxml.loads(written if isinstance(written, str) else written.decode())
    where = read.documents[0].passages[0].annotations[0].total_span
    try:
        bioc.validate(read)
    except ValueError as error:
        return (where.offset, where.length), str(error).splitlines()[0]
    return (where.offset, where.length), "valid"


seen = place(), place(byte_offsets=False)
print("bconv", version("bconv"), "bioc", version("bioc"))
print(*seen, sep="\n")
assert seen == (((8, 8), "1:1: Annotation text is incorrect at 8."), ((5, 4), "valid")), seen
assert "\t5\t9\t" in bconv.dumps(collection, fmt="pubtator")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
