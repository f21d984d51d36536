"""Where code can be broken: boundaries, conditions, signs and numbers in the functions of a module, found in its text.

A mutant's name is ``FAMILY:MODULE:FUNCTION:PLACE:CHANGE``, of the family ``rule`` in the domain and ``flow`` elsewhere;
places are counted within their function, so that a name outlives changes elsewhere. What is changed is an expression.
Both the right and the wrong one are computed, of operands that are computed once, whatever they do; and the copy's log
says when they first differ: a mutant that never made a difference was not provoked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

CHOOSE: Final = "_hurdle_choose"
"""A function, :class:`Choose`, to what is taken."""
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
Operand = Callable[[], Any]
Value = Callable[..., Any]
Choose = Callable[[tuple[str, ...], tuple[Operand, ...], Value, tuple[Value, ...]], Any]
"""Of names of mutants, the operands, the right value of them and the wrong one of each mutant, to what is taken."""
Build = Callable[[list[ast.expr]], ast.expr]
RULE, FLOW = "rule", "flow"
RULES: Final = "contest.domain."
"""Modules that begin so hold the contest's rules, pure functions; services ask them and do as they say."""


def once(operand: Operand) -> Operand:
    """An operand that is computed when it is first asked for, and never again."""
    return lru_cache(maxsize=None)(operand)


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
        family = RULE if self.module.startswith(RULES) else FLOW
        return f"{family}:{self.module}:{self.function}:{self.place}:{self.change}"


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
        place = self._counted(node)
        if len(node.ops) != 1 or type(node.ops[0]) not in _BOUNDARIES:
            return node

        def compared(by: ast.cmpop, sides: list[ast.expr]) -> ast.expr:
            return ast.Compare(sides[0], [by], sides[1:])

        (right,) = node.ops
        wrong = _BOUNDARIES[type(right)]()
        sides = [node.left, *node.comparators]
        return self._either(place, node, sides, partial(compared, right), {"boundary": partial(compared, wrong)})

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Drop each of the conditions."""
        place = self._counted(node)

        def joined(without: int | None, values: list[ast.expr]) -> ast.expr:
            rest = [each for at, each in enumerate(values) if at != without]
            return rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)

        wrong = {f"drop{number + 1}": partial(joined, number) for number in range(len(node.values))}
        return self._either(place, node, node.values, partial(joined, None), wrong)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Take a not away."""
        place = self._counted(node)
        if not isinstance(node.op, ast.Not):
            return node

        def is_true(values: list[ast.expr]) -> ast.expr:
            return ast.Call(ast.Name("bool", ast.Load()), values, [])

        return self._either(place, node, [node.operand], _negated, {"not": is_true})

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Add instead of taking away, and the other way round."""
        place = self._counted(node)
        texts = any(isinstance(each, ast.Constant | ast.JoinedStr | ast.List) for each in (node.left, node.right))
        if type(node.op) not in _SIGNS or (texts and not _is_number(node.right)):
            return node

        def reckoned(by: ast.operator, sides: list[ast.expr]) -> ast.expr:
            return ast.BinOp(sides[0], by, sides[1])

        wrong = _SIGNS[type(node.op)]()
        sides = [node.left, node.right]
        return self._either(place, node, sides, partial(reckoned, node.op), {"sign": partial(reckoned, wrong)})

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop a bound that is a number, ``max(0, x)``. It is not moved: by one millisecond more nobody is harmed."""
        named = isinstance(node.func, ast.Name) and node.func.id in {"max", "min"} and not node.keywords
        rest = [each for each in node.args if not _is_number(each)]
        if not named or len(node.args) != _BOUND_AND_VALUE or len(rest) != 1:
            return self.generic_visit(node)
        self._place += 1
        place, kept = self._place, self.visit(rest[0])

        def bound(values: list[ast.expr]) -> ast.expr:
            return ast.Call(node.func, [each if _is_number(each) else values[0] for each in node.args], [])

        return self._either(place, node, [kept], bound, {"bound": lambda values: values[0]})

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A number that is one more; the opposite of a truth value."""
        self._place += 1
        if isinstance(node.value, bool):
            return self._either(
                self._place, node, [], lambda _: node, {"truth": lambda _: ast.Constant(not node.value)}
            )
        if _is_number(node):
            more = ast.Constant(node.value + 1)  # type: ignore[operator]
            return self._either(self._place, node, [], lambda _: node, {"number": lambda _: more})
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """Go by the opposite of a condition that is no comparison."""
        return self._decided(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """See :meth:`visit_If`."""
        return self._decided(node)

    def _decided(self, node: ast.If | ast.IfExp) -> ast.AST:
        plain = isinstance(node.test, ast.Name | ast.Attribute | ast.Call)
        place = self._counted(node)
        if plain:
            node.test = self._either(place, node.test, [node.test], lambda values: values[0], {"opposite": _negated})
        return node

    def _counted(self, node: ast.AST) -> int:
        """The place of a node whose children have been visited after it."""
        self._place += 1
        place = self._place
        self.generic_visit(node)
        return place

    def _either(
        self, place: int, node: ast.expr, operands: list[ast.expr], right: Build, wrong: Mapping[str, Build]
    ) -> ast.expr:
        """A choice between the right value of the operands and those of the changes that are wanted; the node itself
        where none is."""
        sites = {Site(self._module, self._function, place, change): build for change, build in wrong.items()}
        wanted = [] if _assigns(node) else [site for site in sites if self._wanted(site)]
        if not wanted:
            return right(operands)
        names = [ast.Name(f"_operand_{number}", ast.Load()) for number in range(len(operands))]
        asked: list[ast.expr] = [ast.Call(name, [], []) for name in names]
        of_all = [ast.arg(name.id) for name in names]
        words = [
            ast.Tuple([ast.Constant(site.name) for site in wanted], ast.Load()),
            ast.Tuple([_function_of([], each) for each in operands], ast.Load()),
            _function_of(of_all, right(asked)),
            ast.Tuple([_function_of(of_all, sites[site](asked)) for site in wanted], ast.Load()),
        ]
        return ast.copy_location(ast.Call(ast.Name(CHOOSE, ast.Load()), words, []), node)


def _function_of(words: list[ast.arg], body: ast.expr) -> ast.expr:
    """``lambda words: body``."""
    return ast.Lambda(ast.arguments(posonlyargs=[], args=words, kwonlyargs=[], kw_defaults=[], defaults=[]), body)


def _negated(values: list[ast.expr]) -> ast.expr:
    return ast.UnaryOp(ast.Not(), values[0])


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _assigns(node: ast.AST) -> bool:
    """Whether an expression must not be computed twice: it names a value, yields, or makes something wait."""
    return any(isinstance(each, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(node))
