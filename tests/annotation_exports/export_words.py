"""Write what spaCy, pandas and conllu write of a few texts: export_words.py FOLDER.

Needs spacy==3.8.18, pandas==3.1.1 and conllu==6.0.0. ``corpus.spacy`` is a DocBin with entities and two groups of
spans, of which one overlaps; ``older.spacy`` has words whose blanks are unknown; ``docs.jsonl`` has a line of
``Doc.to_json`` for each document; ``biluo.iob`` has its tags; ``table.csv`` is a data frame with a row without a span,
``words.conllu`` a sentence with named entities, ``symbols.txt`` spaCy's list of symbols.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import spacy
from conllu import parse
from spacy.symbols import NAMES
from spacy.tokens import Doc, DocBin, Span
from spacy.training import offsets_to_biluo_tags

TEXTS = ["Ёж 😀 и кот.", 'Кафе\u0301 "Зебра"\r\nвторая строка', ""]
SENTENCE = """# newdoc id = d1
# sent_id = s1
# text = Vámonos al mar 😀
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\tNE=B-LOC
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tNE=I-LOC
5.1\tx\tx\tX\t_\t_\t_\t_\t_\t_
6\t😀\t_\tSYM\t_\t_\t5\tdep\t_\tNE=O

"""


def main(folder: Path) -> None:
    """Write the files."""
    nlp = spacy.blank("ru")
    docs = [nlp(text) for text in TEXTS]
    docs[0].ents = [Span(docs[0], 0, 1, "PER", kb_id="Q1"), Span(docs[0], 1, 2, "LOC")]
    docs[0].spans["sc"] = [Span(docs[0], 0, 4, "PER"), Span(docs[0], 3, 4, "LOC")]
    docs[0].spans["other"] = [Span(docs[0], 3, 4, "LOC")]
    second = docs[1].char_span(7, 12, "LOC")
    assert second is not None
    docs[1].ents = [second]
    docs[1].cats = {"GOOD": 1.0}
    (folder / "corpus.spacy").write_bytes(DocBin(docs=docs, store_user_data=True).to_bytes())
    words = Doc(nlp.vocab, words=["Ёж", "и", "кот"], ents=["B-PER", "O", "B-LOC"])
    (folder / "older.spacy").write_bytes(DocBin(attrs=["ENT_IOB", "ENT_TYPE"], docs=[words]).to_bytes())
    _put(folder / "docs.jsonl", "".join(f"{json.dumps(doc.to_json(), ensure_ascii=False)}\n" for doc in docs))
    tagged = nlp("Иван Грозный 😀 и Псков .")
    tags = offsets_to_biluo_tags(tagged, [(0, 12, "PER"), (17, 22, "LOC")])
    _put(folder / "biluo.iob", "".join(f"{token.text}\t{tag}\n" for token, tag in zip(tagged, tags, strict=True)))
    columns = ["doc_id", "text", "start", "end", "label", "annotator"]
    rows = [("d1", TEXTS[0], 0, 2, "PER", "anna"), ("d1", TEXTS[0], 5, 6, "LOC", "boris")]
    rows += [("d2", TEXTS[1], 15, 21, "PER", "anna"), ("d2", TEXTS[1], None, None, None, "boris")]
    _put(folder / "table.csv", pd.DataFrame(rows, columns=columns).to_csv(index=False))
    _put(folder / "words.conllu", "".join(sentence.serialize() for sentence in parse(SENTENCE)))
    _put(folder / "symbols.txt", " ".join(NAMES[1:]))


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
