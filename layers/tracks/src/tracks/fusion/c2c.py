"""CodeBLEU of translations from Java to Python: n-grams and layout (tracks.md §4, C2C; F, "Подзадача 1").

The two n-gram parts are over the tokens as given (tracks.md §4; F, "Метрика качества" of C2C). Both are figures of the
whole corpus: the counts of all programs are added up before anything is divided, as in the contest's public scorer. All
counts are whole numbers, so the order of the programs cannot matter. Linear in the number of tokens. An n-gram order
without a match counts as 0.1 matches ("method 1" of Chen and Cherry, which the public scorer uses), and a program too
short for an order weighs as one n-gram that was not matched: so a program of fewer than four tokens (five without a
keyword, in the weighted part) does not reach 1 even when it is predicted exactly.

A program as the contest writes it is tokens with blanks between, its layout spelled out (tracks.md §4, C2C):
``def f ( x ) : NEW_LINE INDENT return x NEW_LINE DEDENT`` is a program; Python has to see lines and indents.

Where the contest's public scorer and the package ``codebleu`` 0.7 give something else:

- a missing prediction is an empty one (the scorer stops there);
- NEW_LINE, INDENT and DEDENT become layout before programs are parsed (the scorer parses them as names), while the
  n-gram parts count the tokens as given;
- a part that matched nothing is 0 (the package then puts 1 for the data flow, so that an empty prediction earns a
  quarter of all points); a truth without any data flow leaves nothing to earn either, so there even an exact
  prediction ends at 75;
- docstrings are taken out of the tree, comments too, and not out of the text: the scorer cuts them out before it
  parses, which also cuts into programs whose layout is broken;
- nothing depends on the hash seed or on the order of the programs.

In the mode ``strict_text`` a subtree counts no more often than the prediction has it, as F's formula for Match ast
is written; without it, it is asked only whether the prediction has it, as the public scorer does.

Python programs as trees and as data flow: two parts of CodeBLEU (tracks.md §4; F, Match ast, Match df).

:class:`Subtrees` are the syntax part (F, Match ast). tree-sitter is loaded with the first program that is parsed.

:func:`flows` is the data-flow part (F, Match df): where the values in a program come from. It follows the extraction
that the contest's public scorer took over from GraphCodeBERT (Guo et al., 2020): names and literals are the vertices,
an edge says from which of them a value comes or is computed. Loops are gone through twice, so that an assignment at a
loop's end reaches its beginning; branches join. Four things differ, each so that a score can be recomputed anywhere and
no prediction can stop the scoring:

- sources that several passes bring together stand in the order in which they were met; there it depends on the hash
  seed of the process;
- depth has no limit: no recursion that a long expression could exhaust;
- a loop that is entered again with the same knowledge is not gone through again, which changes nothing but the time
  (there nested loops double it at every level); a program that still takes more than ``MOST_STEPS`` steps has no flow;
- text is cut by bytes as the parser counts them; there letters outside ASCII shift the names after them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tracks.fusion.subtasks import Scored, Subtask, sorted_apart

ORDERS: Final = (1, 2, 3, 4)
_NO_MATCH: Final = 0.1
_KEYWORD: Final = 5
_OTHER: Final = 1
"""Weights 1 and 0.2 of the weighted part, in fifths."""
KEYWORDS: Final = frozenset(
    "False None True and as assert async await break class continue def del elif else except finally for from global"
    " if import in is lambda nonlocal not or pass raise return try while with yield".split()
)
"""Python's reserved words. The package ``codebleu`` 0.7 adds ``match``, ``case`` and ``type``, which are names in the
contest's programs: they are ordinary tokens here."""

Tokens = Sequence[str]
Pair = tuple[Tokens, Tokens]
"""A program of the truth and its prediction."""
Grams = Counter[tuple[str, ...]]


# Clause: F C2C BLEU
def bleu(pairs: Sequence[Pair]) -> float:
    """Compute BLEU: clipped precisions of orders 1 to 4, their geometric mean, times the brevity penalty (F, BLEU)."""
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            true_grams, predicted_grams = _grams(truth, order), _grams(prediction, order)
            matched[order] += sum(min(count, true_grams[gram]) for gram, count in predicted_grams.items())
            total[order] += max(1, predicted_grams.total())
    return _brevity(pairs) * _mean([(matched[order], total[order]) for order in ORDERS])


