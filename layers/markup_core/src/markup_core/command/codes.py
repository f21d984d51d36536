"""The codes of a classifier as people read them: a table in a terminal, a page in Markdown (R 2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.command.captions import caption
from markup_core.command.folder import UnreadableError
from markup_core.command.tables import markdown_table, text_table
from markup_core.reading.classifier import Classifier, Code

_FLAGS: Final = ("correction", "full_text", "relation")


def named(classifier: Classifier, subject: str | None) -> tuple[str, ...]:
    """The subjects that are asked for: one, or all. UnreadableError for one that the classifier does not know."""
    if subject is None:
        return classifier.subjects
    if not classifier.has_subject(subject):
        raise UnreadableError.said("no_subject", subject=subject, subjects=", ".join(classifier.subjects))
    return (subject,)


def tables(classifier: Classifier, subjects: Sequence[str], language: str) -> Iterator[str]:
    """A titled table a subject, for a terminal."""
    for subject in subjects:
        rows = [(code.code, *_said(code, language), _described(code, language)) for code in classifier.codes(subject)]
        headings = _headings(language, "code", "marks", "subtypes", "description")
        yield f"{classifier.title(subject, language)} ({subject})\n\n{text_table(headings, rows)}\n"


def page(classifier: Classifier, subjects: Sequence[str], language: str) -> str:
    """A page in Markdown: a chapter a subject, a table a category, in the classifier's order."""
    parts = [f"# {caption('codes', language)}\n", f"{caption('codes_legend', language)}\n"]
    headings = _headings(language, "code", "marks", "subtypes", "description")
    for subject in subjects:
        parts.append(f"## {classifier.title(subject, language)} (`{subject}`)\n")
        for category in dict.fromkeys(code.category for code in classifier.codes(subject)):
            codes = [code for code in classifier.codes(subject) if code.category == category]
            rows = [(f"`{code.code}`", *_said(code, language), _described(code, language)) for code in codes]
            title = f"### {classifier.title(category, language)}\n\n" if category else ""
            parts.append(f"{title}{markdown_table(headings, rows)}\n")
    return "\n".join(parts)


def _headings(language: str, *names: str) -> tuple[str, ...]:
    return tuple(caption(name, language) for name in names)


def _said(code: Code, language: str) -> tuple[str, str]:
    marks = [
        caption(f"{code.group}_group", language),
        *(caption(flag, language) for flag in _FLAGS if getattr(code, flag)),
    ]
    return ", ".join(marks), ", ".join(code.subtypes)


def _described(code: Code, language: str) -> str:
    return code.description.get(language, "")
