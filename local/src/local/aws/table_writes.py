"""Updates and transactions of moto's tables in one pass; everything unusual is left to moto.

moto validates an update's tree with ten walks, copies the item twice and compares it with what it was; a transaction
parses and validates each of its actions twice. Here an update's text is read once, and a new item takes the old one's
place, with the values that did not change. That is done for ``SET`` of attributes to values, other attributes,
``if_not_exists`` and sums, for ``REMOVE``, and for ``ADD`` of numbers, all by placeholders. Whatever else is asked, and
whatever might be refused, changes nothing and raises: the caller then asks moto, whose answer counts. One request at a
time (see `moto_corrections`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.responses import validate_put_has_empty_keys

from local.aws.moto_corrections import LARGEST_ITEM, place_of, undoing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from moto.dynamodb.models import DynamoDBBackend
    from moto.dynamodb.models.table import Table

_KINDS: Final = frozenset({"Put", "Update", "Delete", "ConditionCheck"})
_MOST_ACTIONS: Final = 100
_OPERAND: Final = r"[:#]\w+|if_not_exists\s*\(\s*#\w+\s*,\s*[:#]\w+\s*\)"
_CLAUSE: Final = re.compile(r"\s*(SET|REMOVE|ADD)\s+")
_ACTIONS: Final = {
    "SET": re.compile(rf"(#\w+)\s*=\s*({_OPERAND})(?:\s*([+-])\s*({_OPERAND}))?"),
    "REMOVE": re.compile(r"(#\w+)"),
    "ADD": re.compile(r"(#\w+)\s+(:\w+)"),
}
_COMMA: Final = re.compile(r"\s*,\s*")
_PLACEHOLDER: Final = re.compile(r"[:#]\w+")


class UnusualError(Exception):
    """Only moto can say what becomes of it."""


_Action = tuple[str, str, tuple[str, ...], str | None, tuple[str, ...]]


class _Update(NamedTuple):
    """An update's actions (clause, target, operand, sign, operand), and the placeholders that it names."""

    actions: tuple[_Action, ...]
    named: frozenset[str]


@lru_cache(2000)
def _read(expression: str) -> _Update | None:
    """Return what an update's text says; None where it says more than is done here."""
    actions: list[_Action] = []
    place, clauses = 0, set[str]()
    while clause := _CLAUSE.match(expression, place):
        kind, place = clause[1], clause.end()
        if kind in clauses:
            return None
        clauses.add(kind)
        while action := _ACTIONS[kind].match(expression, place):
            target, *others = action.groups()
            first, sign, second = (*others, None, None, None)[:3]
            before, after = (tuple(_PLACEHOLDER.findall(operand or "")) for operand in (first, second))
            actions.append((kind, target, before, sign, after))
            place = action.end()
            if not (comma := _COMMA.match(expression, place)):
                break
            place = comma.end()
        else:
            return None
    targets = {target for _, target, *_ in actions}
    if expression[place:].strip() or not actions or len(targets) < len(actions):
        return None
    return _Update(tuple(actions), frozenset(_PLACEHOLDER.findall(expression)))


def updated(table: Table, wish: Mapping[str, Any]) -> tuple[Item | None, Item]:
    """Update an item; return it as it was, None where there was none, and as it is."""
    update = _read(wish["UpdateExpression"])
    hash_key, range_key, before = _current(table, wish["Key"])
    if update is None or len(wish["Key"]) != 1 + (range_key is not None):
        raise UnusualError
    _check(wish, update.named, before)
    item: Any = Item.__new__(Item)
    item.hash_key, item.range_key, item.attrs = hash_key, range_key, LimitedSizeDict()
    dict.update(item.attrs, _changed(table, wish, update, {} if before is None else before.attrs))
    if item.size() > LARGEST_ITEM:
        raise UnusualError
    place, key = place_of(table, hash_key, range_key)
    place[key] = item
    if table.stream_shard is not None:
        table.stream_shard.add(before, item)
    return before, item


def _changed(  # noqa: C901 - what each clause may be, in one place
    table: Table, wish: Mapping[str, Any], update: _Update, old: Mapping[str, DynamoType]
) -> dict[str, DynamoType]:
    """Return an item's attributes after an update; operands are those before it."""
    names, values = wish.get("ExpressionAttributeNames") or {}, wish.get("ExpressionAttributeValues") or {}
    kinds = {definition["AttributeName"]: definition["AttributeType"] for definition in table.attr}
    attributes = dict(old) or {name: DynamoType(value) for name, value in wish["Key"].items()}

    def operand(placeholders: tuple[str, ...]) -> DynamoType:
        for placeholder in placeholders:
            if placeholder[0] == ":":
                return DynamoType(values[placeholder])
            if names[placeholder] in old:
                return old[names[placeholder]]
        raise UnusualError

    for clause, target, first, sign, second in update.actions:
        name = names[target]
        value = None if clause == "REMOVE" else operand(first)
        if name in wish["Key"] or (clause == "ADD" and value is not None and value.type != "N"):
            raise UnusualError
        if value is None:
            attributes.pop(name, None)
            continue
        if clause == "ADD" and name in old:
            value = old[name] + value
        elif sign is not None:
            value = value + operand(second) if sign == "+" else value - operand(second)
        if name in kinds and (kinds[name] != value.type or value.value == ""):
            raise UnusualError
        attributes[name] = value
    return attributes


def transacted(backend: DynamoDBBackend, actions: Sequence[Mapping[str, Mapping[str, Any]]]) -> None:
    """Do all actions of a transaction; nothing is done where one is unusual or refused."""
    undo: list[Callable[[], None]] = []
    places: set[tuple[str, DynamoType, DynamoType | None]] = set()
    try:
        for action in actions:
            [(kind, wish)] = action.items()
            table = backend.tables[wish["TableName"]]
            hash_key, range_key, before = _current(table, wish["Item"] if kind == "Put" else wish["Key"])
            place = (table.name, hash_key, range_key)
            if place in places or len(places) == _MOST_ACTIONS or kind not in _KINDS:
                raise UnusualError  # noqa: TRY301 - undone below, as anything else
            places.add(place)
            undo.append(undoing(table, hash_key, range_key))
            if kind == "Update":
                updated(table, wish)
                continue
            _check(wish, frozenset(), before)
            if kind == "Put":
                validate_put_has_empty_keys(wish["Item"], table)
                table.put_item(wish["Item"], overwrite=True)
            elif kind == "Delete":
                table.delete_item(hash_key, range_key)
    except BaseException:
        for undone in reversed(undo):
            undone()
        raise


def _current(table: Table, key: Mapping[str, Any]) -> tuple[DynamoType, DynamoType | None, Item | None]:
    """Return a key's values, and the item that has it."""
    hash_key = DynamoType(key[table.hash_key_attr])
    items: Mapping[DynamoType, Any] = table.items
    if table.range_key_attr is None:
        return hash_key, None, items.get(hash_key)
    range_key = DynamoType(key[table.range_key_attr])
    return hash_key, range_key, items.get(hash_key, {}).get(range_key)


def _check(wish: Mapping[str, Any], named: frozenset[str], before: Item | None) -> None:
    """Raise unless the condition holds of the item and names every placeholder that is not ``named``."""
    names, values = wish.get("ExpressionAttributeNames"), wish.get("ExpressionAttributeValues")
    parser = ConditionExpressionParser(wish.get("ConditionExpression"), names, values)
    if not parser.parse().expr(before):
        raise UnusualError
    if not {*(names or ()), *(values or ())} <= {*named, *parser.expr_attr_names_found, *parser.expr_attr_values_found}:
        raise UnusualError
