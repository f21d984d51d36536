"""Collect the sentences of each package into its ``ru.po`` and compile ``ru.mo``.

``python -m tools.texts [--check] [PACKAGE…]``

Sentences are the first arguments of ``tr``, ``say``, ``speak`` and ``complaint``, with a context of ``tr_in``. Words
that the code looks up by a value (codes, log entries, headings, help, sentences of click) have a context of `BY_VALUE`;
they stay in the catalogue although no call names them. Either way it fails if a sentence has no Russian or the two
languages have other fields; ``--check`` writes nothing and fails if a file is not up to date. Linear in the sources.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = (
    *(ROOT / f"layers/{name}/src/{name}" for name in ("markup_core", "tracks", "contest")),
    ROOT / "clients/pku/src/pku",
    ROOT / "local/src/local",
)
LIBRARIES: Final = ("click", "click, several")
"""Sentences that a library fills; it gives more fields than the Russian needs."""
BY_VALUE: Final = (*LIBRARIES, "code", "deed", "fact", "heading", "help", "parameter")
_KEYWORDS: Final = {"tr": None, "say": None, "speak": None, "complaint": None, "tr_in": ((1, "c"), 2)}
_WIDTH: Final = 120


class _Undated(Catalog):
    """A catalogue whose header has no dates and names, so that the same sentences give the same bytes."""

    mime_headers = property(
        lambda _: [
            ("Language", "ru"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]
    )


def main(arguments: list[str]) -> int:
    """Write the catalogues, or check them; print every fault, return the exit code."""
    faults = []
    for package in (path for path in PACKAGES if path.name in arguments or not {*arguments} - {"--check"}):
        with redirect_stderr(io.StringIO()) as uncollected:  # where Babel warns of sentences that it cannot collect
            catalogue = _updated(package)
        faults += uncollected.getvalue().splitlines()
        faults += [fault for path in sorted(package.rglob("*.py")) for fault in wrong_calls(path)]
        faults += [f"{package.name}: {fault}" for message in catalogue for fault in faults_of(message)]
        for name, content in files_of(catalogue).items():
            path = package / name
            if "--check" not in arguments:
                path.write_bytes(content)
            elif not path.exists() or path.read_bytes() != content:
                faults.append(f"{path.relative_to(ROOT)} is not up to date: run python -m tools.texts")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


def wrong_calls(path: Path) -> Iterator[str]:
    """List the calls of a module inside an f-string, where Babel does not see them, or with other fields than named."""
    nodes = [*ast.walk(ast.parse(path.read_bytes()))]
    hidden = {inner for node in nodes if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)}
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KEYWORDS):
            continue
        place = f"{path.relative_to(ROOT)}:{node.lineno}: {node.func.id}(…)"
        if node in hidden:
            yield f"{place} in an f-string is not collected"
        sentence, given = node.args[-1], {keyword.arg for keyword in node.keywords}
        if isinstance(sentence, ast.Constant) and given and _fields(str(sentence.value)) != given:
            yield f"{place} has other fields than its sentence"


def files_of(catalogue: Catalog) -> dict[str, bytes]:
    """Return a catalogue as text and compiled, by file name."""
    text, compiled = io.BytesIO(), io.BytesIO()
    write_po(text, catalogue, width=_WIDTH, sort_output=True, include_lineno=False)
    write_mo(compiled, catalogue)
    return {"ru.po": text.getvalue(), "ru.mo": compiled.getvalue()}


def faults_of(message: Message) -> Iterator[str]:
    """List what is wrong with a message: no Russian, or other fields than in English."""
    english, russian = str(message.id), str(message.string)
    if english and not russian:
        yield f"no Russian for {english!r}"
    elif english and message.context not in LIBRARIES and _fields(english) != _fields(russian):
        yield f"other fields in Russian: {english!r}"


def _updated(package: Path) -> Catalog:
    """Return the sentences of the code with the Russian of the present catalogue."""
    with (package / "ru.po").open("rb") as file:
        before = read_po(file, locale="ru")
    catalogue = _Undated(locale="ru", header_comment=f"# Russian of the sentences of {package.name}.", fuzzy=False)
    for path, _, message, _, context in extract_from_dir(package, [("**.py", "python")], keywords=_KEYWORDS):
        sentence = message if isinstance(message, str) else message[0]
        russian = before.get(sentence, context)
        catalogue.add(sentence, russian.string if russian else "", [(path, 0)], context=context)
    for word in before:
        if word.context in BY_VALUE:
            catalogue.add(word.id, word.string, context=word.context)
    return catalogue


def _fields(sentence: str) -> set[str]:
    """Return the names in braces; none of a sentence that is no format, for it is shown as it stands."""
    try:
        fields = [(name, spec or "") for _, name, spec, _ in Formatter().parse(sentence) if name]
        return {name for name, spec in fields if name.isidentifier() and not spec.startswith(" ")}
    except ValueError:
        return set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