# Clause: F C2C weighted
def weighted_bleu(pairs: Sequence[Pair]) -> float:
    """Compute weighted BLEU: single tokens weigh 1 if they are keywords and 0.2 otherwise (F, BLEU weight).

    As in the public scorer the shares are of the truth's n-grams and the weights apply to single tokens. A short
    prediction loses by that alone, and no brevity penalty comes on top: the scorer takes one from a length of 2 for
    every truth, whatever its length, which leaves programs as they are.
    """
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            true_grams, predicted_grams = _grams(truth, order), _grams(prediction, order)
            common = Counter({gram: min(count, predicted_grams[gram]) for gram, count in true_grams.items()})
            unit = _KEYWORD if order == 1 else 1
            matched[order] += _weight(common, order)
            total[order] += max(unit, _weight(true_grams, order))
    shares = [(matched[1] / _KEYWORD, total[1] / _KEYWORD), *((matched[n], total[n]) for n in ORDERS[1:])]
    return _mean(shares)


def _grams(tokens: Tokens, order: int) -> Grams:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


# Clause: F C2C weighted
def _weight(grams: Grams, order: int) -> int:
    if order > 1:
        return grams.total()
    return sum(count * (_KEYWORD if gram[0] in KEYWORDS else _OTHER) for gram, count in grams.items())


def _mean(shares: Sequence[tuple[float, float]]) -> float:
    """Compute the geometric mean of the shares; 0 if not a single token was matched."""
    if not shares[0][0]:
        return 0.0
    return math.exp(math.fsum(math.log((part or _NO_MATCH) / whole) for part, whole in shares) / len(shares))


# Clause: F C2C BLEU
def _brevity(pairs: Iterable[Pair]) -> float:
    """Return 1 for a corpus as long as the truth or longer, else exp(1 - truth / prediction) (Papineni et al.) or 0."""
    true_length, predicted_length = 0, 0
    for truth, prediction in pairs:
        true_length += len(truth)
        predicted_length += len(prediction)
    if predicted_length >= true_length:
        return 1.0
    return math.exp(1 - true_length / predicted_length) if predicted_length else 0.0


NEW_LINE: Final = "NEW_LINE"
INDENT: Final = "INDENT"
DEDENT: Final = "DEDENT"
_STEP: Final = "    "
DEEPEST: Final = 100
"""Levels of indents that Python itself reads; deeper lines stand at the last one, so that depth costs nothing more."""
_LAYOUT: Final = re.compile(rf"(?<!\S)({NEW_LINE}|{INDENT}|{DEDENT})(?!\S)")


# Clause: tracks §4 layout
def laid_out(program: str) -> str:
    """Turn a program's layout tokens into line breaks and indents; linear in its length.

    INDENT and DEDENT begin a line also where no NEW_LINE stands before them, since Python knows them nowhere else;
    a DEDENT at the margin changes nothing. In a program with such tokens a real line break is a blank, as it is for
    the n-grams; a program without any is taken as it stands. A line deeper than :data:`DEEPEST` stands at that level.
    """
    pieces = _LAYOUT.split(program)
    if len(pieces) == 1:
        return program
    depth, lines, line = 0, [], ""
    for piece in pieces:
        if piece not in (NEW_LINE, INDENT, DEDENT):
            line = " ".join(piece.splitlines()).strip()
            continue
        if line:
            lines.append(_STEP * min(depth, DEEPEST) + line)
            line = ""
        depth = max(0, depth + (piece == INDENT) - (piece == DEDENT))
    if line:
        lines.append(_STEP * min(depth, DEEPEST) + line)
    return "\n".join(lines)


PARTS: Final = ("ngram", "weighted_ngram", "syntax", "dataflow")
"""Parts of CodeBLEU; each weighs a quarter."""
STRICT_TEXT: Final = "strict_text"
MODES: Final = (STRICT_TEXT,)


