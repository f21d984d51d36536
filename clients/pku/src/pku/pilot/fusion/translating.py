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
    """A Java function in the contest's form as a Python one; what no rule knows stays as it is."""
    program = _COUNTED.sub(_range, program)
    for pattern, into in _PHRASES:
        program = re.sub(pattern, into, program)
    found, header = list[str](), True
    for word in _without_types(program.split()):
        if word == "{":
            found += [":", "NEW_LINE", "INDENT"]
            header = False
        elif word == "}":
            found.append("DEDENT")
        elif word == ";":
            found.append("NEW_LINE")
        else:
            found.append(_EXCHANGED.get(word, word))
    text = " ".join(found)
    text = re.sub(r"\b(if|while) \( (.*?) \) : NEW_LINE", r"\1 \2 : NEW_LINE", text)
    return text if header else f"def {text}"


def _range(counted: re.Match[str]) -> str:
    name, start, compared, end = counted.groups()
    last = f"{end} + 1" if compared == "<=" else end
    return f"for {name} in range ( {start} , {last} )" if start != "0" else f"for {name} in range ( {last} )"


def _without_types(tokens: list[str]) -> list[str]:
    """Tokens without types, and without the brackets that stand behind one."""
    kept = list[str]()
    behind_type = False
    for token in tokens:
        if token in _TYPES or (behind_type and token in ("[", "]")):
            behind_type = True
        else:
            behind_type = False
            kept.append(token)
    return kept
