#!/bin/sh
# bioc: what is the text of an annotation in two pieces, and may two annotations have one id?
#
# Guess: the words of its places, one after the other (as in brat); two annotations "T1" of a document are refused.
# Seen: validate() wants all the text from the first place's start to the last one's end, what lies between included,
#    and refuses the words of the places alone. Its error names the two the wrong way round: "Annotation" is the
#    document's text, "Actual text" the annotation's. The same id twice passes.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bioc==2.1
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import bioc


def annotation(ident, text, *places):
    made = bioc.BioCAnnotation()
    made.id, made.text = ident, text
    for start, length in places:
        made.add_location(bioc.BioCLocation(start, length))
    return made


def refused(*annotations):
    collection, document, passage = bioc.BioCCollection(), bioc.BioCDocument(), bioc.BioCPassage()
    document.id, passage.offset, passage.text = "1", 0, "either read or write it"
    passage.annotations = list(annotations)
    document.add_passage(passage)
    collection.add_document(document)
    try:
        bioc.validate(collection)
    except ValueError as error:
        return str(error)
    return None


print("bioc", version("bioc"))
pieces = (0, 6), (12, 2)
words = refused(annotation("T1", "either or", *pieces))
print(words)
assert "Annotation: either read or" in words and "Actual text: 'either or'" in words, words
assert refused(annotation("T1", "either read or", *pieces)) is None
assert refused(annotation("T1", "read", (7, 4)), annotation("T1", "write", (15, 5))) is None
LOOK
"$folder/venv/bin/python" "$folder/look.py"
