"""Where rules can be broken: boundaries, conditions, signs and numbers in the functions of a module, found in its text.

A mutant's name is ``rule:MODULE:FUNCTION:PLACE:CHANGE``; places are counted within their function, so that a name
outlives changes elsewhere. What is changed is an expression. Both the right and the wrong one are computed, and the
copy's log says when they first differ: a mutant that never made a difference was not provoked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

CHOOSE: Final = "_hurdle_choose"
"""A function: of a mutant's name, the right value and what makes the wrong one, to what is taken."""
_BOUNDARIES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_SIGNS: Final[dict[type[ast.operator], type[ast.operator]]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_BOUND_AND_VALUE: Final = 2
Node = ast.FunctionDef


@dataclass(frozen=True, slots=True)
class Site:
    """One change that can be made of a module."""

    module: str
    function: str
    place: int
    change: str

    @property
    def name(self) -> str:
        """The mutant's name."""
        return f"rule:{self.module}:{self.function}:{self.place}:{self.change}"


def sites(module: str, text: str) -> list[Site]:
    """All changes of a module in the order of their places."""
    found: list[Site] = []

    def noted(site: Site) -> bool:
        found.append(site)
        return False

    _changed(module, text, noted)
    return found


def changed(module: str, text: str, wanted: Callable[[Site], bool]) -> ast.Module:
    """The module's tree with all wanted changes in it, each as a choice between the right and the wrong value."""
    return _changed(module, text, wanted)


def _changed(module: str, text: str, wanted: Callable[[Site], bool]) -> ast.Module:
    tree = ast.parse(text)
    for name, function in _functions(tree, ""):
        change = _Change(module, name, wanted)
        function.body = [change.visit(each) for each in function.body]
    return ast.fix_missing_locations(tree)


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, Node]]:
    """Functions of a module and methods of its classes, without what is defined within functions."""
    for each in ast.iter_child_nodes(tree):
        if isinstance(each, ast.ClassDef):
            yield from _functions(each, f"{prefix}{each.name}.")
        elif isinstance(each, ast.FunctionDef):
            yield f"{prefix}{each.name}", each


class _Change(ast.NodeTransformer):
    """Counts the places of one function and changes those that are wanted."""

    def __init__(self, module: str, function: str, wanted: Callable[[Site], bool]) -> None:
        self._module = module
        self._function = function
        self._wanted = wanted
        self._place = 0

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Leave what is computed later as it is."""
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave a function within a function as it is."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Change a value, no annotation."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave what is said as it is."""
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Move a boundary, or ask for the opposite."""
        self._place += 1
        place, right = self._place, self.generic_visit(node)
        if len(node.ops) != 1 or type(node.ops[0]) not in _BOUNDARIES:
            return right
        wrong = ast.Compare(node.left, [_BOUNDARIES[type(node.ops[0])]()], node.comparators)
        return self._either(place, "boundary", right, wrong)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Drop each of the conditions."""
        self._place += 1
        place, right = self._place, self.generic_visit(node)
        for number in range(len(node.values)):
            rest = [each for at, each in enumerate(node.values) if at != number]
            wrong = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            right = self._either(place, f"drop{number + 1}", right, wrong)
        return right

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Take a not away."""
        self._place += 1
        place, right = self._place, self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return right
        return self._either(place, "not", right, ast.Call(ast.Name("bool", ast.Load()), [node.operand], []))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Add instead of taking away, and the other way round."""
        self._place += 1
        place, right = self._place, self.generic_visit(node)
        texts = any(isinstance(each, ast.Constant | ast.JoinedStr | ast.List) for each in (node.left, node.right))
        if type(node.op) not in _SIGNS or (texts and not _is_number(node.right)):
            return right
        return self._either(place, "sign", right, ast.BinOp(node.left, _SIGNS[type(node.op)](), node.right))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop a bound that is a number, ``max(0, x)``. It is not moved: by one millisecond more nobody is harmed."""
        named = isinstance(node.func, ast.Name) and node.func.id in {"max", "min"} and not node.keywords
        rest = [each for each in node.args if not _is_number(each)]
        if not named or len(node.args) != _BOUND_AND_VALUE or len(rest) != 1:
            return self.generic_visit(node)
        self._place += 1
        place, kept = self._place, self.visit(rest[0])
        node.args = [each if _is_number(each) else kept for each in node.args]
        return self._either(place, "bound", node, kept)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A number that is one more; the opposite of a truth value."""
        self._place += 1
        if isinstance(node.value, bool):
            return self._either(self._place, "truth", node, ast.Constant(not node.value))
        if _is_number(node):
            return self._either(self._place, "number", node, ast.Constant(node.value + 1))  # type: ignore[operator]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """Go by the opposite of a condition that is no comparison."""
        return self._decided(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """See :meth:`visit_If`."""
        return self._decided(node)

    def _decided(self, node: ast.If | ast.IfExp) -> ast.AST:
        self._place += 1
        place, plain = self._place, isinstance(node.test, ast.Name | ast.Attribute | ast.Call)
        self.generic_visit(node)
        if plain:
            node.test = self._either(place, "opposite", node.test, ast.UnaryOp(ast.Not(), node.test))
        return node

    def _either(self, place: int, change: str, right: ast.AST, wrong: ast.AST) -> ast.expr:
        """A choice between two expressions where the change is wanted, else the right one."""
        assert isinstance(right, ast.expr)  # noqa: S101 - expressions are all that is changed
        assert isinstance(wrong, ast.expr)  # noqa: S101 - see above
        site = Site(self._module, self._function, place, change)
        if _assigns(right) or not self._wanted(site):
            return right
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        chosen = ast.Call(
            ast.Name(CHOOSE, ast.Load()), [ast.Constant(site.name), right, ast.Lambda(nothing, wrong)], []
        )
        return ast.copy_location(chosen, right)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _assigns(node: ast.AST) -> bool:
    """Whether an expression must not be computed twice: it names a value, yields, or makes something wait."""
    return any(isinstance(each, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(node))
