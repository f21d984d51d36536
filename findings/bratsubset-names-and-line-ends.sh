#!/bin/sh
# bratsubset (brat's own reader, as bratiaa 0.1.4 ships it): which type names and which texts come through unchanged?
#
# Guess, from the comments of the code and from brat's description of standoff (the second point was met in a trial first,
# so that it was no blind guess):
#   1. The comment in normalize_to_storage_form says that accented characters are replaced by their plain equivalents
#      before anything else becomes "_". So the type "Café" is stored as "Cafe", and "Größe" as "Große" at worst "Gro_e".
#   2. Offsets count the characters of the text file. So an annotation behind a line that ends with CR LF is read at the
#      place that counts both characters, as before it.
# Seen: neither.
#   1. The decomposed form is computed and thrown away: "Café" is "Caf_", "Größe" is "Gr__e"; two names that differ in
#      such letters alone are one type.
#   2. The text is opened with universal line ends, so that CR LF is one character: the annotation whose offsets count
#      the file's characters is dropped as a failed line, and one that counts a character less is read.
# This script fails if either changes.
set -eu
PYTHON=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$PYTHON" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps bratiaa==0.1.4
cat > "$folder/look.py" <<'LOOK'
import sys
from importlib.metadata import version
from pathlib import Path

from bratsubset.annotation import TextAnnotations
from bratsubset.projectconfig import normalize_to_storage_form

print("Python", sys.version.split()[0], "bratiaa", version("bratiaa"))
stored = {name: normalize_to_storage_form(name) for name in ("Person", "Caf\u00e9", "Gr\u00f6\u00dfe", "Gr\u00fc\u00dfe")}
print("stored:", stored)
assert stored == {"Person": "Person", "Caf\u00e9": "Caf_", "Gr\u00f6\u00dfe": "Gr__e", "Gr\u00fc\u00dfe": "Gr__e"}, stored

folder = Path(sys.argv[1])


def read(text, start):
    (folder / "one.txt").write_bytes(text.encode())
    (folder / "one.ann").write_bytes(f"T1\tPerson {start} {start + 3}\tTwo\n".encode())
    with TextAnnotations(str(folder / "one"), read_only=True) as found:
        return [(each.spans, each.text) for each in found.get_textbounds()], list(found.failed_lines)


plain, counted, shorter = read("One\nTwo", 4), read("One\r\nTwo", 5), read("One\r\nTwo", 4)
print("LF, offset 4:", plain)
print("CR LF, offset 5 (the file's characters):", counted)
print("CR LF, offset 4:", shorter)
assert plain == ([([(4, 7)], "Two")], []), plain
assert counted == ([], [0]), counted
assert shorter == ([([(4, 7)], "Two")], []), shorter
LOOK
"$folder/venv/bin/python" "$folder/look.py" "$folder"