# Clause: F C2C CodeBLEU, tracks §4 missing
def score(truth: Mapping[str, str], prediction: Mapping[str, str], mode: str | None = None) -> Scored:
    """Compute CodeBLEU from 0 to 100 with its four parts as fractions; undefined without programs.

    Linear in the length of the programs, apart from nested loops (:data:`MOST_STEPS`).
    """
    apart = sorted_apart(truth, prediction)
    if not truth:
        return Scored(Subtask.C2C, None, dict.fromkeys(PARTS), apart)
    pairs = [(program, prediction.get(name, "")) for name, program in sorted(truth.items())]
    tokens = [(program.split(), predicted.split()) for program, predicted in pairs]
    values = (bleu(tokens), weighted_bleu(tokens), *_structure(pairs, clipped=mode == STRICT_TEXT))
    return Scored(Subtask.C2C, 100 * sum(values) / len(PARTS), dict(zip(PARTS, values, strict=True)), apart)


def _structure(pairs: list[tuple[str, str]], *, clipped: bool) -> tuple[float, float]:
    """Compute the syntax and the data-flow part; every program is parsed once."""
    subtrees = Subtrees()
    tree_parts, flow_parts = [], []
    for pair in pairs:
        true_tree, predicted_tree = (parsed(laid_out(program)) for program in pair)
        truth, predicted = subtrees.of(true_tree), subtrees.of(predicted_tree)
        tree_parts.append((matched_subtrees(truth, predicted, clipped=clipped), truth.total()))
        true_flows, predicted_flows = flows(true_tree), flows(predicted_tree)
        flow_parts.append(((true_flows & predicted_flows).total(), true_flows.total()))
    return share(tree_parts), share(flow_parts)


if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree, TreeCursor


NO_SYNTAX: Final = frozenset({"comment", "line_continuation"})
"""Types of syntax nodes that do not change a program's meaning."""
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
    """Parse a program to its tree; text that is no Python gives a tree with errors in it.

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
        """Count how often each subtree occurs; an empty program has none."""
        counts: Counter[int] = Counter()
        cursor, levels = tree.walk(), [_Children()]
        while True:
            if not _is_docstring(_node(cursor)):
                if cursor.goto_first_child():
                    levels.append(_Children())
                    continue
                self._add(cursor, (), levels[-1])
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return counts
                counts[self._add(cursor, tuple(levels.pop()), levels[-1])] += 1

    # Clause: F C2C syntax
    def _add(self, cursor: TreeCursor, children: tuple[Child, ...], siblings: _Children) -> int:
        """Return the number of the cursor's node, and put it among its siblings if it is syntax."""
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
    """Check whether a statement is a string and nothing else, wherever it stands: it does nothing."""
    if node.type != "expression_statement" or node.child_count != 1:
        return False
    only = node.child(0)
    return only is not None and only.type in _STRINGS


# Clause: F C2C syntax, tracks §4 modes
def matched_subtrees(truth: Counter[int], prediction: Counter[int], *, clipped: bool) -> int:
    """Count the subtrees of the truth that the prediction has (F, Match ast).

    The contest's public scorer asks of every subtree of the truth whether it occurs in the prediction at all;
    ``clipped`` counts it no more often than it occurs there, to the letter of the formula's Count clip.
    """
    if clipped:
        return (truth & prediction).total()
    return sum(count for number, count in truth.items() if number in prediction)


def share(counts: Iterable[tuple[int, int]]) -> float:
    """Divide matches by totals over a corpus; 0 if the truth has nothing to match: nothing can be earned there."""
    part, whole = 0, 0
    for matched, total in counts:
        part += matched
        whole += total
    return part / whole if whole else 0.0


MOST_STEPS: Final = 300_000
"""Most visits of nodes, copies of names and edges per program; a program of the contest takes some thousand."""

