"""``markup-core classifier from``: the label set of a corpus that another tool has annotated."""

from __future__ import annotations

import json
from argparse import Namespace

from markup_core.command.console import Console
from markup_core.command.conversion import read_codes, read_paths, tell
from markup_core.command.delivery import deliver
from markup_core.command.folder import UnreadableError
from markup_core.formats.foreign import FormatError
from markup_core.formats.label_set import label_set
from markup_core.texts import in_language


def classifier(options: Namespace, console: Console) -> int:
    """Write the classifier of a corpus's labels; spellings that are one label are told on standard error."""
    corpus = read_paths(options.files, options.source)
    try:
        labels = label_set(corpus.documents, options.subject, read_codes(options.codes))
    except FormatError as error:
        raise UnreadableError(error.text) from None
    tell(console, corpus, as_experts=True)
    for remark in labels.remarks():
        console.complain(in_language(remark, console.language))
    text = json.dumps(labels.to_dict(), ensure_ascii=False, indent=1)
    deliver(console, options.output, text.encode("utf-8") + b"\n")
    return 0
