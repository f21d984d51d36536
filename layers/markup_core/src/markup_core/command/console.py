"""The command's output: its streams, the captions in Russian and English, results as files and tables.

The codes of a classifier are printed as tables for people and as JSON for programs.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from markup_core.command.inputs import UnreadableError, of_system, read_classifier
from markup_core.extras import BINARY, require
from markup_core.reading.classifier import Classifier, Code
from markup_core.tables import markdown_table, text_table
from markup_core.texts import Text, in_language, prepare_streams, tr, tr_in

if TYPE_CHECKING:
    from pathlib import Path

    from markup_core.frames import Frame

_TEXTS: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "valid": tr("{file}: valid, fragments: {fragments}"),
        "faults": tr("{file}: errors: {errors}, warnings: {warnings}"),
        "error": tr("error"),
        "warning": tr("warning"),
        "kind": tr("kind"),
        "fragment": tr("fragment"),
        "field": tr("field"),
        "code": tr("code"),
        "message": tr("message"),
        "criterion": tr("criterion"),
        "points": tr("points"),
        "most": tr("of"),
        "why": tr("why"),
        "graded": tr("{file}: {subject}, {total} of {most}"),
        "total": tr("total"),
        "span": tr("span"),
        "overlap": tr("overlap, %"),
        "text": tr("text"),
        "matched": tr("pairs: {pairs}, only in X: {x}, only in Y: {y}, Q = {q}"),
        "metric": tr("metric"),
        "meaning": tr("what it measures"),
        "value": tr("value, %"),
        "M1": tr("accuracy of the grade"),
        "M2": tr("corresponding fragments"),
        "M3": tr("codes"),
        "M4": tr("subtypes and comments"),
        "M5": tr("borders in words"),
        "M6": tr("corrections"),
        "M7": tr("explanations as rated by experts"),
        "pair_accuracy": tr("pair accuracy"),
        "essays": tr("essays"),
        "essay": tr("essay"),
        "experts": tr("experts"),
        "all": tr("all"),
        "subject": tr("subject"),
        "language": tr("language"),
        "group": tr("group"),
        "STAR": tr("STAR"),
        "STER": tr("STER"),
        "OTAR": tr("OTAR"),
        "interval": Text("95 %", "95 %"),
        "by_metric": tr("By metric"),
        "by_group": tr("In all, by subject and language"),
        "over_all": tr("STAR over all essays with an expert markup, not to be divided by STER"),
        "by_essay": tr("By essay"),
        "chart": tr("OTAR by subject (40 characters = 100 %)"),
        "report": tr("Report on markups"),
        "legend": tr(
            "STAR is the average accuracy of the algorithmic markup, STER that of the expert markups, OTAR = "
            "STAR / STER; all values are percentages, a dash is an undefined value. The intervals come from "
            "resampling the essays."
        ),
        "parameters": tr("Parameters"),
        "library": tr("library"),
        "weights": tr("weights of M1…M7"),
        "hardness": tr("hardness H"),
        "separate_groups": tr("blocks apart from errors"),
        "paraphrase": tr("judge of paraphrases"),
        "seed": tr("seed of the resampling"),
        "inputs": tr("SHA-256 of the fingerprint"),
        "yes": tr("yes"),
        "no": tr("no"),
        "verified": tr("Verified: the fingerprint and every number agree."),
        "differs": tr("Not verified, differences: {count} (recorded → recomputed)"),
        "no_m1": tr(
            "The subject {subject} has no grading formula: M1 is undefined and with it the accuracy. Give it "
            "the weight 0: --weights 0,2,1,1,1,1,0"
        ),
        "no_programs": tr(
            "There is no program's markup (ID.json): the experts alone are measured, each against the others."
        ),
        "no_experts": tr("Without an expert markup, not counted: {essays}"),
        "more": tr("  … {count} more"),
        "codes": tr("Codes of the classifier of errors"),
        "codes_legend": tr(
            "Letter case does not distinguish codes. “error” and “block” (a semantic block) are the code's "
            "group; “correction”: a fragment may have one; “whole text”: the code may be said of the whole "
            "essay (start and end 0); “link”: such fragments may be linked by a common tag. A subtype that "
            "is not listed is legal, with a warning."
        ),
        "marks": tr("marks"),
        "subtypes": tr("subtypes"),
        "description": tr("description"),
        "meaning_group": tr("block"),
        "error_group": tr("error"),
        "correction": tr("correction"),
        "full_text": tr("whole text"),
        "relation": tr("link"),
        "agreement": tr(
            "Krippendorff's alpha over words: {alpha} (words: {words}; essays of two experts or more: "
            "{essays}, others: {left_out})"
        ),
        "by_couple": tr("By couple of experts"),
        "by_code": tr("By code; the reference is the expert of the lower number"),
        "confusion": tr("Where they differ; a dash: no such fragment"),
        "couple": tr_in("couple", "experts"),
        "reference": tr("reference"),
        "other": tr("other"),
        "agreed": tr("agreed"),
        "precision": tr("precision, %"),
        "recall": tr("recall, %"),
        "f1": tr("F1, %"),
        "times": tr("times"),
        "systems": tr("The first program minus the second, over the essays that both have marked up"),
        "first": tr("first"),
        "second": tr("second"),
        "difference": tr("difference"),
        "p_bootstrap": tr("p, bootstrap"),
        "p_permutation": tr("p, permutation"),
        "no_scipy": tr("The permutation test needs scipy: pip install 'markup-core[significance]'"),
        "left_tables": tr("Not written to standard output: {tables}; -o FOLDER writes all tables."),
        "whiskers": tr("{measure} in per cent, with 95 % intervals"),
        "heat_map": tr("Codes: the expert of the lower number (rows) against the other's (columns)"),
        "couples_map": tr("Pair accuracy of experts, %"),
        "error_types": tr("Fragments of the experts and of the program, by code"),
        "agreed_part": tr("agreed"),
        "other_part": tr("other code"),
        "missed_part": tr("missed"),
        "added_part": tr("added"),
        "progress": tr("essays scored: {done} of {of}"),
    }
)


def caption(name: str, language: str) -> str:
    """Return the text of a name in a language."""
    return in_language(_TEXTS[name], language)


_FEW: Final = 5
"""Essays up to which progress is not worth a line."""


class Console(NamedTuple):
    """The command's streams and the language it speaks."""

    out: TextIO
    err: TextIO
    language: str

    @classmethod
    def standard(cls, language: str) -> Console:
        """Open the process's own streams; see :func:`markup_core.texts.prepare_streams`."""
        prepare_streams()
        return cls(sys.stdout, sys.stderr, language)

    def sentence(self, name: str, **values: object) -> str:
        """Return a sentence in the console's language."""
        return caption(name, self.language).format(**values)

    def line(self, text: str = "") -> None:
        """Print a line of the result."""
        self.out.write(f"{text}\n")

    def data(self, content: bytes) -> None:
        """Write bytes of the result: UTF-8 whatever the terminal's encoding, line ends untouched."""
        self.out.flush()
        self.out.buffer.write(content)
        self.out.buffer.flush()

    def complain(self, text: str) -> None:
        """Print a line on standard error."""
        self.err.write(f"{text}\n")

    def progress(self) -> Callable[[int, int], None]:
        """Return a function that shows how far a long task is, on a terminal only."""
        on_terminal = self.err.isatty()

        def advance(done: int, total: int) -> None:
            if on_terminal and total > _FEW:
                end = "\n" if done == total else "\r"
                self.err.write(f"{self.sentence('progress', done=done, total=total)}{end}")
                self.err.flush()

        return advance


