"""Python programs as trees, and the syntax part of CodeBLEU (tracks.md §4; F, Match ast).

tree-sitter is loaded with the first program that is parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree, TreeCursor

NO_SYNTAX: Final = frozenset({"comment", "line_continuation"})
"""Nodes that are no part of what a program says."""
_STRINGS: Final = frozenset({"string", "concatenated_string"})
Child = tuple[str | None, int]
"""The field of a child, if it has a name, and the child's number."""
Shape = tuple[str, tuple[Child, ...]]
_Children = list[Child]


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))


def parsed(code: str) -> Tree:
    """The tree of a program; what is no Python gives a tree with errors in it.

    Half a surrogate pair, which UTF-8 cannot hold, is read as a question mark.
    """
    return _parser().parse(code.encode("utf-8", "replace"))


class Subtrees:
    """Counts the subtrees of programs; equal ones have equal numbers in all programs of one object.

    A subtree is a node that has children, with everything below it: types and field names of named nodes and nothing
    of the text, so that names, numbers and operators do not matter ("leaves with variables are not counted").
    Comments and docstrings are no syntax, as in the public scorer, which takes them out before it parses. A number
    stands for a whole subtree, which keeps the time linear in the nodes.
    """

    def __init__(self) -> None:
        self._numbers: dict[Shape, int] = {}

    def of(self, tree: Tree) -> Counter[int]:
        """How often each subtree occurs; an empty program has none."""
        found: Counter[int] = Counter()
        cursor, levels = tree.walk(), [_Children()]
        while True:
            if not _is_docstring(_node(cursor)):
                if cursor.goto_first_child():
                    levels.append(_Children())
                    continue
                self._add(cursor, (), levels[-1])
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return found
                found[self._add(cursor, tuple(levels.pop()), levels[-1])] += 1

    def _add(self, cursor: TreeCursor, children: tuple[Child, ...], siblings: _Children) -> int:
        """The number of the node the cursor stands on, which is put among its siblings if it is syntax.

        Clause: F C2C syntax
        """
        node = _node(cursor)
        kind = f"missing {node.type}" if node.is_missing else node.type
        number = self._numbers.setdefault((kind, children), len(self._numbers))
        if (node.is_named or node.is_missing) and node.type not in NO_SYNTAX:
            siblings.append((cursor.field_name, number))
        return number


def _node(cursor: TreeCursor) -> Node:
    node = cursor.node
    if node is None:
        raise RuntimeError("a cursor stands on a node until it is deleted")
    return node


def _is_docstring(node: Node) -> bool:
    """Whether a statement is a string and nothing else, wherever it stands: it does nothing."""
    if node.type != "expression_statement" or node.child_count != 1:
        return False
    only = node.child(0)
    return only is not None and only.type in _STRINGS


def matched(truth: Counter[int], prediction: Counter[int], *, clipped: bool) -> int:
    """Subtrees of the truth that the prediction has (F, Match ast).

    The contest's public scorer asks of every subtree of the truth whether it occurs in the prediction at all;
    ``clipped`` counts it no more often than it occurs there, to the letter of the formula's Count clip.

    Clause: F C2C syntax, tracks §4 modes
    """
    if clipped:
        return (truth & prediction).total()
    return sum(count for number, count in truth.items() if number in prediction)


def share(counts: Iterable[tuple[int, int]]) -> float:
    """Matched by all over a corpus; 0 where the truth has nothing to match: nothing can be earned there."""
    part, whole = 0, 0
    for found, wanted in counts:
        part += found
        whole += wanted
    return part / whole if whole else 0.0