Flow = tuple[str, str, tuple[str, ...]]
"""A vertex, its relation, its sources; names numbered by first appearance, so that renaming changes nothing."""
States = dict[str, tuple[int, ...]]
"""Places of each name at which its current value may be assigned, ascending. A walk owns and changes
the one it gets; copies are made where ways part."""
Walk = Generator[tuple["Node", States], States, States]
_COMES: Final = "comesFrom"
_COMPUTED: Final = "computedFrom"


@dataclass(slots=True)
class _Vertex:
    name: str
    relation: str
    sources: list[str]
    places: set[int]


class _TooLong(Exception):  # noqa: N818 - a signal inside this module
    """A program takes more steps than any honest one."""


def flows(tree: Tree) -> Counter[Flow]:
    """Count the data flows of a program; none for a program without any."""
    extraction = _Extraction()
    try:
        extraction.run(tree.root_node)
    except _TooLong:
        return Counter()
    return Counter(_numbered(extraction.vertices))


# Clause: F C2C dataflow, tracks §4 same
def _numbered(vertices: dict[int, _Vertex]) -> Iterable[Flow]:
    """Yield vertices that have a source or are one, in the program's order, their names as ``var_0``, ``var_1`` …"""
    referred = {place for vertex in vertices.values() for place in vertex.places}
    names: dict[str, str] = {}
    for place, vertex in sorted(vertices.items()):
        if vertex.places or place in referred:
            for name in (*vertex.sources, vertex.name):
                names.setdefault(name, f"var_{len(names)}")
            yield names[vertex.name], vertex.relation, tuple(names[name] for name in vertex.sources)


