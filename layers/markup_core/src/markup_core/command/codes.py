"""The codes of a classifier, as tables for people and as JSON for programs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.command.console import Console, caption
from markup_core.command.folder import UnreadableError, read_classifier
from markup_core.reading.classifier import Classifier, Code
from markup_core.tables import markdown_table, text_table
from markup_core.texts import tr

_FLAGS: Final = ("correction", "full_text", "relation")


def codes(options: Namespace, console: Console) -> int:
    """Print the codes of a subject or of all."""
    classifier = read_classifier(options.classifier) or Classifier.default()
    subjects = _named(classifier, options.subject)
    if options.json:
        from markup_core.command.operations import encode  # which loads all of scoring

        console.data(encode(classifier.only(subjects).to_dict()) + b"\n")
    elif options.markdown:
        console.data(codes_page(classifier, subjects, console.language).encode("utf-8"))
    else:
        for table in _tables(classifier, subjects, console.language):
            console.line(table)
    return 0


def _named(classifier: Classifier, subject: str | None) -> tuple[str, ...]:
    """Return the requested subjects: one, or all. UnreadableError for one that the classifier does not know."""
    if subject is None:
        return classifier.subjects
    if not classifier.has_subject(subject):
        raise UnreadableError(
            tr(
                "the classifier knows no subject {subject}; it knows {subjects}",
                subject=subject,
                subjects=", ".join(classifier.subjects),
            )
        )
    return (subject,)


def _tables(classifier: Classifier, subjects: Sequence[str], language: str) -> Iterator[str]:
    """Yield a titled table for each subject, for a terminal."""
    for subject in subjects:
        rows = [
            (code.code, *_marks_and_subtypes(code, language), _described(code, language))
            for code in classifier.codes(subject)
        ]
        headings = _headings(language, "code", "marks", "subtypes", "description")
        yield f"{classifier.title(subject, language)} ({subject})\n\n{text_table(headings, rows)}\n"


def codes_page(classifier: Classifier, subjects: Sequence[str], language: str) -> str:
    """Write a page in Markdown: a chapter for a subject, a table for a category, in the classifier's order."""
    parts = [f"# {caption('codes', language)}\n", f"{caption('codes_legend', language)}\n"]
    headings = _headings(language, "code", "marks", "subtypes", "description")
    for subject in subjects:
        parts.append(f"## {classifier.title(subject, language)} (`{subject}`)\n")
        for category in dict.fromkeys(code.category for code in classifier.codes(subject)):
            codes = [code for code in classifier.codes(subject) if code.category == category]
            rows = [
                (f"`{code.code}`", *_marks_and_subtypes(code, language), _described(code, language)) for code in codes
            ]
            title = f"### {classifier.title(category, language)}\n\n" if category else ""
            parts.append(f"{title}{markdown_table(headings, rows)}\n")
    return "\n".join(parts)


def _headings(language: str, *names: str) -> tuple[str, ...]:
    return tuple(caption(name, language) for name in names)


def _marks_and_subtypes(code: Code, language: str) -> tuple[str, str]:
    marks = [
        caption(f"{code.group}_group", language),
        *(caption(flag, language) for flag in _FLAGS if getattr(code, flag)),
    ]
    return ", ".join(marks), ", ".join(code.subtypes)


def _described(code: Code, language: str) -> str:
    return code.description.get(language, "")
