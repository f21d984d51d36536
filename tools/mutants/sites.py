"""The places where Cosmic Ray can change a source, and a seeded draw of them."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import permutations
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-untyped]
from cosmic_ray.mutating import mutate_code  # type: ignore[import-untyped]
from cosmic_ray.plugins import get_operator  # type: ignore[import-untyped]

from tools.mutants.rooms import ROOT, Source

# What is changed: a comparison, an operator, a condition, a constant, a loop's end. Left out are the tool's changes
# that any run of the line notices (a sum shifted to the left, a decorator taken away): they would flatter the tests.
_ORDERED = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
_KINDS: dict[str, tuple[str, ...]] = {
    "comparison": (
        *(f"ReplaceComparisonOperator_{one}_{other}" for one, other in permutations(_ORDERED, 2)),
        "ReplaceComparisonOperator_Is_IsNot",
        "ReplaceComparisonOperator_IsNot_Is",
    ),
    "operator": tuple(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            *("Add_Sub", "Sub_Add", "Mul_Div", "Mul_Add", "Div_Mul", "Div_FloorDiv", "FloorDiv_Div", "FloorDiv_Mul"),
            *("Mod_FloorDiv", "Mod_Mul", "Pow_Mul", "LShift_RShift", "RShift_LShift"),
            *("BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitOr"),
        )
    ),
    "condition": (
        "AddNot",
        "ReplaceUnaryOperator_Delete_Not",
        "ReplaceAndWithOr",
        "ReplaceOrWithAnd",
    ),
    "constant": (
        "NumberReplacer",
        "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue",
        "ReplaceUnaryOperator_Delete_USub",
        "ReplaceUnaryOperator_Delete_Invert",
    ),
    "loop": (
        "ZeroIterationForLoop",
        "ReplaceBreakWithContinue",
        "ReplaceContinueWithBreak",
    ),
}
_BINARY = frozenset({"arith_expr", "term", "power", "expr", "xor_expr", "and_expr", "shift_expr"})
_TYPE = re.compile(r"[A-Z]+[a-z]\w*")  # by the house's names: a type; a constant is in capitals
_NEVER = frozenset({"name", "string", "newline", "endmarker", "fstring_string", "trailer", "atom_expr", "suite"})
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one file: the ``occurrence``-th of the tool's ``operator``.

    ``place`` is line, from 1, and column; ``line`` the text there.
    """

    source: Source
    kind: str
    operator: str
    occurrence: int
    place: Place
    line: str

    @property
    def stands(self) -> str:
        """Where it is and what stands there, without the line's number."""
        return f"{self.source.module}\n{self.kind}\n{self.place[1]}\n{self.line}"

    def text(self) -> str:
        """The whole file with the change."""
        found = mutate_code((ROOT / self.source.path).read_text("utf-8"), _operator(self.operator), self.occurrence)
        return str(found)


def mutants(source: Source) -> list[Mutant]:
    """Every mutant of ``source``, in the order of its places."""
    text = (ROOT / source.path).read_text("utf-8")
    lines = text.splitlines()
    unread = _unread(ast.parse(text))
    nodes = [node for node in ast_nodes(get_ast(text)) if node.type not in _NEVER]
    return sorted(
        (
            Mutant(source, kind, name, occurrence, place, lines[place[0] - 1].strip())
            for kind, names in _KINDS.items()
            for name in names
            for occurrence, place in enumerate(_places(name, nodes))
            if place and not any(start <= place < end for start, end in unread)
        ),
        key=lambda mutant: (mutant.place, mutant.operator, mutant.occurrence),
    )


def draw(every: list[Mutant], seed: int, count: int) -> list[Mutant]:
    """``count`` mutants, each at a place of its own: first the places are drawn, then one change for each.

    An ``==`` can become five other comparisons and a ``not`` can only go; drawn by places, both weigh the same. A place
    is drawn by the hash of what stands there, so that a seed means the same mutants while other lines come and go.
    """
    at: dict[tuple[str, str, Place], list[Mutant]] = defaultdict(list)
    for mutant in every:
        at[mutant.source.module, mutant.kind, mutant.place].append(mutant)
    alike = Counter[str]()
    lots: dict[int, list[Mutant]] = {}
    for choices in at.values():
        stands = f"{seed}\n{choices[0].stands}"
        alike[stands] += 1
        lots[int(sha256(f"{stands}\n{alike[stands]}".encode()).hexdigest(), 16)] = choices
    return [lots[lot][lot % len(lots[lot])] for lot in sorted(lots)[:count]]


@cache
def _operator(name: str) -> Any:
    return get_operator(f"core/{name}")()


def _places(name: str, nodes: list[Any]) -> Iterator[Place | None]:
    """Where ``name`` can act, in the tool's own order; None for a star or bar that only looks like an operator."""
    operator = _operator(name)
    binary = name.startswith("ReplaceBinaryOperator")
    for node in nodes:
        for start, _ in operator.mutation_positions(node):
            yield None if binary and node.parent.type not in _BINARY else start


def _unread(tree: ast.Module) -> list[tuple[Place, Place]]:
    """What no run decides by: annotations, unions of types, patterns' alternatives, a dataclass's kind."""
    found: list[Any] = []
    for node in ast.walk(tree):
        match node:
            case ast.arg() | ast.AnnAssign():
                found.append(node.annotation)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.append(node.returns)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.MatchOr():
                found.append(node)
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                found.append(kinds)
            case ast.Call(func=ast.Name(id="dataclass")):
                found.append(node)
            case ast.Call(func=ast.Name(id="cast"), args=[kind, _]):
                found.append(kind)
            case ast.Assign(targets=[ast.Name(id=name)]) if _TYPE.fullmatch(name):
                found.append(node)
    return [((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in found if node]