@dataclass(slots=True)
class _Extraction:
    """One pass over one program. A vertex is known by the byte at which it begins."""

    vertices: dict[int, _Vertex] = field(default_factory=dict)
    steps: int = 0
    loops: int = 0
    after_loops: dict[tuple[int, tuple[tuple[str, tuple[int, ...]], ...]], States] = field(default_factory=dict)
    """State after a loop, by the loop and the state before it."""

    def run(self, root: Node) -> None:
        """Walk the tree with a stack of its own: each walk asks for the nodes below by yielding them."""
        stack: list[Walk] = [self._walk(root, {})]
        answer: States | None = None
        while stack:
            try:
                node, states = next(stack[-1]) if answer is None else stack[-1].send(answer)
            except StopIteration as end:
                stack.pop()
                answer = end.value
            else:
                stack.append(self._walk(node, states))
                answer = None

    def _walk(self, node: Node, states: States) -> Walk:
        self._charge(1)
        if _is_leaf(node):
            return self._leaf(node, states)
        handler = _HANDLERS.get(node.type, _Extraction._anything)
        return (yield from handler(self, node, states))

    def _leaf(self, node: Node, states: States) -> States:
        name = _text(node)
        if node.type == name or node.type in NO_SYNTAX or not name:
            return states
        if name in states:
            self._add(node, _COMES, [name], states[name])
            return states
        self._add(node, _COMES, [], ())
        if node.type == "identifier":
            states[name] = (node.start_byte,)
        return states

    def _anything(self, node: Node, states: States) -> Walk:
        """Walk children in order, but a comprehension's clauses before the expression that they feed."""
        children = node.children
        first = [child for child in children if child.type == "for_in_clause"]
        for child in (*first, *(child for child in children if child.type != "for_in_clause")):
            states = yield child, states
        return states

    def _default(self, node: Node, states: States) -> Walk:
        """Walk ``name = value`` of a parameter."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return (yield from self._anything(node, states))
        states = yield value, states
        for target in _variables(name):
            for source in _variables(value):
                self._charge(1)
                self._add(target, _COMES, [_text(source)], (source.start_byte,))
            states[_text(target)] = (target.start_byte,)
        return states

    def _assignment(self, node: Node, states: States) -> Walk:
        """Walk ``a = b``, ``a += b``, and ``for a in b`` of a comprehension."""
        target = node.child_by_field_name("left")
        value = node.children[-1] if node.type == "for_in_clause" else node.child_by_field_name("right")
        if target is None or value is None:
            return states
        pairs = [(target, value)] if node.type == "for_in_clause" else _paired(target, value)
        for _, source in pairs:
            states = yield source, states
        return self._computed(pairs, states)

    def _computed(self, pairs: Sequence[tuple[Node, Node]], states: States) -> States:
        """Add flows: every name of a target is computed from all names of the value beside it."""
        for target, value in pairs:
            sources = _variables(value)
            for leaf in _variables(target):
                self._charge(len(sources))
                self._add(leaf, _COMPUTED, [_text(one) for one in sources], [one.start_byte for one in sources])
                states[_text(leaf)] = (leaf.start_byte,)
        return states

    def _if(self, node: Node, states: States) -> Walk:
        """Walk each branch from the states before the condition; without an ``else`` those are an outcome too."""
        outcomes, current, complete = [], self._copied(states), False
        for child in node.children:
            if child.type in ("elif_clause", "else_clause"):
                complete = complete or child.type == "else_clause"
                outcomes.append((yield child, self._copied(states)))
            else:
                current = yield child, current
        places: dict[str, set[int]] = {}
        for outcome in [*outcomes, current] if complete else [*outcomes, current, states]:
            for name, starts in outcome.items():
                places.setdefault(name, set()).update(starts)
        return {name: tuple(sorted(starts)) for name, starts in places.items()}

    def _for(self, node: Node, states: States) -> Walk:
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or value is None:
            return (yield from self._anything(node, states))
        pairs, body = _paired(target, value), node.children[-1]
        return (yield from self._loop(node, states, pairs, [body] if body.type == "block" else []))

    def _loop(self, node: Node, states: States, pairs: Sequence[tuple[Node, Node]], body: Sequence[Node]) -> Walk:
        """Walk a loop's body twice."""
        entered = node.id, tuple(sorted(self._copied(states).items()))
        if entered in self.after_loops:
            return self._copied(self.after_loops[entered])
        self.loops += 1
        for _ in range(2):
            for _, source in pairs:
                states = yield source, states
            states = self._computed(pairs, states)
            for child in body:
                states = yield child, states
        self.loops -= 1
        self.after_loops[entered] = self._copied(states)
        return states

    def _copied(self, states: States) -> States:
        self._charge(len(states))
        return dict(states)

    def _charge(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise _TooLong

    def _add(self, node: Node, relation: str, sources: list[str], places: Iterable[int]) -> None:
        """Add a vertex, or sources to a known one. In a loop sources are distinct, elsewhere as often as written."""
        vertex = self.vertices.get(node.start_byte)
        if vertex is None:
            sources = _distinct(sources) if self.loops else sources
            self.vertices[node.start_byte] = _Vertex(_text(node), relation, sources, set(places))
        else:
            vertex.sources = _distinct(vertex.sources + sources)
            vertex.places.update(places)


_HANDLERS: Final[dict[str, Callable[[_Extraction, Node, States], Walk]]] = {
    "default_parameter": _Extraction._default,
    "assignment": _Extraction._assignment,
    "augmented_assignment": _Extraction._assignment,
    "for_in_clause": _Extraction._assignment,
    "if_statement": _Extraction._if,
    "for_statement": _Extraction._for,
    "while_statement": lambda self, node, states: self._loop(node, states, [], node.children),
}


def _is_leaf(node: Node) -> bool:
    """Check whether a node is one vertex: a string is, with all its parts."""
    return node.child_count == 0 or node.type == "string"


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _variables(node: Node) -> list[Node]:
    """Return the vertices in a node, in the program's order: leaves that are more than their own syntax."""
    leaves, stack = [], [node]
    while stack:
        current = stack.pop()
        if not _is_leaf(current):
            stack.extend(reversed(current.children))
        elif current.type not in NO_SYNTAX and _text(current) not in ("", current.type):
            leaves.append(current)
    return leaves


def _paired(target: Node, value: Node) -> list[tuple[Node, Node]]:
    """Pair ``a, b = c, d`` part by part; whole with whole if the parts are not as many, or if there are none."""
    targets, values = (
        [] if _is_leaf(side) else [child for child in side.children if child.type != ","] for side in (target, value)
    )
    if targets and len(targets) == len(values):
        return list(zip(targets, values, strict=True))
    return [(target, value)]