def deliver(console: Console, output: Path | None, content: bytes) -> None:
    """Write one content to a file, or to standard output."""
    if output is None:
        console.data(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(output, of_system(error)) from None


def check_format(options: Namespace, *, tables_alone: bool = True) -> None:
    """Refuse, before anything is scored, a format whose package is missing, and ``-o`` for output that is no table.

    Tables never go to a folder of their inputs, where JSON would be taken for essays.
    """
    if options.format in BINARY:
        require("frames")
    if options.format and getattr(options, "json", False):
        raise UnreadableError(tr("--format and --json exclude each other"))
    inputs = (getattr(options, name, None) for name in ("x", "folder", "answers", "against"))
    if options.format and options.output is not None:
        target = options.output.resolve()
        if any(path is not None and path.resolve() == target for path in inputs):
            raise UnreadableError(
                tr("{folder}: the tables would lie among their inputs; name another folder", folder=options.output)
            )
    if tables_alone and options.output is not None and not options.format:
        raise UnreadableError(tr("-o FOLDER takes tables; say which: --format csv, json, parquet or arrow"))


def deliver_frames(options: Namespace, console: Console, frames: Mapping[str, Frame]) -> None:
    """Write each table to NAME.FORMAT in the folder of ``-o``, else the first one to standard output.

    Raises UnreadableError for a folder that cannot be written to.
    """
    contents = {name: frame.encoded(options.format) for name, frame in frames.items()}
    if options.output is None:
        first, *others = contents
        console.data(contents[first])
        if others:
            console.complain(console.sentence("left_tables", tables=", ".join(others)))
        return
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (options.output / f"{name}.{options.format}").write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(options.output, of_system(error)) from None


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
