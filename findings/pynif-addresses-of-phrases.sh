#!/bin/sh
# pynif: which address has the phrase from 5 to 9, and may it end after its text?
#
# Guess: ...#offset_5_9, as the class OffsetBasedString says; an end after the text is refused.
# Seen: the numbers in the address are the whole text's, and a counter follows: offset_0_9_0, offset_0_9_1, so who
#    reads places from addresses takes every phrase for the whole text. An end after the text is written as it was
#    given, beside words that are shorter. six, which it imports, is not among its dependencies.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pynif==0.3.1 rdflib==7.6.0 six==1.17.0
cat > "$folder/look.py" <<'LOOK'
import re
from importlib.metadata import version

from pynif import NIFCollection

collection = NIFCollection(uri="http://example.org/all")
context = collection.add_context(uri="http://example.org/one", mention="ёж и лиса")
context.add_phrase(beginIndex=0, endIndex=2)
context.add_phrase(beginIndex=5, endIndex=9)
context.add_phrase(beginIndex=5, endIndex=99)
written = collection.dumps(format="turtle")
addresses = sorted(set(re.findall(r"#(offset_\w+)", written)))
phrases = NIFCollection.loads(written).contexts[0].phrases
places = sorted((each.beginIndex, each.endIndex, each.mention) for each in phrases)
print("pynif", version("pynif"))
print(addresses, places)
assert addresses == ["offset_0_9_0", "offset_0_9_1", "offset_0_9_2"], addresses
assert places == [(0, 2, "ёж"), (5, 9, "лиса"), (5, 99, "лиса")], places
LOOK
"$folder/venv/bin/python" "$folder/look.py"
