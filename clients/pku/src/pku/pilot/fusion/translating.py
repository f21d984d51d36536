"""Translate from Java to Python, token by token: remove types, add layout, exchange a few words."""

from __future__ import annotations

import re
from typing import Final

_TYPES: Final = frozenset(
    "public private protected static final void int long double float boolean char String".split()
)
_EXCHANGED: Final = {"&&": "and", "||": "or", "!": "not", "true": "True", "false": "False", "null": "None"}
_PHRASES: Final = (
    (r"System \. out \. println \(", "print ("),
    (r"(\w+) \. length\b(?: \( \))?", r"len ( \1 )"),
    (r"(\w+) \+ \+|(\w+) \+\+", r"\1\2 += 1"),
    (r"(\w+) - -|(\w+) --", r"\1\2 -= 1"),
)
_COUNTED: Final = re.compile(r"for \( (?:int )?(\w+) = ([^;]+?) ; \1 (<=?) ([^;]+?) ; \1 (?:\+\+|\+ \+|\+= 1) \)")


def translated(program: str) -> str:
    """Translate a Java function in the contest's form into Python; words that no rule knows stay unchanged."""
    program = _COUNTED.sub(_range, program)
    for pattern, into in _PHRASES:
        program = re.sub(pattern, into, program)
    words, header = list[str](), True
    for word in _without_types(program.split()):
        if word == "{":
            words += [":", "NEW_LINE", "INDENT"]
            header = False
        elif word == "}":
            words.append("DEDENT")
        elif word == ";":
            words.append("NEW_LINE")
        else:
            words.append(_EXCHANGED.get(word, word))
    text = " ".join(words)
    text = re.sub(r"\b(if|while) \( (.*?) \) : NEW_LINE", r"\1 \2 : NEW_LINE", text)
    return text if header else f"def {text}"


def _range(counted: re.Match[str]) -> str:
    name, start, compared, end = counted.groups()
    last = f"{end} + 1" if compared == "<=" else end
    return f"for {name} in range ( {start} , {last} )" if start != "0" else f"for {name} in range ( {last} )"


def _without_types(tokens: list[str]) -> list[str]:
    """Remove types, and the brackets that stand behind one, from the tokens."""
    remaining = list[str]()
    behind_type = False
    for token in tokens:
        if token in _TYPES or (behind_type and token in ("[", "]")):
            behind_type = True
        else:
            behind_type = False
            remaining.append(token)
    return remaining
